"""Stacks of encoders that stay on the device, and how many it holds."""

from typing import Any

import torch

from measurand.models.cuda_graphs import Batch
from measurand.models.encoder import cuda_or_cpu, encoder_family
from measurand.models.masked import (
    focused_masked_loss,
    load_masked_model,
    masked_language_model,
)
from measurand.models.stacking.stack import ResidentStack
from measurand.models.training import Schedule, labelled_cross_entropy
from measurand.readers.encoder_training import fresh_classifier
from measurand.readers.residents import _head_room, _models_by_weights, _reuse_resident

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

    return _reuse_resident("language", (name, rate, size), build)


def encoder_classifiers(
    name: str, classes: int, rate: float, warmup: float, size: int
) -> ResidentStack:
    """A stack of the checkpoint with a head that has room for so many classes."""
    room = _head_room(classes)

    def build() -> ResidentStack:
        model = fresh_classifier(name, room).to(cuda_or_cpu())
        return ResidentStack(model, size, _stacked_encoder_loss, Schedule(rate, warmup))

    return _reuse_resident("classes", (name, room, rate, warmup, size), build)


def _stacked_encoder_loss(model: Any, batch: Batch) -> torch.Tensor:
    """Cross entropy over the rows that count; 0 where none does."""
    logits = model(**{k: v for k, v in batch.items() if k != "labels"}).logits
    return labelled_cross_entropy(logits, batch["labels"])
