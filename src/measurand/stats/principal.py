"""Principal components: the same for the same vectors, whatever their order.

Where vectors are not too wide, from the covariance matrix.
"""

from typing import Any

import numpy as np
from scipy.linalg import eigh, get_blas_funcs
from sklearn.decomposition import PCA

from measurand.core.reader import Floats
from measurand.stats.canonical import THREADS, Ints, Vectors, blocks, centre, checked

WIDEST = 2_048  # columns up to which the covariance matrix is the quick way
PRECISION = 1e-4  # of the first component's variance: what single precision can carry


def components(vectors: Vectors, k: int, *, rng: np.random.Generator) -> Floats:
    """The first `k` principal components of each vector, or as many as there are.

    Each component points to where its largest weight is positive. `rng` is used only
    for vectors wider than `WIDEST`, whose components are found by random projections.
    """
    vectors, order = checked(vectors, "components", k)
    n, width = vectors.shape
    k = min(k, n, width)
    origin = centre(vectors, order)
    with THREADS.limit(limits=1):
        if width > WIDEST:
            seed = int(rng.integers(2**31))
            solver = PCA(k, svd_solver="randomized", random_state=seed)
            weights = np.asarray(solver.fit(vectors[order]).components_.T)
            mean = solver.mean_ - origin
        else:
            weights, mean = leading(vectors, order, origin, k)
        largest = np.abs(weights).argmax(axis=0)
        weights = weights * np.sign(weights[largest, np.arange(k)])
        found, short = np.empty((n, k)), weights.astype(vectors.dtype)
        for rows, block in blocks(vectors, order, origin):
            found[rows] = block @ short
        found -= mean @ weights
        return found


def leading(
    vectors: Vectors, order: Ints, origin: Vectors, k: int
) -> tuple[Floats, Floats]:
    """The weights of the first components, width × k, and the mean from `origin`."""
    last = vectors.shape[1] - 1
    # Single precision is twice as fast, and enough unless variances differ widely.
    for precision in (np.float32, np.float64):
        squares, mean = scatter(vectors, order, origin, precision)
        # ARPACK takes two thirds of the time, but starts anew at random where
        # eigenvalues coincide.
        values, weights = eigh(
            squares,
            lower=False,
            subset_by_index=(last - k + 1, last),
            driver="evx",
            overwrite_a=True,
            check_finite=False,
        )
        if values[0] > PRECISION * values[-1]:
            break
    return np.asarray(weights[:, ::-1]), mean


def scatter(
    vectors: Vectors, order: Ints, origin: Vectors, precision: type[np.floating[Any]]
) -> tuple[Vectors, Floats]:
    """The upper triangle of n times the covariance, and the mean from `origin`."""
    n, width = vectors.shape
    syrk = get_blas_funcs("syrk", dtype=precision)
    total: Floats = np.zeros(width)
    squares: Vectors = np.zeros((width, width), precision, order="F")
    for _, block in blocks(vectors, order, origin):
        block = block.astype(precision, copy=False)
        total += block.T @ np.ones(len(block), precision)
        squares = syrk(1.0, block.T, beta=1.0, c=squares, overwrite_c=True)
    squares = syrk(-1 / n, total[:, None], beta=1.0, c=squares, overwrite_c=True)
    return squares, total / n
