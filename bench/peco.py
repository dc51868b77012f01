"""PECO from embeddings to score and p, against the way it is usually written down.

Ours: components, k-means and PECO with a null of 1,000 tables. The plain way:
scikit-learn's PCA as it chooses, KMeans with ten starts, a loop over clusters, and
labels permuted 1,000 times. One thread; both score the same synthetic embeddings. Sizes
can be given: `python -m bench peco 10000` takes a minute, 100000 several.
"""

from collections.abc import Sequence

import numpy as np
from sklearn.cluster import KMeans
from sklearn.decomposition import PCA
from threadpoolctl import threadpool_limits

from bench.figures import Figure, cpu
from measurand.core.seeds import generator
from measurand.stats.peco.score import peco
from measurand.stats.vectors.kmeans import kmeans, principal_components

TARGETS = {10_000: 10.0, 100_000: 5.0}  # times as fast, at least
WIDTH, COMPONENTS, CLUSTERS, LABELS, PERMUTATIONS = 1_024, 50, 50, 3, 1_000
OURS, PLAIN = 8, 3  # seeds
Scored = tuple[float, float]  # the corrected score and its p


def run(arguments: Sequence[str]) -> list[Figure]:
    """Both ways at each size."""
    sizes = [int(size) for size in arguments] or list(TARGETS)
    with threadpool_limits(1):
        return [figure for size in sizes for figure in case(size)]


def case(items: int) -> list[Figure]:
    """Seconds of one run of each, and their scores over seeds."""
    vectors, labels = embedded(items)
    quick(vectors, labels, 0)  # what is done once a process is not counted
    ours = [cpu(lambda s=seed: quick(vectors, labels, s)) for seed in range(OURS)]
    plain = [cpu(lambda s=seed: usual(vectors, labels, s)) for seed in range(PLAIN)]
    # The least of as many runs of each: other work on the machine only ever adds.
    fast, slow = (min(seconds for seconds, _ in way[:PLAIN]) for way in (ours, plain))
    scores, others = (np.array([score for _, score in way]) for way in (ours, plain))
    (mean, spread), (usually, sd) = map(over_seeds, (scores[:, 0], others[:, 0]))
    largest = float(max(scores[:, 1].max(), others[:, 1].max()))
    gap = float(abs(mean - usually) / np.hypot(spread, sd))
    of = f"{items:,} × {WIDTH:,}"
    return [
        Figure(f"{of}: components, k-means and PECO", fast, "s"),
        Figure(f"{of}: the plain way", slow, "s"),
        Figure(
            f"{of}: plain over ours", slow / fast, "times", least=TARGETS.get(items)
        ),
        Figure(f"{of}: our score, mean of {OURS} seeds", mean, ""),
        Figure(f"{of}: our score, sd over seeds", spread, ""),
        Figure(f"{of}: plain score, mean of {PLAIN} seeds", usually, ""),
        Figure(f"{of}: plain score, sd over seeds", sd, ""),
        Figure(f"{of}: gap of the two over the seeds' noise", gap, "", most=2.0),
        Figure(f"{of}: largest p of either", largest, ""),
    ]


def over_seeds(scores: np.ndarray) -> tuple[float, float]:
    """The mean and the sd."""
    return float(scores.mean()), float(scores.std(ddof=1))


def embedded(items: int) -> tuple[np.ndarray, np.ndarray]:
    """Overlapping clouds in many dimensions, with labels that lean on the cloud."""
    rng = generator(0, "bench", "peco", items)
    clouds = 60
    width = (1 + np.arange(WIDTH) / 20) ** -0.5  # a spectrum that falls off
    middles = rng.normal(scale=0.35, size=(clouds, WIDTH)).astype(np.float32)
    cloud = rng.integers(clouds, size=items)
    vectors = rng.standard_normal((items, WIDTH), dtype=np.float32)
    vectors += middles[cloud]
    vectors *= width.astype(np.float32)
    leaning = 0.5 / LABELS + 0.5 * rng.dirichlet(np.ones(LABELS), clouds)
    passed = rng.random(items)[:, None] > leaning[cloud].cumsum(axis=1)
    return vectors, passed.sum(axis=1).clip(max=LABELS - 1)


def quick(vectors: np.ndarray, labels: np.ndarray, seed: int) -> Scored:
    """By this package."""
    rng = generator(seed, "bench", "quick")
    points = principal_components(vectors, COMPONENTS, rng=rng)
    found = kmeans(points, CLUSTERS, rng=rng)
    score = peco(found.labels, labels, rng=rng, permutations=PERMUTATIONS)
    return score.value, score.p_value


def usual(vectors: np.ndarray, labels: np.ndarray, seed: int) -> Scored:
    """As one would write it with scikit-learn and loops."""
    points = PCA(COMPONENTS, svd_solver="auto", random_state=seed).fit_transform(
        vectors
    )
    clusters = KMeans(CLUSTERS, n_init=10, random_state=seed).fit_predict(points)
    rng = generator(seed, "bench", "usual")
    seen = looped(clusters, labels)
    null = [looped(clusters, rng.permutation(labels)) for _ in range(PERMUTATIONS)]
    p = (1 + sum(value >= seen for value in null)) / (1 + PERMUTATIONS)
    return seen - float(np.mean(null)), p


def looped(clusters: np.ndarray, labels: np.ndarray) -> float:
    """The raw score, cluster by cluster."""
    overall = np.bincount(labels, minlength=LABELS) / len(labels)
    total = 0.0
    for cluster in range(CLUSTERS):
        inside = labels[clusters == cluster]
        within = np.bincount(inside, minlength=LABELS) / len(inside)
        total += len(inside) / len(labels) * ((within - overall) ** 2).sum()
    return 100 * total
