"""Stacks of models that stay on the device, and how many it holds.

The last one of each kind is kept from group to group, arm to arm and task to task,
since its captured steps are worth more than it took to load it.
"""

import gc
from collections.abc import Callable
from typing import Any

import torch

from measurand.models.stacked import Resident

MOST = 8  # more gain little: the products are large enough by then
COST = 40  # bytes a weight and model: two stacks of weights, gradients and moments
SHARE = 0.4  # of the memory that they may fill; the rest is for what a step computes
ROOM = 16  # a head has room for so many classes, or twice as many, so that tasks share

KEPT: dict[str, tuple[tuple[Any, ...], Resident]] = {}


def fitting(memory: int, weights: int) -> int:
    """How many models of so many weights a GPU of so many bytes trains at once.

    >>> fitting(80 * 10**9, 22_000_000), fitting(24 * 10**9, 110_000_000)
    (8, 2)
    """
    return max(1, min(MOST, int(SHARE * memory / (COST * weights))))


def roomy(classes: int) -> int:
    """The classes that a head has room for.

    >>> roomy(2), roomy(16), roomy(17)
    (16, 16, 32)
    """
    return -(-classes // ROOM) * ROOM


def kept(
    kind: str, settings: tuple[Any, ...], made: Callable[[], Resident]
) -> Resident:
    """The stack of a kind with these settings; one with others goes before it comes."""
    if kind not in KEPT or KEPT[kind][0] != settings:
        if KEPT.pop(kind, None):
            gc.collect()
            torch.cuda.empty_cache()  # with the graphs; does nothing without a GPU
        KEPT[kind] = settings, made()
    return KEPT[kind][1]
