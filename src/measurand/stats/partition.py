"""Vectors cut into clusters: principal components, then k-means.

Both give the same for the same seed, whatever the order of the rows and the number of
threads. k-means is scikit-learn's, started from a sample: on 100,000 × 50 that takes a
thirteenth of the time of its ten starts, for an inertia within 0.1 %.
"""

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import log, sqrt
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray
from scipy.linalg import eigh
from sklearn.cluster import KMeans
from sklearn.decomposition import PCA
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score
from threadpoolctl import ThreadpoolController

from measurand.core.errors import BadInput, BadOption, Undefined
from measurand.core.reader import Floats
from measurand.core.seeds import generator

Ints = NDArray[np.int64]
Vectors = NDArray[Any]  # floats of any width

WIDEST = 2_048  # columns up to which the covariance matrix is the quick way
PRECISION = 1e-4  # of the first component's variance: what single precision can carry
STARTS = 2
SAMPLE = 50  # points for each cluster in the sample that is clustered first
ROUNDS = 100  # of refinement at most; 30 lower a PECO of 10,000 items by a fifth
MOST = 50  # clusters: the paper's number, which its larger test sets bear
BLOCK = 4_096  # rows at a time
THREADS = ThreadpoolController()


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


def components(vectors: Vectors, k: int, *, rng: np.random.Generator) -> Floats:
    """The first `k` principal components of each vector, or as many as there are.

    Each component points to where its largest weight is positive. `rng` is used only
    for vectors wider than `WIDEST`, whose components are found by random projections.
    """
    vectors, order = checked(vectors, "components", k)
    n, width = vectors.shape
    k = min(k, n, width)
    origin = centre(vectors, order)
    with THREADS.limit(limits=1):  # several threads round otherwise than one
        if width > WIDEST:
            seed = int(rng.integers(2**31))
            solver = PCA(k, svd_solver="randomized", random_state=seed)
            weights = np.asarray(solver.fit(vectors[order]).components_.T)
            mean = solver.mean_ - origin
        else:
            weights, mean = leading(vectors, order, origin, k)
        largest = np.abs(weights).argmax(axis=0)
        weights = weights * np.sign(weights[largest, np.arange(k)])
        found = np.empty((n, k))
        for rows, block in blocks(vectors, order, origin, vectors.dtype):
            found[rows] = block @ weights.astype(block.dtype) - mean @ weights
        return found


def leading(
    vectors: Vectors, order: Ints, origin: Vectors, k: int
) -> tuple[Floats, Floats]:
    """The weights of the first components, width × k, and the mean from `origin`."""
    n, width = vectors.shape
    # Products in single precision are twice as fast; they are summed in double.
    for precision in (np.float32, np.float64):
        total, squares = np.zeros(width), np.zeros((width, width))
        for _, block in blocks(vectors, order, origin, precision):
            total += block.sum(axis=0, dtype=np.float64)
            squares += block.T @ block
        squares -= np.outer(total, total / n)
        values, weights = eigh(
            squares.astype(precision),
            subset_by_index=(width - k, width - 1),
            driver="evx",
            check_finite=False,
        )
        if values[0] > PRECISION * values[-1]:
            break
    return np.asarray(weights[:, ::-1]), total / n


def kmeans(points: Vectors, k: int, *, rng: np.random.Generator) -> Partition:
    """The points in `k` clusters, or in as many as there are different points.

    The best of a few starts on a sample is refined on all points.

    >>> points = np.array([[0.0], [0.1], [5.0], [0.2], [5.1]])
    >>> kmeans(points, 2, rng=np.random.default_rng(0)).labels.tolist()
    [0, 0, 1, 0, 1]
    """
    points, order = checked(points, "clusters", k)
    origin = centre(points, order)
    every = np.concatenate([b for _, b in blocks(points, order, origin, np.float32)])
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
        found = KMeans(init=centres, **settings).fit(sample)
        if len(sample) < len(every):
            found = KMeans(init=found.cluster_centers_, **settings).fit(every)
    used, sizes = np.unique(found.labels_, return_counts=True)
    centres = found.cluster_centers_[used].astype(np.float64)
    centres = centres[np.lexsort([*centres.T[::-1], -sizes])] + origin
    centres = centres[np.unique(nearest(points, centres))]  # rounding may empty one
    return Partition(nearest(points, centres), centres, float(found.inertia_))


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


def checked(vectors: Vectors, what: str, k: int) -> tuple[Vectors, Ints]:
    """The vectors as floats, and an order that what they hold decides.

    Work done in that order gives the same wherever each row stood.
    """
    vectors = np.asarray(vectors)
    if vectors.ndim != 2 or 0 in vectors.shape:
        raise Undefined(f"no vectors to cut up: their shape is {vectors.shape}")
    if k < 1:
        raise BadOption(f"the number of {what} must be at least 1, not {k}")
    if vectors.dtype not in (np.float32, np.float64):
        vectors = vectors.astype(np.float64)
    key: Vectors = generator(0, "canonical").normal(size=(vectors.shape[1],))
    # einsum adds up each row in the same way, which a matrix product does not.
    place = np.einsum("ij,j->i", vectors, key.astype(vectors.dtype))
    if bad := int((~np.isfinite(place)).sum()):
        raise BadInput(f"{bad} of {len(vectors)} vectors hold something not a number")
    return vectors, np.argsort(place, kind="stable")


def centre(vectors: Vectors, order: Ints) -> Vectors:
    """About the mean, from some of the vectors; constant columns exactly."""
    rows = order[:: max(1, len(order) // 1024)]
    first = vectors[rows[0]]
    return np.asarray(first + (vectors[rows] - first).mean(axis=0))


def blocks(
    vectors: Vectors, order: Ints, origin: Vectors, precision: DTypeLike
) -> Iterator[tuple[Ints, Vectors]]:
    """The vectors less `origin`, some at a time, with their row numbers."""
    for start in range(0, len(order), BLOCK):
        rows = order[start : start + BLOCK]
        block = vectors[rows]
        block -= origin
        yield rows, block.astype(precision, copy=False)


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
