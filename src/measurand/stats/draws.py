"""Many means at once, over the same resamples of items.

Figures that are made of several means (a frontier, a product of means, a ranking) need
all of them in each resample: items are drawn once, and every column is averaged over
the same ones. A column may lack some items (nan): its mean is over those it has.
"""

import numpy as np

from measurand.core.errors import BadInput, Undefined
from measurand.core.finding import Estimate
from measurand.core.reader import Floats
from measurand.stats.canonical import THREADS
from measurand.stats.paired import Clusters
from measurand.stats.resampling import sum_clusters

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
        rows: One row an item, one column a score; nan where an item has none.
        rng: Where the resamples come from.
        clusters: Items with one number are drawn together.
        resamples: How many resamples.
    """
    if rows.ndim != 2 or len(rows) == 0:
        raise Undefined("no items to average; widen the selection")
    if np.isinf(rows).any():
        raise BadInput("some scores are infinite; bound them before they are averaged")
    present = ~np.isnan(rows)
    columns = np.hstack([np.where(present, rows, 0.0), present])
    units = columns if clusters is None else sum_clusters(columns, clusters)
    sums = np.empty((resamples, columns.shape[1]))
    with THREADS.limit(limits=1):
        for start in range(0, resamples, RESAMPLE_BLOCK):
            size = min(RESAMPLE_BLOCK, resamples - start)
            picks = rng.integers(len(units), size=(size, len(units)))
            counts = [np.bincount(pick, minlength=len(units)) for pick in picks]
            sums[start : start + size] = np.array(counts, float) @ units
    return _divide_sums(*np.hsplit(sums, 2))


def resample_unit(n: int, clusters: Clusters = None) -> str:
    """What is resampled where so many items hang together in these clusters.

    >>> resample_unit(3), resample_unit(3, np.array([0, 0, 1])), resample_unit(3, np.arange(3))
    ('items', '2 clusters', 'items')
    """
    groups = n if clusters is None else len(np.unique(clusters))
    return "items" if groups == n else f"{groups} clusters"


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
