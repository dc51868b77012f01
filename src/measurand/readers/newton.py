"""Logistic regression by Newton's method, for the sparse counts of texts.

Conjugate gradients find each step, no further than the slope is worth: a truncated
Newton method (Nocedal and Wright 2006, algorithm 7.1). It takes the steps of
scikit-learn's `newton-cg` and comes to the same weights. An audit fits hundreds of
small regressions, each in about half the time (`bench/results/logistic.json`), and
features may be sparse counts with dense columns, which scikit-learn does not take.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from measurand.core.arrays import Floats, Ints
from measurand.readers.features import Features, transpose

STEPS = 50  # a few more change no answer worth having
FLAT = 1e-4  # the largest slope of the mean loss at which the weights are taken
TURNS = 200  # of conjugate gradients in one step
LEAST_GAIN = 1e-4  # of what the slope promises, for a step to be taken
HALVINGS = 20  # of a step: rounding is all that is left of it then
NO_CURVE = 16 * np.finfo(float).eps  # of a direction, against its squared length
FEW = 5  # rows up to which a product for each is faster than one for all


@dataclass(frozen=True, eq=False)
class Regression:
    """The mean loss of scores that are linear in features, with a decay of weights.

    Weights have a row per class and a column per feature, with a last one for the bias.
    The rows of several classes add up to 0; of two classes the second alone has a row,
    for the first scores 0.

    Attributes:
        features: One row per item.
        gold: The class number of each item; every class is there.
        strength: The inverse of the decay, for all items together.
    """

    features: "csr_array | Features"
    gold: Ints
    strength: float

    @cached_property
    def right(self) -> Floats:
        """Classes × items: 1 for the class of the item."""
        return np.asarray(np.eye(self.gold.max() + 1)[:, self.gold])

    @cached_property
    def first(self) -> int:
        """The first class that has a row."""
        return int(len(self.right) == 2)

    @cached_property
    def transposed(self) -> Any:
        """The features with one column per item."""
        return transpose(self.features)

    def scores(self, weights: Floats) -> Floats:
        """Rows × items."""
        return _multiply(self.features, weights[:, :-1]) + weights[:, -1:]

    def shares(self, scores: Floats) -> Floats:
        """The probability of each class."""
        odds = np.exp(self._below_top(scores))
        return np.asarray(odds / odds.sum(axis=0))

    def loss(self, scores: Floats, weights: Floats) -> float:
        """The mean surprise at the right classes, and the decay."""
        below = self._below_top(scores)
        surprise = np.log(np.exp(below).sum(axis=0)).sum() - _dot(self.right, below)
        decay = _dot(weights[:, :-1], weights[:, :-1]) / (2 * self.strength)
        return float(surprise + decay) / len(self.gold)

    def slope(self, pull: Floats, weights: Floats) -> Floats:
        """Where a pull on the scores and the decay of the weights lead these."""
        slope = weights / self.strength
        slope[:, :-1] += _multiply(self.transposed, pull)
        slope[:, -1] = pull.sum(axis=1)
        slope /= len(self.gold)
        return slope

    def _below_top(self, scores: Floats) -> Floats:
        """Scores of all classes, less the highest of the item."""
        if self.first:
            scores = np.vstack([np.zeros_like(scores), scores])
        return np.asarray(scores - scores.max(axis=0))


def fit_weights(
    features: "csr_array | Features", gold: Ints, strength: float
) -> Floats:
    """The weights of least loss: see `Regression` for their shape."""
    regression = Regression(features, gold, strength)
    right = regression.right[regression.first :]
    weights = np.zeros((len(right), features.shape[1] + 1))
    scores = np.zeros(right.shape)
    for _ in range(STEPS):
        shares = regression.shares(scores)[regression.first :]
        slope = regression.slope(shares - right, weights)
        if np.abs(slope).max() <= FLAT:
            break
        step, moves = _find_step(regression, shares, slope)
        size = step_size(regression, (weights, scores), (step, moves), slope)
        if size == 0:
            break
        weights += size * step
        scores += size * moves
    return weights


def _find_step(
    regression: Regression, shares: Floats, slope: Floats
) -> tuple[Floats, Floats]:
    """About the step to where the slope would end, and what it adds to the scores."""
    step, moves = np.zeros_like(slope), np.zeros_like(shares)
    rest, direction = slope.copy(), -slope
    size = np.abs(slope).sum()
    enough = min(0.5, np.sqrt(size)) * size
    squares = length = _dot(rest, rest)
    for _ in range(TURNS):
        if np.abs(rest).sum() <= enough:
            break
        turn = regression.scores(direction)
        pull = shares * (turn - (shares * turn).sum(axis=0))
        bent = regression.slope(pull, direction)
        curve = _dot(direction, bent)
        if curve <= NO_CURVE * length:
            break
        reach = squares / curve
        step += reach * direction
        moves += reach * turn
        rest += reach * bent
        before, squares = squares, _dot(rest, rest)
        direction *= squares / before
        direction -= rest
        length = squares + (squares / before) ** 2 * length
    return step, moves


def step_size(
    regression: Regression,
    start: tuple[Floats, Floats],
    step: tuple[Floats, Floats],
    slope: Floats,
) -> float:
    """The share of a step, of weights and scores, that lessens the loss; 0 if none."""
    weights, scores = start
    before = regression.loss(scores, weights)
    promise = _dot(slope, step[0])
    for halving in range(HALVINGS):
        size = 0.5**halving
        loss = regression.loss(scores + size * step[1], weights + size * step[0])
        if loss <= before + LEAST_GAIN * size * promise:
            return size
    return 0.0


def _multiply(matrix: Any, rows: Floats) -> Floats:
    """The product of the matrix and each row, of several that add up to 0."""
    products = np.empty((len(rows), matrix.shape[0]))
    free = max(len(rows) - 1, 1)
    if free > FEW:
        products[:free] = (matrix @ rows[:free].T).T
    else:
        for product, row in zip(products, rows[:free], strict=False):
            product[:] = matrix @ row
    if len(rows) > 1:
        np.negative(products[:free].sum(axis=0), out=products[-1])
    return products


def _dot(first: Floats, second: Floats) -> float:
    """The sum of products; unlike that of a matrix product, of one thread."""
    return float(np.einsum("ij,ij->", first, second))
