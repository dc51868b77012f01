"""Stacks of decoders that stay on the device, and how many it holds."""

from dataclasses import replace

import torch

from measurand.models.causal import owned
from measurand.models.causal_loading import fetched
from measurand.models.causal_stacked import LastToken, class_loss, foretelling
from measurand.models.causal_training import Training
from measurand.models.encoder import device
from measurand.models.stack_batches import wide
from measurand.models.stack_masks import behind
from measurand.models.stacked import Resident
from measurand.readers.residents import fitting, kept, roomy

# Families whose stacked answers are those of one by one, as a test holds them to. Not
# opt, which leaves out layers by lot.
STACKING = (
    *("gemma2", "gpt2", "gpt_neox", "granite", "llama", "mistral"),
    *("olmo2", "phi", "qwen2", "qwen3", "smollm3"),
)
SCORED = 16  # bytes a token and word of the vocabulary: logits and gradients, twice
SHARE = 0.25  # of the memory that they may fill


def suiting(name: str, batch: int, length: int) -> int:
    """How many decoders are best trained at once here; 1 where there is no GPU."""
    if device().type != "cuda":
        return 1
    network, _ = fetched(name, exact=True)
    if not stackable(network.config, length):
        return 1
    memory = torch.cuda.get_device_properties(device()).total_memory
    weights = sum(part.numel() for part in network.parameters())
    vocabulary = network.get_output_embeddings().weight.shape[0]
    scored = scoring(memory, batch * wide(length) * vocabulary)
    return min(fitting(memory, weights), scored)


def stackable(config: object, length: int) -> bool:
    """Whether it was tried, and every token sees all before it."""
    seen = getattr(config, "sliding_window", None) or length
    return getattr(config, "model_type", "") in STACKING and seen >= length


def scoring(memory: int, scores: int) -> int:
    """How many models with so many scores a step a GPU of so many bytes trains.

    >>> scoring(80 * 10**9, 16 * 256 * 49_152), scoring(8 * 10**9, 16 * 256 * 49_152)
    (6, 1)
    """
    return max(1, int(SHARE * memory / (SCORED * scores)))


def language_models(name: str, how: Training, size: int) -> Resident:
    """A stack of the checkpoint as a language model."""

    def made() -> Resident:
        network = owned(fetched(name, exact=True)[0]).to(device())
        network.config.use_cache = False
        return Resident(network, size, foretelling(network), how, behind)

    return kept("language", (name, moving(how), size), made)


def classifiers(name: str, classes: int, how: Training, size: int) -> Resident:
    """A stack of its bodies, with a head that has room for so many classes."""
    room = roomy(classes)

    def made() -> Resident:
        network, _ = fetched(name, exact=True)
        model = LastToken(network, room).to(device()).requires_grad_(True)
        model.base_model.config.use_cache = False
        return Resident(model, size, class_loss, how, behind)

    return kept("classes", (name, room, moving(how), size), made)


def moving(how: Training) -> Training:
    """The settings that a captured step holds."""
    return replace(how, epochs=0, batch=0)
