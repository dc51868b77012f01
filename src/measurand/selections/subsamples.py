"""Selections of an exposure study: extra, train and test rows, drawn together."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from measurand.core.errors import BadInput, BadOption, shown
from measurand.core.items import Items

SIDES = ("extra", "train", "test")


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
        return items.rows(np.sort(self.drawn(items, rng)[self.side]))

    def drawn(
        self, items: Items, rng: np.random.Generator
    ) -> dict[str, NDArray[np.int64]]:
        """The places of the rows of each side."""
        each = self.m // len(items.classes)
        needed = each * len(items.classes) + 2 * self.n
        if each < 1:
            raise BadInput(
                f"m = {self.m} is less than a row of each of {len(items.classes)} "
                f"classes; give m = {len(items.classes)} or more"
            )
        if len(items) < needed:
            raise BadInput(
                f"m = {self.m} and n = {self.n} need {needed} rows, and there are "
                f"{len(items)}; lower m or n, or give more rows"
            )
        order = rng.permutation(len(items))
        gold = items.gold(items.classes)[order]
        train = []
        for number, label in enumerate(items.classes):
            rows = order[gold == number]
            if len(rows) < each:
                raise BadInput(
                    f"class {shown(label)} has {len(rows)} rows and m = {self.m} needs "
                    f"{each} of each class; lower m, or drop the class"
                )
            train.append(rows[:each])
        chosen = np.concatenate(train)
        free = np.ones(len(items), bool)
        free[chosen] = False
        left = rng.permutation(np.flatnonzero(free))
        return {
            "train": chosen,
            "extra": left[: self.n],
            "test": left[self.n : 2 * self.n],
        }

    def __str__(self) -> str:
        """The name in reports."""
        return f"{self.side} of draw {self.number}"
