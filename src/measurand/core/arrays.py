"""The arrays that travel between folders, each under one name."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
# The cluster of each item, or both of two ways (items × 2); None: each is its own.
Clusters = Ints | None


def to_number(value: object) -> float:
    """`value` as a finite number, or NaN.

    >>> to_number("0.5"), to_number(None), to_number("x")
    (0.5, nan, nan)
    """
    try:
        result = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return float("nan")
    return result if np.isfinite(result) else float("nan")
