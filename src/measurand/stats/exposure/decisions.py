"""What effects let one say: above the margin, on which tasks, within it, or neither.

Tasks and models of opposite signs never make nothing of each other: "within" needs the
mean over tasks and models within the margin, each model and the spread of tasks within
twice that, and no task or model that clearly differs from zero and goes beyond it. The
5 % of false alarms are shared by the mean (half), models and tasks (a quarter each).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil

import numpy as np
from numpy.typing import NDArray
from scipy.stats import chi2, t

from measurand.core.arrays import Floats
from measurand.stats.decisions import POWER
from measurand.stats.exposure.effects import TaskMeans, spread_at

ALPHA = 0.05  # false alarms, over all ways of raising one
WIDER = 2.0  # margins that a single model, and the spread of tasks, may take
FEW_TASKS = 6  # below this a spread has no useful bound: each task must fit by itself

Booleans = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Decisions:
    """What the effects of studies let one say; leading axes are studies.

    Attributes:
        mean_above: The mean over models and tasks is above the margin.
        models_above: Each model's mean over tasks, Holm over the models.
        tasks_above: Each task, in the mean over models or in one, Holm over all.
        mean_within: The mean lies within the margin.
        models_within: Every model lies within twice the margin.
        tasks_within: So does the spread of tasks; of few tasks, each.
        models_apart: Each model that differs from zero and may be beyond the margin.
        tasks_apart: Each task that does and has a mean beyond it, Holm over tasks.
    """

    mean_above: Booleans
    models_above: Booleans
    tasks_above: Booleans
    mean_within: Booleans
    models_within: Booleans
    tasks_within: Booleans
    models_apart: Booleans
    tasks_apart: Booleans

    @property
    def inflated(self) -> Booleans:
        """The mean of all models, or of one, is above the margin."""
        return np.asarray(self.mean_above | self.models_above.any(axis=-1))

    @property
    def inflated_somewhere(self) -> Booleans:
        """No mean is, and single tasks are."""
        return np.asarray(~self.inflated & self.tasks_above.any(axis=-1))

    @property
    def within(self) -> Booleans:
        """Mean, models and spread are within what counts as nothing."""
        fits = self.mean_within & self.models_within & self.tasks_within
        objections = self.models_apart.any(axis=-1) | self.tasks_apart.any(axis=-1)
        return np.asarray(
            fits & ~objections & ~self.inflated & ~self.inflated_somewhere
        )


def decide(
    together: TaskMeans, alone: Sequence[TaskMeans], margin: float, sizes: int = 1
) -> Decisions:
    """What these effects let one say.

    Args:
        together: The mean over models.
        alone: Each model by itself; one model is all together.
        margin: Percentage points that still count as nothing.
        sizes: How many sizes share the false alarms.
    """
    alpha = ALPHA / sizes
    several = list(alone) if len(alone) > 1 else []
    families = [together, *several]
    p_models = np.stack([m.average_above(margin) for m in alone], axis=-1)
    p_tasks = np.concatenate([m.tasks_above(margin) for m in families], axis=-1)
    tasks_above = _holm(p_tasks) <= alpha / 4
    count = together.means.shape[-1]
    by_family = tasks_above.reshape(*tasks_above.shape[:-1], len(families), count)
    apart = _holm(together.tasks_apart()) <= ALPHA
    return Decisions(
        together.average_above(margin) <= alpha / 2,
        (_holm(p_models) <= alpha / 4) & bool(several),
        np.asarray(by_family.any(axis=-2)),
        _average_fits(together, margin),
        np.all([_average_fits(m, WIDER * margin) for m in alone], axis=0),
        _spread_fits(together, WIDER * margin),
        np.stack([_is_apart(m, margin, len(several)) for m in alone], axis=-1),
        apart & (np.abs(together.means) > margin),
    )


def _holm(p: Floats) -> Floats:
    """Holm's adjusted p-values along the last axis."""
    order = np.argsort(p, axis=-1)
    times = np.arange(p.shape[-1], 0, -1)
    ordered = np.take_along_axis(p, order, -1) * times
    adjusted = np.minimum(np.maximum.accumulate(ordered, axis=-1), 1.0)
    result = np.empty_like(adjusted)
    np.put_along_axis(result, order, adjusted, -1)
    return result


