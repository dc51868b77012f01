"""What effects let one say: how large a bias is, of which sign, and on which tasks.

Three questions are asked of the mean over tasks and models, of each model and of each
task: is it surely above the margin, is it surely above zero, and what is the largest
bias that is not excluded. "Not inflated" needs more than a mean within the margin:
nothing is surely above zero, each model and the spread of tasks and of models from task
to task lie within twice the margin, since tasks of opposite signs never make nothing of
each other. The 5 % of false alarms are shared by the mean (half), models and tasks (a
quarter each). What is surely above the margin is above zero too, so that both questions
have the whole of it.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from measurand.audits.exposure.statistics.effects import interaction_cells, spread_at
from measurand.audits.exposure.statistics.task_means import TaskMeans
from measurand.core.arrays import Floats

ALPHA = 0.05  # false alarms, over all ways of raising one
WIDER = 2.0  # margins that a single model, and the spread of tasks, may take
FEW_TASKS = 6  # below this a spread has no useful bound: each task must fit by itself
REACH = 5.0  # margins: what lies within is small or bounded, what lies beyond is not

Booleans = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Signs:
    """What is surely beyond a bound: the mean, each model, each task.

    Attributes:
        mean: The mean over models and tasks.
        models: Each model's mean over tasks, Holm over the models; none of one model.
        tasks: Each task, in the mean over models or in one, Holm over all.
    """

    mean: Booleans
    models: Booleans
    tasks: Booleans

    @property
    def any(self) -> Booleans:
        """Anything is."""
        return np.asarray(
            self.mean | self.models.any(axis=-1) | self.tasks.any(axis=-1)
        )


@dataclass(frozen=True, eq=False)
class Decisions:
    """What the effects of studies let one say; leading axes are studies.

    Exactly one of `inflated`, `inflated_somewhere`, `small`, `deflated`, `within`,
    `bounded` and `open` holds of a study.

    Attributes:
        above: What is surely above the margin.
        present: What is surely above zero.
        below: What is surely below zero.
        fits: Mean, models and spreads lie within what counts as nothing.
        high: The largest mean that is not excluded, in points.
        high_present: The same of whatever is surely above zero.
        reach: The largest bias that is still small or bounded.
    """

    above: Signs
    present: Signs
    below: Signs
    fits: Booleans
    high: Floats
    high_present: Floats
    reach: float

    @property
    def inflated(self) -> Booleans:
        """The mean of all models, or of one, is surely above the margin."""
        return np.asarray(self.above.mean | self.above.models.any(axis=-1))

    @property
    def inflated_somewhere(self) -> Booleans:
        """No mean is, and single tasks are."""
        return np.asarray(~self.inflated & self.above.any)

    @property
    def small(self) -> Booleans:
        """A mean or a task is surely above zero, and not by more than the reach."""
        return np.asarray(
            ~self.above.any & self.present.any & (self.high_present <= self.reach)
        )

    @property
    def deflated(self) -> Booleans:
        """The mean is surely below zero, and nothing surely above it."""
        return np.asarray(~self.present.any & self.below.mean)

    @property
    def within(self) -> Booleans:
        """Nothing is surely above or below zero, and all of it fits the margin."""
        return np.asarray(~self.present.any & ~self.below.mean & self.fits)

    @property
    def bounded(self) -> Booleans:
        """The same, where the bound is over the margin and within the reach."""
        unseen = ~self.present.any & ~self.below.mean & ~self.fits
        return np.asarray(unseen & (self.high <= self.reach))

    @property
    def open(self) -> Booleans:
        """Neither a sign nor a useful bound can be stated."""
        answered = self.above.any | self.small | self.deflated
        return np.asarray(~(answered | self.within | self.bounded))


def decide(
    together: TaskMeans, alone: Sequence[TaskMeans], margin: float, sizes: int = 1
) -> Decisions:
    """What these effects let one say; `sizes` of a grid share the false alarms."""
    several = list(alone) if len(alone) > 1 else []
    alpha = ALPHA / sizes
    present = _signs(together, several, 0.0, alpha)
    fits = _upper_end(together) < margin
    fits = fits & np.all([_upper_end(m) < WIDER * margin for m in alone], axis=0)
    fits = fits & _spread_fits(together, WIDER * margin)
    fits = fits & _interaction_fits(together, several, WIDER * margin)
    return Decisions(
        above=_signs(together, several, margin, alpha),
        present=present,
        below=_signs(together.negated, [m.negated for m in several], 0.0, alpha),
        fits=np.asarray(fits),
        high=_upper_end(together),
        high_present=_highest(together, several, present),
        reach=REACH * margin,
    )


def _signs(
    together: TaskMeans, several: Sequence[TaskMeans], bound: float, alpha: float
) -> Signs:
    """What is surely above a bound, the alarms shared by mean, models and tasks."""
    families = [together, *several]
    p_models = [m.average_above(bound) for m in several]
    none = np.zeros((*together.average.shape, 0), bool)
    p_tasks = np.concatenate([m.tasks_above(bound) for m in families], axis=-1)
    sure = _holm(p_tasks) <= alpha / 4
    split = (*sure.shape[:-1], len(families), sure.shape[-1] // len(families))
    return Signs(
        np.asarray(together.average_above(bound) <= alpha / 2),
        _holm(np.stack(p_models, axis=-1)) <= alpha / 4 if several else none,
        np.asarray(sure.reshape(split).any(axis=-2)),
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


def _upper_end(cells: TaskMeans) -> Floats:
    """The largest average that is not excluded: the upper end of its 90 % interval."""
    return np.asarray(cells.average + cells.half_width(1 - 2 * ALPHA))


def _highest(
    together: TaskMeans, several: Sequence[TaskMeans], present: Signs
) -> Floats:
    """The largest bias that is not excluded of the mean, models and tasks there."""
    ends = [np.where(present.mean, _upper_end(together), -np.inf)]
    for at, cells in enumerate(several):
        ends.append(np.where(present.models[..., at], _upper_end(cells), -np.inf))
    tasks = together.means + together.task_half_widths(1 - 2 * ALPHA)
    ends.append(np.where(present.tasks, tasks, -np.inf).max(axis=-1))
    return np.asarray(np.max(ends, axis=0))


def _spread_fits(cells: TaskMeans, bound: float) -> Booleans:
    """Whether tasks differ by no more than the bound, for all that is known."""
    if cells.means.shape[-1] >= FEW_TASKS and cells.draws.min() >= 2:
        return np.asarray(spread_at(cells, ALPHA) < bound)
    return _each_fits(cells, bound)


def _interaction_fits(
    together: TaskMeans, several: Sequence[TaskMeans], bound: float
) -> Booleans:
    """Whether models differ from task to task by no more than the bound."""
    if not several:
        return np.ones(together.average.shape, bool)
    if together.means.shape[-1] >= FEW_TASKS and together.draws.min() >= 2:
        cells = interaction_cells(together, several)
        return np.asarray(spread_at(cells, ALPHA, len(several) - 1) < bound)
    return np.asarray(np.all([_each_fits(m, bound) for m in several], axis=0))


def _each_fits(cells: TaskMeans, bound: float) -> Booleans:
    """Whether the 90 % interval of every task lies within the bound."""
    halves = cells.task_half_widths(1 - 2 * ALPHA)
    return np.asarray((np.abs(cells.means) + halves < bound).all(axis=-1))
