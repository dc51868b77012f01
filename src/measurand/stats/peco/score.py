"""PECO: how unevenly labels are spread over clusters, beyond what chance alone gives.

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

from measurand.core.errors import BadOption, UnknownName
from measurand.core.finding import Estimate
from measurand.core.seeds import generator
from measurand.stats.peco.contingency import Column, cluster_significance, count_cells
from measurand.stats.peco.divergences import (
    DIVERGENCES,
    PRESETS,
    SQUARES,
    Divergence,
    Summary,
    mean_divergence,
)
from measurand.stats.peco.interval import peco_estimate
from measurand.stats.peco.null import (
    association_table,
    expected_squares,
    permutation_p,
    shuffle_labels,
)

__all__ = [
    "DIVERGENCES",
    "PRESETS",
    "PecoScore",
    "peco",
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

    @property
    def cramers_v(self) -> float:
        """Cramer's V of clusters and labels; no number with one cluster."""
        return float(self.associations["value"][["cramers_v"]].item())

    @property
    def majority_accuracy(self) -> float:
        """The share of items that have their cluster's commonest label."""
        return float(self.associations["value"][["majority_accuracy"]].item())


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
        groups: Items with one value share a text or more: they are shuffled together.
        permutations: How many shuffles.
        smallest: Smaller clusters are not tested; max(5 × labels, 20) if left out.

    >>> score = peco(["a"] * 50 + ["b"] * 50, ["yes", "no"] * 25 + ["no"] * 50)
    >>> print(f"{score.raw:.2f} {score.value:.2f} {score.p_value:.3f}")
    12.50 12.12 0.001
    """
    measure, summary = _peco_definition(divergence, preset)
    if permutations < 19:
        raise BadOption(f"permutations must be at least 19, not {permutations}")
    cells = count_cells(clusters, labels, groups)
    rng = generator(0, "peco") if rng is None else rng
    null = shuffle_labels(cells, measure, summary, permutations, rng)
    divergences, weights = measure(cells.table), cells.table.sum(axis=1) / cells.n
    exact = measure in SQUARES and not cells.is_grouped
    chance = expected_squares(cells, measure) if exact else null.by_cluster
    observed = float(summary(divergences, weights))
    expected = 100 * float(weights @ chance) if preset is None else null.mean
    value = observed - expected if preset is None else observed
    return PecoScore(
        peco_estimate(value, cells, measure, summary, null, rng),
        100 * float(weights @ divergences),
        expected,
        float(null.values.std(ddof=1)),
        permutation_p(null.values, observed),
        cluster_significance(cells, divergences, chance, smallest, null.tables),
        association_table(cells, null),
    )


def published_value(
    clusters: Column, labels: Column, preset: str, divergence: str = "sqeuclidean"
) -> float:
    """The score of a preset alone: chance has no part in it, so nothing is shuffled.

    >>> published_value(["a"] * 50 + ["b"] * 50, [1, 0] * 25 + [0] * 50, "released")
    15.0
    """
    measure, summary = _peco_definition(divergence, preset)
    table = count_cells(clusters, labels, None).table
    return float(summary(measure(table), table.sum(axis=1) / table.sum()))


def threshold_curve(
    clusters: Column, labels: Column, divergence: str = "sqeuclidean"
) -> pd.DataFrame:
    """The share of clusters over each threshold at which that share changes.

    >>> threshold_curve(["a", "a", "b", "b"], [0, 1, 0, 0]).round(3).to_numpy().tolist()
    [[0.0, 1.0], [0.125, 0.0]]
    """
    measure, _ = _peco_definition(divergence, None)
    divergences = measure(count_cells(clusters, labels, None).table)
    thresholds = np.unique([0.0, *divergences])
    over = (divergences > thresholds[:, None]).mean(axis=1)
    return pd.DataFrame({"threshold": thresholds, "share": over})


def _peco_definition(divergence: str, preset: str | None) -> tuple[Divergence, Summary]:
    """How one cluster is scored, and how the scores of all become one."""
    if divergence not in DIVERGENCES:
        raise UnknownName("divergence", divergence, tuple(DIVERGENCES))
    if preset is None:
        return DIVERGENCES[divergence], mean_divergence
    if preset not in PRESETS:
        raise UnknownName("preset", preset, tuple(PRESETS))
    if divergence not in PRESETS[preset]:
        allowed = " or ".join(PRESETS[preset])
        raise BadOption(f"preset {preset!r} takes {allowed}, not {divergence!r}")
    return PRESETS[preset][divergence]
