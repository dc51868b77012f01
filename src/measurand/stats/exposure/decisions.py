"""What effects let one say: above the margin, on which tasks, within it, or neither.

Tasks and models of opposite signs never make nothing of each other: "within" needs the
mean over tasks and models within the margin, each model, the spread of tasks and that
of models from task to task within twice that, no model that clearly differs from zero
and may go beyond it, and no task that clearly does, in the mean over models or in one.
Tasks are held against the margin, never against zero: of more draws, small effects are
told from zero, and would be no nearer to the margin. The 5 % of false alarms are shared
by the mean (half), models and tasks (a quarter each).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from measurand.core.arrays import Floats
from measurand.stats.exposure.effects import TaskMeans, interaction_cells, spread_at

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
        cells_within: So does the spread of models from task to task; of few tasks, each
            task in each model.
        models_apart: Each model that differs from zero and may be beyond the margin.
        tasks_apart: Each task that is beyond it, on either side, in the mean over
            models or in one, Holm over all.
    """

    mean_above: Booleans
    models_above: Booleans
    tasks_above: Booleans
    mean_within: Booleans
    models_within: Booleans
    tasks_within: Booleans
    cells_within: Booleans
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
    def decided(self) -> Booleans:
        """Anything can be said."""
        return np.asarray(self.alarmed | self.within)

    @property
    def alarmed(self) -> Booleans:
        """An inflation can be said, of a mean or of tasks."""
        return np.asarray(self.inflated | self.inflated_somewhere)

    @property
    def within(self) -> Booleans:
        """Mean, models and spreads are within what counts as nothing."""
        fits = self.mean_within & self.models_within
        fits = fits & self.tasks_within & self.cells_within
        objections = self.models_apart.any(axis=-1) | self.tasks_apart.any(axis=-1)
        return np.asarray(fits & ~objections & ~self.alarmed)


def decide(
    together: TaskMeans, alone: Sequence[TaskMeans], margin: float, sizes: int = 1
) -> Decisions:
    """What these effects let one say."""
    alpha = ALPHA / sizes
    several = list(alone) if len(alone) > 1 else []
    families = [together, *several]
    p_models = np.stack([m.average_above(margin) for m in alone], axis=-1)
    p_tasks = np.concatenate([m.tasks_above(margin) for m in families], axis=-1)
    p_beyond = np.concatenate([m.tasks_beyond(margin) for m in families], axis=-1)
    return Decisions(
        together.average_above(margin) <= alpha / 2,
        (_holm(p_models) <= alpha / 4) & bool(several),
        _any_family(_holm(p_tasks) <= alpha / 4, len(families)),
        _average_fits(together, margin),
        np.all([_average_fits(m, WIDER * margin) for m in alone], axis=0),
        _spread_fits(together, WIDER * margin),
        _interaction_fits(together, several, WIDER * margin),
        np.stack([_is_apart(m, margin, len(several)) for m in alone], axis=-1),
        _any_family(_holm(p_beyond) <= ALPHA, len(families)),
    )


def _any_family(cells: Booleans, families: int) -> Booleans:
    """Each task for which it holds in the mean over models, or in one of them."""
    split = (*cells.shape[:-1], families, cells.shape[-1] // families)
    return np.asarray(cells.reshape(split).any(axis=-2))


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
    return _each_fits(cells, bound)


def _interaction_fits(
    together: TaskMeans, several: Sequence[TaskMeans], bound: float
) -> Booleans:
    """Whether models differ from task to task by no more than the bound."""
    if not several:
        return np.ones(together.average.shape, bool)
    if together.means.shape[-1] >= FEW_TASKS:
        cells = interaction_cells(together, several)
        return np.asarray(spread_at(cells, ALPHA, len(several) - 1) < bound)
    return np.asarray(np.all([_each_fits(m, bound) for m in several], axis=0))


def _each_fits(cells: TaskMeans, bound: float) -> Booleans:
    """Whether the 90 % interval of every task lies within the bound."""
    halves = cells.task_half_widths(1 - 2 * ALPHA)
    return np.asarray((np.abs(cells.means) + halves < bound).all(axis=-1))


def _is_apart(cells: TaskMeans, margin: float, models: int) -> Booleans:
    """Whether one of several averages is told from zero, and may be past the margin."""
    if not models:
        return np.zeros(cells.average.shape, bool)
    clear = np.abs(cells.average) > cells.half_width(1 - ALPHA / models)
    return np.asarray(clear & ~_average_fits(cells, margin))
