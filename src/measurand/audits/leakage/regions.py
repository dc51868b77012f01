"""Where a part leaks: clusters of it whose labels are not those of the whole."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from measurand.audits.leakage.thresholds import (
    CLUSTERINGS,
    COMPONENTS,
    DISCOVERY,
    EFFECT,
    PUBLISHED_K,
    TABLE_COMPONENTS,
    TABLE_K,
)
from measurand.core.finding import Estimate, Finding
from measurand.core.reader import Floats, Reader
from measurand.core.recipe import identity
from measurand.core.seeds import generator
from measurand.stats.clusters import PecoScore, peco
from measurand.stats.neighbours import homophily
from measurand.stats.partition import (
    Partition,
    components,
    default_k,
    kmeans,
    nearest,
    stability,
)
from measurand.stats.runs import pooled

Ints = NDArray[np.int64]
Streams = Callable[..., np.random.Generator]
FEW = 99  # shuffles where only the score itself is wanted
PUBLISHED = {  # preset and divergence
    "peco_released_l2": ("released", "sqeuclidean"),
    "peco_released_kld": ("released", "kl_global"),
    "peco_paper": ("paper", "sqeuclidean"),
}


@dataclass(frozen=True)
class Cut:
    """How embeddings are cut into clusters; None leaves the number to the data."""

    k: int | None = None
    components: int = COMPONENTS
    clusterings: int = CLUSTERINGS


@dataclass(frozen=True, eq=False)
class Regions:
    """The clusters of one part.

    Attributes:
        points: The components that were clustered, one row a test item.
        clusters: The cluster of each test item, in the first of the clusterings.
        trained: The cluster that each training item lies nearest to.
        centres: The middle of each cluster among the components.
        score: PECO of the first clustering.
        findings: PECO over all clusterings and what goes beside it.
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
        off = table[(table["q"] <= DISCOVERY) & (table["divergence"] >= EFFECT)]
        return [int(one) for one in off.sort_values("p", kind="stable").index]


def regions(
    name: str,
    reader: Reader,
    field: str,
    test: NDArray[np.float32],
    train: NDArray[np.float32],
    labels: Ints,
    groups: Ints | None,
    cut: Cut,
    seed: int,
) -> Regions:
    """The clusters of one part as the pair reader sees it, and their labels."""

    def rng(*path: object) -> np.random.Generator:
        return generator(seed, "leakage", "regions", identity(reader), field, *path)

    k = cut.k or default_k(len(test), len(np.unique(labels)))
    points = reduced(test, cut.components, rng("components"))
    parts = [kmeans(points, k, rng=rng("kmeans", i)) for i in range(cut.clusterings)]
    scores = [
        peco(part.labels, labels, rng=rng("peco", i), groups=groups)
        for i, part in enumerate(parts)
    ]
    published = published_scores(test, labels, cut, rng("published"))
    near = homophily(points, labels, rng=rng("homophily"), groups=groups)
    findings = [
        Finding("peco", name, field, averaged(scores), beyond(scores)),
        Finding("peco_raw", name, field, plain(scores, "raw")),
        Finding("peco_p", name, field, chance(scores)),
        Finding("peco_stability", name, field, agreement(parts)),
        Finding("cluster_bits", name, field, plain(scores, "mutual_information")),
        *(Finding(what, name, field, one) for what, one in published.items()),
        Finding("homophily", name, field, near.estimate),
    ]
    first = parts[0]
    middles = np.stack(
        [test[first.labels == c].mean(axis=0) for c in range(len(first.centres))]
    )
    return Regions(
        points,
        first.labels,
        nearest(train, middles),
        first.centres,
        scores[0],
        tuple(findings),
        sensitivity(test, labels, groups, rng),
    )


def reduced(
    vectors: NDArray[np.float32], size: int, rng: np.random.Generator
) -> Floats:
    """So many principal components; the vectors themselves where size is 0."""
    if size == 0 or size >= min(vectors.shape):
        return np.asarray(vectors, float)
    return np.asarray(components(vectors, size, rng=rng))


def averaged(scores: list[PecoScore]) -> Estimate:
    """The headline over clusterings."""
    return pooled([score.estimate for score in scores], "clusterings")


def beyond(scores: list[PecoScore]) -> str:
    """Whether labels are less even over the clusters than chance makes them."""
    sure = chance(scores).value <= DISCOVERY
    return "beyond chance" if sure else "no more than chance"


def plain(scores: list[PecoScore], what: str) -> Estimate:
    """A figure that has no null of its own: its spread over clusterings."""
    values = np.array([getattr(score, what) for score in scores])
    return spread(values, scores[0].estimate.n, "mean and extremes")


def chance(scores: list[PecoScore]) -> Estimate:
    """The permutation p: the median over clusterings, between its extremes."""
    values = np.array([score.p_value for score in scores])
    n = scores[0].estimate.n
    middle, low, high = (float(f(values)) for f in (np.median, np.min, np.max))
    method = f"permutation, median and extremes of {len(values)} clusterings"
    return Estimate(middle, low, high, 1.0, n, method)


def agreement(parts: list[Partition]) -> Estimate:
    """How alike the clusterings are: the adjusted Rand index of pairs of them."""
    values = [
        stability([a.labels, b.labels])
        for i, a in enumerate(parts)
        for b in parts[i + 1 :]
    ]
    if not values:
        return Estimate(1.0, 1.0, 1.0, 1.0, len(parts[0].labels), "one clustering")
    found = np.array(values)
    return spread(found, len(parts[0].labels), "adjusted Rand, mean and extremes")


def spread(values: Floats, n: int, how: str) -> Estimate:
    """The mean of several values between the least and the greatest."""
    low, high = float(values.min()), float(values.max())
    method = f"{how} of {len(values)} clusterings"
    return Estimate(float(values.mean()), low, high, 1.0, n, method)


def published_scores(
    vectors: NDArray[np.float32], labels: Ints, cut: Cut, rng: np.random.Generator
) -> dict[str, Estimate]:
    """The paper's and its code's scores, at their own numbers of clusters."""
    points = reduced(vectors, COMPONENTS, rng)
    parts = [kmeans(points, PUBLISHED_K, rng=rng) for _ in range(cut.clusterings)]
    return {
        what: pooled(
            [published(what, part, labels, rng).estimate for part in parts],
            "clusterings",
        )
        for what in PUBLISHED
    }


def published(
    what: str, part: Partition, labels: Ints, rng: np.random.Generator
) -> PecoScore:
    """One of the published scores of one clustering."""
    preset, divergence = PUBLISHED[what]
    return peco(
        part.labels,
        labels,
        preset=preset,
        divergence=divergence,
        rng=rng,
        permutations=FEW,
    )


def sensitivity(
    vectors: NDArray[np.float32], labels: Ints, groups: Ints | None, rng: Streams
) -> pd.DataFrame:
    """PECO for other numbers of clusters and components: the paper's Table 5."""
    rows = []
    for size in TABLE_COMPONENTS:
        points = reduced(vectors, size, rng("table", size))
        for k in TABLE_K:
            draw = rng("table", size, k)
            part = kmeans(points, k, rng=draw)
            found = peco(part.labels, labels, rng=draw, groups=groups)
            rows.append(
                {
                    "k": k,
                    "components": "none" if size == 0 else str(size),
                    "clusters": len(part.centres),
                    "peco": found.value,
                    "low": found.estimate.low,
                    "high": found.estimate.high,
                    "p": found.p_value,
                    **{
                        what: published(what, part, labels, draw).value
                        for what in PUBLISHED
                    },
                }
            )
    return pd.DataFrame(rows)
