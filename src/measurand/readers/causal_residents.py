"""Stacks of decoders that stay on the device, and how many it holds."""

from dataclasses import replace

import torch

from measurand.models.causal import trainable_copy
from measurand.models.causal_loading import load_decoder
from measurand.models.causal_training import Training
from measurand.models.encoder import cuda_or_cpu
from measurand.models.stacking.batches import batch_width
from measurand.models.stacking.causal import (
    LastTokenClassifier,
    class_loss,
    focused_next_token_loss,
)
from measurand.models.stacking.stack import ResidentStack, decoder_attention_bias
from measurand.readers.residents import _head_room, _models_by_weights, _reuse_resident

# Families whose stacked answers are those of one by one, as a test holds them to. Not
# opt, which leaves out layers by lot.
STACKABLE_DECODERS = (
    *("gemma2", "gpt2", "gpt_neox", "granite", "llama", "mistral"),
    *("olmo2", "phi", "qwen2", "qwen3", "smollm3"),
)
SCORED = 16  # bytes a token and word of the vocabulary: logits and gradients, twice
SCORE_SHARE = 0.25  # of the memory that they may fill


def decoders_at_once(name: str, batch: int, length: int) -> int:
    """How many decoders are best trained at once here; 1 where there is no GPU."""
    if cuda_or_cpu().type != "cuda":
        return 1
    network, _ = load_decoder(name, exact=True)
    if not is_stackable(network.config, length):
        return 1
    memory = torch.cuda.get_device_properties(cuda_or_cpu()).total_memory
    weights = sum(part.numel() for part in network.parameters())
    vocabulary = network.get_output_embeddings().weight.shape[0]
    scored = _models_by_scores(memory, batch * batch_width(length) * vocabulary)
    return min(_models_by_weights(memory, weights), scored)


def is_stackable(config: object, length: int) -> bool:
    """Whether it was tried, and every token sees all before it."""
    window = getattr(config, "sliding_window", None) or length
    return getattr(config, "model_type", "") in STACKABLE_DECODERS and window >= length


def _models_by_scores(memory: int, scores: int) -> int:
    """How many models with so many scores a step a GPU of so many bytes trains.

    >>> _models_by_scores(80 * 10**9, 16 * 256 * 49_152), _models_by_scores(8 * 10**9, 16 * 256 * 49_152)
    (6, 1)
    """
    return max(1, int(SCORE_SHARE * memory / (SCORED * scores)))


def decoder_language_models(name: str, training: Training, size: int) -> ResidentStack:
    """A stack of the checkpoint as a language model."""

    def build() -> ResidentStack:
        network = trainable_copy(load_decoder(name, exact=True)[0]).to(cuda_or_cpu())
        network.config.use_cache = False
        return ResidentStack(
            network,
            size,
            focused_next_token_loss(network),
            training,
            decoder_attention_bias,
        )

    return _reuse_resident("language", (name, _step_settings(training), size), build)


def decoder_classifiers(
    name: str, classes: int, training: Training, size: int
) -> ResidentStack:
    """A stack of its bodies, with a head that has room for so many classes."""
    room = _head_room(classes)

    def build() -> ResidentStack:
        network, _ = load_decoder(name, exact=True)
        model = (
            LastTokenClassifier(network, room).to(cuda_or_cpu()).requires_grad_(True)
        )
        model.base_model.config.use_cache = False
        return ResidentStack(model, size, class_loss, training, decoder_attention_bias)

    return _reuse_resident(
        "classes", (name, room, _step_settings(training), size), build
    )


def _step_settings(training: Training) -> Training:
    """The settings that a captured step holds."""
    return replace(training, epochs=0, batch=0)
