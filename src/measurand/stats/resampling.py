"""The bootstrap of anything that is a function of sums.

Means, differences, ratios, balanced accuracy and MCC are all functions of sums over
items. So items are first summed within clusters; clusters with the same sums are then
interchangeable, and how often each kind is drawn is multinomial. That gives the very
distribution of the cluster bootstrap at a cost that depends on how many *different*
rows there are: for right-or-wrong scores a handful, however many the items.
"""

from collections.abc import Callable

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from measurand.core.errors import Undefined
from measurand.core.finding import Estimate
from measurand.core.reader import Floats

Statistic = Callable[[Floats], Floats]
RESAMPLES = 10_000


def bootstrap(
    statistic: Statistic,
    rows: Floats,
    *,
    rng: np.random.Generator,
    clusters: NDArray[np.int64] | None = None,
    level: float = 0.95,
    resamples: int = RESAMPLES,
) -> Estimate:
    """The statistic of the column sums of `rows`, with a percentile interval.

    Args:
        statistic: Maps sums (any leading shape × columns) to values.
        rows: One row an item.
        rng: Where the resamples come from.
        clusters: Items with one number are drawn together.
        level: The coverage of the interval.
        resamples: How many resamples.
    """
    if len(rows) == 0:
        raise Undefined("no items to average; widen the selection")
    draws = statistic(resample_sums(rows, clusters, resamples, rng))
    draws = draws[np.isfinite(draws)]
    if len(draws) < resamples / 2:
        raise Undefined(
            "the statistic has no value in most resamples; more items are needed"
        )
    low, high = np.quantile(draws, [(1 - level) / 2, (1 + level) / 2])
    value = float(statistic(rows.sum(axis=0)))
    groups = len(rows) if clusters is None else len(np.unique(clusters))
    unit = "items" if groups == len(rows) else f"{groups} clusters"
    method = f"bootstrap over {unit}, {resamples} resamples"
    return Estimate(value, float(low), float(high), level, len(rows), method)


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
    draws = np.empty((resamples, sums.shape[1]))
    for resample in range(resamples):
        picks = rng.integers(len(sums), size=len(sums))
        draws[resample] = np.bincount(picks, minlength=len(sums)) @ sums
    return draws


def _distinct_rows(rows: Floats) -> tuple[Floats, NDArray[np.int64]]:
    """The different rows, sorted, and how often each stands there.

    >>> kinds, counts = _distinct_rows(np.array([[2.0], [1.0], [2.0]]))
    >>> kinds.tolist(), counts.tolist()
    ([[1.0], [2.0]], [1, 2])
    """
    # Hashing by pandas: np.unique sorts whole rows, ten times slower at 10^6 of them.
    table = pd.DataFrame(rows)
    sizes = table.groupby(list(table.columns), sort=True).size()
    kinds = sizes.index.to_frame().to_numpy(float)
    return np.asarray(kinds), sizes.to_numpy().astype(np.int64)


def sum_clusters(rows: Floats, clusters: NDArray[np.int64]) -> Floats:
    """The sums of `rows` within each cluster.

    >>> sum_clusters(np.array([[1.0], [2.0], [4.0]]), np.array([7, 3, 7])).tolist()
    [[2.0], [5.0]]
    """
    _, codes = np.unique(clusters, return_inverse=True)
    return np.stack([np.bincount(codes, column) for column in rows.T], axis=1)
