"""What a detector gets from rationales alone: right answers, and bits.

Accuracy over the majority cannot show a leak of rare labels: of labels of which 96 in
100 are one, nobody is 0.05 more often right than who always says that one. So a
detector's answers are held against the shares of the labels in bits too, as in the
leakage audit: V-information of the rationale alone about the label.

A detector that was fitted on few texts is too sure, or not sure enough. What it says
over the shares of the labels is scaled by whatever is best for the other folds of the
items asked about; scaled by 0, it has said nothing, and tells 0 bits exactly.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar
from scipy.special import log_softmax

from measurand.core.arrays import Bools, Floats

FLOOR = 1e-6  # least probability before a logarithm: float32 may say 0
FOLDS = 5  # of the items asked about, each scaled by what is best for the others
MOST_SCALE = 20.0  # how many times surer a detector may be made than it was

Shares = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Detection:
    """What a detector of rationales alone said of each item.

    Attributes:
        right: Whether its answer is right.
        logs: The log-probability of the gold label, scaled on other items.
        null: The same for who knows no more than how labels were shared out.
    """

    right: Bools
    logs: Floats
    null: Floats

    @property
    def bits(self) -> float:
        """What the rationales predict of a label, on average."""
        return float((self.logs - self.null).mean() / np.log(2))


def label_logs(labels: NDArray[np.int64], classes: int) -> Floats:
    """The log of each label's share; one that is missing has half an item's."""
    counts = np.maximum(np.bincount(labels, minlength=classes), 0.5)
    return np.asarray(np.log(counts / counts.sum()))


def gold_logs(shares: Shares, gold: NDArray[np.int64]) -> Floats:
    """The log-probability of each item's label, not below that of `FLOOR`."""
    gold_shares = shares[..., np.arange(len(gold)), gold].astype(float)
    return np.asarray(np.log(np.maximum(gold_shares, FLOOR)))


def read_detector(shares: Shares, gold: NDArray[np.int64], prior: Floats) -> Detection:
    """What the answers of a detector come to.

    Args:
        shares: Its answers: items × classes.
        gold: The number of each item's label.
        prior: The log of each label's share where it learned.
    """
    excess = np.log(np.maximum(shares.astype(float), FLOOR)) - prior
    folds, rows = np.arange(len(gold)) % FOLDS, np.arange(len(gold))
    logs = np.empty(len(gold))
    for fold in range(FOLDS):
        inside = folds == fold
        scale = _best_scale(excess[~inside], gold[~inside], prior)
        logs[inside] = log_softmax(prior + scale * excess[inside], axis=1)[
            rows[: inside.sum()], gold[inside]
        ]
    right = np.asarray(shares.argmax(axis=1) == gold)
    return Detection(right, logs, np.asarray(prior[gold]))


def _best_scale(excess: Floats, gold: NDArray[np.int64], prior: Floats) -> float:
    """By how much what is said over the shares is best scaled; 0 where it misleads."""
    if not len(gold):
        return 0.0
    columns, right = np.ascontiguousarray(excess.T), excess[np.arange(len(gold)), gold]

    def loss(scale: float) -> float:
        scores = prior[:, None] + scale * columns
        top = scores.max(axis=0)
        total = np.log(np.exp(scores - top).sum(axis=0)) + top
        return float((total - prior[gold] - scale * right).mean())

    optimum = minimize_scalar(loss, bounds=(0.0, MOST_SCALE), method="bounded")
    return float(optimum.x) if optimum.fun < loss(0.0) else 0.0
