"""Regression within contests: which of several rows is the right one.

Conditional logistic regression (McFadden 1974): the scores of the choices of one item
go through a softmax, so that what all of them share predicts nothing. Rows of a contest
stand one after another.
"""

import numpy as np
from scipy.optimize import minimize, minimize_scalar
from scipy.sparse import csr_array
from scipy.special import logsumexp, softmax

from measurand.core.arrays import Bools, Floats, Ints
from measurand.readers.features import Features, transpose

STEPS = 100  # of L-BFGS: more of them change no answer worth having
CLOSE = 1e-6  # relative change of the loss at which it stops
LEAST_SHARE = 1e-6  # of the right choice, before a logarithm: float32 may say 0


def fit_contests(
    features: "csr_array | Features",
    right: Bools,
    contests: Ints,
    strength: float,
    folds: int,
) -> tuple[Floats, float]:
    """The weight of each feature, and the temperature for held-out scores.

    Args:
        features: One row per choice.
        right: Which choice is right, one a contest.
        contests: The number of the contest that each choice is in.
        strength: The inverse of the regularisation.
        folds: Held-out folds for the temperature; fewer than 2 leave it at 1.
    """
    weights = _fit_weights(features, right, contests, strength)
    numbers = np.unique(contests, return_inverse=True)[1]
    if folds < 2 or numbers.max(initial=0) < 2 * folds:
        return weights, 1.0
    # By contest, so that neither the order of the choices nor a draw has a say.
    fold = numbers % folds
    scores = np.zeros(len(right))
    for number in range(folds):
        inside = fold == number
        learned = _fit_weights(
            features[~inside], right[~inside], contests[~inside], strength
        )
        scores[inside] = features[inside] @ learned
    return weights, contest_temperature(scores, right, contests)


def contest_temperature(scores: Floats, right: Bools, contests: Ints) -> float:
    """The temperature at which held-out scores are the best shares within contests."""
    return best_temperature(*contest_table(scores, right, contests))


def contest_table(scores: Floats, right: Bools, contests: Ints) -> tuple[Floats, Ints]:
    """Scores with a row per contest, and the place of the right choice in each."""
    numbers, position = contest_places(contests)
    table = np.full((numbers.max() + 1, position.max() + 1), -np.inf)
    table[numbers, position] = scores
    gold = np.zeros(len(table), np.int64)
    gold[numbers[right]] = position[right]
    return table, gold


def contest_places(contests: Ints) -> tuple[Ints, Ints]:
    """The contests numbered from 0, and the position of each row in its own.

    >>> [part.tolist() for part in contest_places(np.array([4, 4, 7, 7, 7]))]
    [[0, 0, 1, 1, 1], [0, 1, 0, 1, 2]]
    """
    numbers = np.unique(contests, return_inverse=True)[1].astype(np.int64)
    return numbers, np.arange(len(numbers)) - _starts(numbers)[numbers]


def _starts(numbers: Ints) -> Ints:
    """The first row of each contest."""
    return np.flatnonzero(np.r_[True, numbers[1:] != numbers[:-1]])


def _fit_weights(
    features: "csr_array | Features", right: Bools, contests: Ints, strength: float
) -> Floats:
    """The weights under which the right choices are likeliest, the small ones first."""
    numbers = np.unique(contests, return_inverse=True)[1]
    starts, columns = _starts(numbers), transpose(features)
    if features.shape[1] == 0:
        return np.zeros(0)

    def loss(weights: Floats) -> tuple[float, Floats]:
        scores = features @ weights
        scores -= np.maximum.reduceat(scores, starts)[numbers]
        odds = np.exp(scores)
        sums = np.add.reduceat(odds, starts)
        cost = float((np.log(sums)[numbers[right]] - scores[right]).sum())
        slope = columns @ (odds / sums[numbers] - right)
        decay = weights / strength
        return cost + float(weights @ decay) / 2, np.asarray(slope + decay)

    options = {"maxiter": STEPS, "ftol": CLOSE}
    origin = np.zeros(features.shape[1])
    best = minimize(loss, origin, jac=True, method="L-BFGS-B", options=options)  # type: ignore[call-overload]
    return np.asarray(best.x)


def best_temperature(scores: Floats, gold: Ints) -> float:
    """The temperature at which held-out scores are the best probabilities."""
    below = np.ascontiguousarray((scores - scores.max(axis=1, keepdims=True)).T)
    right = below[gold, np.arange(len(gold))]

    def loss(log_temperature: float) -> float:
        temperature = np.exp(log_temperature)
        sums = np.exp(below / temperature).sum(axis=0)
        return float((np.log(sums) - right / temperature).mean())

    optimum = minimize_scalar(loss, bounds=(-3.0, 3.0), method="bounded")
    return float(np.exp(optimum.x))


def held_out_loss(scores: Floats, gold: Ints) -> float:
    """The mean surprise at the right choice, at the best temperature."""
    scaled = scores / best_temperature(scores, gold)
    right = scaled[np.arange(len(gold)), gold]
    return float((logsumexp(scaled, axis=1) - right).mean())


def calibrate_shares(shares: Floats, gold: Ints, folds: Ints) -> Floats:
    """The shares of each row at the temperature that is best for the other folds.

    The order of the choices of a row, and what has no share at all, stay as they are.

    >>> sure = np.tile([0.98, 0.02], (8, 1))
    >>> calibrate_shares(sure, np.arange(8) % 2, np.arange(8) // 4).round(2)[0].tolist()
    [0.55, 0.45]
    """
    rows = np.arange(len(gold))
    present = np.array(shares, float)
    present[rows, gold] = np.maximum(present[rows, gold], LEAST_SHARE)
    logs = np.log(present, where=present > 0, out=np.full(present.shape, -np.inf))
    calibrated = present / present.sum(axis=1, keepdims=True)
    for fold in np.unique(folds):
        inside = folds == fold
        if not inside.all():
            temperature = best_temperature(logs[~inside], gold[~inside])
            calibrated[inside] = softmax(logs[inside] / temperature, axis=1)
    return np.asarray(calibrated)
