"""What two arms differ by, from the paired differences of draws.

Both arms of a draw learn from the same rows and are tested on the same items, so their
difference d is one number per draw, in percentage points, and what the arms share is
out of it. Of task t and model l, draw s,

    d[l, t, s] = mean + model[l] + task[t] + task and model[l, t] + luck[l, t, s],

with a variance of the luck for each task and model, found from the draws. Tasks are
those that there are: the mean effect is the mean over them, and its interval holds the
luck of draws and trainings alone. How far tasks differ beyond luck is an effect of its
own, the spread (Q-profile, Viechtbauer 2007). It says nothing of a task that is not
there: an interval for that rests on the spread of few tasks, and covers too seldom.

Draws of one pool share items. Where the answers to single items are known, the variance
gains what items have in common from draw to draw: summed over the pairs of draws in
which an item was tested, the product of its residuals (Cameron, Gelbach and Miller
2011: two ways of clusters, draws and items).

All functions take studies along leading axes, so that thousands can be simulated.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd
from scipy.stats import chi2, t

from measurand.audits.exposure.statistics.counts import ArmPairs
from measurand.audits.exposure.statistics.task_means import (
    POINTS,
    TaskMeans,
    moderate,
    shared_variance,
    task_means,
)
from measurand.core.arrays import Floats
from measurand.core.errors import Undefined
from measurand.core.estimate import Estimate
from measurand.stats.decisions import POWER

HALVINGS = 60  # bisections of a spread
METHOD = "paired differences, t over draws"


@dataclass(frozen=True, eq=False)
class Effect:
    """What pairs of arms differ by, of all models together or of one."""

    contrast: str
    tasks: tuple[str, ...]
    cells: TaskMeans
    pairs: int
    method: str = METHOD

    @cached_property
    def estimate(self) -> Estimate:
        """The mean over these tasks in points, with a 95 % interval."""
        return self.interval(0.95)

    def interval(self, level: float) -> Estimate:
        """The same at another level."""
        value, half = float(self.cells.average), float(self.cells.half_width(level))
        low, high = value - half, value + half
        return Estimate(value, low, high, level, self.pairs, self.method)

    def by_task(self, level: float = 0.95) -> dict[str, Estimate]:
        """Each task by itself, with an interval of its own."""
        halves = self.cells.task_half_widths(level)
        return {
            task: Estimate(
                float(self.cells.means[at]),
                float(self.cells.means[at] - halves[at]),
                float(self.cells.means[at] + halves[at]),
                level,
                int(self.cells.draws[at]),
                METHOD,
            )
            for at, task in enumerate(self.tasks)
        }

    @cached_property
    def spread(self) -> Estimate:
        """The standard deviation of tasks beyond luck, with a 90 % interval."""
        return task_spread(self.cells)

    def detectable(self, bound: float, sizes: int = 1) -> float:
        """The least effect that such a study finds above a bound 80 % of the time.

        Where the 95 % interval of one of so many sizes lies above the bound so often.
        """
        freedom = float(self.cells.freedom)
        tail = float(t.ppf(1 - 0.025 / sizes, freedom))
        return bound + (tail + float(t.ppf(POWER, freedom))) * float(self.cells.se)

    def detectable_task(self, share: float) -> float:
        """The least bias of one task that is distinguished from zero 80 % of the time.

        Of the task whose variance is in the middle, as one of so many that share the
        false alarms: `share` is the part of them that one comparison has.
        """
        freedom = float(np.median(self.cells.draws)) - 1
        error = float(np.sqrt(np.median(moderate(self.cells))))
        return float(t.ppf(1 - share, freedom) + t.ppf(POWER, freedom)) * error


def task_spread(cells: TaskMeans, level: float = 0.90, centres: int = 1) -> Estimate:
    """The standard deviation of true task effects, by the Q-profile method."""
    count = cells.means.shape[-1]
    if count <= centres:
        raise Undefined("the spread of tasks needs two of them")
    shares = (None, (1 + level) / 2, (1 - level) / 2)
    value, low, high = (float(spread_at(cells, share, centres)) for share in shares)
    if high == 0.0:
        raise Undefined("tasks differ by less than luck alone: no spread fits them")
    return Estimate(value, low, high, level, count, "Q-profile over tasks")


def spread_at(cells: TaskMeans, share: float | None, centres: int = 1) -> Floats:
    """The spread under which so large a share of studies has no greater Q.

    Where no share is given, that under which Q is what is expected (Paule and Mandel).
    """
    variances, freedom = moderate(cells), cells.means.shape[-1] - centres
    target = float(freedom if share is None else chi2.ppf(share, freedom))

    def excess(squared: Floats) -> Floats:
        weights = 1 / (variances + squared[..., None])
        middle = (weights * cells.means).sum(-1) / weights.sum(-1)
        deviations = cells.means - middle[..., None]
        return np.asarray((weights * deviations**2).sum(-1) - target)

    low = np.zeros(cells.means.shape[:-1])
    scattered = ((cells.means - cells.average[..., None]) ** 2).sum(-1)
    high = (scattered + variances.max(-1)) / target * 2 + 1.0
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        above = excess(middle) > 0
        low, high = np.where(above, middle, low), np.where(above, high, middle)
    return np.asarray(np.sqrt(np.where(excess(np.zeros_like(low)) > 0, high, 0.0)))


@dataclass(frozen=True, eq=False)
class PairedEffects:
    """One contrast of one size: of all models together, and of each.

    Attributes:
        together: The mean over models.
        alone: Each model by itself, by name; also where there is only one.
        interaction: The standard deviation of what single models add in single tasks.
        residuals: By model, the standard deviation of a draw's difference.
    """

    together: Effect
    alone: dict[str, Effect]
    interaction: Estimate | None
    residuals: dict[str, Estimate]


def paired_effects(
    pairs: ArmPairs, answers: pd.DataFrame | None = None
) -> PairedEffects:
    """What the pairs say, row by row.

    Args:
        pairs: One row per model, task, draw and training; trainings go together.
        answers: The differences of single answers, where they are known: columns lm,
            task, subsample, item and difference, in points.
    """
    tasks, models = pairs.codes("task")[1], pairs.codes("lm")[1]
    values, n = tabulate_differences(pairs), int(pairs.table["n"].iloc[0])
    shared = shared_by_cell(answers, tasks, models)

    def effect(differences: Floats, column: int, count: int) -> Effect:
        cells = task_means(differences, n, shared[:, column])
        return Effect(pairs.contrast, tuple(tasks), cells, count)

    together = effect(values.mean(axis=1), len(models), len(pairs))
    rows = pairs.table["lm"].astype(str).value_counts()
    alone = {
        lm: effect(values[:, at], at, int(rows[lm])) for at, lm in enumerate(models)
    }
    return PairedEffects(
        together,
        alone,
        interaction_spread(
            together.cells, [effects.cells for effects in alone.values()]
        ),
        {lm: residual_spread(values[:, at]) for at, lm in enumerate(models)},
    )


def tabulate_differences(pairs: ArmPairs) -> Floats:
    """Tasks × models × draws, in points, trainings averaged; NaN where none is."""
    points = pairs.table.assign(difference=POINTS * pairs.differences)
    by_draw = points.groupby(["task", "lm", "subsample"])["difference"].mean()
    table = by_draw.reset_index()
    table["place"] = table.groupby("task")["subsample"].rank("dense").astype(int) - 1
    tasks = pd.factorize(table["task"], sort=True)[0]
    models = pd.factorize(table["lm"], sort=True)[0]
    shape = (tasks.max() + 1, models.max() + 1, table["place"].max() + 1)
    values = np.full(shape, np.nan)
    values[tasks, models, table["place"]] = table["difference"]
    return values


def shared_by_cell(
    answers: pd.DataFrame | None, tasks: list[str], models: list[str]
) -> Floats:
    """What variances gain by shared items: tasks × models, and their mean last."""
    gained = np.zeros((len(tasks), len(models) + 1))
    if answers is None:
        return gained
    for task, part in answers.groupby("task"):
        row = tasks.index(str(task))
        for lm, model_rows in part.groupby("lm"):
            gained[row, models.index(str(lm))] = _shared_by(model_rows)
        mean = part.groupby(["subsample", "item"])["difference"].mean()
        gained[row, -1] = _shared_by(mean.reset_index())
    return gained


def _shared_by(rows: pd.DataFrame) -> float:
    """What these answers of one task share."""
    return shared_variance(
        rows["difference"].to_numpy(float),
        pd.factorize(rows["subsample"])[0],
        pd.factorize(rows["item"])[0],
    )


def interaction_cells(together: TaskMeans, alone: Sequence[TaskMeans]) -> TaskMeans:
    """What models add in single tasks: orthogonal contrasts, all along the last axis.

    Each contrast of the models has its mean over the tasks taken out. The variances of
    all contrasts of a task add up to those of the models less what all together have,
    so that what models share, such as the luck of a draw, is in none of them.
    """
    models = len(alone)
    square = np.column_stack([np.ones(models), np.eye(models)[:, 1:]])
    contrasts = np.linalg.qr(square)[0][:, 1:]
    means = np.stack([cells.means for cells in alone])
    turned = np.tensordot(contrasts.T, means, 1)
    turned = turned - turned.mean(axis=-1, keepdims=True)
    total = np.sum([cells.variances for cells in alone], axis=0)
    left = (total - models * together.variances) / (models - 1)
    # Missing draws may leave less than nothing; a hundredth keeps weights in bounds.
    luck = np.maximum(left, total / (100 * models))
    parts = [turned, *(np.broadcast_to(x, turned.shape) for x in (luck, 0 * luck))]
    parts.append(np.broadcast_to(together.draws, turned.shape))
    rows = (*together.means.shape[:-1], -1)
    return TaskMeans(*(np.moveaxis(part, 0, -1).reshape(rows) for part in parts))


def interaction_spread(
    together: TaskMeans, alone: Sequence[TaskMeans]
) -> Estimate | None:
    """How far models differ from task to task beyond luck; None of one model or task.

    The standard deviation of a contrast of the models, of length one.
    """
    if len(alone) < 2 or together.means.shape[-1] < 2:
        return None
    cells = interaction_cells(together, alone)
    try:
        return task_spread(cells, centres=len(alone) - 1)
    except Undefined:
        return None


def residual_spread(values: Floats, level: float = 0.95) -> Estimate:
    """The standard deviation of a draw's difference within tasks: tasks × draws."""
    draws = np.isfinite(values).sum(axis=-1)
    freedom = int((draws - 1).sum())
    centred = values - np.nanmean(values, axis=-1, keepdims=True)
    total = float(np.nansum(centred**2))
    low, high = (
        float(np.sqrt(total / chi2.ppf(share, freedom)))
        for share in ((1 + level) / 2, (1 - level) / 2)
    )
    value = float(np.sqrt(total / freedom))
    return Estimate(value, low, high, level, int(draws.sum()), "pooled within tasks")
