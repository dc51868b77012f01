"""Stacks of models that stay on the device, and how many it holds.

The last one of each kind is kept from group to group, arm to arm and task to task,
since its captured steps are worth more than it took to load it.
"""

import gc
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import torch

from measurand.core.errors import ReaderFailed
from measurand.core.joint_training import TrainingJob
from measurand.models.encoder import cuda_or_cpu
from measurand.models.stacking.stack import ResidentStack

MOST = 8  # more gain little: the products are large enough by then
COST = 40  # bytes a weight and model: two stacks of weights, gradients and moments
WEIGHT_SHARE = (
    0.4  # of the memory that they may fill; the rest is for what a step computes
)
ROOM = 16  # a head has room for so many classes, or twice as many, so that tasks share

RESIDENTS: dict[str, tuple[tuple[Any, ...], ResidentStack]] = {}


def _models_by_weights(memory: int, weights: int) -> int:
    """How many models of so many weights a GPU of so many bytes trains at once.

    >>> _models_by_weights(80 * 10**9, 22_000_000), _models_by_weights(24 * 10**9, 110_000_000)
    (8, 2)
    """
    return max(1, min(MOST, int(WEIGHT_SHARE * memory / (COST * weights))))


def _head_room(classes: int) -> int:
    """The classes that a head has room for.

    >>> _head_room(2), _head_room(16), _head_room(17)
    (16, 16, 32)
    """
    return -(-classes // ROOM) * ROOM


def _reuse_resident(
    kind: str, settings: tuple[Any, ...], build: Callable[[], ResidentStack]
) -> ResidentStack:
    """The stack of a kind with these settings; one with others goes before it comes."""
    if kind not in RESIDENTS or RESIDENTS[kind][0] != settings:
        if RESIDENTS.pop(kind, None):
            gc.collect()
            torch.cuda.empty_cache()  # with the graphs; does nothing without a GPU
        RESIDENTS[kind] = settings, build()
    return RESIDENTS[kind][1]


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
