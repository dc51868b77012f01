"""The batches of stacked models: as many rows each, of one width."""

from collections.abc import Sequence
from itertools import zip_longest

import numpy as np
import torch
from numpy.typing import NDArray

from measurand.models.encoder import device
from measurand.models.joining import Joined
from measurand.models.training import STEP, Ints, short_last

ASKED = 64  # rows a model answers at once
SHUT = -1e4  # added to the score of a class that is not there: none overcomes it

Arrays = dict[str, NDArray[np.generic]]
Plan = list[tuple[list[Ints], int]]  # the rows of each model, and their width


def aligned(
    lengths: Sequence[Ints],
    batch: int,
    rngs: Sequence[np.random.Generator],
    order: np.random.Generator,
    pool: int | None = None,
) -> Plan:
    """Batches of an epoch for several models; one with fewer rows has empty batches.

    Every model's rows are mixed and sorted by length, all or only within pools of so
    many rows, and cut into batches. The longest batches of all models are taken
    together, then those that follow, so that all are as narrow as can be. Which rank
    comes when is drawn from `order`; short batches come last, as in `widths`. A model
    whose batch is empty still moves a little, by what it learned before.
    """
    each = [
        ranked(own, batch, rng, pool) for own, rng in zip(lengths, rngs, strict=True)
    ]
    nothing = np.zeros(0, np.int64)
    found: Plan = []
    for rows in zip_longest(*each, fillvalue=nothing):
        longest = max(
            int(own[chosen].max() if len(chosen) else own[0])
            for own, chosen in zip(lengths, rows, strict=True)
        )
        found.append((list(rows), wide(longest)))
    short = [min(map(len, rows)) < batch for rows, _ in found]
    return short_last(found, short, order)


def ranked(
    lengths: Ints, batch: int, rng: np.random.Generator, pool: int | None
) -> list[Ints]:
    """The batches of one model: those with the longest rows first, a short one last."""
    mixed, pool = rng.permutation(len(lengths)), pool or max(1, len(lengths))
    found = []
    for start in range(0, len(mixed), pool):
        rows = mixed[start : start + pool]
        rows = rows[np.argsort(lengths[rows], kind="stable")]
        found += [rows[first : first + batch] for first in range(0, len(rows), batch)]
    return sorted(
        found, key=lambda rows: (len(rows) < batch, -int(lengths[rows].max()))
    )


def wide(longest: int) -> int:
    """The width of a batch: the longer, the coarser, so that few are ever captured.

    >>> [wide(n) for n in (3, 16, 50, 70, 130, 257)]
    [16, 16, 64, 80, 160, 320]
    """
    step = STEP * (1 if longest <= 8 * STEP else 2 if longest <= 16 * STEP else 4)
    return -(-longest // step) * step


def filled(rows: Ints, size: int) -> Ints:
    """The rows and, up to `size`, the first once more."""
    first = rows[:1] if len(rows) else np.zeros(1, np.int64)
    return np.concatenate([rows, np.repeat(first, size - len(rows))])


def block(data: Joined, rows: Ints, width: int) -> Arrays:
    """What a model takes for these rows."""
    ids, kinds, there = data.block(rows, width)
    made: Arrays = {"input_ids": ids, "attention_mask": there}
    return made if data.joint.kinds is None else made | {"token_type_ids": kinds}


def moved(parts: Sequence[Arrays], size: int) -> dict[str, torch.Tensor]:
    """The batches of all models on the device; a short stack repeats its last."""
    whole = [*parts, *[parts[-1]] * (size - len(parts))]
    return {name: sent(np.stack([part[name] for part in whole])) for name in parts[0]}


def sent(array: NDArray[np.generic]) -> torch.Tensor:
    """The array on the device; it is not waited for, as the next one is to be made."""
    made, where = torch.from_numpy(array), device()
    # Only from memory that stays in its place does a GPU fetch while it computes.
    ready = made.pin_memory() if where.type == "cuda" else made
    return ready.to(where, non_blocking=True)
