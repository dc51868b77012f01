"""One estimate from several runs over the same items."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from scipy.stats import norm

from measurand.core.errors import Undefined
from measurand.core.finding import Estimate


def pool_estimates(estimates: Sequence[Estimate], what: str = "runs") -> Estimate:
    """The mean of the estimates, its interval holding the spread between the runs.

    The items are the same in every run, so averaging takes nothing from what they
    make uncertain; what training makes uncertain is averaged over the runs.

    >>> one, two = (Estimate(v, v - 1, v + 1, 0.95, 9, "t") for v in (0.0, 0.2))
    >>> print(pool_estimates([one, two]))
    0.100 [-0.919, 1.119]
    """
    if not estimates:
        raise Undefined("no run gave an estimate")
    first = estimates[0]
    if len(estimates) == 1:
        return first
    values = np.array([estimate.value for estimate in estimates])
    value = float(values.mean())
    spread = float(values.std(ddof=1) / np.sqrt(len(values)))
    extra = float(norm.ppf((1 + first.level) / 2)) * spread
    below = float(np.mean([estimate.value - estimate.low for estimate in estimates]))
    above = float(np.mean([estimate.high - estimate.value for estimate in estimates]))
    method = f"{first.method}; mean of {len(values)} {what}, their spread added"
    return replace(
        first,
        value=value,
        low=value - float(np.hypot(below, extra)),
        high=value + float(np.hypot(above, extra)),
        method=method,
    )
