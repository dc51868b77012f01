"""Token relevance agreement: do two readers look at the same words?

A relevance is a length, such as the norm of a gradient; special tokens have none. One
reader reads the whole item (`pair`), the other one part alone (`single`).

    full     Eq. 10: the cosine of both relevances, each normalised over its own whole
             sequence, the single one padded with zeros where the other parts stand
    within   the cosine with both renormalised on the part alone
    mass     the share of the pair reader's relevance that falls on the part

`full` is `within` times the part's share, in squares, of the pair reader's relevance:
it is low where that reader looks elsewhere, however alike both read the part.

Tokens of the part are the same by index. Where truncation left one reader with fewer
of them, both cosines leave out the rest of the other's: they compare the shared prefix,
which both readers have read. `mass` counts all tokens that the pair reader has read.
"""

from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from measurand.core.errors import BadInput
from measurand.core.reader import Floats

Number = TypeVar("Number", float, Floats)
Bools = NDArray[np.bool_]
SPECIAL = -1  # the field of a token that the tokenizer put there itself


class Relevance(NamedTuple, Generic[Number]):
    """The three agreements, of one item or of each."""

    full: Number
    within: Number
    mass: Number


def tra(pair: ArrayLike, pair_part: ArrayLike, single: ArrayLike) -> Relevance[float]:
    """The agreement of two readers on one item; NaN where there is nothing to compare.

    Args:
        pair: The relevance of every token of the whole item, special ones left out.
        pair_part: Which of these tokens are of the part.
        single: The relevance of the part's tokens, read alone.

    >>> seen = tra([3.0, 0.0, 4.0, 0.0], [False, False, True, True], [1.0, 0.0])
    >>> seen.full, seen.within, round(seen.mass, 3)
    (0.8, 1.0, 0.571)
    """
    whole, part, alone = (
        np.asarray(pair),
        np.asarray(pair_part, bool),
        np.asarray(single),
    )
    if whole.shape != part.shape or whole.ndim != 1 or alone.ndim != 1:
        raise BadInput("give one relevance and one mark a token, of one item")
    # The part is field 0 and what is left of the item field 1.
    fields = np.where(part, 0, 1)
    found = relevance_agreement(
        whole[None], fields[None], alone[None], np.zeros((1, len(alone))), 0
    )
    return Relevance(*(float(values[0]) for values in found))


def relevance_agreement(
    scores_pair: NDArray[Any],
    fields_pair: NDArray[Any],
    scores_single: NDArray[Any],
    fields_single: NDArray[Any],
    field: int,
) -> Relevance[Floats]:
    """The agreement on each item; NaN where an item has nothing to compare.

    All arrays are items × tokens. `fields` hold the number of the field that a token
    is from, -1 for special tokens and -2 for padding.

    Args:
        scores_pair: The relevance of each token of the whole item.
        fields_pair: The field of each of these tokens.
        scores_single: The relevance of each token of the part, read alone.
        fields_single: The field of each of these: 0, since there is no other.
        field: The number of the part in `fields_pair`.
    """
    whole = normalised(scores_pair, fields_pair > SPECIAL)
    alone = normalised(scores_single, fields_single > SPECIAL)
    if len(whole) != len(alone):
        raise BadInput(
            f"{len(whole)} items in pairs and {len(alone)} alone; give equal"
        )
    longest = max(whole.shape[1], alone.shape[1])
    here, there = fields_pair == field, fields_single == 0
    mine, many = packed(whole, here, longest)
    theirs, few = packed(alone, there, longest)
    prefix = np.arange(longest) < np.minimum(many, few)[:, None]
    a, b = np.where(prefix, mine, 0.0), np.where(prefix, theirs, 0.0)
    dot, part = (a * b).sum(axis=1), (a * a).sum(axis=1)
    other = (b * b).sum(axis=1)
    rest = (np.where(here, 0.0, whole) ** 2).sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        full = np.minimum(dot / np.sqrt((part + rest) * other), 1.0)
        within = np.minimum(dot / np.sqrt(part * other), 1.0)
    found = full, within, mine.sum(axis=1)
    return Relevance(*(np.where(prefix.any(axis=1), one, np.nan) for one in found))


def normalised(scores: NDArray[Any], read: Bools) -> Floats:
    """Each row divided by its sum over the tokens that count, the others 0 (Eq. 9)."""
    if scores.shape != read.shape or scores.ndim != 2:
        raise BadInput(f"relevances {scores.shape} do not fit tokens {read.shape}")
    kept = np.where(read, scores, 0.0).astype(float)
    if (kept < 0).any():
        raise BadInput(
            "a relevance is below 0; give lengths, such as norms of gradients"
        )
    with np.errstate(invalid="ignore"):
        return np.asarray(kept / kept.sum(axis=1, keepdims=True))


def packed(
    scores: Floats, chosen: Bools, longest: int
) -> tuple[Floats, NDArray[np.int64]]:
    """The chosen tokens of each row, moved to its start, and how many they are."""
    rows, columns = np.nonzero(chosen)
    places = np.cumsum(chosen, axis=1)[rows, columns] - 1
    moved = np.zeros((len(scores), longest))
    moved[rows, places] = scores[rows, columns]
    return moved, np.asarray(chosen.sum(axis=1), np.int64)
