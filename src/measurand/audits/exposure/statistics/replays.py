"""Whether this study's intervals and verdicts hold in studies like it.

A replay has the tasks, models and draws of the study. Each draw of a task is one of the
draws that the task had, all models together, less the task's mean; to it a known effect
is added. So replays have the luck that the study had, skewed, lumpy or far too rare to
be known from so few draws, and nothing of the model by which they are then judged.
"""

from dataclasses import dataclass

import numpy as np
from scipy.stats import t

from measurand.audits.exposure.statistics.decisions import decide
from measurand.audits.exposure.statistics.task_means import task_means
from measurand.core.arrays import Floats
from measurand.core.estimate import Estimate
from measurand.stats.scores import wilson_share

LEVELS = (0.5, 0.8, 0.89, 0.95)
PIECE = 4_000_000  # differences in memory at once


@dataclass(frozen=True, eq=False)
class Replays:
    """How replays of a study with a planted effect turned out.

    Attributes:
        planted: The effect in points, the same in every task and model.
        averages: The mean difference that each found.
        scores: How many standard errors it was off, as a share of the t quantile's
            level: the least level whose interval covers.
        inflated: How many called it, or a task, inflated beyond the margin; or at
            all, where nothing was planted.
        within: How many called it not inflated within the margin.
    """

    planted: float
    averages: Floats
    scores: Floats
    inflated: int
    within: int

    def coverage(self, level: float = 0.95) -> Estimate:
        """The share of intervals that cover what was planted."""
        return wilson_share(int((self.scores <= level).sum()), len(self.scores))

    @property
    def false_alarms(self) -> Estimate:
        """The share that called it inflated."""
        return wilson_share(self.inflated, len(self.scores))


def replay_study(
    values: Floats,
    n: int,
    planted: float,
    margin: float,
    *,
    rng: np.random.Generator,
    studies: int,
) -> Replays:
    """Replays of a study: tasks × models × draws, in points, NaN where none is."""
    centred = values - np.nanmean(values, axis=-1, keepdims=True)
    draws = np.isfinite(values[:, 0]).sum(axis=-1)
    centred *= np.sqrt(draws / (draws - 1))[:, None, None]  # as they spread at large
    averages, scores = np.zeros(studies), np.zeros(studies)
    inflated = within = 0
    piece = max(1, PIECE // values.size)
    for start in range(0, studies, piece):
        part = slice(start, min(start + piece, studies))
        replayed = _resample(centred, draws, part.stop - part.start, rng) + planted
        together = task_means(replayed.mean(axis=2), n)
        alone = [task_means(replayed[:, :, at], n) for at in range(values.shape[1])]
        decisions = decide(together, alone, margin)
        averages[part] = together.average
        off = np.abs(together.average - planted) / together.se
        scores[part] = 2 * t.cdf(off, together.freedom) - 1
        alarms = decisions.above if planted > 0 else decisions.present
        inflated += int(alarms.any.sum())
        within += int(decisions.within.sum())
    return Replays(planted, averages, scores, inflated, within)


def _resample(
    centred: Floats, draws: Floats, studies: int, rng: np.random.Generator
) -> Floats:
    """Studies × tasks × models × draws, each task's draws from its own."""
    tasks, most = len(centred), centred.shape[-1]
    shares = rng.random((studies, tasks, most))
    chosen = (shares * draws[:, None]).astype(np.int64)
    replayed = np.stack(
        [centred[at][:, chosen[:, at]] for at in range(tasks)], axis=1
    )  # models × tasks × studies × draws
    replayed = np.moveaxis(replayed, (0, 1, 2), (2, 1, 0))
    missing = np.arange(most) >= draws[:, None]
    return np.where(missing[:, None], np.nan, replayed)
