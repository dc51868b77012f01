"""Selections by what a row says, by chance, and by folds.

Those of an exposure study are extra, train and test rows, drawn together.
"""

from dataclasses import dataclass
from typing import ClassVar
from weakref import WeakKeyDictionary

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from measurand.core.clusters import deal_clusters, linked_clusters
from measurand.core.errors import BadInput, BadOption, join_names, quote
from measurand.core.items import Items

SIDES = ("extra", "train", "test")


@dataclass(frozen=True)
class Everything:
    """All rows."""

    kind: ClassVar[str] = "everything"

    def __call__(self, items: Items, rng: np.random.Generator) -> Items:
        """The items themselves."""
        return items

    def __str__(self) -> str:
        """The name in reports."""
        return "everything"


@dataclass(frozen=True)
class HoldOut:
    """The rows in which `column` is anything but `value`."""

    kind: ClassVar[str] = "hold-out"
    column: str
    value: str

    def __call__(self, items: Items, rng: np.random.Generator) -> Items:
        """The items without that value."""
        return items.rows((items.column(self.column) != self.value).to_numpy())

    def __str__(self) -> str:
        """The name in reports."""
        return f"without {self.column}={self.value}"


@dataclass(frozen=True)
class Only:
    """The rows in which `column` is `value`."""

    kind: ClassVar[str] = "only"
    column: str
    value: str

    def __call__(self, items: Items, rng: np.random.Generator) -> Items:
        """The items with that value."""
        return items.rows((items.column(self.column) == self.value).to_numpy())

    def __str__(self) -> str:
        """The name in reports."""
        return f"{self.column}={self.value}"


@dataclass(frozen=True)
class Drop:
    """The rows that do not have all of `values` in `columns` at once."""

    kind: ClassVar[str] = "drop-rows"
    columns: tuple[str, ...]
    values: tuple[str, ...]

    def __call__(self, items: Items, rng: np.random.Generator) -> Items:
        """The items outside that group."""
        inside = np.ones(len(items), bool)
        for column, value in zip(self.columns, self.values, strict=True):
            inside &= (items.column(column) == value).to_numpy()
        return items.rows(~inside)

    def __str__(self) -> str:
        """The name in reports."""
        pairs = zip(self.columns, self.values, strict=True)
        return "without " + ", ".join(f"{column}={value}" for column, value in pairs)


@dataclass(frozen=True)
class Sample:
    """`size` rows drawn without replacement; all of them where there are fewer.

    `draw` distinguishes several samples of one size.
    """

    kind: ClassVar[str] = "sample"
    size: int
    draw: int = 0

    def __call__(self, items: Items, rng: np.random.Generator) -> Items:
        """The drawn items, in their old order."""
        if self.draw:  # called with equal streams, draws differ
            rng = np.random.default_rng([self.draw, int(rng.integers(2**32))])
        size = min(self.size, len(items))
        return items.rows(np.sort(rng.choice(len(items), size, replace=False)))

    def __str__(self) -> str:
        """The name in reports."""
        number = f", draw {self.draw + 1}" if self.draw else ""
        return f"{self.size} at random{number}"


@dataclass(frozen=True)
class Both:
    """One selection after another."""

    kind: ClassVar[str] = "both"
    first: object
    second: object

    def __call__(self, items: Items, rng: np.random.Generator) -> Items:
        """The items that `second` keeps of what `first` keeps."""
        return self.second(self.first(items, rng), rng)  # type: ignore[operator, no-any-return]

    def __str__(self) -> str:
        """The name in reports."""
        return f"{self.first}, {self.second}"


