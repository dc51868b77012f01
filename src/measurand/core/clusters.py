"""Which items are dependent because they share something.

Clusters are one number per item or, where items share texts in two ways of which
neither lies within the other, two: items × ways.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

FEW_TEXTS = 5  # of a column that distinguishes items no more than a class would
ITEMS_OF_TEXT = 10  # items at least that each of a few texts has on average


def has_few_texts(column: "pd.Series[str]") -> bool:
    """Whether a few texts are those of many items each, as a few question words.

    >>> has_few_texts(pd.Series(["cause", "effect"] * 20))
    True
    >>> has_few_texts(pd.Series(["cause", "effect"]))
    False
    """
    return column.nunique() <= min(FEW_TEXTS, len(column) / ITEMS_OF_TEXT)


def linked_clusters(
    columns: Sequence["pd.Series[str] | NDArray[np.int64]"],
) -> NDArray[np.int64]:
    """A cluster number for each item: items that share a value anywhere share one.

    Sharing is followed through: if a and b share a premise and b and c a hypothesis,
    all three are one cluster. A blank is shared with nobody.

    >>> first, second = pd.Series(["p", "p", "q", "r"]), pd.Series(["x", "y", "y", "z"])
    >>> linked_clusters([first, second]).tolist()
    [0, 0, 0, 1]
    """
    codes = [_number_values(column) for column in columns]
    if len(codes) == 1:
        return codes[0]
    n = len(codes[0])
    starts = np.cumsum([n, *(code.max(initial=-1) + 1 for code in codes)])
    values = np.concatenate(
        [code + start for code, start in zip(codes, starts, strict=False)]
    )
    rows = np.tile(np.arange(n), len(codes))
    links = coo_array((np.ones(len(rows), np.int8), (rows, values)), (starts[-1],) * 2)
    _, numbers = connected_components(links, directed=False)
    return pd.factorize(numbers[:n])[0].astype(np.int64)


def _number_values(column: "pd.Series[str] | NDArray[np.int64]") -> NDArray[np.int64]:
    """A number for each value, and for each blank one of its own.

    >>> _number_values(pd.Series(["a", "", "a", " ", ""])).tolist()
    [0, 1, 0, 2, 3]
    """
    numbers, values = pd.factorize(column)
    codes = numbers.astype(np.int64)
    blank = [
        n
        for n, value in enumerate(values.tolist())
        if isinstance(value, str) and not value.strip()
    ]
    if not blank:
        return codes
    rows = np.flatnonzero(np.isin(codes, blank))
    codes[rows] = len(values) + np.arange(len(rows))
    return pd.factorize(codes)[0].astype(np.int64)


def shared_clusters(
    columns: Sequence["pd.Series[str] | NDArray[np.int64]"],
) -> NDArray[np.int64] | None:
    """The same, or None where no two items share anything.

    >>> shared_clusters([pd.Series(["p", "q"])]) is None
    True
    """
    clusters = linked_clusters(columns)
    return None if count_distinct(clusters) == len(clusters) else clusters


def deal_clusters(
    clusters: NDArray[np.int64], folds: int, rng: np.random.Generator
) -> NDArray[np.int64]:
    """The fold of each item: clusters go, in random order, to the emptiest fold.

    >>> clusters = np.array([0, 0, 1, 2])
    >>> np.bincount(deal_clusters(clusters, 2, np.random.default_rng(0))).tolist()
    [2, 2]
    """
    sizes = np.bincount(clusters).tolist()
    fold, filling = np.zeros(len(sizes), np.int64), [0] * folds
    # Numbers of Python: numpy takes ten times as long over one at a time.
    for cluster in rng.permutation(len(sizes)).tolist():
        emptiest = filling.index(min(filling))
        fold[cluster] = emptiest
        filling[emptiest] += sizes[cluster]
    return fold[clusters]


def cross_clusters(
    first: NDArray[np.int64], second: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Both numbers of each item: items × 2; the coarser alone where it holds the other.

    >>> queries, texts = np.array([0, 0, 1, 2]), np.array([0, 1, 1, 0])
    >>> cross_clusters(queries, texts).tolist()
    [[0, 0], [0, 1], [1, 1], [2, 0]]
    >>> cross_clusters(np.arange(4), texts).tolist()
    [0, 1, 1, 0]
    """
    pairs = count_distinct(pair_codes(first, second))
    if pairs == count_distinct(first):
        return second
    if pairs == count_distinct(second):
        return first
    return np.column_stack([first, second])


def split_ways(clusters: NDArray[np.int64]) -> list[NDArray[np.int64]]:
    """One number per item: of the only way, or of each of two and of both at once.

    >>> [way.tolist() for way in split_ways(np.array([[0, 0], [0, 1], [1, 1]]))]
    [[0, 0, 1], [0, 1, 1], [0, 1, 2]]
    """
    if clusters.ndim == 2:
        # Some items of two crossed ways may be left with one alone.
        clusters = cross_clusters(clusters[:, 0], clusters[:, 1])
    if clusters.ndim == 1:
        return [clusters]
    first, second = clusters.T
    return [first, second, pair_codes(first, second)]


def count_clusters(clusters: NDArray[np.int64]) -> int:
    """How many clusters there are; of two ways, the fewer.

    >>> count_clusters(np.array([[0, 0], [0, 1], [0, 2]]))
    1
    """
    return min(count_distinct(way) for way in split_ways(clusters))


def count_distinct(numbers: NDArray[np.int64]) -> int:
    """How many different numbers there are.

    >>> count_distinct(np.array([7, 3, 7])), count_distinct(np.array([-(10**9), 10**9]))
    (2, 2)
    """
    if _are_counted(numbers):
        return int(np.count_nonzero(np.bincount(numbers)))
    return len(np.unique(numbers))


def pair_codes(
    first: NDArray[np.int64], second: NDArray[np.int64]
) -> NDArray[np.int64]:
    """A number for each pair of numbers."""
    codes = rank_numbers(second)
    return rank_numbers(first * (codes.max(initial=0) + 1) + codes)


def rank_numbers(numbers: NDArray[np.int64]) -> NDArray[np.int64]:
    """The place of each number among the different ones, in their order.

    >>> rank_numbers(np.array([7, 3, 7])).tolist()
    [1, 0, 1]
    >>> rank_numbers(np.array([10**9, -(10**9)])).tolist()
    [1, 0]
    """
    if _are_counted(numbers):
        return (np.cumsum(np.bincount(numbers) > 0) - 1)[numbers]
    return np.unique(numbers, return_inverse=True)[1].astype(np.int64)


def _are_counted(numbers: NDArray[np.int64]) -> bool:
    """Whether numbers begin near 0 and are close, as those of clusters mostly are.

    To count these takes a fiftieth of what sorting them does.
    """
    is_counted = numbers.dtype.kind == "i" and numbers.min(initial=0) >= 0
    return bool(is_counted and numbers.max(initial=0) < 16 * len(numbers))
