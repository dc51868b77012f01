"""How many draws would let one say something, were all as it was estimated.

Studies with more draws are simulated around the estimates, and judged by the very rule
that judged this one. Tasks stand as far apart as they were found to be beyond luck, not
as far as they came out: of few draws most of that is luck. So do models from task to
task. What draws share, the items of a pool, no number of draws makes smaller.
"""

from collections.abc import Sequence
from math import ceil

import numpy as np

from measurand.audits.exposure.statistics.decisions import decide
from measurand.audits.exposure.statistics.effects import interaction_cells, spread_at
from measurand.audits.exposure.statistics.task_means import TaskMeans
from measurand.core.arrays import Floats
from measurand.stats.decisions import POWER

STUDIES = 200  # simulated at each number of draws
# As many again at least: those that there are did not decide.
TIMES = tuple(2 * 1.25**step for step in range(29))  # up to about a thousand times


def draws_to_decide(
    together: TaskMeans, alone: Sequence[TaskMeans], margin: float, sizes: int = 1
) -> int | None:
    """About how many draws a task and model decide 80 % of times, all as estimated.

    None where a thousand times as many would not.

    Args:
        together: The mean over models of one study.
        alone: Each model by itself.
        margin: Percentage points that still count as nothing.
        sizes: How many sizes share the false alarms.
    """
    effects = likely_effects(together, alone)
    most = float(together.draws.max())
    for times in TIMES:
        studies = simulate_studies(effects, together, alone, times)
        if 1 - decide(*studies, margin, sizes).open.mean() >= POWER:
            return ceil(most * times)
    return None


def likely_effects(together: TaskMeans, alone: Sequence[TaskMeans]) -> Floats:
    """Models × tasks: the estimates, their deviations as wide as beyond luck."""
    means = np.stack([cells.means for cells in alone])
    models, common = means.mean(axis=1, keepdims=True), means.mean(axis=0)
    tasks = common - common.mean()
    remainder = means - models - tasks
    task_share = _share_beyond_luck(together, 1) if len(common) > 1 else 1.0
    if len(alone) > 1 and len(common) > 1:
        between = interaction_cells(together, alone)
        remainder = remainder * _share_beyond_luck(between, len(alone) - 1)
    return np.asarray(models + task_share * tasks + remainder)


def _share_beyond_luck(cells: TaskMeans, centres: int) -> float:
    """The spread beyond luck over that of the means as they came out."""
    squares = float((cells.means - cells.average) @ (cells.means - cells.average))
    freedom = cells.means.shape[-1] - centres
    if squares == 0.0:
        return 1.0
    spread = float(spread_at(cells, None, centres))
    return float(min(1.0, spread / np.sqrt(squares / freedom)))


def simulate_studies(
    effects: Floats, together: TaskMeans, alone: Sequence[TaskMeans], times: float
) -> tuple[TaskMeans, list[TaskMeans]]:
    """Studies with so many times the draws: all models together, and each alone."""
    rng = np.random.default_rng(0)  # the same studies in every report of these figures
    models, tasks = effects.shape
    wanted = [_with_draws(cells, times) for cells in (together, *alone)]
    variances = np.stack([cells.variances for cells in wanted[1:]])
    shared = _shared_variance(wanted[0].variances, variances)
    luck = rng.standard_normal((STUDIES, models + 1, tasks))
    noise = np.sqrt(shared) * luck[:, :1] + np.sqrt(variances - shared) * luck[:, 1:]
    means = effects + noise
    parts = [means.mean(axis=1), *np.moveaxis(means, 1, 0)]
    whole, *single = (
        TaskMeans(
            part,
            *(
                np.broadcast_to(x, part.shape)
                for x in (cells.luck, cells.shared, cells.draws)
            ),
        )
        for part, cells in zip(parts, wanted, strict=True)
    )
    return whole, single


def _with_draws(cells: TaskMeans, times: float) -> TaskMeans:
    """The same with so many times the draws, its means as they are."""
    return TaskMeans(cells.means, cells.luck / times, cells.shared, cells.draws * times)


def _shared_variance(together: Floats, alone: Floats) -> Floats:
    """What models have in common of a task's luck, so that their mean has its own."""
    models = len(alone)
    if models == 1:
        return np.zeros_like(together)
    apart = alone.sum(axis=0) / models**2
    common = (together - apart) * models / (models - 1)
    return np.asarray(np.clip(common, 0.0, alone.min(axis=0)))
