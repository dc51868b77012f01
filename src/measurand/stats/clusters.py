"""PECO: how unevenly labels are spread over clusters, beyond what chance alone gives.

With `p_c` the label shares of cluster c of size n_c, `pi` those of all N items and
`s_c = sum((p_c - pi)^2)`, the headline is

    100 * sum_c (n_c / N) (s_c - e_c),

where `e_c` is the mean of `s_c` over permutations of the labels, among all items or
within groups; among all it is `(1 - sum(pi^2)) (N - n_c) / (n_c (N - 1))`. No leakage
is 0, the most is `100 (1 - sum(pi^2))`. Labels that are more even than chance make it
negative; it is never clipped.

Presets give what was published (Saxon et al. 2023), unweighted and not corrected:
`paper` is Eq. 11 in Eq. 12, whose integral is `100 (mean(s) - min(s))`, with the 1/3
read as one over the number of labels; `released` is the authors' code, the share of
clusters *strictly* over each of 20 thresholds from 0, averaged. So a cluster adds 5
points unless its labels match `pi` exactly: with shuffled labels it is far from 0.
"""

from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from math import comb
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.special import gammaln, rel_entr
from scipy.stats import chi2, norm

from measurand.core.errors import BadInput, BadOption, Undefined, UnknownName
from measurand.core.finding import Estimate
from measurand.core.reader import Floats
from measurand.core.seeds import generator
from measurand.stats.multiplicity import benjamini_hochberg
from measurand.stats.resampling import summed

Ints = NDArray[np.int64]
Column = Iterable[Hashable] | NDArray[Any]
Divergence = Callable[[Floats], Floats]  # counts (… × clusters × labels) to clusters
Summary = Callable[[Floats, Floats], Floats]  # divergences and shares of items to one

UNITS = 30  # groups below which items, not groups, are what was sampled
OUTCOMES = 2_000  # a cluster's label counts are enumerated up to so many
EXPECTED = 5.0  # Cochran's rule for the chi-square approximation
TINY = 1e-30  # the released code's guard against the logarithm of 0
RESAMPLES = 1_000  # for scores whose variance has no formula
BLOCK = 4_000_000  # numbers drawn at a time


@dataclass(frozen=True, eq=False)
class PecoScore:
    """How much clusters give away about labels.

    Attributes:
        estimate: The headline, or the preset asked for, with a 95 % interval.
        raw: `100 * sum_c (n_c / N) s_c`.
        expected: What shuffled labels give in place of `raw`, or of the preset.
        null_sd: How much that varies from shuffle to shuffle.
        p_value: How often shuffled labels do at least as much.
        by_cluster: Size, divergence, p, q and effect; the mean of the effects, weighted
            by size, is the headline. Clusters too small to be tested have no p.
        beside: Mutual information, Cramer's V and cluster-majority accuracy, each as
            seen, as shuffled labels give it, and its p.
    """

    estimate: Estimate
    raw: float
    expected: float
    null_sd: float
    p_value: float
    by_cluster: pd.DataFrame
    beside: pd.DataFrame

    @property
    def value(self) -> float:
        """The headline, times 100, or the preset that was asked for."""
        return self.estimate.value

    @property
    def mutual_information(self) -> float:
        """Bits that the cluster tells about the label, chance included."""
        return float(self.beside["value"][["mutual_information"]].item())

    @property
    def cramers_v(self) -> float:
        """Cramer's V of clusters and labels; no number with one cluster."""
        return float(self.beside["value"][["cramers_v"]].item())

    @property
    def majority_accuracy(self) -> float:
        """The share of items that have their cluster's commonest label."""
        return float(self.beside["value"][["majority_accuracy"]].item())


