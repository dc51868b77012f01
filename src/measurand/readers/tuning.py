"""Tuning: the learning rate that suits some items, tried on rows held out of them."""

from collections.abc import Callable, Sequence

import numpy as np

from measurand.core.arrays import Floats, Ints
from measurand.core.errors import ReaderFailed
from measurand.core.items import Items
from measurand.core.reader import Reader

RATES = (5e-7, 1e-6, 5e-6, 1e-5, 5e-5)  # leakage paper, section 2.4.1
SHARE, MOST = 0.1, 2000  # of the rows, and rows at most, that rates are judged by
LEAST = 1e-9  # what a share counts as where it is less, so that its log is finite


def best_rate(
    recipe: Callable[[float], Reader],
    rates: Sequence[float],
    items: Items,
    rng: np.random.Generator,
) -> float:
    """The rate with the best accuracy on held-out rows; ties go to the lower loss.

    Every rate starts from the same seed, so they differ in nothing else. A rate at
    which the loss is no number is never the best.
    """
    train_items, held_out = split_for_tuning(items, rng)
    seed = int(rng.integers(2**31))
    results = []
    for rate in rates:
        right, loss = _judge_rate(recipe(rate), train_items, held_out, seed)
        if np.isfinite(loss):
            results.append((-right, loss, rate))
    if not results:
        tried = ", ".join(f"{rate:g}" for rate in rates)
        raise ReaderFailed(
            f"the loss is not a number at any learning rate of {tried}; try lower ones"
        )
    return min(results)[-1]


def _judge_rate(
    reader: Reader, train_items: Items, held_out: Items, seed: int
) -> tuple[float, float]:
    """Accuracy and loss on `held_out` after learning from `train_items`."""
    try:
        fitted = reader.fit(train_items, np.random.default_rng(seed))
    except ReaderFailed as failed:
        # Too little memory has an error behind it, and is no matter of the rate; a
        # loss that is not a number was found by looking.
        if failed.__cause__ is not None:
            raise
        return 0.0, np.nan
    probabilities, gold = fitted.predict(held_out), held_out.gold(fitted.classes)
    return float(
        (probabilities.argmax(axis=1) == gold).mean()
    ), negative_log_likelihood(probabilities, gold)


def negative_log_likelihood(probabilities: Floats, gold: Ints) -> float:
    """The mean negative log-probability of the right answers.

    >>> probabilities = np.array([[0.5, 0.5], [0.0, 1.0]])
    >>> round(negative_log_likelihood(probabilities, np.array([0, 1])), 3)
    0.347
    """
    shares = probabilities[np.arange(len(gold)), gold]
    return float(-np.log(np.maximum(shares, LEAST)).mean())


def split_for_tuning(items: Items, rng: np.random.Generator) -> tuple[Items, Items]:
    """The rows to learn from and those to judge by, with labels in like shares.

    One row of each label is always learned from, so that every label is known.
    """
    gold = items.gold(items.classes)
    order = rng.permutation(len(items))
    order = order[np.argsort(gold[order], kind="stable")]
    free = order[1:][np.diff(gold[order]) == 0]
    if not len(free):
        raise ReaderFailed(
            f"{len(items)} items of {len(items.classes)} labels are too few to choose "
            "a learning rate on; give one instead"
        )
    many = min(MOST, len(free), max(1, int(SHARE * len(items))))
    is_held_out = np.zeros(len(items), bool)
    is_held_out[free[np.arange(many) * len(free) // many]] = True
    return items.rows(~is_held_out), items.rows(is_held_out)
