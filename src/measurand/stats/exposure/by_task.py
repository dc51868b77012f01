"""A task at a time: is its mean difference above zero?

Under no effect, the difference of a subsample is as likely as its negative. Models that
were tested on one subsample share its items, so their differences flip sign together.
"""

from dataclasses import dataclass
from itertools import product

import numpy as np
import pandas as pd

from measurand.core.errors import Undefined
from measurand.core.reader import Floats
from measurand.stats.exposure.rows import ArmPairs
from measurand.stats.multiplicity import benjamini_hochberg

PERMUTATIONS = 10_000


@dataclass(frozen=True)
class TaskDifferences:
    """One contrast, a task at a time.

    Attributes:
        table: A row a task: `difference` (percentage points), `subsamples`, `p` (one-
            sided, that it is not above 0), `p_adjusted` (Benjamini and Hochberg).
        contrast: boost or bias.
    """

    table: pd.DataFrame
    contrast: str

    @property
    def positive(self) -> int:
        """How many tasks have a mean difference above zero."""
        return int((self.table["difference"] > 0).sum())

    @property
    def negative(self) -> int:
        """How many tasks have a mean difference below zero."""
        return int((self.table["difference"] < 0).sum())


def differences_by_task(
    pairs: ArmPairs, *, rng: np.random.Generator, permutations: int = PERMUTATIONS
) -> TaskDifferences:
    """Each task's mean difference, and how easily luck alone would give it."""
    points = pairs.table.assign(difference=100 * pairs.differences)
    rows = {}
    for task, part in points.groupby("task", sort=True):
        summed = part.groupby("subsample")["difference"].sum().to_numpy(float)
        rows[task] = {
            "difference": float(part["difference"].mean()),
            "subsamples": len(summed),
            "p": sign_flip_p(summed, rng=rng, permutations=permutations),
        }
    table = pd.DataFrame.from_dict(rows, orient="index").rename_axis("task")
    adjusted = benjamini_hochberg(table["p"].to_numpy(float))
    return TaskDifferences(table.assign(p_adjusted=adjusted), pairs.contrast)


def sign_flip_p(
    differences: Floats, *, rng: np.random.Generator, permutations: int = PERMUTATIONS
) -> float:
    """The one-sided p-value that differences symmetric about zero sum to so much.

    Exact where all patterns of signs are no more than the permutations.

    >>> sign_flip_p(np.array([1.0, 2.0, 3.0]), rng=np.random.default_rng(0))
    0.125
    """
    if len(differences) == 0:
        raise Undefined("no subsamples to flip")
    total = differences.sum() - 1e-9  # so that rounding hides no tie
    if 2 ** min(len(differences), 60) <= permutations:
        signs = np.array(list(product((-1, 1), repeat=len(differences))))
        return float((signs @ differences >= total).mean())
    signs = rng.integers(0, 2, (permutations, len(differences))) * 2 - 1
    return float((1 + (signs @ differences >= total).sum()) / (1 + permutations))