def peco(
    clusters: Column,
    labels: Column,
    *,
    divergence: str = "sqeuclidean",
    preset: str | None = None,
    rng: np.random.Generator | None = None,
    groups: Column | None = None,
    permutations: int = 1000,
    smallest: int | None = None,
) -> PecoScore:
    """How much the clusters give away about the labels, and all that goes beside it.

    Args:
        clusters: The cluster of each item, by any name.
        labels: The label of each item, by any name.
        divergence: One of `DIVERGENCES`.
        preset: None for the headline, or one of `PRESETS`.
        rng: Where shuffles come from; left out, they are the same in every call.
        groups: Labels are shuffled within these only.
        permutations: How many shuffles.
        smallest: Smaller clusters are not tested; max(5 × labels, 20) if left out.

    >>> score = peco(["a"] * 50 + ["b"] * 50, ["yes", "no"] * 25 + ["no"] * 50)
    >>> print(f"{score.raw:.2f} {score.value:.2f} {score.p_value:.3f}")
    12.50 12.12 0.001
    """
    measure, summary = definition(divergence, preset)
    if permutations < 19:
        raise BadOption(f"permutations must be at least 19, not {permutations}")
    cells = counted(clusters, labels, groups)
    rng = generator(0, "peco") if rng is None else rng
    null = shuffled(cells, measure, summary, permutations, rng)
    each, weights = measure(cells.table), cells.table.sum(axis=1) / cells.n
    chance = expected_squares(cells, measure) if measure in SQUARES else null.each
    seen = float(summary(each, weights))
    expected = 100 * float(weights @ chance) if preset is None else null.mean
    value = seen - expected if preset is None else seen
    return PecoScore(
        interval(value, cells, measure, summary, null, rng),
        100 * float(weights @ each),
        expected,
        float(null.values.std(ddof=1)),
        share_over(null.values, seen),
        judged(cells, each, chance, smallest),
        compared(cells, null),
    )


def curve(
    clusters: Column, labels: Column, divergence: str = "sqeuclidean"
) -> pd.DataFrame:
    """The share of clusters over each threshold at which that share changes.

    >>> curve(["a", "a", "b", "b"], [0, 1, 0, 0]).round(3).to_numpy().tolist()
    [[0.0, 1.0], [0.125, 0.0]]
    """
    measure, _ = definition(divergence, None)
    each = measure(counted(clusters, labels, None).table)
    thresholds = np.unique([0.0, *each])
    over = (each > thresholds[:, None]).mean(axis=1)
    return pd.DataFrame({"threshold": thresholds, "share": over})


def definition(divergence: str, preset: str | None) -> tuple[Divergence, Summary]:
    """How one cluster is scored, and how the scores of all become one."""
    if divergence not in DIVERGENCES:
        raise UnknownName("divergence", divergence, tuple(DIVERGENCES))
    if preset is None:
        return DIVERGENCES[divergence], weighted
    if preset not in PRESETS:
        raise UnknownName("preset", preset, tuple(PRESETS))
    if divergence not in PRESETS[preset]:
        allowed = " or ".join(PRESETS[preset])
        raise BadOption(f"preset {preset!r} takes {allowed}, not {divergence!r}")
    return PRESETS[preset][divergence]


def shares(counts: Floats) -> tuple[Floats, Floats]:
    """The label shares within each cluster and over all; none in an empty cluster."""
    with np.errstate(invalid="ignore"):
        within = counts / counts.sum(axis=-1, keepdims=True)
    overall = counts.sum(axis=-2, keepdims=True)
    return within, overall / overall.sum(axis=-1, keepdims=True)


def squared(counts: Floats) -> Floats:
    """The squared distance of each cluster's shares from those over all."""
    within, overall = shares(counts)
    return np.asarray(((within - overall) ** 2).sum(axis=-1))


def mean_squared(counts: Floats) -> Floats:
    """Eq. 11: the mean over labels of the squared difference."""
    return np.asarray(squared(counts) / counts.shape[-1])


def kl_cluster(counts: Floats) -> Floats:
    """The bits by which a cluster's shares diverge from those over all."""
    within, overall = shares(counts)
    return np.asarray(rel_entr(within, overall).sum(axis=-1) / np.log(2))


def kl_global(counts: Floats) -> Floats:
    """The bits by which the shares over all diverge from a cluster's.

    One item, split as the shares over all, is added to each cluster: a label that is
    missing by chance from a small cluster then costs few bits, and never endless ones.
    """
    _, overall = shares(counts)
    return np.asarray(
        rel_entr(overall, shares(counts + overall)[0]).sum(axis=-1) / np.log(2)
    )


