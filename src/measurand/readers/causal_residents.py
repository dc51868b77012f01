"""Stacks of decoders that stay on the device, and how many it holds."""

from dataclasses import replace

import torch

from measurand.models.causal import trainable_copy
from measurand.models.causal_loading import load_decoder
from measurand.models.causal_stacked import (
    LastTokenClassifier,
    class_loss,
    focused_next_token_loss,
)
from measurand.models.causal_training import Training
from measurand.models.encoder import cuda_or_cpu
from measurand.models.stack_batches import batch_width
from measurand.models.stack_masks import decoder_attention_bias
from measurand.models.stacked import ResidentStack
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
    if cuda_or_cpu().type != "cuda":
        return 1
    network, _ = load_decoder(name, exact=True)
    if not stackable(network.config, length):
        return 1
    memory = torch.cuda.get_device_properties(cuda_or_cpu()).total_memory
    weights = sum(part.numel() for part in network.parameters())
    vocabulary = network.get_output_embeddings().weight.shape[0]
    scored = scoring(memory, batch * batch_width(length) * vocabulary)
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


def language_models(name: str, how: Training, size: int) -> ResidentStack:
    """A stack of the checkpoint as a language model."""

    def made() -> ResidentStack:
        network = trainable_copy(load_decoder(name, exact=True)[0]).to(cuda_or_cpu())
        network.config.use_cache = False
        return ResidentStack(
            network, size, focused_next_token_loss(network), how, decoder_attention_bias
        )

    return kept("language", (name, moving(how), size), made)


def classifiers(name: str, classes: int, how: Training, size: int) -> ResidentStack:
    """A stack of its bodies, with a head that has room for so many classes."""
    room = roomy(classes)

    def made() -> ResidentStack:
        network, _ = load_decoder(name, exact=True)
        model = (
            LastTokenClassifier(network, room).to(cuda_or_cpu()).requires_grad_(True)
        )
        model.base_model.config.use_cache = False
        return ResidentStack(model, size, class_loss, how, decoder_attention_bias)

    return kept("classes", (name, room, moving(how), size), made)


def moving(how: Training) -> Training:
    """The settings that a captured step holds."""
    return replace(how, epochs=0, batch=0)
