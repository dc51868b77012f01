"""Reader: anything that learns from items and answers about others."""

from collections.abc import Mapping
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from measurand.core.items import Items

Floats = NDArray[np.float64]


class FittedReader(Protocol):
    """A reader that has learned."""

    @property
    def classes(self) -> tuple[str, ...]:
        """The labels, in the order of the columns of `predict`."""

    def predict(self, items: Items) -> Floats:
        """One row an item, one column a class, each row summing to 1."""


class Reader(Protocol):
    """A recipe: a frozen dataclass of settings."""

    def fit(self, items: Items, rng: np.random.Generator) -> FittedReader:
        """Learn from `items`; the recipe itself does not change."""


@runtime_checkable
class Calibrated(Protocol):
    """A reader that spends extra fits on honest probabilities."""

    def uncalibrated(self) -> Reader:
        """The same reader without them: the same answers, sooner."""


@runtime_checkable
class Additive(Protocol):
    """A fitted reader whose score is a sum over fields."""

    def parts(self, items: Items) -> Mapping[str, Floats]:
        """What each field adds to the score of each class."""

    def total(self, parts: Mapping[str, Floats]) -> Floats:
        """The class probabilities that such parts add up to."""
