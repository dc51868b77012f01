"""Token rows of uneven length as batches."""

from collections.abc import Iterator, Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from measurand.models.causal_loading import accelerator

Ids = list[int]
BUDGET = {"cuda": 16_384, "mps": 4_096, "cpu": 4_096}  # tokens a batch, with padding
SHORTEST = 32  # tokens a text counts at least: a row of logits costs memory too


def tokens_per_batch() -> int:
    """The tokens that are read at once."""
    return BUDGET[accelerator().type]


def pad_rows(
    rows: Sequence[Ids], filler: int, side: str = "left"
) -> tuple[Tensor, Tensor]:
    """Rows of one length, and where they are real; on the left, ends line up."""
    ids, mask = pad_to_width(rows, max(map(len, rows)), filler, side)
    return torch.from_numpy(ids).to(accelerator()), torch.from_numpy(mask).to(
        accelerator()
    )


def pad_to_width(
    rows: Sequence[Ids], width: int, filler: int, side: str
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Rows filled up to a width, and where they are real."""
    ids = np.full((len(rows), width), filler, np.int64)
    mask = np.zeros((len(rows), width), np.int64)
    for i, row in enumerate(rows):
        span = slice(width - len(row), None) if side == "left" else slice(len(row))
        ids[i, span], mask[i, span] = row, 1
    return ids, mask


def batch_by_length(lengths: Sequence[int], most: int) -> Iterator[list[int]]:
    """Positions in batches of like length, each of `most` tokens or one row.

    >>> list(batch_by_length([900, 40, 901, 50], 2000))
    [[2, 0], [3, 1]]
    """
    order = sorted(range(len(lengths)), key=lambda i: -lengths[i])
    while order:
        rows = max(1, most // max(lengths[order[0]], SHORTEST))
        # Short texts do not wait on long ones: at most half of a row is padding.
        batch = [i for i in order[:rows] if 2 * lengths[i] >= lengths[order[0]]]
        yield batch
        order = order[len(batch) :]
