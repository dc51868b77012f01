"""The batches of a stack: the rows of many models side by side."""

from collections.abc import Sequence
from itertools import zip_longest

import numpy as np
from numpy.typing import NDArray

from measurand.core.arrays import Ints
from measurand.models.sequences import TokenSequences
from measurand.models.training import STEP, shuffle_short_last

ROWS_AT_ONCE = 64  # rows a model answers at once
SHUT = -1e4  # added to the score of a class that is not there: none overcomes it
Arrays = dict[str, NDArray[np.generic]]
BatchPlan = list[tuple[list[Ints], int]]  # the rows of each model, and their width


def align_batches(
    lengths: Sequence[Ints],
    batch: int,
    rngs: Sequence[np.random.Generator],
    order: np.random.Generator,
    pool: int | None = None,
) -> BatchPlan:
    """Batches of an epoch for several models; one with fewer rows has empty batches.

    Every model's rows are mixed and sorted by length, all or only within pools of so
    many rows, and cut into batches. The longest batches of all models are taken
    together, then those that follow, so that all are as narrow as can be. Which rank
    comes when is drawn from `order`; short batches come last, as in `widths`. A model
    whose batch is empty still moves a little, by what it learned before.
    """
    rankings = [
        _rank_batches(model_lengths, batch, rng, pool)
        for model_lengths, rng in zip(lengths, rngs, strict=True)
    ]
    nothing = np.zeros(0, np.int64)
    plan: BatchPlan = []
    for rows in zip_longest(*rankings, fillvalue=nothing):
        longest = max(
            int(model_lengths[chosen].max() if len(chosen) else model_lengths[0])
            for model_lengths, chosen in zip(lengths, rows, strict=True)
        )
        plan.append((list(rows), batch_width(longest)))
    short = [min(map(len, rows)) < batch for rows, _ in plan]
    return shuffle_short_last(plan, short, order)


def _rank_batches(
    lengths: Ints, batch: int, rng: np.random.Generator, pool: int | None
) -> list[Ints]:
    """The batches of one model: those with the longest rows first, a short one last."""
    mixed, pool = rng.permutation(len(lengths)), pool or max(1, len(lengths))
    batches = []
    for start in range(0, len(mixed), pool):
        rows = mixed[start : start + pool]
        rows = rows[np.argsort(lengths[rows], kind="stable")]
        batches += [rows[first : first + batch] for first in range(0, len(rows), batch)]
    return sorted(
        batches, key=lambda rows: (len(rows) < batch, -int(lengths[rows].max()))
    )


def batch_width(longest: int) -> int:
    """The width of a batch: the longer, the coarser, so that few are ever captured.

    >>> [batch_width(n) for n in (3, 16, 50, 70, 130, 257)]
    [16, 16, 64, 80, 160, 320]
    """
    step = STEP * (1 if longest <= 8 * STEP else 2 if longest <= 16 * STEP else 4)
    return -(-longest // step) * step


def fill_rows(rows: Ints, size: int) -> Ints:
    """The rows and, up to `size`, the first once more."""
    first = rows[:1] if len(rows) else np.zeros(1, np.int64)
    return np.concatenate([rows, np.repeat(first, size - len(rows))])


def sequence_arrays(data: TokenSequences, rows: Ints, width: int) -> Arrays:
    """What a model takes for these rows."""
    ids, kinds, mask = data.block(rows, width)
    arrays: Arrays = {"input_ids": ids, "attention_mask": mask}
    return arrays if data.joint.kinds is None else arrays | {"token_type_ids": kinds}
