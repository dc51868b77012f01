"""Three answers instead of two: above the margin, within it, or undecided.

"Near zero" is two one-sided tests at 5 %: the 90 % interval lies inside the margin,
also where it excludes 0 (small, not zero). A p-value over 0.05 never says so.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from math import ceil, sqrt

import numpy as np
from scipy.special import ndtri, stdtrit

from measurand.core.arrays import Floats, Ints
from measurand.core.errors import Undefined
from measurand.core.estimate import Estimate

ABOVE = "depends"
WITHIN = "near zero"
UNDECIDED = "undecided"


def equivalence_decision(
    interval: Callable[[float], Estimate], margin: float, tests: int = 1
) -> str:
    """What an effect with these intervals is, at a margin declared before the run.

    Args:
        interval: The effect with an interval of a level.
        margin: What still counts as nothing.
        tests: How many effects share the 5 % of false alarms; each has its share.

    >>> exact = lambda level: Estimate(0.01, 0.005, 0.015, level, 100, "known")
    >>> [equivalence_decision(exact, margin) for margin in (0.02, 0.001, 0.01)]
    ['near zero', 'depends', 'undecided']
    """
    if interval(1 - 0.05 / tests).low > margin:
        return ABOVE
    if interval(0.90).within(margin):
        return WITHIN
    return UNDECIDED


def benjamini_hochberg(p: Floats) -> Floats:
    """Q-values: the share of false alarms among all that are at least so small.

    >>> benjamini_hochberg(np.array([0.01, 0.04, 0.03])).round(3).tolist()
    [0.03, 0.04, 0.04]
    """
    count = len(p)
    order = np.argsort(p)
    shares = p[order] / (np.arange(1, count + 1) / count)
    stepwise = np.minimum.accumulate(shares[::-1])[::-1]
    return _put_back(stepwise, order)


def _put_back(adjusted: Floats, order: Ints) -> Floats:
    """The adjusted p-values of at most 1, each where its own stood before sorting."""
    values = np.empty(len(order))
    values[order] = np.minimum(adjusted, 1.0)
    return values


POWER = 0.8


def round_up(count: int) -> int:
    """The count to two digits and no less: more would claim what no advice can.

    >>> [round_up(count) for count in (7, 99, 501, 4027, 4100)]
    [7, 99, 510, 4100, 4100]
    """
    step: int = 10 ** max(0, len(str(count)) - 2)
    return -(-count // step) * step


def items_to_equate(margin: float, discordance: float, *, power: float = POWER) -> int:
    """Items that show a true zero to lie within ± margin, by two 5 % one-sided tests.

    >>> items_to_equate(0.02, 0.05), items_to_equate(0.02, 0.20)
    (1071, 4282)
    >>> items_to_equate(0.05, 0.20)
    686
    """
    z = ndtri(0.95) + ndtri((1 + power) / 2)
    return ceil(discordance * (z / margin) ** 2)


def items_to_detect(effect: float, discordance: float, *, power: float = POWER) -> int:
    """Items by which McNemar's test sees an effect of that size.

    >>> items_to_detect(0.02, 0.10), items_to_detect(0.05, 0.20)
    (1960, 626)
    """
    null = ndtri(0.975) * sqrt(discordance)
    alternative = ndtri(power) * sqrt(discordance - effect**2)
    return ceil(((null + alternative) / effect) ** 2)


def detectable_effect(n: int, discordance: float, *, power: float = POWER) -> float:
    """The smallest effect that `n` items can tell from zero.

    >>> round(detectable_effect(1960, 0.10), 3)
    0.02
    """
    return float((ndtri(0.975) + ndtri(power)) * sqrt(discordance / n))


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
    low, high = value - float(below), value + float(above)
    # Items that may be shared are not counted twice.
    n = max(first.n, second.n) if dependent else first.n + second.n
    return Estimate(value, low, high, first.level, n, method)


def _arm(low: float, high: float) -> float:
    return max(high - low, 0.0)


ONE_TRAINING = "one training, whose variance is not in it"
SHARE_POWER = 1.25  # brings coverage nearest to 0.95 for one and two degrees of freedom


def two_source_quantile(
    level: float, variances: tuple[float, float], freedoms: tuple[float, float]
) -> float:
    """What a standard error of two sources is multiplied by.

    Between both t quantiles, by the share of the second variance. Cochran and Cox
    (1957) take the share itself, which covers up to 0.98 where the second has one
    degree of freedom; to the power below it covers 0.930 to 0.971 with two seeds and
    0.947 to 0.965 with three, whatever the true shares of the two. A t of
    Satterthwaite's degrees of freedom covers 0.87 where a small spread between two
    seeds is luck.

    >>> [round(two_source_quantile(0.95, (1, v), (99, 1)), 2) for v in (0, 1, 99)]
    [1.98, 6.49, 12.57]
    """
    first, second = np.asarray(stdtrit(freedoms, (1 + level) / 2))
    if not any(variances):
        return float(first)
    share = variances[1] / sum(variances)
    return float(first + (second - first) * share**SHARE_POWER)


def pool_estimates(estimates: Sequence[Estimate], what: str = "runs") -> Estimate:
    """The mean of the estimates, its interval holding the spread between the runs.

    The items are the same in every run, so averaging takes nothing from what they
    make uncertain; what training makes uncertain is averaged over the runs. Each arm
    is that of the items where runs do not differ, and a t interval over the runs where
    nothing else varies.

    Args:
        estimates: One a run.
        what: What the runs are.

    >>> one, two = (Estimate(v, v - 1, v + 1, 0.95, 9, "t") for v in (0.0, 0.2))
    >>> print(pool_estimates([one, two]))
    0.100 [-1.010, 1.210]
    """
    if not estimates:
        raise Undefined("no run gave an estimate")
    first = estimates[0]
    if len(estimates) == 1:
        return first
    values = np.array([estimate.value for estimate in estimates])
    value = float(values.mean())
    variance = float(values.var(ddof=1)) / len(values)
    below = float(np.mean([estimate.value - estimate.low for estimate in estimates]))
    above = float(np.mean([estimate.high - estimate.value for estimate in estimates]))
    method = f"{first.method}; {averaged_runs(len(values), what)}"
    return replace(
        first,
        value=value,
        low=value - _widen_arm(below, variance, len(values) - 1, first.level),
        high=value + _widen_arm(above, variance, len(values) - 1, first.level),
        method=method,
    )


def widen_estimate(
    estimate: Estimate, variance: float, freedom: int, what: str
) -> Estimate:
    """The estimate, its interval also holding a variance of so many degrees of freedom.

    >>> one = Estimate(0.0, -1.0, 1.0, 0.95, 9, "t")
    >>> print(widen_estimate(one, 0.0, 4, "nothing")), print(
    ...     widen_estimate(one, 1.0, 4, "deals")
    ... )
    0.000 [-1.000, 1.000]
    0.000 [-2.887, 2.887]
    (None, None)
    """
    arms = estimate.value - estimate.low, estimate.high - estimate.value
    below, above = (_widen_arm(a, variance, freedom, estimate.level) for a in arms)
    low, high = estimate.value - below, estimate.value + above
    return replace(estimate, low=low, high=high, method=f"{estimate.method}; {what}")


def averaged_runs(runs: int, what: str = "runs") -> str:
    """How the method of an interval says that it is of several runs."""
    return f"mean of {runs} {what}, their spread added"


def _widen_arm(arm: float, variance: float, freedom: int, level: float) -> float:
    """The arm of an interval over items that also holds a variance between runs."""
    # An arm has its own quantile in it already: in units of the normal one it is an
    # error that is known, however it was found.
    arm_variance = (arm / float(ndtri((1 + level) / 2))) ** 2
    quantile = two_source_quantile(level, (arm_variance, variance), (np.inf, freedom))
    return quantile * sqrt(arm_variance + variance)
