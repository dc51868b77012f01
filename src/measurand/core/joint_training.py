"""Together: recipes of which several are learned at once, for less than one by one."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np

from measurand.core.arrays import Floats
from measurand.core.items import Items


@dataclass(frozen=True, eq=False)
class TrainingJob:
    """One training of several that are made at once, and what is asked of it.

    Attributes:
        reader: The recipe; those of one call differ in the texts they adapt to alone.
        train: What it learns from.
        test: What it is asked about.
        rng: The stream that all its chances come from.
    """

    reader: Any
    train: Items
    test: Items
    rng: np.random.Generator


@dataclass(frozen=True, eq=False)
class JointPrediction:
    """What one of them answered.

    Attributes:
        classes: The labels, in the order of the columns.
        probabilities: One row an item, one column a class, each row summing to 1.
        remarks: What it has to say beside.
    """

    classes: tuple[str, ...]
    probabilities: Floats
    remarks: Mapping[str, float | str]


@runtime_checkable
class JointlyTrainable(Protocol):
    """A recipe of which several can be learned at once."""

    def joint_size(self) -> int:
        """How many are best learned at once on this machine; 1 where none are."""

    def predict_jointly(
        self, jobs: Sequence[TrainingJob], size: int
    ) -> Sequence[JointPrediction]:
        """What each job's reader says, at most `size` of them learned at once.

        The same jobs and size give the same answers; others beside a job may move its
        last digits, or what chance did in it.
        """
