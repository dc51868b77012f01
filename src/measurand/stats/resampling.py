"""The bootstrap of anything that is a function of sums.

Means, differences, ratios, balanced accuracy and MCC are all functions of sums over
items. So items are first summed within clusters; clusters with the same sums are then
interchangeable, and how often each kind is drawn is multinomial. That gives the very
distribution of the cluster bootstrap at a cost that depends on how many *different*
rows there are: for right-or-wrong scores a handful, however many the items.

Where items share queries and, across these, evidence, both ways are resampled, and
items that share both. What varies is then V = V_query + V_evidence - V_both, and never
less than the larger of the first two (Cameron, Gelbach and Miller 2011).
"""

from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri, stdtrit

from measurand.core.arrays import Clusters, Floats, Ints
from measurand.core.clusters import count_distinct, rank_numbers, split_ways
from measurand.core.errors import BadInput, Undefined
from measurand.core.estimate import Estimate
from measurand.stats.vectors.canonical import THREADS

Statistic = Callable[[Floats], Floats]
RESAMPLES = 10_000
PICKS = 30_000  # picks at a time, of one resample at least: more leave the cache
SORTED = 20_000  # rows up to which sorting them is faster than hashing


def bootstrap(
    statistic: Statistic,
    rows: Floats,
    *,
    rng: np.random.Generator,
    clusters: Clusters = None,
    level: float = 0.95,
    resamples: int = RESAMPLES,
) -> Estimate:
    """The statistic of the column sums of `rows`, with a percentile interval.

    The percentiles are those that few units need (Hesterberg 2015): as far out as a t
    quantile is. In two ways of clusters, each arm is combined of those of the ways.

    Args:
        statistic: Maps sums (any leading shape × columns) to values.
        rows: One row per item.
        rng: Where the resamples come from.
        clusters: Items with one number are drawn together; items × 2 for two ways.
        level: The coverage of the interval.
        resamples: How many resamples.
    """
    (estimate,) = bootstrap_each(
        [statistic],
        rows,
        rng=rng,
        clusters=clusters,
        level=level,
        resamples=resamples,
    )
    return estimate


def bootstrap_each(
    statistics: Sequence[Statistic],
    rows: Floats,
    *,
    rng: np.random.Generator,
    clusters: Clusters = None,
    level: float = 0.95,
    resamples: int = RESAMPLES,
) -> list[Estimate]:
    """Several statistics of the same rows, by the same resamples: see `bootstrap`."""
    if len(rows) == 0:
        raise Undefined("no items to average; widen the selection")
    ways = [None] if clusters is None else split_ways(clusters)
    sums = [resample_sums(rows, way, resamples, rng) for way in ways]
    method = f"bootstrap over {_unit_of_ways(len(rows), ways)}, {resamples} resamples"
    total, estimates = rows.sum(axis=0), []
    for statistic in statistics:
        value = float(statistic(total))
        draws = [statistic(drawn) for drawn in sums]
        low, high = _percentile_ends(value, draws, ways, len(rows), level)
        estimates.append(Estimate(value, low, high, level, len(rows), method))
    return estimates


def _percentile_ends(
    value: float,
    draws_by_way: Sequence[Floats],
    ways: Sequence[Ints | None],
    n: int,
    level: float,
) -> tuple[float, float]:
    """The ends of the interval, from what the resamples of each way gave."""
    ends = []
    for way, way_draws in zip(ways, draws_by_way, strict=True):
        draws = way_draws[np.isfinite(way_draws)]
        if len(draws) < len(way_draws) / 2:
            raise Undefined(
                "the statistic has no value in most resamples; more items are needed"
            )
        wide = level if len(ways) > 1 else _few_units_level(n, way, level)
        ends.append(np.quantile(draws, [(1 - wide) / 2, (1 + wide) / 2]))
    if len(ends) == 1:
        low, high = ends[0]
    else:
        arms = np.abs(np.array(ends) - value) * _few_clusters_factor(ways, level)
        below, above = np.sqrt(combine_ways(arms**2))
        low, high = value - below, value + above
    return float(low), float(high)


