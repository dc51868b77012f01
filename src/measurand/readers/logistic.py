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
from measurand.core.clusters import linked_clusters
from measurand.core.items import Items

LARGEST = 0.5  # a cluster with more of the items than this leaves no fair folds


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
    *,
    items: Items,
) -> float:
    """The temperature that makes out-of-fold scores the best probabilities.

    One temperature keeps the order of the classes and the sum over fields. Items that
    share a text stay in one fold: a text that was learned with its label would make
    the reader look surer than it is of new ones.
    """
    if folds < 2 or len(gold) < 2 * folds:
        return 1.0
    clusters = shared_text_clusters(items)
    fold = rng.permutation(np.arange(len(gold)) % folds)
    if clusters is not None:
        fold = _cluster_folds(clusters, folds, rng)
    scores, known = np.zeros((len(gold), classes)), np.ones(len(gold), bool)
    for number in range(folds):
        inside = fold == number
        scores[inside] = fit_logistic(
            features[~inside], gold[~inside], classes, strength
        ).scores(features[inside])
        if clusters is not None:
            # Few texts may leave a label to one fold: that nobody could know it says
            # nothing about how sure the reader is.
            known[inside] = np.isin(gold[inside], gold[~inside])
    return best_temperature(scores[known], gold[known]) if known.any() else 1.0


def shared_text_clusters(items: Items) -> Ints | None:
    """The items that share a text in any field; None where none does.

    Where sharing in all fields joins more than half of the items, fields are taken one
    by one, the one with the fewest texts first; one that joins too many is left out.
    """
    columns = [items.column(field) for field in items.fields]
    columns.sort(key=lambda column: column.nunique())
    for chosen in (columns, *([column] for column in columns)):
        clusters = linked_clusters(chosen)
        sizes = np.bincount(clusters)
        if len(sizes) == len(items):
            return None
        if sizes.max() <= LARGEST * len(items):
            return clusters
    return None


def hold_out_rows(items: Items, count: int, order: Ints) -> tuple[Ints, Ints]:
    """The first `count` rows of an order and the rest, with no text in both.

    Where texts are shared, whole clusters are taken as the order comes to them, until
    they hold so many.
    """
    clusters = shared_text_clusters(items) if count else None
    if clusters is None:
        return np.sort(order[:count]), np.sort(order[count:])
    ranks = np.full(clusters.max() + 1, len(order))
    np.minimum.at(ranks, clusters[order], np.arange(len(order)))
    rows = order[np.argsort(ranks[clusters[order]], kind="stable")]
    ends = np.cumsum(np.bincount(clusters)[np.argsort(ranks)])
    cut = int(ends[np.searchsorted(ends, count)])
    return np.sort(rows[:cut]), np.sort(rows[cut:])


def _cluster_folds(clusters: Ints, folds: int, rng: np.random.Generator) -> Ints:
    """The fold of each item: clusters go, in random order, to the emptiest fold."""
    sizes = np.bincount(clusters)
    filling, fold = np.zeros(folds, np.int64), np.zeros(len(sizes), np.int64)
    for cluster in rng.permutation(len(sizes)):
        fold[cluster] = filling.argmin()
        filling[fold[cluster]] += sizes[cluster]
    return np.asarray(fold[clusters])


def best_temperature(scores: Floats, gold: Ints) -> float:
    """The temperature at which held-out scores are the best probabilities."""
    rows = np.arange(len(gold))

    def loss(log_temperature: float) -> float:
        shares = log_softmax(scores / np.exp(log_temperature), axis=1)
        return float(-shares[rows, gold].mean())

    optimum = minimize_scalar(loss, bounds=(-3.0, 3.0), method="bounded")
    return float(np.exp(optimum.x))
