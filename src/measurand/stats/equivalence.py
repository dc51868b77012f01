"""Three answers instead of two: above the margin, within it, or undecided.

"Near zero" is two one-sided tests at 5 %: the 90 % interval lies inside the margin,
also where it excludes 0 (small, not zero). A p-value over 0.05 never says so.
"""

from collections.abc import Callable

from measurand.core.finding import Estimate

ABOVE = "depends"
WITHIN = "near zero"
UNDECIDED = "undecided"


def equivalence_decision(interval: Callable[[float], Estimate], margin: float) -> str:
    """What an effect with these intervals is, at a margin declared before the run.

    >>> exact = lambda level: Estimate(0.01, 0.005, 0.015, level, 100, "known")
    >>> equivalence_decision(exact, 0.02), equivalence_decision(exact, 0.001), equivalence_decision(exact, 0.01)
    ('near zero', 'depends', 'undecided')
    """
    if interval(0.95).low > margin:
        return ABOVE
    if interval(0.90).within(margin):
        return WITHIN
    return UNDECIDED