def kl_released(counts: Floats) -> Floats:
    """The same without that item, as released: about 33 bits for a missing label."""
    within, overall = shares(counts)
    bits = np.log2(overall + TINY) - np.log2(within + TINY)
    return np.asarray((bits * overall).sum(axis=-1))


def total_variation(counts: Floats) -> Floats:
    """Half the absolute differences: the share of items that would have to change."""
    within, overall = shares(counts)
    return np.asarray(np.abs(within - overall).sum(axis=-1) / 2)


def jensen_shannon(counts: Floats) -> Floats:
    """The Jensen-Shannon divergence in bits."""
    within, overall = shares(counts)
    middle = (within + overall) / 2
    both = rel_entr(within, middle) + rel_entr(overall, middle)
    return np.asarray(both.sum(axis=-1) / np.log(4))


def weighted(each: Floats, weights: Floats) -> Floats:
    """The mean over items of their cluster's divergence, times 100."""
    return np.asarray(100 * np.nansum(weights * each, axis=-1))


def area(each: Floats, weights: Floats) -> Floats:
    """Eq. 12 in closed form: the area from the smallest to the largest threshold."""
    return np.asarray(100 * (np.nanmean(each, -1) - np.nanmin(each, -1)))


def steps(scale: float) -> Summary:
    """The released sum over 20 thresholds from 0 up to, not with, `scale`."""
    thresholds = np.arange(20) / 20 * scale

    def summary(each: Floats, weights: Floats) -> Floats:
        passed = np.searchsorted(thresholds, each) / 20  # thresholds strictly under
        return np.asarray(100 * np.nanmean(np.where(np.isnan(each), each, passed), -1))

    return summary


DIVERGENCES: dict[str, Divergence] = {
    "sqeuclidean": squared,
    "mse": mean_squared,
    "l2": lambda counts: np.sqrt(squared(counts)),
    "kl_cluster": kl_cluster,
    "kl_global": kl_global,
    "tv": total_variation,
    "js": jensen_shannon,
}
PRESETS: dict[str, dict[str, tuple[Divergence, Summary]]] = {
    "paper": {"sqeuclidean": (mean_squared, area), "mse": (mean_squared, area)},
    "released": {
        "sqeuclidean": (squared, steps(1.0)),
        "kl_global": (kl_released, steps(5.0)),
    },
}
SQUARES = (squared, mean_squared)  # whose mean over permutations is known exactly


@dataclass(frozen=True, eq=False)
class Cells:
    """How often each label stands in each cluster of each group.

    Attributes:
        counts: One row for each cluster of each group, one column a label.
        cluster: The cluster of each row.
        group: The group of each row; rows are sorted by it.
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
        """One row a cluster, one column a label."""
        return summed(self.counts, self.cluster)

    @cached_property
    def by_group(self) -> Floats:
        """One row a group, one column a label."""
        return summed(self.counts, self.group)

    @property
    def grouped(self) -> bool:
        """Whether there are groups enough to be what was sampled."""
        return len(self.by_group) >= UNITS

    @cached_property
    def mixed(self) -> Floats:
        """The label shares of the group of each row."""
        shares = self.by_group / self.by_group.sum(axis=1, keepdims=True)
        return np.asarray(shares[self.group])

    @cached_property
    def freedom(self) -> Floats:
        """What a label's variance in a row is, over that of one item of its group."""
        size = self.counts.sum(axis=1)
        whole = self.by_group.sum(axis=1)[self.group]
        return np.asarray(size * (whole - size) / np.maximum(whole - 1, 1))

    @cached_property
    def mean(self) -> Floats:
        """What `table` is expected to be when labels are shuffled within groups."""
        return summed(self.counts.sum(axis=1, keepdims=True) * self.mixed, self.cluster)


