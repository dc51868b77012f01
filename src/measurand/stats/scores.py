"""How right a reader's answers are, with intervals."""

import numpy as np
from scipy.stats import binomtest

from measurand.core.arrays import Floats, Ints
from measurand.core.finding import Estimate
from measurand.stats.resampling import bootstrap


def confusion_cells(gold: Ints, answers: Ints, classes: int) -> Floats:
    """One row an item, with a 1 in its cell of the confusion matrix.

    Rows of several readers may be averaged: what follows needs only their sums.
    """
    return np.asarray(np.eye(classes * classes)[gold * classes + answers])


def accuracy(
    rows: Floats, *, rng: np.random.Generator, clusters: Ints | None = None
) -> Estimate:
    """The share of right answers."""

    def statistic(sums: Floats) -> Floats:
        matrix = _confusion_matrix(sums)
        return np.asarray(
            np.trace(matrix, axis1=-2, axis2=-1) / matrix.sum(axis=(-2, -1))
        )

    return bootstrap(statistic, rows, rng=rng, clusters=clusters)


def balanced_accuracy(
    rows: Floats, *, rng: np.random.Generator, clusters: Ints | None = None
) -> Estimate:
    """The mean over the classes that occur of the share answered right."""

    def statistic(sums: Floats) -> Floats:
        matrix = _confusion_matrix(sums)
        sizes = matrix.sum(axis=-1)
        hits = np.diagonal(matrix, axis1=-2, axis2=-1)
        zero = np.zeros_like(hits, dtype=float)
        recall = np.divide(hits, sizes, out=zero, where=sizes > 0)
        return np.asarray(recall.sum(axis=-1) / (sizes > 0).sum(axis=-1))

    return bootstrap(statistic, rows, rng=rng, clusters=clusters)


def mcc(
    rows: Floats, *, rng: np.random.Generator, clusters: Ints | None = None
) -> Estimate:
    """Matthews' correlation, in Gorodkin's form for any number of classes.

    With one predicted class it is 0 by convention, as in scikit-learn.
    """

    def statistic(sums: Floats) -> Floats:
        matrix = _confusion_matrix(sums)
        n = matrix.sum(axis=(-2, -1))
        gold, answers = matrix.sum(axis=-1), matrix.sum(axis=-2)
        hits = np.trace(matrix, axis1=-2, axis2=-1)
        above = hits * n - (gold * answers).sum(axis=-1)
        spread = (n**2 - (answers**2).sum(axis=-1)) * (n**2 - (gold**2).sum(axis=-1))
        below = np.sqrt(np.maximum(spread, 0.0))
        zero = np.zeros_like(above, dtype=float)
        return np.asarray(np.divide(above, below, out=zero, where=below > 0))

    return bootstrap(statistic, rows, rng=rng, clusters=clusters)


def _confusion_matrix(sums: Floats) -> Floats:
    """Sums of cells as confusion matrices: gold × answer."""
    classes = round(sums.shape[-1] ** 0.5)
    return sums.reshape(*sums.shape[:-1], classes, classes)


def wilson_share(hits: int, n: int) -> Estimate:
    """A share with Wilson's interval."""
    interval = binomtest(hits, n).proportion_ci(method="wilson")
    return Estimate(
        hits / n, float(interval.low), float(interval.high), 0.95, n, "Wilson"
    )
