"""Two readers of the same items taken as one: what they tell together.

Their probabilities are multiplied, each to a power, and so is what who reads nothing
expects; the powers are those under which the gold labels are likeliest. They are fitted
to the very items, so that what they promise too much is taken off: half a nat for each
reader, shared out over what hangs apart (as in Akaike's criterion).
"""

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import log_softmax

from measurand.core.arrays import Floats, Ints

LEAST = 1e-6  # probability before a logarithm
MOST = 5.0  # of a power
READERS = 2


def stacked_bits(
    first: Floats, second: Floats, guesses: Floats, gold: Ints, apart: int
) -> float:
    """How many bits nearer to the labels both bring an item than guessing does.

    Args:
        first: Items × classes: the probabilities of one reader.
        second: Those of the other.
        guesses: Those of who reads nothing.
        gold: The number of each item's label.
        apart: How many clusters the items make.

    >>> gold = np.array([0, 0, 1, 1] * 50)
    >>> left, right = gold[:, None] == [0, 1], np.full((200, 2), 0.5)
    >>> round(stacked_bits(left * 0.8 + 0.1, right, right, gold, 200), 2)
    0.99
    """
    rows = np.arange(len(gold))
    known = np.log(np.clip(np.stack([first, second, guesses]), LEAST, None))

    def loss(powers: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        logs = log_softmax(np.tensordot(powers, known, 1), axis=1)
        over = known[:, rows, gold] - (np.exp(logs) * known).sum(axis=2)
        return float(-logs[rows, gold].mean()), -over.mean(axis=1)

    bounds = [(0.0, MOST), (0.0, MOST), (-MOST, MOST)]
    best = minimize(loss, [0.5, 0.5, 0.0], jac=True, method="L-BFGS-B", bounds=bounds)
    alone = -known[2, rows, gold].mean()
    return float((alone - best.fun - READERS / (2 * apart)) / np.log(2))
