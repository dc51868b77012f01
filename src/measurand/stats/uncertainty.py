"""The uncertainty budget: what an interval holds, source by source, and what it lacks.

The variance of a mean over items, by source:

    items        as if each item stood for itself
    shared texts what items add, or take, that share a text or a group
    givers       what a shuffle adds, as each text is read next to other items too
    trainings    the spread between trainings of one recipe

They add up to the variance that the interval is made of. A source below 0 makes the
mean more certain: so do items whose errors cancel within a cluster.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.special import stdtrit

from measurand.core.arrays import Clusters, Floats, Ints
from measurand.core.clusters import count_clusters, split_ways
from measurand.core.errors import Undefined
from measurand.core.estimate import Estimate
from measurand.core.finding import Exhibit
from measurand.stats.resampling import combine_ways, resample_unit, sum_clusters

ITEMS, SHARED, GIVERS = "items", "shared texts", "givers"
TRAININGS = "trainings"
TRAINING_ITEMS = "which items were there to learn from"
ONE_OF_MANY = "how trainings differ, of which there was one"


@dataclass(frozen=True)
class UncertaintyBudget:
    """What the interval of one estimate holds.

    Attributes:
        variances: By source; they add up to that of the estimate.
        left_out: What the interval does not hold, in words.
    """

    variances: Mapping[str, float]
    left_out: str

    @property
    def shares(self) -> dict[str, float]:
        """The share of each source; none where nothing varies."""
        total = sum(self.variances.values())
        return {s: v / total for s, v in self.variances.items()} if total > 0 else {}


def item_variance(values: Floats) -> float:
    """The variance of the mean where items are independent."""
    return cluster_variance(values, np.arange(len(values)))


def cluster_variance(
    values: Floats, clusters: Ints, centre: float | None = None
) -> float:
    """The variance of the mean of items that are dependent.

    Of two ways it is that over the one and the other, less that over both at once
    (Cameron, Gelbach and Miller 2011).

    Args:
        values: One an item.
        clusters: One number an item, or two: items × ways.
        centre: Their mean where that is known otherwise.

    >>> cluster_variance(np.array([0.0, 1.0, 0.0, 1.0]), np.arange(4)) * 12
    1.0
    >>> cluster_variance(np.array([0.0, 1.0, 0.0, 1.0]), np.array([0, 0, 1, 1]))
    0.0
    """
    n, mean = len(values), float(np.mean(values)) if centre is None else centre
    rows = np.column_stack([values, np.ones(n)])
    spreads = []
    for way in split_ways(clusters):
        sums = sum_clusters(rows, way)
        m = len(sums)
        spreads.append(((sums[:, 0] - sums[:, 1] * mean) ** 2).sum() * m / (m - 1))
    return float(combine_ways(np.array(spreads)) / n**2)


def uneven_variance(
    values: Floats, clusters: Ints, centre: float | None = None
) -> tuple[float, float]:
    """The variance of a mean over clusters of unlike sizes, and its degrees of freedom.

    A cluster pulls the mean towards itself by its share of the items, and its residual
    is too small by that share (Bell and McCaffrey 2002); where sizes are alike this is
    `cluster_variance`. A variance that a few clusters make is less certain than their
    number says. Its freedom is by what the squares are seen to be, and where they are
    expected to be less alike, half way to what these say, as ratios go: where one
    cluster has half of the items, the first alone covers 0.91, the other 1.

    Args:
        values: One an item.
        clusters: One number an item, or two: items × ways.
        centre: Their mean where that is known otherwise.

    >>> values, pairs = np.array([0.0, 1.0, 0.0, 1.0]), np.array([0, 1, 2, 3])
    >>> [round(part, 3) for part in uneven_variance(values, pairs)]
    [0.083, 3.0]
    """
    n, mean = len(values), float(np.mean(values)) if centre is None else centre
    rows = np.column_stack([values, np.ones(n)])
    spreads, freedoms = [], []
    for way in split_ways(clusters):
        sums, sizes = sum_clusters(rows, way).T
        shares = sizes / n
        # Exact where items of a cluster are alike, and where they are independent.
        shrinkage = np.minimum(1 - shares, 1 - 2 * shares + (shares**2).sum())
        weights = 1 / np.maximum(shrinkage, 1 / n)
        squares = weights * (sums - sizes * mean) ** 2
        spreads.append(float(squares.sum()))
        freedom = _variance_freedom(squares)
        apart = _intraclass(values, sums, sizes)
        expected = _expected_freedom(weights, sizes, apart)
        freedoms.append((freedom * min(freedom, expected)) ** 0.5)
    variance = float(combine_ways(np.array(spreads))) / n**2
    return variance, max(min(freedoms[:2]), 1.0)


def _variance_freedom(squares: Floats) -> float:
    """The degrees of freedom of a sum of squares, by the kurtosis of what is squared.

    >>> round(_variance_freedom(np.ones(20)))
    19
    >>> round(_variance_freedom(np.array([1.0, 1.0] + [0.0] * 18)), 1)
    4.4
    """
    count, total = len(squares), float(squares.sum())
    if total == 0:
        return count - 1.0
    kurtosis = count * float((squares**2).sum()) / total**2
    return min(count - 1.0, 2 * count / max(kurtosis - 1, 1e-9))


def _intraclass(values: Floats, sums: Floats, sizes: Floats) -> float:
    """The correlation of items of one cluster, by an analysis of variance; at least 0.

    >>> values, sizes = np.array([0.0, 0.0, 1.0, 1.0]), np.array([2.0, 2.0])
    >>> _intraclass(values, np.array([0.0, 2.0]), sizes)
    1.0
    >>> _intraclass(values, np.array([1.0, 1.0]), sizes)
    0.0
    """
    n, count = len(values), len(sums)
    if n <= count:
        return 0.0
    squares = float((sums**2 / sizes).sum())
    within = max(float((values**2).sum()) - squares, 0.0) / (n - count)
    between = squares - float(values.sum()) ** 2 / n - (count - 1) * within
    shared = max(between / (n - float((sizes**2).sum()) / n), 0.0)
    return shared / (shared + within) if shared > 0 else 0.0


def _expected_freedom(weights: Floats, sizes: Floats, apart: float) -> float:
    """The degrees of freedom of a weighted sum of squared residuals of clusters.

    By Satterthwaite, where items of one cluster correlate by so much (Imbens and
    Kolesár 2016): twice the square of its mean over its variance.

    Args:
        weights: Of each squared residual.
        sizes: How many items each cluster has.
        apart: How items of one cluster correlate.

    >>> round(_expected_freedom(np.ones(20), np.full(20, 3.0), 0.5), 6)
    19.0
    """
    variances = sizes * (1 - apart) + sizes**2 * apart
    total = float(variances.sum())
    # Residuals are d - s t, of sums d and of shares s of their total t: so their
    # covariances are a diagonal and two vectors.
    scaled, root = weights * variances, np.sqrt(weights)
    pulls, covariances = root * sizes / sizes.sum(), root * variances
    pp, pc = float((pulls**2).sum()), float((pulls * covariances).sum())
    cc = float((covariances**2).sum())
    mean = float(scaled.sum()) - 2 * pc + total * pp
    square = (
        float((scaled**2).sum())
        + 2 * float((scaled * pulls * (total * pulls - 2 * covariances)).sum())
        + 2 * (pc**2 + pp * cc)
        + (total * pp) ** 2
        - 4 * total * pp * pc
    )
    return mean**2 / square if square > 0 else 1.0


def run_variance(runs: Floats, clusters: Clusters = None) -> float:
    """What the spread between runs adds to the variance of a mean over items and runs.

    Where runs answer single items otherwise, their means differ for that alone; the
    variance over items of what is averaged over the runs holds it already.

    Args:
        runs: Runs × items.
        clusters: Items with one number are dependent.

    >>> run_variance(np.array([[0.0, 1.0, 0.0, 1.0], [1.0, 0.0, 1.0, 0.0]]))
    0.0
    >>> round(run_variance(np.array([[0.0, 0.0, 0.0], [1.0, 1.0, 1.0]])), 3)
    0.25
    """
    count, n = runs.shape
    if count < 2:
        return 0.0
    means = runs.mean(axis=1)
    single = runs - runs.mean(axis=0) - means[:, None] + means.mean()
    units = np.arange(n) if clusters is None else clusters
    if count_clusters(units) < 2:
        return float(means.var(ddof=1) / count)  # nothing is known of single items
    noise = sum(cluster_variance(run, units) for run in single)
    noise /= (count - 1) * count
    return float(max(means.var(ddof=1) / count - noise, 0.0))


def mean_interval(
    values: Floats, clusters: Clusters = None, level: float = 0.95
) -> Estimate:
    """The mean of items that may be dependent, with a t interval.

    >>> print(mean_interval(np.array([0.0, 1.0, 0.0, 1.0])))
    0.500 [-0.419, 1.419]
    """
    if len(values) == 0:
        raise Undefined("no items to average; widen the selection")
    units = np.arange(len(values)) if clusters is None else clusters
    count = count_clusters(units)
    if count < 2:
        raise Undefined("an interval needs at least two items or clusters; add items")
    error = cluster_variance(values, units) ** 0.5
    half = float(stdtrit(count - 1, (1 + level) / 2)) * error
    mean, n = float(values.mean()), len(values)
    method = f"t over {resample_unit(n, clusters)}"
    return Estimate(mean, mean - half, mean + half, level, n, method)


def uneven_interval(values: Floats, clusters: Ints, level: float = 0.95) -> Estimate:
    """The mean of items over clusters of unlike sizes, with a t interval.

    >>> print(uneven_interval(np.array([0.0, 1.0, 0.0, 1.0]), np.arange(4)))
    0.500 [-0.419, 1.419]
    """
    if count_clusters(clusters) < 2:
        raise Undefined("an interval needs at least two items or clusters; add items")
    variance, freedom = uneven_variance(values, clusters)
    half = float(stdtrit(freedom, (1 + level) / 2)) * variance**0.5
    mean, n = float(values.mean()), len(values)
    method = f"t over {resample_unit(n, clusters)}"
    return Estimate(mean, mean - half, mean + half, level, n, method)


def uncertainty_bars(
    budgets: Mapping[str, UncertaintyBudget], of: str
) -> tuple[Exhibit, ...]:
    """The share of each source in the variance of an estimate, a group a budget.

    None where nothing varies.
    """
    budgets = {group: budget for group, budget in budgets.items() if budget.shares}
    if not budgets:
        return ()
    rows = [
        # Shares of what was seen, and no estimates: so they have no interval.
        {"group": group, "bar": source, "value": share, "low": None, "high": None}
        for group, budget in budgets.items()
        for source, share in budget.shares.items()
    ]
    left_out = "; ".join(dict.fromkeys(b.left_out for b in budgets.values()))
    caption = f"What the interval of {of} holds, by source; not in it: {left_out}"
    if any(share < 0 for b in budgets.values() for share in b.shares.values()):
        caption += ". A source below 0 makes it surer: there errors cancel"
    titles = {"x_title": f"share of the variance of {of}"}
    return (Exhibit("uncertainty", "bars", pd.DataFrame(rows), caption, titles),)
