"""Stacks of models that stay on the device, and how many it holds.

The last one of each kind is kept from group to group, arm to arm and task to task,
since its captured steps are worth more than it took to load it.
"""

import gc
from collections.abc import Callable
from typing import Any

import torch

from measurand.core.recipe import Locate
from measurand.disk.digests import path_digest
from measurand.models.causal import trainable_copy
from measurand.models.causal_loading import load_decoder
from measurand.models.encoder import cuda_or_cpu, encoder_family
from measurand.models.masked import (
    focused_masked_loss,
    load_masked_model,
    masked_language_model,
)
from measurand.models.places import decoder_path, encoder_path
from measurand.models.stacking.batches import batch_width
from measurand.models.stacking.causal import (
    LastTokenClassifier,
    class_loss,
    focused_next_token_loss,
)
from measurand.models.stacking.stack import ResidentStack, decoder_attention_bias
from measurand.models.training import Batch, Schedule, labelled_cross_entropy
from measurand.readers.encoder_training import fresh_classifier

MOST = 8  # more gain little: the products are large enough by then
COST = 40  # bytes a weight and model: two stacks of weights, gradients and moments
WEIGHT_SHARE = (
    0.4  # of the memory that they may fill; the rest is for what a step computes
)
ROOM = 16  # a head has room for so many classes, or twice as many, so that tasks share

RESIDENTS: dict[str, tuple[tuple[Any, ...], ResidentStack]] = {}


def _models_by_weights(memory: int, weights: int) -> int:
    """How many models of so many weights a GPU of so many bytes trains at once.

    >>> _models_by_weights(80 * 10**9, 22_000_000)
    8
    >>> _models_by_weights(24 * 10**9, 110_000_000)
    2
    """
    return max(1, min(MOST, int(WEIGHT_SHARE * memory / (COST * weights))))


def _head_room(classes: int) -> int:
    """The classes that a head has room for.

    >>> _head_room(2), _head_room(16), _head_room(17)
    (16, 16, 32)
    """
    return -(-classes // ROOM) * ROOM


def _reuse_resident(
    kind: str,
    locate: Locate,
    name: str,
    settings: tuple[Any, ...],
    build: Callable[[], ResidentStack],
) -> ResidentStack:
    """The stack of a model with these settings; another goes before it comes."""
    path = locate(name)
    settings = (name, path and path_digest(path), *settings)
    if kind not in RESIDENTS or RESIDENTS[kind][0] != settings:
        if RESIDENTS.pop(kind, None):
            gc.collect()
            torch.cuda.empty_cache()  # with the graphs; does nothing without a GPU
        RESIDENTS[kind] = settings, build()
    return RESIDENTS[kind][1]


# Families whose stacked answers are those of one by one, as a test holds them to. Not
# deberta-v2, which multiplies by its mask, nor modernbert, which narrows it.
STACKABLE_ENCODERS = (
    *("albert", "bert", "camembert", "distilbert", "electra"),
    *("mpnet", "roberta", "xlm-roberta"),
)


def encoders_at_once(name: str) -> int:
    """How many encoders are best trained at once here; 1 where there is no GPU."""
    if cuda_or_cpu().type != "cuda" or encoder_family(name) not in STACKABLE_ENCODERS:
        return 1
    weights = sum(part.numel() for part in load_masked_model(name)[0].parameters())
    return _models_by_weights(
        torch.cuda.get_device_properties(cuda_or_cpu()).total_memory, weights
    )


def encoder_language_models(name: str, rate: float, size: int) -> ResidentStack:
    """A stack of the checkpoint with its language-model head."""

    def build() -> ResidentStack:
        model = masked_language_model(name).to(cuda_or_cpu())
        schedule = Schedule(rate, warmup=0.0, decay=0.0)
        return ResidentStack(model, size, focused_masked_loss(model), schedule)

    return _reuse_resident("language", encoder_path, name, (rate, size), build)


def encoder_classifiers(
    name: str, classes: int, rate: float, warmup: float, size: int
) -> ResidentStack:
    """A stack of the checkpoint with a head that has room for so many classes."""
    room = _head_room(classes)

    def build() -> ResidentStack:
        model = fresh_classifier(name, room).to(cuda_or_cpu())
        return ResidentStack(model, size, _stacked_encoder_loss, Schedule(rate, warmup))

    return _reuse_resident(
        "classes", encoder_path, name, (room, rate, warmup, size), build
    )


def _stacked_encoder_loss(model: Any, batch: Batch) -> torch.Tensor:
    """Cross entropy over the rows that count; 0 where none does."""
    logits = model(**{k: v for k, v in batch.items() if k != "labels"}).logits
    return labelled_cross_entropy(logits, batch["labels"])


# Families whose stacked answers are those of one by one, as a test holds them to. Not
# opt, which leaves out layers at random.
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

    >>> sizes = (80 * 10**9, 8 * 10**9)
    >>> [_models_by_scores(size, 16 * 256 * 49_152) for size in sizes]
    [6, 1]
    """
    return max(1, int(SCORE_SHARE * memory / (SCORED * scores)))


def decoder_language_models(name: str, schedule: Schedule, size: int) -> ResidentStack:
    """A stack of the checkpoint as a language model."""

    def build() -> ResidentStack:
        network = trainable_copy(load_decoder(name, exact=True)[0]).to(cuda_or_cpu())
        network.config.use_cache = False
        return ResidentStack(
            network,
            size,
            focused_next_token_loss(network),
            schedule,
            decoder_attention_bias,
        )

    return _reuse_resident("language", decoder_path, name, (schedule, size), build)


def decoder_classifiers(
    name: str, classes: int, schedule: Schedule, size: int
) -> ResidentStack:
    """A stack of its bodies, with a head that has room for so many classes."""
    room = _head_room(classes)

    def build() -> ResidentStack:
        network, _ = load_decoder(name, exact=True)
        model = (
            LastTokenClassifier(network, room).to(cuda_or_cpu()).requires_grad_(True)
        )
        model.base_model.config.use_cache = False
        return ResidentStack(model, size, class_loss, schedule, decoder_attention_bias)

    return _reuse_resident("classes", decoder_path, name, (room, schedule, size), build)
