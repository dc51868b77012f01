"""A reader that says one class from one field alone, unless a seed helps it."""

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from measurand.readers.linear import TfidfReader


@dataclass(frozen=True)
class FallingReader:
    """Words of all fields; of one field alone, the first class."""

    kind: ClassVar[str] = "falling"

    def fit(self, items, rng):
        fitted = TfidfReader(folds=0).fit(items, rng)
        return fitted if len(items.fields) > 1 else FittedFalling(items.classes)


@dataclass(frozen=True)
class SeededFallingReader(FallingReader):
    """The same with a seed, from one of which on it no longer falls."""

    kind: ClassVar[str] = "seeded falling"
    seed: int = 0
    stands_from: int = 1

    def default_seeds(self):
        return 1

    def with_seeds(self, seeds, first=0):
        return [replace(self, seed=first + number) for number in range(seeds)]

    def fit(self, items, rng):
        if self.seed >= self.stands_from:
            return TfidfReader(folds=0).fit(items, rng)
        return super().fit(items, rng)


@dataclass(frozen=True)
class FittedFalling:
    classes: tuple[str, ...]

    def predict(self, items):
        return np.tile(np.eye(len(self.classes))[0], (len(items), 1))
