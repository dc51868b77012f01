"""How much of a difference's spread is the draw, and how much the training."""

from dataclasses import dataclass

import numpy as np

from measurand.core.errors import Undefined
from measurand.core.finding import Estimate
from measurand.stats.exposure.rows import ArmPairs

SPREAD_DRAWS = 10_000  # of the two mean squares
SPREAD_LEVEL = 0.95


@dataclass(frozen=True)
class Spread:
    """Standard deviations of a difference, in percentage points.

    Attributes:
        subsample: Between draws of train, extra and test text.
        training: Between trainings on one draw: heads, orders, masks.
        draws: How many draws were trained on more than once.
    """

    subsample: Estimate
    training: Estimate
    draws: int


def variance_components(pairs: ArmPairs, *, rng: np.random.Generator) -> Spread:
    """The spread of draws apart from that of trainings, within tasks and models.

    One-way analysis of variance with unequal group sizes; a subsample variance that
    comes out below zero is none. Intervals are generalised ones (Weerahandi): what the
    two variances can be when each mean square is a chi-square of its own.
    """
    table = pairs.table.assign(difference=100 * pairs.differences)
    cell = table.groupby(["lm", "task"])["difference"]
    draw = table.groupby(["lm", "task", "subsample"])["difference"]
    sizes, cells = draw.size(), cell.size()
    if (sizes < 2).all():
        raise Undefined("no draw was trained on twice; number trainings in 'training'")
    if len(sizes) == len(cells):
        raise Undefined("every task has one subsample, so draws have no spread")
    of_draw = draw.transform("mean")
    within = float(((table["difference"] - of_draw) ** 2).sum())
    between = float(((of_draw - cell.transform("mean")) ** 2).sum())
    free = len(table) - len(sizes), len(sizes) - len(cells)
    squares = sizes.pow(2).groupby(["lm", "task"]).sum() / cells
    typical = float(cells.sum() - squares.sum()) / free[1]
    training, draws = within / free[0], between / free[1]
    likely = within / rng.chisquare(free[0], SPREAD_DRAWS)
    apart = (between / rng.chisquare(free[1], SPREAD_DRAWS) - likely) / typical
    return Spread(
        _sd_estimate((draws - training) / typical, apart, len(sizes)),
        _sd_estimate(training, likely, len(table)),
        int((sizes > 1).sum()),
    )


def _sd_estimate(variance: float, likely: np.ndarray, n: int) -> Estimate:
    """A standard deviation, from a variance and what else it could be."""
    ends = np.quantile(likely, [(1 - SPREAD_LEVEL) / 2, (1 + SPREAD_LEVEL) / 2])
    value, low, high = np.sqrt(np.maximum([variance, *ends], 0.0)).tolist()
    return Estimate(
        value, low, high, SPREAD_LEVEL, n, "analysis of variance, generalised"
    )
