"""How many items a decision needs, and what so many items can see.

Normal approximations; `discordance` is the share of items whose correctness changes,
which is the variance of a paired difference whose mean is near zero.
"""

from math import ceil, sqrt

from scipy.stats import norm

POWER = 0.8


def items_to_equate(margin: float, discordance: float, *, power: float = POWER) -> int:
    """Items that show a true zero to lie within ± margin, by two 5 % one-sided tests.

    >>> items_to_equate(0.02, 0.05), items_to_equate(0.02, 0.20)
    (1071, 4282)
    >>> items_to_equate(0.05, 0.20)
    686
    """
    z = norm.ppf(0.95) + norm.ppf((1 + power) / 2)
    return ceil(discordance * (z / margin) ** 2)


def items_to_detect(effect: float, discordance: float, *, power: float = POWER) -> int:
    """Items by which McNemar's test sees an effect of that size.

    >>> items_to_detect(0.02, 0.10), items_to_detect(0.05, 0.20)
    (1960, 626)
    """
    null = norm.ppf(0.975) * sqrt(discordance)
    alternative = norm.ppf(power) * sqrt(discordance - effect**2)
    return ceil(((null + alternative) / effect) ** 2)


def detectable_effect(n: int, discordance: float, *, power: float = POWER) -> float:
    """The smallest effect that `n` items can tell from zero.

    >>> round(detectable_effect(1960, 0.10), 3)
    0.02
    """
    return float((norm.ppf(0.975) + norm.ppf(power)) * sqrt(discordance / n))
