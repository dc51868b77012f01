"""Selections by what a row says, and by chance."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from measurand.core.items import Items


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
