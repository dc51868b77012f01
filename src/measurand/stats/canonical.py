"""Vectors in an order of their own: work done in it is the same for any row order."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import ThreadpoolController

from measurand.core.errors import BadInput, BadOption, Undefined
from measurand.core.seeds import generator

Ints = NDArray[np.int64]
Vectors = NDArray[Any]  # floats of any width

THREADS = ThreadpoolController()  # several threads round otherwise than one


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
