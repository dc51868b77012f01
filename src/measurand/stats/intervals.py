"""What two estimates with intervals say of each other, where nothing else is kept."""

import numpy as np

from measurand.core.finding import Estimate


def unpaired_difference(
    first: Estimate, second: Estimate, *, dependent: bool
) -> Estimate | None:
    """The second less the first, from their intervals alone; None where one has none.

    The squares of the arms are added where the two are independent (Zou and Donner
    2008, "square and add"); the arms themselves where they may go together. That keeps
    the level where the two are jointly normal, however they are correlated; in general
    two intervals of 95 % promise 90 %, since each may miss where the other does not.

    >>> one, two = (Estimate(v, v - d, v + d, 0.95, 9, "") for v, d in ((1, 3), (2, 4)))
    >>> print(unpaired_difference(one, two, dependent=False))
    1.000 [-4.000, 6.000]
    >>> print(unpaired_difference(one, two, dependent=True))
    1.000 [-6.000, 8.000]
    """
    numbers = [x for e in (first, second) for x in (e.value, e.low, e.high)]
    if first.level != second.level or not np.isfinite(numbers).all():
        return None
    value = second.value - first.value
    combine = np.add if dependent else np.hypot
    # What the second may lack and the first may have too little of, and vice versa.
    below = combine(_arm(second.low, second.value), _arm(first.value, first.high))
    above = combine(_arm(second.value, second.high), _arm(first.low, first.value))
    method = (
        "not paired: both intervals, arms added"
        if dependent
        else "as if independent: both intervals, squares of arms added"
    )
    ends = value - float(below), value + float(above)
    # Items that may be shared are not counted twice.
    n = max(first.n, second.n) if dependent else first.n + second.n
    return Estimate(value, *ends, first.level, n, method)


def _arm(low: float, high: float) -> float:
    return max(high - low, 0.0)
