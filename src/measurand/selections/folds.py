"""Selections that cut items in two so that nothing stands on both sides."""

from dataclasses import dataclass
from typing import ClassVar
from weakref import WeakKeyDictionary

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from measurand.core.clusters import deal_clusters, linked_clusters
from measurand.core.errors import BadInput, join_names
from measurand.core.items import Items

LARGEST = 0.5  # a cluster with more of the items than this cannot be split fairly
# Both sides of each fold are asked for several times, of items that are the same.
DEALT: WeakKeyDictionary[Items, dict[tuple[object, ...], NDArray[np.int64]]] = (
    WeakKeyDictionary()
)


@dataclass(frozen=True)
class Split:
    """One side of a split in two; called with equal streams, the sides fit together.

    Attributes:
        columns: Items that share a value in any of these stay on one side.
        share: How much of the items the test side should hold.
        side: "train" or "test".
    """

    kind: ClassVar[str] = "split"
    columns: tuple[str, ...]
    side: str
    share: float = 0.3

    def __call__(self, items: Items, rng: np.random.Generator) -> Items:
        """The items of this side."""
        clusters = linked_clusters([items.column(column) for column in self.columns])
        sizes = np.bincount(clusters)
        if not _is_fair(sizes):
            raise BadInput(
                f"{sizes.max()} of {len(items)} items hang together by "
                f"{join_names(self.columns)}, so no fair split exists; give a test "
                "file"
            )
        in_test = _choose_clusters(sizes, self.share * len(items), rng)[clusters]
        return items.rows(in_test if self.side == "test" else ~in_test)

    def __str__(self) -> str:
        """The name in reports."""
        return f"{self.side} of a split by {' and '.join(self.columns)}"


@dataclass(frozen=True)
class Fold:
    """One side of fold `number` of `folds`; items that share a cluster stay there.

    `draw` tells apart several ways of cutting the same items into folds.
    """

    kind: ClassVar[str] = "fold"
    number: int
    folds: int
    side: str
    columns: tuple[str, ...] = ()
    draw: int = 0

    def __call__(self, items: Items, rng: np.random.Generator) -> Items:
        """The items of this side."""
        seeds = (self.draw, int(rng.integers(2**32)))
        dealt, key = DEALT.setdefault(items, {}), (self.columns, self.folds, seeds)
        if key not in dealt:
            stream = np.random.default_rng(seeds)
            dealt[key] = fold_numbers(items, self.columns, self.folds, stream)
        inside = dealt[key] == self.number
        return items.rows(inside if self.side == "test" else ~inside)

    def __str__(self) -> str:
        """The name in reports."""
        return f"{self.side} of fold {self.number + 1}/{self.folds}"


def fold_numbers(
    items: Items, columns: tuple[str, ...], folds: int, rng: np.random.Generator
) -> NDArray[np.int64]:
    """The fold of each item: clusters go, in random order, to the emptiest fold."""
    if not columns:
        return rng.permutation(np.arange(len(items)) % folds)
    clusters = linked_clusters([items.column(column) for column in columns])
    return deal_clusters(clusters, folds, rng)


def can_split(*columns: "pd.Series[str]") -> bool:
    """Whether items can be split in two so that no value stands on both sides.

    >>> can_split(pd.Series(["a", "a", "a", "b"])), can_split(pd.Series(["a", "b"]))
    (False, True)
    """
    return _is_fair(np.bincount(linked_clusters(columns)))


def _is_fair(sizes: NDArray[np.int64]) -> bool:
    """Whether no cluster holds so many items that the sides could not be chosen."""
    return bool(sizes.max() <= LARGEST * sizes.sum())


def _choose_clusters(
    sizes: NDArray[np.int64], wanted: float, rng: np.random.Generator
) -> NDArray[np.bool_]:
    """Clusters drawn at random until they hold as near to `wanted` items as can be."""
    order = rng.permutation(len(sizes))
    totals = np.cumsum(sizes[order])
    last = int(np.abs(totals - wanted).argmin())
    chosen = np.zeros(len(sizes), bool)
    chosen[order[: last + 1]] = True
    return chosen
