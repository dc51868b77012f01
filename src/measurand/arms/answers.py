"""What arms answered: runs × items, in the order of the pool, reduced as they come."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from measurand.arms.arm import Arm, Change, Unchanged
from measurand.arms.pool import FOLDS, Pool
from measurand.core.arrays import Bools, Floats, Ints
from measurand.core.choices import guess_table
from measurand.core.recipe import identity
from measurand.core.seeds import generator
from measurand.experiment.ask import Predictions
from measurand.experiment.experiment import Experiment, ask_all, reopen_experiment

FLOOR = 1e-6  # least probability before a logarithm: float32 may say 0


@dataclass(frozen=True, eq=False)
class ArmAnswers:
    """What one arm answered about every item.

    Attributes:
        right: Whether the answer was right: draws × items.
        bits: What the answer says of the label beyond the prior: draws × items.
        shares: The calibrated share of each class, of the first draw: items × classes.
        shuffled: Whether it was right, a repeat a row; of arms with repeats.
        donors: Whose text each item received: repeats × items.
    """

    right: Bools
    bits: Floats
    shares: "NDArray[np.float32]"
    shuffled: Bools | None = None
    donors: "NDArray[np.int32] | None" = None

    @cached_property
    def mean(self) -> Floats:
        """How often each item was answered right, over draws."""
        return np.asarray(self.right.mean(axis=0))

    @cached_property
    def mean_bits(self) -> Floats:
        """What each item's answers say of its label, over draws."""
        return np.asarray(self.bits.mean(axis=0))

    @property
    def accuracy(self) -> float:
        """The share of right answers."""
        return float(self.mean.mean())


def ask_arms(
    experiment: Experiment, pool: Pool, arms: Iterable[Arm]
) -> dict[Arm, ArmAnswers]:
    """The answers of all arms; those about one pool are asked together."""
    by_change: dict[str, tuple[Change, list[Arm]]] = {}
    for arm in dict.fromkeys(arms):
        by_change.setdefault(identity(arm.change), (arm.change, []))[1].append(arm)
    answers: dict[Arm, ArmAnswers] = {}
    for change, chosen in by_change.values():
        answers |= _ask_about(experiment, change_pool(pool, change, experiment), chosen)
    return answers


def change_pool(pool: Pool, change: Change, experiment: Experiment) -> Pool:
    """The pool as the change leaves it."""
    if isinstance(change, Unchanged):
        return pool
    stream = generator(experiment.seed, "arms", identity(change))
    return pool.with_items(change(pool.items, stream))


def _ask_about(
    experiment: Experiment, pool: Pool, arms: Sequence[Arm]
) -> dict[Arm, ArmAnswers]:
    with reopen_experiment(experiment, pool.benchmark) as inner:
        asks = [arm.asks() for arm in arms]
        predictions = iter(
            ask_all(inner, [ask for arm_asks in asks for ask in arm_asks])
        )
    places = {item_id: n for n, item_id in enumerate(pool.items.ids)}
    return {
        arm: _join(arm, [next(predictions) for _ in arm_asks], pool, places)
        for arm, arm_asks in zip(arms, asks, strict=True)
    }


def _join(
    arm: Arm, folds: Sequence[Predictions], pool: Pool, places: Mapping[str, int]
) -> ArmAnswers:
    """What was answered fold by fold, in the order of the pool."""
    items = pool.items
    count, classes = len(items), len(items.classes)
    gold, prior = items.gold(items.classes), guess_table(items, items.classes)
    right = np.zeros((arm.draws, count), bool)
    bits = np.zeros((arm.draws, count))
    shares = np.zeros((arm.draws, count, classes), np.float32)
    shuffled = np.zeros((arm.repeats, count), bool)
    donors = np.zeros((arm.repeats, count), np.int32)
    fold_of = np.zeros((arm.draws, count), np.int64)
    for number, answer in enumerate(folds):
        draw, fold = divmod(number, FOLDS)
        rows = np.array([places[item_id] for item_id in answer.ids])
        right[draw, rows] = answer.correct[0]
        shares[draw, rows] = answer.probabilities[0]
        fold_of[draw, rows] = fold
        if draw == 0:
            shuffled[:, rows] = answer.correct
            if answer.donors is not None:
                donors[:, rows] = rows[answer.donors]
    for draw in range(arm.draws):
        shares[draw] = calibrate(shares[draw], prior, gold, fold_of[draw])
        bits[draw] = label_bits(shares[draw], prior, gold)
    moved = arm.asked is not None
    return ArmAnswers(
        right,
        bits,
        shares[0],
        shuffled if moved else None,
        donors if moved else None,
    )


# How far a score is taken from the prior, and how much more where it is surer: one
# factor for all items understates a cue that is rare and certain.
FACTORS = (0.0, 0.05, 0.1, 0.2, 0.35, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0)
POWERS = (0.0, 1.0, 2.0)
MOST = 4.0  # how much further than usual a sure score is taken


def calibrate(shares: Floats, prior: Floats, gold: Ints, folds: Ints) -> Floats:
    """The shares as far from the prior as is best for the items of the other folds.

    No item has a say in its own factor, and who knows nothing is left with the prior.
    """
    rows, possible = np.arange(len(gold)), prior > 0
    log_prior = np.where(possible, np.log(np.maximum(prior, FLOOR)), -np.inf)
    scores = np.log(np.maximum(shares, FLOOR)) - np.log(np.maximum(prior, FLOOR))
    scores = np.where(possible, scores, 0.0)
    centre = scores.sum(axis=1, keepdims=True) / possible.sum(axis=1, keepdims=True)
    scores = np.where(possible, scores - centre, 0.0)
    spread = np.sqrt((scores**2).mean(axis=1))
    weight = spread / max(float(np.exp(np.mean(np.log(spread + 1e-9)))), 1e-9)
    tables = [
        _log_shares(
            log_prior + scores * (factor * np.minimum(weight**power, MOST))[:, None]
        )
        for factor in FACTORS
        for power in POWERS
    ]
    logs = np.array([table[rows, gold] for table in tables])
    best = np.empty_like(tables[0])
    for fold in np.unique(folds):
        inside = folds == fold
        best[inside] = tables[int(logs[:, ~inside].sum(axis=1).argmax())][inside]
    return np.asarray(np.exp(best))


def _log_shares(scores: Floats) -> Floats:
    """Scores less their log-sum, one row per item."""
    highest = scores.max(axis=1, keepdims=True)
    total = np.exp(scores - highest).sum(axis=1, keepdims=True)
    return np.asarray(scores - highest - np.log(total))


def label_bits(shares: Floats, prior: Floats, gold: Ints) -> Floats:
    """What shares say of each item's label beyond the prior."""
    rows = np.arange(len(gold))
    answered, expected = shares[rows, gold], prior[rows, gold]
    return np.asarray(
        np.log2(np.maximum(answered, FLOOR) / np.maximum(expected, FLOOR))
    )
