"""Sequential e-values of a mean of bounded paired differences: stop at any time.

A bet on each difference, sized by the differences before it, multiplies a wealth that
in expectation does not grow while the mean is on the bet's other side: by Ville's
inequality the chance that it ever exceeds 1 / error is at most the error (Waudby-Smith
and Ramdas 2024, "Estimating means of bounded random variables by betting"). So one may
look after every block, and stop when something is decided.
"""

from dataclasses import dataclass

import numpy as np

from measurand.core.arrays import Floats, Ints
from measurand.core.errors import Undefined

ERROR = 0.05
MOST = 0.5  # of the wealth that a bet may risk on the worst difference
LOSES, WITHIN, GO_ON = "loses", "within the margin", "go on"


@dataclass(frozen=True)
class Decision:
    """What differences so far decide at a margin.

    Attributes:
        label: "loses" (more than the margin), "within the margin", or "go on".
        n: After how many differences it was decided; all of them where it was not.
    """

    label: str
    n: int


def wealth(values: Floats, mean: float, sign: int) -> Floats:
    """The wealth after each value, of bets that the mean is above (1) or below (-1).

    Args:
        values: Differences from -1 to 1, in the order in which they came.
        mean: The mean that is bet against.
        sign: On which side the bet is.

    >>> bool(wealth(np.ones(50), 0.0, 1)[-1] > 1000)
    True
    """
    values = np.asarray(values, float)
    if np.any((values < -1) | (values > 1)):
        raise Undefined("differences lie from -1 to 1; give those of shares")
    gains = sign * (values - mean)
    counts = np.arange(len(gains))
    # One gain of the middle and one of the widest spread stand before the first.
    total = np.concatenate([[0.0], np.cumsum(gains)[:-1]])
    squares = np.concatenate([[0.0], np.cumsum(gains**2)[:-1]])
    average = total / (counts + 1)
    second = (squares + 0.25) / (counts + 1)
    bets = np.clip(average / second, 0.0, MOST / (1 + abs(mean)))
    with np.errstate(over="ignore"):  # what is beyond all numbers is beyond any bound
        return np.asarray(np.cumprod(1 + bets * gains))


def decide(
    values: Floats, margin: float, blocks: Ints, error: float = ERROR
) -> Decision:
    """What is decided after the first of these blocks that decides anything.

    A loss above the margin is shown by one bet; one within it by two, which must both
    win. A true loss at the margin is called either with at most the error, whenever
    one looks.

    Args:
        values: What each item loses, in the order in which they were asked.
        margin: What still counts as nothing.
        blocks: After how many items one looks, rising.
        error: Of each of the two decisions.
    """
    above = np.maximum.accumulate(wealth(values, margin, 1))
    below = np.maximum.accumulate(wealth(values, margin, -1))
    over = np.maximum.accumulate(wealth(values, -margin, 1))
    within = np.minimum(below, over)
    for n in blocks:
        if above[n - 1] >= 1 / error:
            return Decision(LOSES, int(n))
        if within[n - 1] >= 1 / error:
            return Decision(WITHIN, int(n))
    return Decision(GO_ON, int(blocks[-1]))
