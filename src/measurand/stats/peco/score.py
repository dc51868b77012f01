"""PECO: how unevenly labels lie over clusters beyond chance, and its interval.

With `p_c` the label shares of cluster c of size n_c, `pi` those of all N items and
`s_c = sum((p_c - pi)^2)`, the headline is

    100 * sum_c (n_c / N) (s_c - e_c),

where `e_c` is the mean of `s_c` over permutations of the labels, of items or, where
items come in groups, of whole groups; of items it is
`(1 - sum(pi^2)) (N - n_c) / (n_c (N - 1))`. No leakage is 0, the most is
`100 (1 - sum(pi^2))`. Labels that are more even than chance make it negative; it is
never clipped.

Presets give what was published (Saxon et al. 2023), unweighted and not corrected:
`paper` is Eq. 11 in Eq. 12, whose integral is `100 (mean(s) - min(s))`, with the 1/3
read as one over the number of labels; `released` is the authors' code, the share of
clusters *strictly* over each of 20 thresholds from 0, averaged. So a cluster adds 5
points unless its labels match `pi` exactly: with shuffled labels it is far from 0.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.sparse import csr_array
from scipy.special import ndtri, stdtrit

from measurand.core.errors import BadOption, UnknownName
from measurand.core.estimate import Estimate
from measurand.core.seeds import generator
from measurand.stats.peco.contingency import (
    PRESETS,
    Cells,
    Column,
    Divergence,
    Summary,
    cluster_significance,
    count_cells,
    mean_divergence,
    squared_distance,
)
from measurand.stats.peco.null import (
    BLOCK,
    LabelNull,
    association_table,
    expected_squares,
    permutation_p,
    shuffle_labels,
)

__all__ = [
    "PRESETS",
    "PecoScore",
    "peco",
    "peco_estimate",
    "published_value",
    "threshold_curve",
]


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
        associations: Mutual information, Cramer's V and cluster-majority accuracy, each
            as seen, as shuffled labels give it, and its p.
    """

    estimate: Estimate
    raw: float
    expected: float
    null_sd: float
    p_value: float
    by_cluster: pd.DataFrame
    associations: pd.DataFrame

    @property
    def value(self) -> float:
        """The headline, times 100, or the preset that was asked for."""
        return self.estimate.value

    @property
    def mutual_information(self) -> float:
        """Bits that the cluster tells about the label, chance included."""
        return float(self.associations["value"][["mutual_information"]].item())


def peco(
    clusters: Column,
    labels: Column,
    *,
    preset: str | None = None,
    rng: np.random.Generator | None = None,
    groups: Column | None = None,
    permutations: int = 1000,
    smallest: int | None = None,
) -> PecoScore:
    """How much the clusters give away about the labels, and all that goes with it.

    Args:
        clusters: The cluster of each item, by any name.
        labels: The label of each item, by any name.
        preset: None for the headline, or one of `PRESETS`.
        rng: Where shuffles come from; left out, they are the same in every call.
        groups: Items with one value share a text or more: they are shuffled together.
        permutations: How many shuffles.
        smallest: Smaller clusters are not tested; max(5 × labels, 20) if left out.

    >>> score = peco(["a"] * 50 + ["b"] * 50, ["yes", "no"] * 25 + ["no"] * 50)
    >>> print(f"{score.raw:.2f} {score.value:.2f} {score.p_value:.3f}")
    12.50 12.12 0.001
    """
    measure, summary = _peco_definition(preset)
    if permutations < 19:
        raise BadOption(f"permutations must be at least 19, not {permutations}")
    cells = count_cells(clusters, labels, groups)
    rng = generator(0, "peco") if rng is None else rng
    null = shuffle_labels(cells, measure, summary, permutations, rng)
    divergences, weights = measure(cells.table), cells.table.sum(axis=1) / cells.n
    exact = preset is None and not cells.is_grouped
    chance = expected_squares(cells) if exact else null.by_cluster
    observed = float(summary(divergences, weights))
    expected = 100 * float(weights @ chance) if preset is None else null.mean
    value = observed - expected if preset is None else observed
    return PecoScore(
        estimate=peco_estimate(value, cells, measure, summary, null, rng),
        raw=100 * float(weights @ divergences),
        expected=expected,
        null_sd=float(null.values.std(ddof=1)),
        p_value=permutation_p(null.values, observed),
        by_cluster=cluster_significance(
            cells, divergences, chance, smallest, null.tables
        ),
        associations=association_table(cells, null),
    )


def published_value(clusters: Column, labels: Column, preset: str) -> float:
    """The score of a preset alone: chance has no part in it, so nothing is shuffled.

    >>> published_value(["a"] * 50 + ["b"] * 50, [1, 0] * 25 + [0] * 50, "released")
    15.0
    """
    measure, summary = _peco_definition(preset)
    table = count_cells(clusters, labels, None).table
    return float(summary(measure(table), table.sum(axis=1) / table.sum()))