def combine_ways(variances: Floats) -> Floats:
    """The variance over one way of clusters, or over two and what they share.

    At least half of that over what they share: the sum of two less a third may come out
    at nothing by chance. A floor at the larger of the two would make intervals cover
    0.98 where few clusters have little in common; with this one they cover 0.94 to 0.95
    over 10 to 100 clusters, however much these have in common.

    >>> [float(combine_ways(np.array(v))) for v in ([4.0], [4.0, 3.0, 1.0])]
    [4.0, 6.0]
    """
    if len(variances) == 1:
        return np.asarray(variances[0])
    first, second, joint = variances
    return np.asarray(np.maximum(first + second - joint, joint / 2))


def _few_units_level(n: int, clusters: Ints | None, level: float) -> float:
    """The level of the percentiles that hold `level` over so few items or clusters."""
    count = n if clusters is None else count_distinct(clusters)
    freedom = max(count - 1, 1)
    reach = stdtrit(freedom, (1 + level) / 2) * np.sqrt(count / freedom)
    return float(1 - 2 * ndtr(-reach))


def _few_clusters_factor(ways: Sequence[Ints | None], level: float) -> Floats:
    """How much wider the arms of each way must be for few clusters: a column."""
    counts = np.array([1 if way is None else count_distinct(way) for way in ways])
    freedom = np.maximum(counts - 1, 1)
    quantiles = stdtrit(freedom, (1 + level) / 2) / ndtri((1 + level) / 2)
    return np.asarray(quantiles * np.sqrt(counts / freedom))[:, None]


