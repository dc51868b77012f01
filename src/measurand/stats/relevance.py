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

from measurand.core.arrays import Bools, Floats
from measurand.core.errors import BadInput

Number = TypeVar("Number", float, Floats)
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
    item_scores, in_part, part_scores = (
        np.asarray(pair),
        np.asarray(pair_part, bool),
        np.asarray(single),
    )
    if (
        item_scores.shape != in_part.shape
        or item_scores.ndim != 1
        or part_scores.ndim != 1
    ):
        raise BadInput("give one relevance and one mark a token, of one item")
    # The part is field 0 and what is left of the item field 1.
    fields = np.where(in_part, 0, 1)
    agreement = relevance_agreement(
        item_scores[None],
        fields[None],
        part_scores[None],
        np.zeros((1, len(part_scores))),
        0,
    )
    return Relevance(*(float(values[0]) for values in agreement))


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
    pair_shares = _normalise_relevance(scores_pair, fields_pair > SPECIAL)
    single_shares = _normalise_relevance(scores_single, fields_single > SPECIAL)
    if len(pair_shares) != len(single_shares):
        raise BadInput(
            f"{len(pair_shares)} items in pairs and {len(single_shares)} alone; give "
            "equal"
        )
    longest = max(pair_shares.shape[1], single_shares.shape[1])
    in_part, in_single = fields_pair == field, fields_single == 0
    pair_tokens, pair_counts = _pack_tokens(pair_shares, in_part, longest)
    single_tokens, single_counts = _pack_tokens(single_shares, in_single, longest)
    prefix = np.arange(longest) < np.minimum(pair_counts, single_counts)[:, None]
    a, b = np.where(prefix, pair_tokens, 0.0), np.where(prefix, single_tokens, 0.0)
    dot, pair_square = (a * b).sum(axis=1), (a * a).sum(axis=1)
    single_square = (b * b).sum(axis=1)
    rest_square = (np.where(in_part, 0.0, pair_shares) ** 2).sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        full = np.minimum(
            dot / np.sqrt((pair_square + rest_square) * single_square), 1.0
        )
        within = np.minimum(dot / np.sqrt(pair_square * single_square), 1.0)
    measures = full, within, pair_tokens.sum(axis=1)
    return Relevance(
        *(np.where(prefix.any(axis=1), values, np.nan) for values in measures)
    )


def _normalise_relevance(scores: NDArray[Any], mask: Bools) -> Floats:
    """Each row divided by its sum over the tokens that count, the others 0 (Eq. 9)."""
    if scores.shape != mask.shape or scores.ndim != 2:
        raise BadInput(f"relevances {scores.shape} do not fit tokens {mask.shape}")
    lengths = np.where(mask, scores, 0.0).astype(float)
    if (lengths < 0).any():
        raise BadInput(
            "a relevance is below 0; give lengths, such as norms of gradients"
        )
    with np.errstate(invalid="ignore"):
        return np.asarray(lengths / lengths.sum(axis=1, keepdims=True))


def _pack_tokens(
    scores: Floats, mask: Bools, longest: int
) -> tuple[Floats, NDArray[np.int64]]:
    """The chosen tokens of each row, moved to its start, and how many they are."""
    rows, columns = np.nonzero(mask)
    positions = np.cumsum(mask, axis=1)[rows, columns] - 1
    front = np.zeros((len(scores), longest))
    front[rows, positions] = scores[rows, columns]
    return front, np.asarray(mask.sum(axis=1), np.int64)
