"""Vectors on fewer axes: principal components, and t-SNE for a sheet of paper.

Components are the same for the same vectors, whatever their order; where vectors are
not too wide, they come from the covariance matrix. t-SNE keeps neighbours together.
"""

from functools import partial
from importlib.util import find_spec
from typing import Any

import numpy as np
from scipy.linalg import LinAlgError, eigh, get_blas_funcs, qr

from measurand.core.arrays import Floats, Ints
from measurand.core.errors import MissingExtra
from measurand.core.seeds import generator
from measurand.stats.vectors.canonical import (
    THREADS,
    Vectors,
    approximate_mean,
    order_vectors,
    vector_blocks,
)

WIDEST = 2_048  # columns up to which the covariance matrix is the quick way
PRECISION = 1e-4  # of the first component's variance: what single precision can carry
SPARE = 30  # dimensions of an iterated subspace beyond those wanted
TIMES = 10  # as wide as that subspace, a matrix is iterated
ROUNDS = 10
SETTLED = 1e-3  # of the last eigenvalue: how far off a vector's image may be
NOTHING = 1e-7  # of the first eigenvalue: rounding
RAISED = 1e6  # by how much a round may raise the first: single precision has 7 digits
NEAR = 30.0  # neighbours that count for a point
EARLY, LATE = 150, 350  # steps; further ones move little


def principal_components(
    vectors: Vectors, k: int, *, rng: np.random.Generator
) -> Floats:
    """The first `k` principal components of each vector, or as many as there are.

    Each component points to where its largest weight is positive. `rng` is used only
    for vectors wider than `WIDEST`, whose components are found by random projections.
    """
    vectors, order = order_vectors(vectors, "components", k)
    n, width = vectors.shape
    k = min(k, n, width)
    origin = approximate_mean(vectors, order)
    with THREADS.limit(limits=1):
        if width > WIDEST:
            from sklearn.decomposition import PCA  # slow to load, and seldom needed

            seed = int(rng.integers(2**31))
            solver = PCA(k, svd_solver="randomized", random_state=seed)
            weights = np.asarray(solver.fit(vectors[order]).components_.T)
            mean = solver.mean_ - origin
        else:
            weights, mean = _leading_weights(vectors, order, origin, k)
        largest = np.abs(weights).argmax(axis=0)
        weights = weights * np.sign(weights[largest, np.arange(k)])
        scores, short = np.empty((n, k)), weights.astype(vectors.dtype)
        for rows, block in vector_blocks(vectors, order, origin):
            scores[rows] = block @ short
        scores -= mean @ weights
        return scores


def _leading_weights(
    vectors: Vectors, order: Ints, origin: Vectors, k: int
) -> tuple[Floats, Floats]:
    """The weights of the first components, width × k, and the mean from `origin`."""
    # Single precision is twice as fast, and enough unless variances differ widely.
    for precision in (np.float32, np.float64):
        squares, mean = _scatter_matrix(vectors, order, origin, precision)
        values, weights = iterate_subspace(squares, k) or largest_eigenpairs(squares, k)
        if values[-1] > PRECISION * values[0]:
            break
    return weights, mean


def _scatter_matrix(
    vectors: Vectors, order: Ints, origin: Vectors, precision: type[np.floating[Any]]
) -> tuple[Vectors, Floats]:
    """The upper triangle of n times the covariance, and the mean from `origin`."""
    n, width = vectors.shape
    syrk = get_blas_funcs("syrk", dtype=precision)
    total: Floats = np.zeros(width)
    squares: Vectors = np.zeros((width, width), precision, order="F")
    for _, block in vector_blocks(vectors, order, origin):
        block = block.astype(precision, copy=False)
        total += block.T @ np.ones(len(block), precision)
        squares = syrk(1.0, block.T, beta=1.0, c=squares, overwrite_c=True)
    squares = syrk(-1 / n, total[:, None], beta=1.0, c=squares, overwrite_c=True)
    return squares, total / n


def largest_eigenpairs(squares: Vectors, k: int) -> tuple[Vectors, Vectors]:
    """The `k` largest eigenvalues, the largest first, and their vectors."""
    last = len(squares) - 1
    find_all = partial(eigh, squares, lower=False, driver="evd", check_finite=False)
    try:
        values, vectors = eigh(
            squares,
            lower=False,
            subset_by_index=(last - k + 1, last),
            driver="evx",
            check_finite=False,
        )
    except LinAlgError:
        values, vectors = find_all()
    if len(values) < k:  # where all are about equal, LAPACK does not find so many
        values, vectors = find_all()
    return values[: -k - 1 : -1], vectors[:, : -k - 1 : -1]


def iterate_subspace(squares: Vectors, k: int) -> tuple[Vectors, Vectors] | None:
    """The same for much wider matrices, sooner, or None if it does not settle.

    Each round multiplies a subspace of a few more than `k` dimensions by a Chebyshev
    polynomial of the matrix: small for eigenvalues that are less than the least of the
    subspace, large for those that are more. (Lanczos, by ARPACK, is no faster, and
    starts again at random where eigenvalues coincide.)
    """
    width, size = len(squares), k + SPARE
    if width < TIMES * size:
        return None
    symm = get_blas_funcs("symm", dtype=squares.dtype)
    basis = generator(0, "subspace").normal(size=(width, size)).astype(squares.dtype)
    for _ in range(ROUNDS):
        basis, _ = qr(basis, mode="economic", check_finite=False)
        image = symm(1.0, squares, basis)
        values, turn = np.linalg.eigh(basis.T @ image)
        values, turn = values[::-1], turn[:, ::-1]
        basis, image = basis @ turn, image @ turn
        off = np.linalg.norm(image[:, :k] - basis[:, :k] * values[:k], axis=0)
        if off.max() < SETTLED * values[k - 1]:
            return values[:k], basis[:, :k]
        half = values[-1] / 2
        if half <= NOTHING * values[0]:
            break
        degree = int(np.log(RAISED) / np.arccosh(values[0] / half - 1))
        before, basis = basis, image / half - basis
        for _ in range(degree - 1):
            image = symm(2 / half, squares, basis)
            before, basis = basis, image - 2 * basis - before
    return None


def has_tsne() -> bool:
    """Whether openTSNE, of the extra `figures`, is installed."""
    return find_spec("openTSNE") is not None


def check_tsne() -> None:
    """Raise, before anything is computed, where openTSNE is not installed."""
    if not has_tsne():
        raise MissingExtra("openTSNE, which draws maps,", "figures")


def tsne(points: Floats, *, seed: int) -> Floats:
    """Two numbers a point; all at one place where no two points differ.

    openTSNE rather than scikit-learn's: on 10,000 points a quarter of the time.
    """
    from openTSNE import TSNE  # slow to load, and drawn only where a map is wanted

    near = min(NEAR, (len(points) - 1) / 3)
    if near <= 1 or np.ptp(points, axis=0).max() == 0:
        return np.zeros((len(points), 2))
    method = TSNE(
        perplexity=near,
        neighbors="exact",
        early_exaggeration_iter=EARLY,
        n_iter=LATE,
        random_state=seed % 2**31,
        n_jobs=1,
    )
    return np.asarray(method.fit(np.asarray(points, float)))