@dataclass(frozen=True)
class Subsample:
    """One side of draw `number`; called with equal streams, the sides are disjoint.

    Train has as many rows of every class, m / C rounded down, so often fewer than m.
    Extra and test are n rows each of what is left, drawn together, not by class.

    Attributes:
        m: Labelled rows to learn from, at most.
        n: Rows to be tested on, and as many more without labels.
        number: Which draw this is.
        side: "extra", "train" or "test".
        leaked: How many train rows give way to test rows of their class, with their
            labels: a control whose inflation is known. More leak the same rows and
            others, as many of a class as it has train rows at most.
    """

    kind: ClassVar[str] = "subsample"
    m: int
    n: int
    number: int
    side: str
    leaked: int = 0

    def __post_init__(self) -> None:
        """Refuse a side that does not exist."""
        if self.side not in SIDES:
            raise BadOption(f"no side called {self.side!r}; try {', '.join(SIDES)}")

    def __call__(self, items: Items, rng: np.random.Generator) -> Items:
        """The items of this side, in their old order."""
        rng = np.random.default_rng([self.number, int(rng.integers(2**32))])
        return items.rows(np.sort(self.draw_rows(items, rng)[self.side]))

    def draw_rows(
        self, items: Items, rng: np.random.Generator
    ) -> dict[str, NDArray[np.int64]]:
        """The places of the rows of each side."""
        per_class = rows_per_class(items, self.m, self.n)
        order = rng.permutation(len(items))
        gold = items.gold(items.classes)[order]
        classes = range(len(items.classes))
        chosen = np.concatenate([order[gold == code][:per_class] for code in classes])
        free = np.ones(len(items), bool)
        free[chosen] = False
        remaining = rng.permutation(np.flatnonzero(free))
        test = remaining[self.n : 2 * self.n]
        return {
            "train": leak_rows(chosen, test, items.gold(items.classes), self.leaked),
            "extra": remaining[: self.n],
            "test": test,
        }

    def __str__(self) -> str:
        """The name in reports."""
        return f"{self.side} of draw {self.number}"


def leak_rows(
    train: NDArray[np.int64],
    test: NDArray[np.int64],
    gold: NDArray[np.int64],
    count: int,
) -> NDArray[np.int64]:
    """The train rows, the first `count` test rows that find a place among them.

    Each takes that of a row of its class, and where none is left, it is passed over:
    so neither how many labelled rows there are nor of which class moves an accuracy.
    Rows of whatever class would leave few of some: with 39 of 48 in place of others,
    what was not leaked fell from 0.495 to 0.420.

    >>> gold = np.array([0, 0, 1, 1, 0, 1, 1, 1])
    >>> leak_rows(np.array([0, 1, 2, 3]), np.array([5, 6, 7, 4]), gold, 3)
    array([1, 5, 6, 4])
    """
    remaining = [int(row) for row in train]
    leaked: list[int] = []
    for row in test:
        if len(leaked) == count or not remaining:
            break
        match = next((old for old in remaining if gold[old] == gold[row]), None)
        if match is not None:
            remaining.remove(match)
            leaked.append(int(row))
    return np.array([*remaining, *leaked], np.int64)


def rows_per_class(items: Items, m: int, n: int) -> int:
    """The labelled rows of each class; items that cannot be drawn from are refused.

    It depends on no draw, so all tasks of a study can be held to it before the first.
    """
    per_class = m // len(items.classes)
    needed = per_class * len(items.classes) + 2 * n
    if per_class < 1:
        raise BadInput(
            f"m = {m} is less than a row of each of {len(items.classes)} "
            f"classes; give m = {len(items.classes)} or more"
        )
    if len(items) < needed:
        raise BadInput(
            f"m = {m} and n = {n} need {needed} rows, and there are "
            f"{len(items)}; lower m or n, or give more rows"
        )
    for label, count in zip(items.classes, np.bincount(items.numbers), strict=True):
        if count < per_class:
            raise BadInput(
                f"class {quote(label)} has {count} rows and m = {m} needs "
                f"{per_class} of each class; lower m, or drop the class"
            )
    return per_class


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

    `draw` distinguishes several ways of cutting the same items into folds.
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
