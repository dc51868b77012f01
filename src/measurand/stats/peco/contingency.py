"""Labels counted in clusters, and how far these are from all items.

And which clusters are further from all items than chance brings them.

Counts are … × clusters × labels. A summary makes one score of the clusters'
divergences: the headline's mean over items, or what a preset was published with.
"""

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from math import comb
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import chdtrc, gammaln, rel_entr

from measurand.core.arrays import Floats, Ints
from measurand.core.errors import BadInput, Undefined
from measurand.stats.decisions import benjamini_hochberg
from measurand.stats.resampling import sum_clusters

Column = Iterable[Hashable] | NDArray[Any]

OUTCOMES = 2_000  # a cluster's label counts are enumerated up to so many
EXPECTED = 5.0  # Cochran's rule for the chi-square approximation
RESOLVED = 2  # as many of the shuffles as far out, itself counted, tell enough


@dataclass(frozen=True, eq=False)
class Cells:
    """How often each label stands in each cluster of each group.

    Attributes:
        counts: One row for each cluster of each group, one column per label.
        cluster: The cluster of each row.
        group: The group of each row; rows are sorted by it. One group is none.
        names: The names of the clusters, sorted.
    """

    counts: Floats
    cluster: Ints
    group: Ints
    names: list[Hashable]

    @property
    def n(self) -> int:
        """How many items there are."""
        return int(self.counts.sum())

    @cached_property
    def table(self) -> Floats:
        """One row per cluster, one column per label."""
        return sum_clusters(self.counts, self.cluster)

    @cached_property
    def by_group(self) -> Floats:
        """One row per group, one column per label."""
        return sum_clusters(self.counts, self.group)

    @property
    def is_grouped(self) -> bool:
        """Whether groups, and not items, are what was sampled."""
        return len(self.by_group) > 1

    @cached_property
    def shares(self) -> Floats:
        """The label shares of all items."""
        return np.asarray(self.by_group.sum(axis=0) / self.n)

    @cached_property
    def mean(self) -> Floats:
        """What `table` is expected to be when labels are shuffled."""
        return np.asarray(self.table.sum(axis=1, keepdims=True) * self.shares)

    @cached_property
    def freedom(self) -> Floats:
        """What a label's variance in a cluster is, over that of one item of all."""
        sizes = self.table.sum(axis=1)
        return np.asarray(sizes * (self.n - sizes) / max(self.n - 1, 1))


