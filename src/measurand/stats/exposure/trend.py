"""An effect against the size of a study."""

from collections.abc import Sequence

import numpy as np
from scipy.stats import norm

from measurand.core.errors import Undefined
from measurand.core.finding import Estimate


def per_doubling(
    sizes: Sequence[float],
    means: Sequence[float],
    sds: Sequence[float],
    level: float = 0.95,
) -> Estimate:
    """What an effect gains when the size doubles, from its posteriors at each size.

    Least squares on the logarithm of the size, each posterior weighed by its precision.

    >>> print(per_doubling([50, 100, 200], [0.0, 0.1, 0.2], [0.01, 0.01, 0.01]))
    0.100 [0.086, 0.114]
    """
    if len(set(sizes)) < 2:
        raise Undefined("a trend needs studies of at least two sizes")
    weights = np.asarray(sds, float) ** -2.0
    doublings = np.log2(np.asarray(sizes, float))
    doublings = doublings - weights @ doublings / weights.sum()
    information = float(weights @ doublings**2)
    slope = float(weights * doublings @ np.asarray(means, float)) / information
    half = float(norm.ppf((1 + level) / 2)) / np.sqrt(information)
    method = "weighted least squares on log2 of the size"
    return Estimate(slope, slope - half, slope + half, level, len(sizes), method)
