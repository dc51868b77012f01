"""A reader whose training takes time on a clock of its own, and none on ours."""

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from measurand.core.recipe import TORCH, Strength, Traits

FIT, ROW, ANSWER = 0.5, 0.25, 0.125  # seconds of a fit, a row, an answer
TEXT = 2.0  # of a text that it adapts to


class Time:
    """The clock: it goes on when a reader works."""

    now = 0.0

    @classmethod
    def read(cls):
        return cls.now


@dataclass(frozen=True)
class Clockwork:
    """It says that it runs on torch, and finds every class as likely."""

    kind: ClassVar[str] = "clockwork"
    traits: ClassVar[Traits] = Traits(Strength.PRETRAINED, TORCH)
    epochs: int = 3
    member: int = 0
    texts: tuple[str, ...] = ()

    def fit(self, items: Any, rng: Any) -> "FittedClockwork":
        Time.now += FIT + ROW * self.epochs * len(items) + TEXT * len(self.texts)
        return FittedClockwork(items.classes)

    def rows_read(self, rows: int) -> int:
        return self.epochs * rows

    def pilot(self, rows: int, texts: Any = ()) -> "Clockwork":
        return replace(self, epochs=1, member=0, texts=tuple(texts))

    def adapt(self, texts: Any) -> "Clockwork":
        return replace(self, texts=tuple(texts))

    def default_seeds(self) -> int:
        return 1

    def with_seeds(self, seeds: int, first: int = 0) -> "list[Clockwork]":
        return [replace(self, member=first + number) for number in range(seeds)]


@dataclass(frozen=True)
class Adjustable(Clockwork):
    """It has a setting that can be tuned."""

    kind: ClassVar[str] = "adjustable"
    rate: float = 1.0

    def tune(self, items: Any, rng: Any) -> "Adjustable":
        return replace(self, rate=2.0)


@dataclass(frozen=True)
class FittedClockwork:
    classes: tuple[str, ...]

    def predict(self, items: Any) -> Any:
        Time.now += ANSWER * len(items)
        return np.full((len(items), len(self.classes)), 1 / len(self.classes))