def threshold_curve(clusters: Column, labels: Column) -> pd.DataFrame:
    """The share of clusters over each threshold at which that share changes.

    >>> threshold_curve(["a", "a", "b", "b"], [0, 1, 0, 0]).round(3).to_numpy().tolist()
    [[0.0, 1.0], [0.125, 0.0]]
    """
    divergences = squared_distance(count_cells(clusters, labels, None).table)
    thresholds = np.unique([0.0, *divergences])
    over = (divergences > thresholds[:, None]).mean(axis=1)
    return pd.DataFrame({"threshold": thresholds, "share": over})


def _peco_definition(preset: str | None) -> tuple[Divergence, Summary]:
    """How one cluster is scored, and how the scores of all become one."""
    if preset is None:
        return squared_distance, mean_divergence
    if preset not in PRESETS:
        raise UnknownName("preset", preset, tuple(PRESETS))
    return PRESETS[preset]


RESAMPLES = 400  # for scores whose variance has no formula: it is right to 7 %


def peco_estimate(
    value: float,
    cells: Cells,
    measure: Divergence,
    summary: Summary,
    null: LabelNull,
    rng: np.random.Generator,
) -> Estimate:
    """The score with the 95 % interval that suits it, over items or groups."""
    groups = len(cells.by_group)
    z = float(stdtrit(groups - 1, 0.975) if cells.is_grouped else ndtri(0.975))
    chance = float(null.values.var(ddof=1))
    if summary is mean_divergence:
        low, high = _score_bounds(value, z, chance, _variance_slope(cells))
        # Clusters that leak are less mixed than chance, so what is taken off for noise
        # is about the k/N-th part too much: the interval reaches that much further up.
        high += max(high, 0.0) * len(cells.table) / cells.n
        method = "excess over shuffled labels, score interval"
    else:
        variance = _bootstrap_variance(cells, measure, summary, rng)
        half = z * variance**0.5
        low, high = value - half, value + half
        method = "no chance taken off, normal interval with the bootstrap's sd"
    units = f"{groups} groups" if cells.is_grouped else "items"
    return Estimate(value, low, high, 0.95, cells.n, f"{method} over {units}")


def _score_bounds(
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


def _variance_slope(cells: Cells) -> float:
    """How fast the headline's variance grows with it.

    Taken from what was seen with its noise on both sides of the fraction, which leaves
    the noise out of it: without leakage it tends to the right value, not to 0 / 0.
    """
    apart = ((cells.table - cells.mean) ** 2).sum(axis=1) / cells.table.sum(axis=1)
    if apart.sum() == 0:
        return 0.0
    growth = 100.0**2 * _linear_variance(cells)
    return growth / (100.0 * float(apart.sum()) / cells.n)


def _linear_variance(cells: Cells) -> float:
    """The variance of the mean over units of their influence on the headline.

    The headline is, but for a constant, `sum_c n_c |P_c|^2 / N - |R|^2` with `P_c` the
    label shares of a cluster and `R` those of all; an item moves it through both.
    """
    sizes = cells.table.sum(axis=1, keepdims=True)
    observed = cells.table / sizes
    excess = (observed**2).sum(axis=1) - float((cells.shares**2).sum())
    shared_part = -excess[cells.cluster] - float(excess @ sizes[:, 0]) / cells.n
    influence = 2 * (observed[cells.cluster] - cells.shares) + shared_part[:, None]
    sums = np.bincount(cells.group, (cells.counts * influence).sum(axis=1))
    if cells.is_grouped:
        return float((sums**2).sum() * len(sums) / (len(sums) - 1)) / cells.n**2
    influence -= sums[0] / cells.n
    return float((cells.counts * influence**2).sum()) / cells.n**2


def _bootstrap_variance(
    cells: Cells, measure: Divergence, summary: Summary, rng: np.random.Generator
) -> float:
    """The variance of a score over resamples of items or groups."""
    labels = cells.counts.shape[1]
    if cells.is_grouped:
        positions = cells.cluster[:, None] * labels + np.arange(labels)
        ends = np.searchsorted(cells.group, np.arange(len(cells.by_group) + 1)) * labels
        content = csr_array((cells.counts.ravel(), positions.ravel(), ends))
    else:
        content = csr_array(np.eye(cells.table.size))
    counts = np.ones(content.shape[0]) if cells.is_grouped else cells.table.ravel()
    scores, block = [], max(1, BLOCK // max(content.shape))
    for start in range(0, RESAMPLES, block):
        size = min(block, RESAMPLES - start)
        picks = rng.multinomial(int(counts.sum()), counts / counts.sum(), size)
        tables = (picks @ content).reshape(size, *cells.table.shape)
        sizes = tables.sum(axis=-1)
        weights = sizes / sizes.sum(axis=-1, keepdims=True)
        scores.append(summary(measure(tables), weights))
    return float(np.concatenate(scores).var(ddof=1))
