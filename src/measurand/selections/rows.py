"""Selections by what a row says, and by chance.

Those of an exposure study are extra, train and test rows, drawn together.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from measurand.core.errors import BadInput, BadOption, quote
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

    `draw` tells apart several samples of one size.
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
    """

    kind: ClassVar[str] = "subsample"
    m: int
    n: int
    number: int
    side: str

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
        return {
            "train": chosen,
            "extra": remaining[: self.n],
            "test": remaining[self.n : 2 * self.n],
        }

    def __str__(self) -> str:
        """The name in reports."""
        return f"{self.side} of draw {self.number}"


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
