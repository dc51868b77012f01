"""Control: what an instrument reads where the answer is known.

A spike plants a known dependence into a share of the items, the dose; what is recovered
of it says what the reader could have seen. A blank has nothing to be found. Both read
or deal labels, which no intervention may: so what makes them is a kind of its own.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from measurand.core.benchmark import Benchmark
from measurand.core.estimate import Estimate

AMOUNTS = ("none", "quick", "full")  # how much a run may spike and blank
DOSE = 0.1  # share of the items that a quick control spikes
DOSES = (0.02, 0.05, 0.1, 0.2)  # shares that full controls spike, one after another
DEALS = 5  # deals of the training labels that a blank is the mean of
READS_NOTHING, READS_SOMETHING = "reads nothing", "reads something"  # of a blank


@dataclass(frozen=True, eq=False)
class ControlSample:
    """A benchmark whose answer is known, to be read once and never shown or exported.

    Attributes:
        benchmark: Same ids and order on both sides, and the same test labels.
        spiked: Which test items hold a spike.
    """

    benchmark: Benchmark
    spiked: NDArray[np.bool_]


class Preparation(Protocol):
    """A recipe: a frozen dataclass of settings whose `str` is its name."""

    def __call__(self, benchmark: Benchmark, seed: int) -> ControlSample:
        """The control sample that is made of the benchmark, which stays as it is."""


@dataclass(frozen=True)
class DoseResponse:
    """What one dose of a spike did to one reader.

    Attributes:
        dose: The share of the items that were spiked.
        spiked: How many test items were.
        recovery: Accuracy gained on them, over the room that was left.
        effect: What the dose added to the statistic that the audit decides by.
    """

    dose: float
    spiked: int
    recovery: Estimate
    effect: Estimate


@dataclass(frozen=True)
class Control:
    """What one reader recovers of one kind of spike.

    Attributes:
        spike: The kind: word, match, hint.
        responses: One a dose, from small to large.
        limit: The least dose that would be told from zero with 80 % power; None where
            no dose would be.
    """

    spike: str
    responses: Sequence[DoseResponse]
    limit: Estimate | None

    @property
    def is_recovered(self) -> bool:
        """Whether the reader clearly sees it at the largest dose that was tried."""
        return self.responses[-1].recovery.low > 0