def count_cells(clusters: Column, labels: Column, groups: Column | None) -> Cells:
    """The items counted; neither their order nor the labels' names matter."""
    cluster, names = column_codes(clusters, "cluster")
    label, _ = column_codes(labels, "label")
    group = np.zeros_like(label) if groups is None else column_codes(groups, "group")[0]
    if len(np.unique(group)) == len(group):
        group = np.zeros_like(group)  # groups of one item are items
    if not len(cluster) == len(label) == len(group):
        raise BadInput(
            f"{len(cluster)} clusters, {len(label)} labels and {len(group)} groups "
            "are not of the same items"
        )
    if len(label) == 0:
        raise Undefined("no items to score; widen the selection")
    if (kinds := int(label.max()) + 1) < 2:
        raise Undefined(
            "all clustered items have one label, so no cluster can give it away; give "
            "more items of the others"
        )
    rows, row = np.unique(group * len(names) + cluster, return_inverse=True)
    size = len(rows) * kinds
    counts = np.bincount(row * kinds + label, minlength=size).reshape(-1, kinds)
    # Labels in an order of their counts: their names then move no random number.
    columns = [np.ascontiguousarray(column) for column in counts.T]
    columns.sort(key=lambda column: (-int(column.sum()), column.tobytes()))
    table = np.column_stack(columns).astype(np.float64)
    return Cells(table, rows % len(names), rows // len(names), names)


def column_codes(values: Column, what: str) -> tuple[Ints, list[Hashable]]:
    """A number for each value, and the values in the order of their numbers."""
    is_array = isinstance(values, np.ndarray | pd.Series)
    column = pd.Series(values if is_array else list(values))
    codes, unique = pd.factorize(column)
    if (codes < 0).any():
        raise BadInput(f"{(codes < 0).sum()} items have no {what}; leave them out")
    names = unique.tolist()
    try:
        order = sorted(range(len(names)), key=names.__getitem__)
    except TypeError:  # names of several types have no order of their own
        order = sorted(
            range(len(names)), key=lambda i: (str(type(names[i])), str(names[i]))
        )
    return np.argsort(order)[codes], [names[i] for i in order]


def cluster_significance(
    cells: Cells,
    divergences: Floats,
    chance: Floats,
    smallest: int | None,
    shuffled: Floats | None,
) -> pd.DataFrame:
    """One row per cluster: is it further from all items than chance brings it?"""
    sizes = cells.table.sum(axis=1)
    threshold = max(5 * cells.table.shape[1], 20) if smallest is None else smallest
    p, q = np.full(len(sizes), np.nan), np.full(len(sizes), np.nan)
    for cluster in np.flatnonzero(sizes >= threshold):
        p[cluster] = (
            _cluster_p(cells, int(cluster))
            if shuffled is None
            else _group_p(cells.table[cluster], shuffled[:, cluster])
        )
    if (sizes >= threshold).any():
        q[sizes >= threshold] = benjamini_hochberg(p[sizes >= threshold])
    effect = 100 * (divergences - chance)
    table = {"size": sizes.astype(np.int64), "divergence": divergences, "p": p, "q": q}
    index = pd.Index(cells.names, name="cluster", tupleize_cols=False)
    return pd.DataFrame(table | {"effect": effect}, index=index)


def _cluster_p(cells: Cells, cluster: int) -> float:
    """The p-value that a cluster's labels are a random draw from those of all items.

    Exact, by Pearson's statistic, where its label counts can be enumerated. Else
    chi-square, with the mean and covariance of draws without replacement. Labels
    expected fewer than 5 times are first pooled, the rarest first, down to two.
    """
    shares, freedom = cells.shares, cells.freedom[cluster]
    spread = freedom * (np.diag(shares) - np.outer(shares, shares))
    counts = np.stack(
        [cells.table[cluster], cells.mean[cluster], cells.by_group.sum(axis=0)]
    )
    while True:
        labels, n = counts.shape[1], round(counts[0].sum())
        rare = counts[1].min() < EXPECTED
        few = comb(n + labels - 1, n) <= OUTCOMES or (labels == 2 and rare)
        if few:
            return _exact_p(counts[0], counts[2])
        if labels == 2 or not rare:
            return _chi_square_p(counts[0] - counts[1], spread)
        first, second = np.argsort(counts[1], kind="stable")[:2]
        pooling = np.eye(labels)
        pooling[first] += pooling[second]
        pooling = np.delete(pooling, second, axis=0)
        counts, spread = counts @ pooling.T, pooling @ spread @ pooling.T


def _group_p(observed: Floats, shuffled: Floats) -> float:
    """The share of shuffles that bring a cluster's labels as far from their mean.

    Distance is counted in the spread of the shuffles. Further out than these can tell,
    it is chi-square, and never more than what they do tell.
    """
    mean = shuffled.mean(axis=0)
    covariance = np.cov(shuffled, rowvar=False)
    far, distances = (_distance(x - mean, covariance) for x in (observed, shuffled))
    share = float((1 + (distances >= far - 1e-9).sum()) / (1 + len(shuffled)))
    if share * (1 + len(shuffled)) > RESOLVED:
        return share
    return min(share, _chi_square_p(observed - mean, covariance))


def _distance(deviation: Floats, covariance: Floats) -> Floats:
    """The squared distance of each deviation, in units of its spread."""
    values, vectors = np.linalg.eigh(covariance)
    varying = values > 1e-9 * max(1.0, values.max())
    return np.asarray(
        ((deviation @ vectors[:, varying]) ** 2 / values[varying]).sum(axis=-1)
    )


def _exact_p(observed: Floats, totals: Floats) -> float:
    """The share of draws without replacement that are at least as far from even.

    >>> round(_exact_p(np.array([2, 0]), np.array([2, 2])), 4)
    0.3333
    """
    n, labels = round(observed.sum()), len(observed)
    bars = np.array(list(combinations(range(n + labels - 1), labels - 1)))
    outcomes = np.diff(bars, prepend=-1, append=n + labels - 1, axis=1) - 1.0
    outcomes = outcomes[(outcomes <= totals).all(axis=1)]
    ways = gammaln(totals + 1) - gammaln(outcomes + 1) - gammaln(totals - outcomes + 1)
    weights = np.exp(ways.sum(axis=1) - ways.sum(axis=1).max())
    mean = n * totals / totals.sum()
    distances, distance = (
        ((x - mean) ** 2 / mean).sum(axis=-1) for x in (outcomes, observed)
    )
    return float(weights[distances >= distance - 1e-9].sum() / weights.sum())


def _chi_square_p(deviation: Floats, covariance: Floats) -> float:
    """The p-value of a vector whose mean is 0; 1 where it cannot vary."""
    values, vectors = np.linalg.eigh(covariance)
    varying = values > 1e-9 * max(1.0, values.max())
    if not varying.any():
        return 1.0
    square = ((deviation @ vectors[:, varying]) ** 2 / values[varying]).sum()
    return float(chdtrc(varying.sum(), square))


Divergence = Callable[[Floats], Floats]  # counts (… × clusters × labels) to clusters
Summary = Callable[[Floats, Floats], Floats]  # divergences and shares of items to one

TINY = 1e-30  # the released code's guard against the logarithm of 0


def label_shares(counts: Floats) -> tuple[Floats, Floats]:
    """The label shares within each cluster and over all; none in an empty cluster."""
    with np.errstate(invalid="ignore"):
        within = counts / counts.sum(axis=-1, keepdims=True)
    overall = counts.sum(axis=-2, keepdims=True)
    return within, overall / overall.sum(axis=-1, keepdims=True)


def squared_distance(counts: Floats) -> Floats:
    """The squared distance of each cluster's shares from those over all."""
    within, overall = label_shares(counts)
    return np.asarray(((within - overall) ** 2).sum(axis=-1))


def mean_squared_difference(counts: Floats) -> Floats:
    """Eq. 11: the mean over labels of the squared difference."""
    return np.asarray(squared_distance(counts) / counts.shape[-1])


def kl_cluster(counts: Floats) -> Floats:
    """The bits by which a cluster's shares diverge from those over all."""
    within, overall = label_shares(counts)
    return np.asarray(rel_entr(within, overall).sum(axis=-1) / np.log(2))


def _kl_of_release(counts: Floats) -> Floats:
    """The bits by which the shares over all diverge from a cluster's, as released.

    A label that is missing from a cluster costs about 33.
    """
    within, overall = label_shares(counts)
    bits = np.log2(overall + TINY) - np.log2(within + TINY)
    return np.asarray((bits * overall).sum(axis=-1))


def mean_divergence(divergences: Floats, weights: Floats) -> Floats:
    """The mean over items of their cluster's divergence, times 100."""
    return np.asarray(100 * np.nansum(weights * divergences, axis=-1))


def _threshold_area(divergences: Floats, weights: Floats) -> Floats:
    """Eq. 12 in closed form: the area from the smallest to the largest threshold."""
    return np.asarray(100 * (np.nanmean(divergences, -1) - np.nanmin(divergences, -1)))


def _threshold_steps(scale: float) -> Summary:
    """The released sum over 20 thresholds from 0 up to, not with, `scale`."""
    thresholds = np.arange(20) / 20 * scale

    def summary(divergences: Floats, weights: Floats) -> Floats:
        passed = (
            np.searchsorted(thresholds, divergences) / 20
        )  # thresholds strictly under
        return np.asarray(
            100 * np.nanmean(np.where(np.isnan(divergences), divergences, passed), -1)
        )

    return summary


# How clusters are scored, and how their scores become one: as it was published.
PRESETS: dict[str, tuple[Divergence, Summary]] = {
    "paper": (mean_squared_difference, _threshold_area),
    "released": (squared_distance, _threshold_steps(1.0)),
    "released_kl": (_kl_of_release, _threshold_steps(5.0)),
}
