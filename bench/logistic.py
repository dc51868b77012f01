"""Our logistic regression against scikit-learn's newton-cg, on TF-IDF of texts."""

from collections.abc import Sequence

import numpy as np
from sklearn.linear_model import LogisticRegression

from bench.figures import Figure, cpu
from bench.texts import pairs
from measurand.readers.newton import STEPS, Regression, fit_weights
from measurand.readers.ngrams import fit_grams

SIZES = {300: 60, 2_000: 20, 20_000: 3}  # texts, and how often each is fitted
STRENGTH = 1.0


def run(arguments: Sequence[str]) -> list[Figure]:
    """Fit the same features to the same labels with both."""
    return [figure for size, times in SIZES.items() for figure in compare(size, times)]


def compare(size: int, times: int) -> list[Figure]:
    """The figures of so many texts."""
    items = list(pairs(size))
    texts = [item["premise"] + " " + item["hypothesis"] for item in items]
    labels = sorted({item["label"] for item in items})
    gold = np.array([labels.index(item["label"]) for item in items])
    _, features = fit_grams(texts, least=2)
    ours, weights = cpu(lambda: repeat(times, fit_weights, features, gold, STRENGTH))
    theirs, usual = cpu(lambda: repeat(times, fit_usual, features, gold))
    regression = Regression(features, gold, STRENGTH)
    loss, least = (regression.loss(regression.scores(w), w) for w in (weights, usual))
    name = f"{size:,} texts"
    return [
        Figure(f"{name}: loss above scikit-learn's", loss - least, "", most=1e-4),
        Figure(f"{name}: ours", ours / times, "s"),
        Figure(f"{name}: newton-cg", theirs / times, "s"),
        Figure(f"{name}: newton-cg over ours", theirs / ours, "times", least=1.0),
    ]


def repeat(times, fit, *arguments):
    """The weights of the last of so many fits."""
    return [fit(*arguments) for _ in range(times)][-1]


def fit_usual(features, gold):
    """Scikit-learn's weights, with the intercept as the last column."""
    settings = {"C": STRENGTH, "solver": "newton-cg", "max_iter": STEPS, "tol": 1e-4}
    usual = LogisticRegression(**settings).fit(features, gold)
    return np.column_stack([usual.coef_, usual.intercept_])
