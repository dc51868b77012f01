"""Vectors cut into clusters by k-means.

The same seed gives the same, whatever the order of the rows and the number of threads.
k-means is scikit-learn's, started from a sample and then in leaps.
"""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import log, sqrt

import numpy as np
from scipy.sparse import csr_array
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score

from measurand.core.errors import Undefined
from measurand.core.reader import Floats
from measurand.stats.canonical import THREADS, Ints, Vectors, blocks, centre, checked
from measurand.stats.principal import components

__all__ = [
    "Partition",
    "components",
    "default_k",
    "kmeans",
    "nearest",
    "stability",
]

STARTS = 2
SAMPLE = 50  # points for each cluster in the sample that is clustered first
LEAPS = 30  # rounds
ROUNDS = 100  # of refinement at most
MOST = 50  # clusters: the paper's number, which its larger test sets bear
BLOCK = 4_096  # rows at a time


@dataclass(frozen=True, eq=False)
class Partition:
    """Points in clusters, the largest first.

    Attributes:
        labels: The cluster of each point.
        centres: One row a cluster.
        inertia: The sum of squared distances of points from their centres.
    """

    labels: Ints
    centres: Floats
    inertia: float


def kmeans(points: Vectors, k: int, *, rng: np.random.Generator) -> Partition:
    """The points in `k` clusters, or in as many as there are different points.

    The best of a few starts on a sample is refined on all points, in leaps at first.

    >>> points = np.array([[0.0], [0.1], [5.0], [0.2], [5.1]])
    >>> kmeans(points, 2, rng=np.random.default_rng(0)).labels.tolist()
    [0, 0, 1, 0, 1]
    """
    points, order = checked(points, "clusters", k)
    origin = centre(points, order)
    parts = blocks(points, order, origin)
    every = np.concatenate([block.astype(np.float32) for _, block in parts])
    size = min(SAMPLE * k, len(every))
    sample = every[np.sort(rng.choice(len(every), size, replace=False))]
    few = min(k, different(sample, k))
    if few < k:  # the sample is too alike: every point is looked at
        sample, few = every, min(k, different(every, k))
    # Threads add up their sums in any order; one thread always adds the same way.
    with THREADS.limit(limits=1), warnings.catch_warnings():
        # Of centres that fall together one is left, and used.
        warnings.simplefilter("ignore", ConvergenceWarning)
        starts = [seeded(sample, few, rng) for _ in range(STARTS)]
        _, centres = min(starts, key=lambda start: start[0])
        settings = {"n_clusters": few, "n_init": 1, "max_iter": ROUNDS}
        if len(sample) < len(every):
            centres = KMeans(init=centres, **settings).fit(sample).cluster_centers_
        found = KMeans(init=leapt(every, centres), **settings).fit(every)
    used, sizes = np.unique(found.labels_, return_counts=True)
    centres = found.cluster_centers_[used].astype(np.float64)
    centres = centres[np.lexsort([*centres.T[::-1], -sizes])] + origin
    # Rounding may empty a cluster.
    used, labels = np.unique(nearest(points, centres), return_inverse=True)
    return Partition(labels, centres[used], float(found.inertia_))


def seeded(points: Vectors, k: int, rng: np.random.Generator) -> tuple[float, Vectors]:
    """Greedy k-means++: how far points are from `k` of them, well apart, and those.

    Scikit-learn's does the same in three times the time.
    """
    squares = np.einsum("ij,ij->i", points, points)
    away = np.full(len(points), np.inf, points.dtype)
    tries, chosen = rng.integers(len(points), size=1), []
    while True:
        # The distance of every point from the chosen, if each try were among them.
        apart = squares + squares[tries, None] - 2 * points[tries] @ points.T
        apart = np.minimum(np.maximum(apart, 0), away)
        best = int(apart.sum(axis=1).argmin())
        away = apart[best]
        chosen.append(int(tries[best]))
        if len(chosen) == k:
            return float(away.sum()), points[chosen]
        odds = np.cumsum(away, dtype=np.float64)
        drawn = rng.random(2 + int(log(k))) * odds[-1]
        tries = np.minimum(np.searchsorted(odds, drawn), len(points) - 1)


def leapt(points: Vectors, centres: Vectors) -> Vectors:
    """The centres after rounds in which each goes twice as far as its points' mean.

    A cluster's sum of squares is that from its mean, plus its size times the centre's
    squared distance from the mean. As far beyond the mean as it was short of it, the
    centre is no worse than before; points then choose anew, so no round raises the
    inertia. Rounds that stop at the mean are caught in poorer places, and more slowly.
    """
    n, k = len(points), len(centres)
    rows = np.column_stack([points, np.ones(n, points.dtype)])
    label = np.empty(0, np.int64)
    for _ in range(LEAPS):
        # Squared distances, less the squares of the points, in one product.
        weights = np.column_stack([-2 * centres, (centres**2).sum(axis=1)]).T
        starts = range(0, n, BLOCK)
        near = [(rows[start : start + BLOCK] @ weights).argmin(1) for start in starts]
        before, label = label, np.concatenate(near)
        if np.array_equal(before, label):
            break
        members = csr_array((rows[:, -1], label, np.arange(n + 1)), shape=(n, k)).T
        sums = members @ rows
        sizes = sums[:, -1:]
        means = sums[:, :-1] / np.maximum(sizes, 1)
        centres = np.where(sizes > 0, 2 * means - centres, centres)
    return centres


def nearest(points: Vectors, centres: Floats) -> Ints:
    """The number of the centre that is nearest to each point.

    >>> nearest(np.array([[0.9], [0.2]]), np.array([[0.0], [1.0]])).tolist()
    [1, 0]
    """
    middle = centres.mean(axis=0)
    centres = centres - middle
    squares = (centres**2).sum(axis=1)
    found = [
        (squares - 2 * (points[start : start + BLOCK] - middle) @ centres.T).argmin(1)
        for start in range(0, len(points), BLOCK)
    ]
    return np.concatenate([np.empty(0, np.int64), *found])


def default_k(n: int, labels: int = 3) -> int:
    """How many clusters to cut `n` items into when nobody says: sqrt(n / 2), within.

    Clusters then hold sqrt(2 n) items on average: both they and their number grow with
    the data. There are at most 50, the paper's number, and never so many that the
    average cluster is under the smallest that is tested, max(5 × labels, 20).

    >>> [default_k(n) for n in (30, 200, 1000, 3000, 10_000, 100_000)]
    [1, 10, 22, 39, 50, 50]
    """
    return max(1, min(round(sqrt(n / 2)), n // max(5 * labels, 20), MOST))


def stability(labelings: Sequence[Ints]) -> float:
    """The mean adjusted Rand index of every two: 1 if all agree, 0 if by chance only.

    >>> stability([np.array([0, 0, 1, 1]), np.array([1, 1, 0, 0])])
    1.0
    """
    if len(labelings) < 2:
        raise Undefined("stability compares partitions; give at least two")
    pairs = combinations(labelings, 2)
    return float(np.mean([adjusted_rand_score(*pair) for pair in pairs]))


def different(points: Vectors, enough: int) -> int:
    """How many points differ by more than rounding; counting ends past `enough`."""
    reach = np.abs(points).max(axis=1)
    if not reach.any():
        return 1
    scale = np.median(reach[reach > 0])
    found = 0
    for size in (20 * enough, len(points)):
        # Squares in single precision do not tell apart what is closer than this.
        found = len(np.unique(np.round(points[:size] / scale, 3), axis=0))
        if found >= enough:
            break
    return found
