"""Where a part leaks: clusters of it whose labels are not those of the whole."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from measurand.audits.leakage.settings import (
    CLUSTERINGS,
    DISCOVERY,
    EFFECT,
    PUBLISHED_K,
    TABLE_COMPONENTS,
    TABLE_K,
)
from measurand.core.arrays import Clusters, Floats, Ints
from measurand.core.errors import Undefined
from measurand.core.estimate import Estimate
from measurand.core.finding import Finding
from measurand.core.reader import Reader
from measurand.core.recipe import identity
from measurand.core.seeds import generator
from measurand.settings.leakage import LeakageSettings
from measurand.stats.decisions import pool_estimates
from measurand.stats.peco.score import PecoScore, peco, published_value
from measurand.stats.vectors.kmeans import (
    Partition,
    default_k,
    kmeans,
    nearest_centre,
    partition_stability,
    principal_components,
)
from measurand.stats.vectors.neighbours import homophily

Streams = Callable[..., np.random.Generator]
FEW = 99  # shuffles where only the score itself is wanted
FIGURES = "raw", "mutual_information"  # of each clustering, without nulls of their own
PUBLISHED = {  # by statistic, the preset
    "peco_released_l2": "released",
    "peco_released_kld": "released_kl",
    "peco_paper": "paper",
}


@dataclass(frozen=True)
class ClusterSettings:
    """How embeddings are cut into clusters; None leaves the number to the data."""

    k: int | None = None
    components: int = LeakageSettings.components


@dataclass(frozen=True, eq=False)
class PartVectors:
    """The items as a reader embeds one part of them.

    Attributes:
        test: One row per test item.
        train: One row per training item.
        labels: The label of each test item.
        groups: Which test items depend on each other.
    """

    test: NDArray[np.float32]
    train: NDArray[np.float32]
    labels: Ints
    groups: Clusters


@dataclass(frozen=True, eq=False)
class Regions:
    """The clusters of one part.

    Attributes:
        points: The components that were clustered, one row per test item.
        clusters: The cluster of each test item, in the first of the clusterings.
        trained: The cluster that each training item lies nearest to.
        centres: The middle of each cluster among the components.
        score: PECO of the first clustering.
        findings: PECO over all clusterings and what goes with it.
        sensitivity: PECO for other numbers of clusters and components.
    """

    points: Floats
    clusters: Ints
    trained: Ints
    centres: Floats
    score: PecoScore
    findings: tuple[Finding, ...]
    sensitivity: pd.DataFrame

    @property
    def biased(self) -> list[int]:
        """The clusters whose labels are surely and clearly off, the worst first."""
        table = self.score.by_cluster
        far_off = table[(table["q"] <= DISCOVERY) & (table["divergence"] >= EFFECT)]
        return [
            int(cluster) for cluster in far_off.sort_values("p", kind="stable").index
        ]


def find_regions(
    name: str,
    reader: Reader,
    field: str,
    part: str,
    vectors: PartVectors,
    clustering: ClusterSettings,
    seed: int,
) -> Regions:
    """The clusters of one part as the pair reader sees it, and their labels.

    `part` is what findings call the field.
    """

    def rng(*path: object) -> np.random.Generator:
        return generator(seed, "leakage", "regions", identity(reader), field, *path)

    test, labels, groups = vectors.test, vectors.labels, vectors.groups
    points, partitions, scores = _score_clusters(test, labels, groups, clustering, rng)
    published = _published_scores(test, labels, groups, rng("published"))
    neighbourhood = homophily(points, labels, rng=rng("homophily"), groups=groups)
    estimates, n = [score.estimate for score in scores], len(test)
    raw, bits = ([getattr(s, what) for s in scores] for what in FIGURES)
    p_value = _over_clusterings(
        [s.p_value for s in scores], n, "permutation, median and extremes", np.median
    )
    sure = p_value.value <= DISCOVERY
    outcome = "beyond chance" if sure else "no more than chance"
    findings = [
        Finding("peco", name, part, pool_estimates(estimates, "clusterings"), outcome),
        Finding("peco_raw", name, part, _over_clusterings(raw, n)),
        Finding("peco_p", name, part, p_value),
        Finding("peco_stability", name, part, _clustering_stability(partitions)),
        Finding("cluster_bits", name, part, _over_clusterings(bits, n)),
        *(Finding(what, name, part, estimate) for what, estimate in published.items()),
        Finding("homophily", name, part, neighbourhood.estimate),
    ]
    first = partitions[0]
    centroids = np.stack(
        [test[first.labels == c].mean(axis=0) for c in range(len(first.centres))]
    )
    return Regions(
        points=points,
        clusters=first.labels,
        trained=nearest_centre(vectors.train, centroids),
        centres=first.centres,
        score=scores[0],
        findings=tuple(findings),
        sensitivity=_sensitivity_table(test, labels, groups, rng),
    )


def _score_clusters(
    vectors: NDArray[np.float32],
    labels: Ints,
    groups: Clusters,
    clustering: ClusterSettings,
    rng: Streams,
) -> tuple[Floats, list[Partition], list[PecoScore]]:
    """The components, the clusterings of them, and PECO of each."""
    k = clustering.k or default_k(len(vectors), len(np.unique(labels)))
    if k < 2 and len(np.unique(labels)) > 1:  # of one label, PECO says so itself
        # One cluster has the labels of the whole, whatever they are: 0, for certain.
        raise Undefined(
            f"{len(vectors)} clustered items of {len(np.unique(labels))} labels make "
            "one cluster, which shows nothing; give more items or set `k`"
        )
    points = _reduce_vectors(vectors, clustering.components, rng("components"))
    partitions = [kmeans(points, k, rng=rng("kmeans", i)) for i in range(CLUSTERINGS)]
    scores = [
        peco(partition.labels, labels, rng=rng("peco", i), groups=groups)
        for i, partition in enumerate(partitions)
    ]
    return points, partitions, scores


def _reduce_vectors(
    vectors: NDArray[np.float32], size: int, rng: np.random.Generator
) -> Floats:
    """So many principal components; the vectors themselves where size is 0."""
    if size == 0 or size >= min(vectors.shape):
        return np.asarray(vectors, float)
    return np.asarray(principal_components(vectors, size, rng=rng))


def _clustering_stability(partitions: list[Partition]) -> Estimate:
    """How alike the clusterings are: the adjusted Rand index of pairs of them."""
    n, pairs = len(partitions[0].labels), combinations(partitions, 2)
    indices = [partition_stability([a.labels, b.labels]) for a, b in pairs]
    return _over_clusterings(indices, n, "adjusted Rand, mean and extremes")


def _over_clusterings(
    values: Sequence[float],
    n: int,
    how: str = "mean and extremes",
    middle: Callable[[Floats], Any] = np.mean,
) -> Estimate:
    """The middle of several values between the least and the greatest."""
    many = np.array(values)
    method = f"{how} of {len(many)} clusterings"
    low, high = float(many.min()), float(many.max())
    return Estimate(float(middle(many)), low, high, 1.0, n, method)


def _published_scores(
    vectors: NDArray[np.float32],
    labels: Ints,
    groups: Clusters,
    rng: np.random.Generator,
) -> dict[str, Estimate]:
    """The paper's and its code's scores, at their own numbers of clusters."""
    points = _reduce_vectors(vectors, LeakageSettings.components, rng)
    cuts = [kmeans(points, PUBLISHED_K, rng=rng).labels for _ in range(CLUSTERINGS)]
    how: dict[str, Any] = {"rng": rng, "groups": groups, "permutations": FEW}

    def score(cut: Ints, preset: str) -> Estimate:
        return peco(cut, labels, preset=preset, **how).estimate

    return {
        what: pool_estimates([score(cut, preset) for cut in cuts], "clusterings")
        for what, preset in PUBLISHED.items()
    }


def _sensitivity_table(
    vectors: NDArray[np.float32], labels: Ints, groups: Clusters, rng: Streams
) -> pd.DataFrame:
    """PECO for other numbers of clusters and components: the paper's Table 5."""
    rows = []
    for size in TABLE_COMPONENTS:
        points = _reduce_vectors(vectors, size, rng("table", size))
        for k in TABLE_K:
            stream = rng("table", size, k)
            partition = kmeans(points, k, rng=stream)
            score = peco(partition.labels, labels, rng=stream, groups=groups)
            rows.append(
                {
                    "k": k,
                    "components": "none" if size == 0 else str(size),
                    "clusters": len(partition.centres),
                    "peco": score.value,
                    "low": score.estimate.low,
                    "high": score.estimate.high,
                    "p": score.p_value,
                    **{
                        what: published_value(partition.labels, labels, preset)
                        for what, preset in PUBLISHED.items()
                    },
                }
            )
    return pd.DataFrame(rows)
