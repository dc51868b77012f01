"""What stacks of encoders and of decoders do alike."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np
import torch
from scipy.special import softmax

from measurand.core.arrays import Floats, Ints
from measurand.core.errors import ReaderFailed
from measurand.core.reader import JointPrediction, TrainingJob
from measurand.models.encoder import cuda_or_cpu
from measurand.models.stacking.stack import ResidentStack, Weights
from measurand.models.training import Batch, Loss


def mean_losses(
    models: ResidentStack, batches: Iterable[Batch], count: int
) -> list[float]:
    """The mean loss of each of the first `count` language models on its batches."""
    total, labels = torch.zeros(2, models.stack.size, device=cuda_or_cpu())
    for batch in batches:
        tokens = (batch["labels"] != -100).sum(dim=1)
        total += models.map_models(models.loss, batch) * tokens
        labels += tokens
    means = (total / labels.clamp(min=1)).cpu()
    return [float(mean) for mean in means[:count]]


def start_classifiers(
    models: ResidentStack,
    adapted: Sequence[int],
    bodies: ResidentStack | None,
    heads: Iterable[Weights],
) -> None:
    """Give the classifiers their heads, and to those that adapted what they read."""
    models.restart()
    if bodies is not None:
        models.stack.put_bodies(adapted, bodies.stack)
    for n, head in enumerate(heads):
        models.stack.put(n, head)


def predict_classes(
    models: ResidentStack,
    scores: Loss,
    batches: Iterable[tuple[Sequence[Ints], Batch]],
    jobs: Sequence[TrainingJob],
    readers: Sequence[Any],
) -> list[JointPrediction]:
    """What every classifier says about its own rows.

    Args:
        models: The classifiers.
        scores: Gives the scores of the classes for a batch.
        batches: The rows that each is asked about, and what it takes of them.
        jobs: Whose classifiers they are.
        readers: What reads and remarks for each.
    """
    shapes = [(len(job.test), len(job.train.classes)) for job in jobs]
    probabilities: list[Floats] = [np.zeros(shape) for shape in shapes]
    waiting = [(rows, models.map_models(scores, batch)) for rows, batch in batches]
    for rows, outputs in waiting:
        numbers = outputs.float().cpu().numpy().astype(np.float64)
        for index, model_rows in enumerate(rows):
            row_scores = numbers[index, : len(model_rows), : shapes[index][1]]
            probabilities[index][model_rows] = softmax(row_scores, axis=1)
    return [
        JointPrediction(reader.classes, shares, reader.remarks())
        for reader, shares in zip(readers, probabilities, strict=True)
    ]


@contextmanager
def joint_training(
    reader: Any, jobs: Sequence[TrainingJob], size: int
) -> Iterator[None]:
    """Jobs of one recipe that are learned at once: streams apart, no room in a line."""
    for job in jobs:
        alike = replace(job.reader, texts=reader.texts) == reader
        assert alike, "texts alone differ in a stack"  # noqa: S101
    assert len(jobs) <= size, "no more than it has places for"  # noqa: S101
    forked = [cuda_or_cpu()] if cuda_or_cpu().type == "cuda" else []
    try:
        with torch.random.fork_rng(devices=forked):
            yield
    except torch.OutOfMemoryError as full:
        raise ReaderFailed(
            f"out of memory with {size} models at once, {reader.batch} items of "
            f"{reader.length} tokens each; end what else is on the GPU, or lower the "
            "batch or the length"
        ) from full
