"""The logistic regression that the linear readers share, with one temperature."""

import warnings
from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.sparse import csr_array
from scipy.special import log_softmax, softmax
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression

from measurand.core.arrays import Floats, Ints


@dataclass(frozen=True, eq=False)
class Linear:
    """Class scores as a linear map of features.

    Attributes:
        weights: Features × classes.
        bias: One number a class.
        temperature: What scores are divided by before they become probabilities.
    """

    weights: Floats
    bias: Floats
    temperature: float = 1.0

    def scores(self, features: csr_array) -> Floats:
        """The score of each class, before temperature."""
        return np.asarray(features @ self.weights + self.bias)

    def probabilities(self, scores: Floats) -> Floats:
        """Scores turned into shares that sum to 1."""
        return np.asarray(softmax(scores / self.temperature, axis=1))


def fit_logistic(
    features: csr_array, gold: Ints, classes: int, strength: float
) -> Linear:
    """The regression of class numbers on features; absent classes score very low."""
    present = np.unique(gold)
    weights, bias = np.zeros((features.shape[1], classes)), np.full(classes, -1e3)
    bias[present] = 0.0
    if len(present) == 1 or features.shape[1] == 0:
        return Linear(weights, bias)
    # Newton's method: on sparse text eight times faster than lbfgs at equal accuracy.
    model = LogisticRegression(C=strength, solver="newton-cg", max_iter=50, tol=1e-4)
    with warnings.catch_warnings():
        # A few more iterations change no answer worth having.
        warnings.simplefilter("ignore", ConvergenceWarning)
        # A few labelled rows of many classes are what few-shot studies are made of.
        warnings.filterwarnings("ignore", "The number of unique classes")
        model.fit(features, gold)
    two = len(present) == 2
    weights[:, present[-1:] if two else present] = model.coef_.T
    bias[present[-1:] if two else present] = model.intercept_
    return Linear(weights, bias)


def fit_temperature(
    features: csr_array,
    gold: Ints,
    classes: int,
    strength: float,
    folds: int,
    rng: np.random.Generator,
) -> float:
    """The temperature that makes out-of-fold scores the best probabilities.

    One temperature keeps the order of the classes and the sum over fields.
    """
    if folds < 2 or len(gold) < 2 * folds:
        return 1.0
    fold = rng.permutation(np.arange(len(gold)) % folds)
    scores = np.zeros((len(gold), classes))
    for number in range(folds):
        inside = fold == number
        scores[inside] = fit_logistic(
            features[~inside], gold[~inside], classes, strength
        ).scores(features[inside])
    return best_temperature(scores, gold)


def best_temperature(scores: Floats, gold: Ints) -> float:
    """The temperature at which held-out scores are the best probabilities."""
    rows = np.arange(len(gold))

    def loss(log_temperature: float) -> float:
        shares = log_softmax(scores / np.exp(log_temperature), axis=1)
        return float(-shares[rows, gold].mean())

    optimum = minimize_scalar(loss, bounds=(-3.0, 3.0), method="bounded")
    return float(np.exp(optimum.x))
