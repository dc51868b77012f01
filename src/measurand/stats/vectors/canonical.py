"""Vectors in an order of their own: work done in it is the same for any row order."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import ThreadpoolController

from measurand.core.arrays import Ints
from measurand.core.errors import BadInput, BadOption, Undefined
from measurand.core.seeds import generator

Vectors = NDArray[Any]  # floats of any width

BLOCK = 1_024  # rows at a time
THREADS = ThreadpoolController()  # several threads round otherwise than one


def order_vectors(vectors: Vectors, what: str, k: int) -> tuple[Vectors, Ints]:
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
    projections = np.einsum("ij,j->i", vectors, key.astype(vectors.dtype))
    if bad := int((~np.isfinite(projections)).sum()):
        raise BadInput(f"{bad} of {len(vectors)} vectors hold something not a number")
    return vectors, np.argsort(projections, kind="stable")


def approximate_mean(vectors: Vectors, order: Ints) -> Vectors:
    """About the mean, from some of the vectors; constant columns exactly."""
    rows = order[:: max(1, len(order) // 1024)]
    first = vectors[rows[0]]
    return np.asarray(first + (vectors[rows] - first).mean(axis=0))


def vector_blocks(
    vectors: Vectors, order: Ints, origin: Vectors
) -> Iterator[tuple[Ints, Vectors]]:
    """The vectors less `origin`, some at a time, with their row numbers.

    Each block takes the place of the one before: memory that is warm is twice as fast.
    """
    buffer = np.empty((min(BLOCK, len(order)), vectors.shape[1]), vectors.dtype)
    for start in range(0, len(order), BLOCK):
        rows = order[start : start + BLOCK]
        # "clip" only lets numpy write straight to `out`; no row number is out of range.
        block = np.take(vectors, rows, axis=0, out=buffer[: len(rows)], mode="clip")
        block -= origin
        yield rows, block
