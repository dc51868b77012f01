"""The means of tasks: what each task's draws say, with their variance."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.stats import t

from measurand.core.arrays import Floats

POINTS = 100  # percentage points of an accuracy
PRIOR_FREEDOM = 4.0  # degrees of freedom that all tasks lend to the variance of each


@dataclass(frozen=True, eq=False)
class TaskMeans:
    """The mean difference of each task; tasks along the last axis.

    Attributes:
        means: In percentage points.
        luck: The variance of each mean, as far as draws are independent.
        shared: What that variance gains as draws share items; it may be below zero.
        draws: How many there are of each task.
    """

    means: Floats
    luck: Floats
    shared: Floats
    draws: Floats

    @property
    def variances(self) -> Floats:
        """The variance of the mean of each task."""
        return np.asarray(self.luck + np.maximum(self.shared, 0.0))

    @property
    def average(self) -> Floats:
        """The mean over these tasks."""
        return np.asarray(self.means.mean(axis=-1))

    @property
    def parts(self) -> tuple[Floats, Floats]:
        """The variance of the average: of draws, and of the items that they share."""
        count = self.means.shape[-1]
        shared = np.maximum(self.shared.sum(axis=-1), 0.0)
        return self.luck.sum(axis=-1) / count**2, shared / count**2

    @property
    def se(self) -> Floats:
        """The standard error of the average."""
        return np.asarray(np.sqrt(sum(self.parts)))

    @property
    def freedom(self) -> Floats:
        """The degrees of freedom of that variance (Satterthwaite)."""
        count = self.means.shape[-1]
        squares = (self.luck**2 / (self.draws - 1)).sum(axis=-1) / count**4
        return np.asarray(self.se**4 / squares)

    def half_width(self, level: float) -> Floats:
        """Half of the interval of the average."""
        return np.asarray(t.ppf((1 + level) / 2, self.freedom) * self.se)

    def task_half_widths(self, level: float) -> Floats:
        """Half of the interval of each task."""
        return np.asarray(
            t.ppf((1 + level) / 2, self._task_freedom) * np.sqrt(self.variances)
        )

    def average_above(self, bound: float) -> Floats:
        """The one-sided p-value that the average is not above the bound."""
        return np.asarray(t.sf((self.average - bound) / self.se, self.freedom))

    def tasks_above(self, bound: float) -> Floats:
        """The same of each task."""
        scores = (self.means - bound) / np.sqrt(self._cautious)
        return np.asarray(t.sf(scores, self._task_freedom))

    @property
    def negated(self) -> "TaskMeans":
        """The same with treatment and control exchanged."""
        return replace(self, means=-self.means)

    @property
    def _cautious(self) -> Floats:
        """The variance of each task, no smaller than what all tasks lend it.

        Of many tasks some have few uneven draws by chance, and theirs would be named.
        """
        return np.maximum(self.variances, moderate(self))

    @property
    def _task_freedom(self) -> Floats:
        """Degrees of freedom of a task's variance; what is shared counts as known."""
        return np.asarray((self.draws - 1) * (self.variances / self.luck) ** 2)


def task_means(differences: Floats, n: int, shared: Floats | float = 0.0) -> TaskMeans:
    """The mean of each task from its draws.

    A task whose draws do not differ at all has the variance of one answer in all of
    them: no interval has width zero.

    Args:
        differences: ... × tasks × draws, in points; NaN where there is no draw.
        n: Items of a draw.
        shared: What the variance of each mean gains as draws share items.
    """
    draws = np.isfinite(differences).sum(axis=-1).astype(float)
    means = np.nanmean(differences, axis=-1)
    luck = np.nanvar(differences, axis=-1, ddof=1) / draws
    least = (POINTS / (n * draws)) ** 2
    shared = np.broadcast_to(np.asarray(shared, float), means.shape)
    return TaskMeans(means, np.maximum(luck, least), shared, draws)


def shared_variance(
    differences: Floats, draws: NDArray[np.int64], items: NDArray[np.int64]
) -> float:
    """What the variance of a mean over answers gains as draws share items.

    Draws that share items differ less than others would; so their own variance is too
    small by as much, divided by their number, and that is put right here too.

    Args:
        differences: Of each answer, treatment less control, in points.
        draws: The draw of each answer.
        items: The item of each answer; no draw has one twice.

    >>> always, draws, items = np.array([1.0, -1, 1, -1]), [0, 0, 1, 1], [0, 1, 0, 1]
    >>> shared_variance(always, np.array(draws), np.array(items))
    0.5
    """
    residuals = differences - differences.mean()
    sums = np.bincount(items, weights=residuals)
    across = float(sums @ sums - residuals @ residuals)
    count = len(np.unique(draws))
    return across / len(differences) ** 2 * count / (count - 1)


def moderate(cells: TaskMeans) -> Floats:
    """The variance of each task's mean, drawn to that of all: few draws know it badly.

    Their mean stays where it is.
    """
    freedom = cells.draws - 1
    common = cells.variances.mean(axis=-1, keepdims=True)
    return np.asarray(
        (freedom * cells.variances + PRIOR_FREEDOM * common) / (freedom + PRIOR_FREEDOM)
    )
