"""Arm: one way of asking about the pool, and the asks that it is made of."""

from dataclasses import dataclass, field
from typing import ClassVar, Protocol

import numpy as np

from measurand.arms.families import PAIR
from measurand.arms.pool import FOLDS, family_column
from measurand.core.intervention import AsIs, Intervention
from measurand.core.items import Items
from measurand.core.reader import Reader
from measurand.experiment.ask import Ask
from measurand.selections.rows import Fold

DRAWS = 2  # ways of cutting into folds, which are averaged


class Change(Protocol):
    """A recipe: a frozen dataclass of settings that makes another pool.

    Labels may change too, which no intervention may do: of a blank they are permuted,
    and a planted control has a known answer.
    """

    def __call__(self, items: Items, rng: np.random.Generator) -> Items:
        """The items with other texts or labels; ids and order stay."""


@dataclass(frozen=True)
class Unchanged:
    """The pool as it is."""

    kind: ClassVar[str] = "unchanged"

    def __call__(self, items: Items, rng: np.random.Generator) -> Items:
        """The items themselves."""
        return items


@dataclass(frozen=True)
class Arm:
    """One way of asking: all that its answers depend on but the items and the seed.

    Attributes:
        reader: The recipe that is fitted.
        sees: What is left of every item, when it learns and when it is asked.
        asked: What is done to what it is asked about: another item's evidence, say.
        repeats: How often `asked` is drawn again.
        change: What is done to the pool before it is cut: permuted labels, say.
        family: The part whose families folds keep together.
        draws: In how many ways the pool is cut into folds.
    """

    kind: ClassVar[str] = "arm"
    reader: Reader
    sees: Intervention = field(default_factory=AsIs)
    asked: Intervention | None = None
    repeats: int = 1
    change: Change = field(default_factory=Unchanged)
    family: str = PAIR
    draws: int = DRAWS

    def asks(self) -> list[Ask]:
        """One ask a draw and fold; arms that learn alike share their fits."""
        column = family_column(self.family)
        under = self.sees if self.asked is None else self.asked
        return [
            Ask(
                self.reader,
                fitted_on=Fold(fold, FOLDS, "train", (column,), draw),
                fitted_under=self.sees,
                about=Fold(fold, FOLDS, "test", (column,), draw),
                under=under,
                repeats=self.repeats,
            )
            for draw in range(self.draws)
            for fold in range(FOLDS)
        ]
