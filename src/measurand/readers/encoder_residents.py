"""Stacks of encoders that stay on the device, and how many it holds."""

from typing import Any

import torch

from measurand.models.encoder import cuda_or_cpu, encoder_family
from measurand.models.masked import (
    focused_masked_loss,
    load_masked_model,
    masked_language_model,
)
from measurand.models.replaying import Batch
from measurand.models.stacked import ResidentStack
from measurand.models.training import Schedule, labelled_cross_entropy
from measurand.readers.encoder_training import fresh
from measurand.readers.residents import fitting, kept, roomy

# Families whose stacked answers are those of one by one, as a test holds them to. Not
# deberta-v2, which multiplies by its mask, nor modernbert, which narrows it.
STACKING = (
    *("albert", "bert", "camembert", "distilbert", "electra"),
    *("mpnet", "roberta", "xlm-roberta"),
)


def suiting(name: str) -> int:
    """How many encoders are best trained at once here; 1 where there is no GPU."""
    if cuda_or_cpu().type != "cuda" or encoder_family(name) not in STACKING:
        return 1
    weights = sum(part.numel() for part in load_masked_model(name)[0].parameters())
    return fitting(
        torch.cuda.get_device_properties(cuda_or_cpu()).total_memory, weights
    )


def language_models(name: str, rate: float, size: int) -> ResidentStack:
    """A stack of the checkpoint with its language-model head."""

    def made() -> ResidentStack:
        model = masked_language_model(name).to(cuda_or_cpu())
        schedule = Schedule(rate, warmup=0.0, decay=0.0)
        return ResidentStack(model, size, focused_masked_loss(model), schedule)

    return kept("language", (name, rate, size), made)


def classifiers(
    name: str, classes: int, rate: float, warmup: float, size: int
) -> ResidentStack:
    """A stack of the checkpoint with a head that has room for so many classes."""
    room = roomy(classes)

    def made() -> ResidentStack:
        model = fresh(name, room).to(cuda_or_cpu())
        return ResidentStack(model, size, loss, Schedule(rate, warmup))

    return kept("classes", (name, room, rate, warmup, size), made)


def loss(model: Any, batch: Batch) -> torch.Tensor:
    """Cross entropy over the rows that count; 0 where none does."""
    logits = model(**{k: v for k, v in batch.items() if k != "labels"}).logits
    return labelled_cross_entropy(logits, batch["labels"])
