"""How much of a difference's spread is the draw, and how much the training."""

from dataclasses import dataclass

import numpy as np

from measurand.core.errors import Undefined
from measurand.stats.exposure.rows import Pairs


@dataclass(frozen=True)
class Spread:
    """Standard deviations of a difference, in percentage points.

    Attributes:
        subsample: Between draws of train, extra and test text.
        training: Between trainings on one draw: heads, orders, masks.
        draws: How many draws were trained on more than once.
    """

    subsample: float
    training: float
    draws: int


def spread(pairs: Pairs) -> Spread:
    """The spread of draws apart from that of trainings, within tasks and models.

    One-way analysis of variance with unequal group sizes; a subsample variance that
    comes out below zero is none.
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
    training = within / (len(table) - len(sizes))
    squares = sizes.pow(2).groupby(["lm", "task"]).sum() / cells
    typical = float(cells.sum() - squares.sum()) / (len(sizes) - len(cells))
    draws = (between / (len(sizes) - len(cells)) - training) / typical
    return Spread(
        float(np.sqrt(max(draws, 0.0))),
        float(np.sqrt(training)),
        int((sizes > 1).sum()),
    )