def counted(clusters: Column, labels: Column, groups: Column | None) -> Cells:
    """The items counted; neither their order nor the labels' names matter."""
    cluster, names = coded(clusters, "cluster")
    label, _ = coded(labels, "label")
    group = np.zeros_like(label) if groups is None else coded(groups, "group")[0]
    if not len(cluster) == len(label) == len(group):
        raise BadInput(
            f"{len(cluster)} clusters, {len(label)} labels and {len(group)} groups "
            "are not of the same items"
        )
    if len(label) == 0:
        raise Undefined("no items to score; widen the selection")
    if (kinds := int(label.max()) + 1) < 2:
        raise Undefined("all items have one label, so no cluster can give it away")
    rows, row = np.unique(group * len(names) + cluster, return_inverse=True)
    size = len(rows) * kinds
    counts = np.bincount(row * kinds + label, minlength=size).reshape(-1, kinds)
    # Labels in an order of their counts: their names then move no random number.
    columns = [np.ascontiguousarray(column) for column in counts.T]
    columns.sort(key=lambda column: (-int(column.sum()), column.tobytes()))
    ordered = np.column_stack(columns).astype(np.float64)
    return Cells(ordered, rows % len(names), rows // len(names), names)


def coded(values: Column, what: str) -> tuple[Ints, list[Hashable]]:
    """A number for each value, and the values in the order of their numbers."""
    known = isinstance(values, np.ndarray | pd.Series)
    column = pd.Series(values if known else list(values))
    codes, found = pd.factorize(column)
    if (codes < 0).any():
        raise BadInput(f"{(codes < 0).sum()} items have no {what}; leave them out")
    names = found.tolist()
    try:
        order = sorted(range(len(names)), key=names.__getitem__)
    except TypeError:  # names of several types have no order of their own
        order = sorted(
            range(len(names)), key=lambda i: (str(type(names[i])), str(names[i]))
        )
    return np.argsort(order)[codes], [names[i] for i in order]


def expected_squares(cells: Cells, measure: Divergence) -> Floats:
    """The exact mean of each cluster's squared distance over permutations."""
    sizes = cells.table.sum(axis=1)
    overall = cells.by_group.sum(axis=0) / cells.n
    away = ((cells.mean / sizes[:, None] - overall) ** 2).sum(axis=1)
    noise = cells.freedom * (1 - (cells.mixed**2).sum(axis=1))
    squares = away + np.bincount(cells.cluster, noise) / sizes**2
    return np.asarray(squares / (len(overall) if measure is mean_squared else 1))


@dataclass(frozen=True, eq=False)
class Null:
    """What shuffled labels give.

    Attributes:
        values: The score of each shuffle.
        squares: The part of `weighted` squares that is noise alone.
        others: The figures that stand beside the score, in columns.
        each: The mean divergence of each cluster.
    """

    values: Floats
    squares: Floats
    others: Floats
    each: Floats

    @property
    def mean(self) -> float:
        """The mean score of shuffled labels."""
        return float(self.values.mean())


def shuffled(
    cells: Cells,
    measure: Divergence,
    summary: Summary,
    permutations: int,
    rng: np.random.Generator,
) -> Null:
    """The scores of shuffled labels."""
    sizes = cells.table.sum(axis=1)
    values, squares, others, each = [], [], [], np.zeros(len(sizes))
    for tables in null_tables(cells, permutations, rng):
        divergences = measure(tables)
        values.append(summary(divergences, sizes / cells.n))
        noise = ((tables - cells.mean) ** 2).sum(axis=-1) / sizes
        squares.append(100 * noise.sum(axis=-1) / cells.n)
        others.append(beside(tables))
        each += divergences.sum(axis=0) / permutations
    first, second, third = map(np.concatenate, (values, squares, others))
    return Null(first, second, third, each)


def null_tables(
    cells: Cells, permutations: int, rng: np.random.Generator
) -> Iterator[Floats]:
    """Tables of shuffled labels, many at a time: shuffles × clusters × labels."""
    size, groups = cells.table.size, len(cells.by_group)
    # The cost of one does not depend on how many items there are, that of the other
    # not on how many groups.
    direct = groups == 1 or groups * size <= cells.n
    block = max(1, BLOCK // size)
    for start in range(0, permutations, block):
        many = min(block, permutations - start)
        yield drawn(cells, many, rng) if direct else permuted(cells, many, rng)


def drawn(cells: Cells, many: int, rng: np.random.Generator) -> Floats:
    """Random tables with the margins of each group, summed over groups.

    Cell by cell, hypergeometric. `scipy.stats.random_table` is as quick, but where all
    is in one row or column its tables do not have the margins asked for.
    """
    tables = np.zeros((many, *cells.table.shape))
    for group, columns in enumerate(cells.by_group.astype(np.int64)):
        rows = cells.group == group
        left = np.tile(columns, (many, 1))  # labels not yet given away
        *others, last = zip(
            cells.cluster[rows], cells.counts[rows].sum(axis=1), strict=True
        )
        for cluster, size in others:
            needed = np.full(many, int(size))
            for label in range(len(columns) - 1):
                rest = left[:, label + 1 :].sum(axis=1)
                given = rng.hypergeometric(left[:, label], rest, needed)
                tables[:, cluster, label] += given
                left[:, label] -= given
                needed -= given
            tables[:, cluster, -1] += needed
            left[:, -1] -= needed
        tables[:, last[0]] += left
    return tables


def permuted(cells: Cells, many: int, rng: np.random.Generator) -> Floats:
    """The same by shuffling the labels of all items within their groups."""
    labels = cells.counts.shape[1]
    items = np.repeat(np.arange(cells.counts.size), cells.counts.ravel().astype(int))
    row, label = items // labels, items % labels
    place, group = cells.cluster[row] * labels, cells.group[row]
    tables = np.empty((many, *cells.table.shape))
    for table in tables:
        order = np.argsort(group + rng.random(cells.n))
        counts = np.bincount(place + label[order], minlength=table.size)
        table[:] = counts.reshape(table.shape)
    return tables


def interval(
    value: float,
    cells: Cells,
    measure: Divergence,
    summary: Summary,
    null: Null,
    rng: np.random.Generator,
) -> Estimate:
    """The score with the 95 % interval that suits it, over items or many groups."""
    z = float(norm.ppf(0.975))
    chance = float(null.values.var(ddof=1))
    if summary is weighted and measure in SQUARES:
        low, high = score_bounds(value, z, chance, slope(cells, measure, null))
        # Clusters that leak are less mixed than chance, so what is taken off for noise
        # is about the k/N-th part too much: the interval reaches that much further up.
        high += max(high, 0.0) * len(cells.table) / cells.n
        method = "excess over shuffled labels, score interval"
    else:
        variance = resampled_variance(cells, measure, summary, rng)
        corrected = summary is weighted
        half = z * max(variance, chance if corrected else 0.0) ** 0.5
        low, high = value - half, value + half
        method = "excess over shuffled labels" if corrected else "no chance taken off"
        method += ", normal interval with the bootstrap's sd"
    units = f"{len(cells.by_group)} groups" if cells.grouped else "items"
    return Estimate(value, low, high, 0.95, cells.n, f"{method} over {units}")


def score_bounds(
    value: float, z: float, chance: float, slope: float
) -> tuple[float, float]:
    """The truths t with `(value - t)^2 <= z^2 (chance + slope max(t, 0))`.

    The variance grows with the truth, so an interval that took it at the value seen
    would be too short above small values, where a low value has made it small.
    """
    low, high = value - z * chance**0.5, value + z * chance**0.5
    middle = value + z**2 * slope / 2
    half = z * (max(chance + slope * value, 0.0) + (z * slope / 2) ** 2) ** 0.5
    return low if low < 0 else middle - half, high if high < 0 else middle + half


def slope(cells: Cells, measure: Divergence, null: Null) -> float:
    """How fast the headline's variance grows with it.

    Taken from what was seen with its noise on both sides of the fraction, which leaves
    the noise out of it: without leakage it tends to the right value, not to 0 / 0.
    """
    apart = ((cells.table - cells.mean) ** 2).sum(axis=1) / cells.table.sum(axis=1)
    if apart.sum() == 0:
        return 0.0
    part = 100 / cells.table.shape[1] if measure is mean_squared else 100.0
    # Groups whose labels differ give even shuffled labels a linear part.
    always = max(
        float(null.values.var(ddof=1) - (part / 100) ** 2 * null.squares.var(ddof=1)),
        0.0,
    )
    grown = max(part**2 * linear_variance(cells) - always, 0.0)
    return grown / (part * float(apart.sum()) / cells.n)


def linear_variance(cells: Cells) -> float:
    """The variance of the mean over units of their influence on the headline.

    The headline is, but for a constant, `sum_c n_c (|P_c|^2 - |R_c|^2) / N` with `P_c`
    the label shares seen and `R_c` those expected from the groups; an item moves it
    through its cluster's `P_c` and, by its group's shares, through every `R_c`.
    """
    sizes = cells.table.sum(axis=1, keepdims=True)
    seen, mean = cells.table / sizes, cells.mean / sizes
    excess = (seen**2).sum(axis=1) - (mean**2).sum(axis=1)
    members = cells.counts.sum(axis=1)
    whole = cells.by_group.sum(axis=1)
    reach = summed(members[:, None] * mean[cells.cluster], cells.group)
    reach = (reach / whole[:, None])[cells.group]
    same = 2 * ((reach - mean[cells.cluster]) * cells.mixed).sum(axis=1)
    same -= excess[cells.cluster] + float(excess @ sizes[:, 0]) / cells.n
    influence = 2 * (seen[cells.cluster] - reach) + same[:, None]
    sums = np.bincount(cells.group, (cells.counts * influence).sum(axis=1))
    if cells.grouped:
        return float((sums**2).sum() * len(sums) / (len(sums) - 1)) / cells.n**2
    influence -= (sums / whole)[cells.group, None]
    return float((cells.counts * influence**2).sum()) / cells.n**2


def resampled_variance(
    cells: Cells, measure: Divergence, summary: Summary, rng: np.random.Generator
) -> float:
    """The variance of a score over resamples of items or, if there are many, groups."""
    labels = cells.counts.shape[1]
    if cells.grouped:
        places = cells.cluster[:, None] * labels + np.arange(labels)
        ends = np.searchsorted(cells.group, np.arange(len(cells.by_group) + 1)) * labels
        content = csr_array((cells.counts.ravel(), places.ravel(), ends))
    else:
        content = csr_array(np.eye(cells.table.size))
    held = np.ones(content.shape[0]) if cells.grouped else cells.table.ravel()
    drawn, block = [], max(1, BLOCK // max(content.shape))
    for start in range(0, RESAMPLES, block):
        size = min(block, RESAMPLES - start)
        picks = rng.multinomial(int(held.sum()), held / held.sum(), size)
        tables = (picks @ content).reshape(size, *cells.table.shape)
        sizes = tables.sum(axis=-1)
        weights = sizes / sizes.sum(axis=-1, keepdims=True)
        drawn.append(summary(measure(tables), weights))
    return float(np.concatenate(drawn).var(ddof=1))


def beside(tables: Floats) -> Floats:
    """Mutual information in bits, Cramer's V and cluster-majority accuracy."""
    sizes, (within, overall) = tables.sum(axis=-1), shares(tables)
    n = sizes.sum(axis=-1)
    bits = (sizes * kl_cluster(tables)).sum(axis=-1) / n
    square = (sizes * ((within - overall) ** 2 / overall).sum(axis=-1)).sum(axis=-1)
    most = min(tables.shape[-2:]) - 1
    v = np.sqrt(square / n / most) if most else np.full_like(n, np.nan)
    majority = tables.max(axis=-1).sum(axis=-1) / n
    return np.stack([bits, v, majority], axis=-1)


def compared(cells: Cells, null: Null) -> pd.DataFrame:
    """The figures beside the score: as seen, as shuffled labels give them, and p."""
    seen = beside(cells.table)
    p = [share_over(*pair) for pair in zip(null.others.T, seen, strict=True)]
    table = {"value": seen, "chance": null.others.mean(axis=0), "p": p}
    names = ["mutual_information", "cramers_v", "majority_accuracy"]
    return pd.DataFrame(table, index=names)


def share_over(null: Floats, seen: float) -> float:
    """The p-value: how often shuffled labels reach what was seen, itself counted."""
    reached = null >= seen - 1e-12 * max(1.0, abs(seen))
    return float((1 + reached.sum()) / (1 + len(null)))


def judged(
    cells: Cells, each: Floats, chance: Floats, smallest: int | None
) -> pd.DataFrame:
    """One row a cluster: is it further from all items than chance brings it?"""
    sizes = cells.table.sum(axis=1)
    least = max(5 * cells.table.shape[1], 20) if smallest is None else smallest
    p, q = np.full(len(sizes), np.nan), np.full(len(sizes), np.nan)
    for cluster in np.flatnonzero(sizes >= least):
        p[cluster] = cluster_p(cells, int(cluster))
    if (sizes >= least).any():
        q[sizes >= least] = benjamini_hochberg(p[sizes >= least])
    effect = 100 * (each - chance)
    table = {"size": sizes.astype(np.int64), "divergence": each, "p": p, "q": q}
    index = pd.Index(cells.names, name="cluster", tupleize_cols=False)
    return pd.DataFrame(table | {"effect": effect}, index=index)


def cluster_p(cells: Cells, cluster: int) -> float:
    """The p-value that a cluster's labels are a random draw from those of its groups.

    Exact, by Pearson's statistic, where its label counts can be enumerated and there
    are no groups. Else chi-square, with the mean and covariance of draws without
    replacement, which with groups is the Cochran-Mantel-Haenszel test. Labels expected
    fewer than 5 times are first pooled, the rarest first, down to two.
    """
    rows = cells.cluster == cluster
    freedom, mixed = cells.freedom[rows], cells.mixed[rows]
    spread = np.diag(freedom @ mixed) - (freedom[:, None] * mixed).T @ mixed
    counts = np.stack(
        [cells.table[cluster], cells.mean[cluster], cells.by_group.sum(axis=0)]
    )
    while True:
        labels, n = counts.shape[1], round(counts[0].sum())
        rare = counts[1].min() < EXPECTED
        few = comb(n + labels - 1, n) <= OUTCOMES or (labels == 2 and rare)
        if few and len(cells.by_group) == 1:
            return enumerated_p(counts[0], counts[2])
        if labels == 2 or not rare:
            return chi_square_p(counts[0] - counts[1], spread)
        first, second = np.argsort(counts[1], kind="stable")[:2]
        onto = np.eye(labels)
        onto[first] += onto[second]
        onto = np.delete(onto, second, axis=0)
        counts, spread = counts @ onto.T, onto @ spread @ onto.T


def enumerated_p(seen: Floats, totals: Floats) -> float:
    """The share of draws without replacement that are at least as far from even.

    >>> round(enumerated_p(np.array([2, 0]), np.array([2, 2])), 4)
    0.3333
    """
    n, labels = round(seen.sum()), len(seen)
    bars = np.array(list(combinations(range(n + labels - 1), labels - 1)))
    drawn = np.diff(bars, prepend=-1, append=n + labels - 1, axis=1) - 1.0
    drawn = drawn[(drawn <= totals).all(axis=1)]
    ways = gammaln(totals + 1) - gammaln(drawn + 1) - gammaln(totals - drawn + 1)
    weights = np.exp(ways.sum(axis=1) - ways.sum(axis=1).max())
    mean = n * totals / totals.sum()
    far, here = (((x - mean) ** 2 / mean).sum(axis=-1) for x in (drawn, seen))
    return float(weights[far >= here - 1e-9].sum() / weights.sum())


def chi_square_p(away: Floats, covariance: Floats) -> float:
    """The p-value of a vector whose mean is 0; 1 where it cannot vary."""
    values, vectors = np.linalg.eigh(covariance)
    kept = values > 1e-9 * max(1.0, values.max())
    if not kept.any():
        return 1.0
    square = ((away @ vectors[:, kept]) ** 2 / values[kept]).sum()
    return float(chi2.sf(square, kept.sum()))
