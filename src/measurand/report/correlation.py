"""How far two quantities go together."""

import math

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm

from measurand.core.finding import Estimate

LEAST_POINTS = 4  # Fisher's z has no spread with three points


def pearson(
    x: NDArray[np.float64], y: NDArray[np.float64], level: float = 0.95
) -> Estimate | None:
    """Pearson's r with Fisher's interval, or nothing where it is undefined.

    >>> print(pearson(np.array([0, 1, 2, 3.0]), np.array([0, 2, 1, 3.0])))
    0.800 [-0.697, 0.996]
    """
    if len(x) < LEAST_POINTS or np.ptp(x) == 0 or np.ptp(y) == 0:
        return None
    r = float(np.corrcoef(x, y)[0, 1])
    half = float(norm.ppf((1 + level) / 2)) / math.sqrt(len(x) - 3)
    # A perfect line has an infinite z, and both ends at r.
    middle = math.atanh(r) if abs(r) < 1 else math.copysign(math.inf, r)
    low, high = math.tanh(middle - half), math.tanh(middle + half)
    return Estimate(r, low, high, level, len(x), "Pearson's r, Fisher's z")


def trend_line(
    x: NDArray[np.float64], y: NDArray[np.float64]
) -> tuple[float, float] | None:
    """Slope and height at 0 of the least-squares line, where there is one.

    >>> trend_line(np.array([0.0, 1.0]), np.array([1.0, 3.0]))
    (2.0, 1.0)
    """
    if len(x) < 2 or np.ptp(x) == 0:
        return None
    away = x - x.mean()
    slope = float((away * (y - y.mean())).sum() / (away**2).sum())
    return slope, float(y.mean() - slope * x.mean())