def _average_fits(cells: TaskMeans, bound: float) -> Booleans:
    """Whether the 90 % interval of the average lies within the bound."""
    return np.asarray(np.abs(cells.average) + cells.half_width(1 - 2 * ALPHA) < bound)


def _spread_fits(cells: TaskMeans, bound: float) -> Booleans:
    """Whether tasks differ by no more than the bound, for all that is known."""
    if cells.means.shape[-1] >= FEW_TASKS:
        return np.asarray(spread_at(cells, ALPHA) < bound)
    halves = cells.task_half_widths(1 - 2 * ALPHA)
    return np.asarray((np.abs(cells.means) + halves < bound).all(axis=-1))


def _is_apart(cells: TaskMeans, margin: float, models: int) -> Booleans:
    """Whether one of several averages is told from zero, and may be past the margin."""
    if not models:
        return np.zeros(cells.average.shape, bool)
    clear = np.abs(cells.average) > cells.half_width(1 - ALPHA / models)
    return np.asarray(clear & ~_average_fits(cells, margin))


BOTH_SIDES = (1 + POWER) / 2  # where an interval may miss on either side
LEAST_ROOM = 0.05  # points: what is nearer than this to a bound is not told from it


def draws_to_decide(
    together: TaskMeans, alone: Sequence[TaskMeans], margin: float
) -> int | None:
    """About how many draws a task and model decide 80 % of times, all as estimated.

    As many again as there are, at least: those did not decide. None where more draws
    would not: an estimate on the wrong side, or items that all draws share.
    """
    value = float(together.average)
    if value > margin:
        times = [_times_for_room(together, value - margin, ALPHA / 2, POWER)]
    else:
        times = [_times_for_room(together, margin - abs(value), ALPHA, BOTH_SIDES)]
        for cells in alone if len(alone) > 1 else ():
            room = WIDER * margin - abs(float(cells.average))
            times.append(_times_for_room(cells, room, ALPHA, BOTH_SIDES))
        times.append(_times_for_spread(together, WIDER * margin))
    if any(time is None for time in times):
        return None
    draws = float(together.draws.max())
    return ceil(draws * max(2.0, *(time for time in times if time is not None)))


def _times_for_room(
    cells: TaskMeans, room: float, alpha: float, power: float
) -> float | None:
    """How many times the draws shrink the arm of the average to this room."""
    if room <= 0:
        return None
    luck, shared = (float(part) for part in cells.parts)
    quantiles = float(t.ppf(1 - alpha, cells.freedom) + t.ppf(power, cells.freedom))
    allowed = (max(room, LEAST_ROOM) / quantiles) ** 2
    return luck / (allowed - shared) if allowed > shared else None


def _times_for_spread(cells: TaskMeans, bound: float) -> float | None:
    """How many times the draws bring the upper end of the spread below the bound.

    Were tasks as far apart as estimated: of variance v a task and a spread s, Q is in
    90 % of studies at most a quantile of chi-square times 1 + s² / v, which the upper
    end divides by a quantile of its own.
    """
    count = cells.means.shape[-1]
    if count < FEW_TASKS:
        room = bound - float(np.abs(cells.means).max())
        if room <= 0:
            return None
        quantiles = float(t.ppf(1 - ALPHA, 30) + t.ppf(BOTH_SIDES, 30))
        return float(cells.variances.max()) * (quantiles / room) ** 2
    ratio = float(chi2.ppf(BOTH_SIDES, count - 1) / chi2.ppf(ALPHA, count - 1))
    squared = float(spread_at(cells, None)) ** 2
    room = bound**2 - ratio * squared
    if room <= 0:
        return None
    return float(cells.variances.mean()) * (ratio - 1) / room