def resample_sums(
    rows: Floats,
    clusters: NDArray[np.int64] | None,
    resamples: int,
    rng: np.random.Generator,
) -> Floats:
    """The column sums of each resample: resamples × columns."""
    sums = rows if clusters is None else sum_clusters(rows, clusters)
    kinds, counts = _distinct_rows(sums)
    if 4 * len(kinds) < len(sums):
        return rng.multinomial(len(sums), counts / len(sums), resamples) @ kinds
    n, draws = len(sums), np.empty((resamples, sums.shape[1]))
    block = max(1, PICKS // n)
    for start in range(0, resamples, block):
        counts = _draw_counts(min(block, resamples - start), n, rng)
        # As a stack of vectors: a product of matrices rounds otherwise than one of a
        # vector.
        draws[start : start + len(counts)] = (counts[:, None] @ sums)[:, 0]
    return draws


def _draw_counts(resamples: int, n: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """How often each of `n` is drawn in each resample: resamples × n."""
    picks = rng.integers(n, size=(resamples, n)) + n * np.arange(resamples)[:, None]
    return np.bincount(picks.ravel(), minlength=resamples * n).reshape(resamples, n)


def _distinct_rows(rows: Floats) -> tuple[Floats, NDArray[np.int64]]:
    """The different rows, sorted, and how often each stands there.

    >>> kinds, counts = _distinct_rows(np.array([[2.0], [1.0], [2.0]]))
    >>> kinds.tolist(), counts.tolist()
    ([[1.0], [2.0]], [1, 2])
    """
    if len(rows) <= SORTED:
        ordered = rows[np.lexsort(rows.T[::-1])]
        is_new = (ordered[1:] != ordered[:-1]).any(axis=1)
        starts = np.flatnonzero(np.append(len(rows) > 0, is_new))
        return np.asarray(ordered[starts], float), np.diff(starts, append=len(rows))
    # Hashing by pandas: five times faster than sorting at 10^6 rows of few kinds.
    table = pd.DataFrame(rows)
    sizes = table.groupby(list(table.columns), sort=True).size()
    kinds = sizes.index.to_frame().to_numpy(float)
    return np.asarray(kinds), sizes.to_numpy().astype(np.int64)


def sum_clusters(rows: Floats, clusters: NDArray[np.int64]) -> Floats:
    """The sums of `rows` within each cluster.

    >>> sum_clusters(np.array([[1.0], [2.0], [4.0]]), np.array([7, 3, 7])).tolist()
    [[2.0], [5.0]]
    """
    codes = rank_numbers(clusters)
    return np.stack([np.bincount(codes, column) for column in rows.T], axis=1)


MEAN_RESAMPLES = 2_000
RESAMPLE_BLOCK = 100  # resamples at a time


def column_means(rows: Floats) -> Floats:
    """The mean of each column over the items it has; nan where it has none.

    >>> column_means(np.array([[1.0, np.nan], [2.0, 5.0]])).tolist()
    [1.5, 5.0]
    """
    return np.asarray(_divide_sums(*_sums_and_counts(rows)))


def resample_means(
    rows: Floats,
    *,
    rng: np.random.Generator,
    clusters: Clusters = None,
    resamples: int = MEAN_RESAMPLES,
) -> Floats:
    """The mean of each column in each resample: resamples × columns.

    Args:
        rows: One row per item, one column per score; nan where an item has none.
        rng: Where the resamples come from.
        clusters: Items with one number are drawn together. Of two ways, the draws of
            both are added and their spread brought to that of the two together.
        resamples: How many resamples.
    """
    if rows.ndim != 2 or len(rows) == 0:
        raise Undefined("no items to average; widen the selection")
    if np.isinf(rows).any():
        raise BadInput("some scores are infinite; bound them before they are averaged")
    present = ~np.isnan(rows)
    columns = np.hstack([np.where(present, rows, 0.0), present])
    ways = [None] if clusters is None else split_ways(clusters)
    draws = [_draw_means(columns, way, resamples, rng) for way in ways]
    if len(draws) == 1:
        return draws[0]
    means = column_means(rows)
    variances = np.array([np.nanvar(drawn, axis=0) for drawn in draws])
    added = variances[0] + variances[1]
    wanted = combine_ways(variances * _few_clusters_factor(ways, 0.95) ** 2)
    with np.errstate(invalid="ignore", divide="ignore"):
        scale = np.sqrt(wanted / added)
    return means + np.where(added > 0, scale, 0.0) * (draws[0] + draws[1] - 2 * means)


def _draw_means(
    columns: Floats, clusters: Clusters, resamples: int, rng: np.random.Generator
) -> Floats:
    """The means in each resample, of columns of sums followed by those of counts."""
    units = columns if clusters is None else sum_clusters(columns, clusters)
    sums = np.empty((resamples, columns.shape[1]))
    with THREADS.limit(limits=1):
        for start in range(0, resamples, RESAMPLE_BLOCK):
            size = min(RESAMPLE_BLOCK, resamples - start)
            counts = _draw_counts(size, len(units), rng).astype(float)
            sums[start : start + size] = counts @ units
    return _divide_sums(*np.hsplit(sums, 2))


def resample_unit(n: int, clusters: Clusters = None) -> str:
    """What is resampled where so many items are dependent in these clusters.

    >>> crossed = np.array([[0, 0], [0, 1], [1, 1]])
    >>> partitions = (None, np.array([0, 0, 1]), np.arange(3), crossed)
    >>> [resample_unit(3, clusters) for clusters in partitions]
    ['items', '2 clusters', 'items', '2 and 2 crossed clusters']
    """
    return _unit_of_ways(n, [None] if clusters is None else split_ways(clusters))


def _unit_of_ways(n: int, ways: Sequence[Ints | None]) -> str:
    """What is resampled, from the ways that `split_ways` distinguished."""
    counts = [n if way is None else count_distinct(way) for way in ways[:2]]
    if min(counts) == n:
        return "items"
    if len(counts) == 1:
        return f"{counts[0]} clusters"
    return f"{counts[0]} and {counts[1]} crossed clusters"


def _sums_and_counts(rows: Floats) -> tuple[Floats, Floats]:
    """The sum of each column, and over how many items."""
    return np.nansum(rows, axis=0), (~np.isnan(rows)).sum(axis=0).astype(float)


def _divide_sums(sums: Floats, counts: Floats) -> Floats:
    """The means; nan where there is nothing to average."""
    nothing = np.full_like(sums, np.nan, dtype=float)
    return np.asarray(np.divide(sums, counts, out=nothing, where=counts > 0))


def percentile_estimate(
    value: float, draws: Floats, n: int, what: str = "items", level: float = 0.95
) -> Estimate:
    """A value with the percentile interval of its draws, never leaving the value out.

    >>> print(percentile_estimate(1.0, np.arange(101) / 100, 50))
    1.000 [0.025, 1.000]
    """
    finite = draws[np.isfinite(draws)]
    if not np.isfinite(value) or len(finite) < len(draws) / 2:
        raise Undefined("the statistic has no value in most resamples; add items")
    low, high = np.quantile(finite, [(1 - level) / 2, (1 + level) / 2])
    method = f"bootstrap over {what}, {len(draws)} resamples"
    return Estimate(
        float(value), min(float(low), value), max(float(high), value), level, n, method
    )
