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
from measurand.core.estimate import Estimate

TARGET = 0.05  # accuracy over the majority at which a masked rationale leaks no more
RARE = 0.1  # share under which a label is too rare for accuracy to show that it is told
FLOOR = 1e-6  # least probability before a logarithm: float32 may say 0
FOLDS = 5  # of the items asked about, each scaled by what is best for the others
MOST_SCALE = 20.0  # how many times surer a detector may be made than it was

FORM_LEAKS = "form leaks"  # what is said where words are hidden and form is not

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
        """What the rationales tell of a label, on average."""
        return float((self.logs - self.null).mean() / np.log(2))

    def leaks(self, gold: NDArray[np.int64]) -> bool:
        """Whether it gets more than a masked rationale may give."""
        majority = np.bincount(gold).max() / len(gold)
        limit = bits_limit(self.null, len(np.unique(gold)))
        return bool(self.right.mean() > majority + TARGET or self.bits > limit)


def label_logs(labels: NDArray[np.int64], classes: int) -> Floats:
    """The log of each label's share; one that is missing has half an item's."""
    counts = np.maximum(np.bincount(labels, minlength=classes), 0.5)
    return np.asarray(np.log(counts / counts.sum()))


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


def bits_limit(null: Floats, classes: int) -> float:
    """The bits over which a rationale leaks, whatever the shares of the labels.

    Even labels that are told outright in so many items that accuracy rises by `TARGET`
    tell this share of all there is: 0.1 of 1 bit for two labels. Of two even labels no
    rationale tells more bits than that without more right answers. Of one label there
    is nothing to tell, and no bits are a leak.
    """
    if classes < 2:
        return float("inf")
    return float(TARGET * classes / (classes - 1) * -null.mean() / np.log(2))


@dataclass(frozen=True)
class Leak:
    """What rationales alone give away, with intervals.

    Attributes:
        accuracy: How many labels are right.
        bits: What is told of a label.
        limit: The accuracy over which it is a leak.
        bits_limit: The bits over which it is one.
        has_rare: Whether a label is so rare that only bits show that it is hidden.
    """

    accuracy: Estimate
    bits: Estimate
    limit: float
    bits_limit: float
    has_rare: bool = False

    @property
    def is_sure(self) -> bool:
        """Whether one of the two surely is over its limit."""
        return self.in_accuracy or self.bits.low > self.bits_limit

    @property
    def in_accuracy(self) -> bool:
        """Whether right answers alone show it."""
        return self.accuracy.low > self.limit

    @property
    def is_possible(self) -> bool:
        """Whether accuracy, or with rare labels bits, may be over its limit.

        Bits of few items are never certain, so with common labels they raise a doubt
        only where they are over it themselves.
        """
        bits = self.bits.high if self.has_rare else self.bits.value
        return self.accuracy.high > self.limit or bits > self.bits_limit

    @property
    def is_over(self) -> bool:
        """Whether one of the two is over its limit, sure or not."""
        return self.accuracy.value > self.limit or self.bits.value > self.bits_limit

    def after_mask(self, *, form_leaks: bool) -> tuple[str, str]:
        """What is said of accuracy and of bits that a mask of words leaves.

        Nothing is hidden where the form of the rationale gives the label away.
        """
        decisions = self.decision, self.bits_decision
        if not form_leaks:
            return decisions
        words, bits = (FORM_LEAKS if d == "hidden" else d for d in decisions)
        return words, bits

    @property
    def decision(self) -> str:
        """What is said beside it: a leak by either, hidden with rare labels by both."""
        if self.is_sure:
            return "leaks"
        return "undecided" if self.is_possible else "hidden"

    @property
    def bits_decision(self) -> str:
        """What the bits alone say."""
        if self.bits.low > self.bits_limit:
            return "leaks"
        return "hidden" if self.bits.high <= self.bits_limit else "undecided"

    def __str__(self) -> str:
        """The accuracy, and the bits where these show what accuracy does not."""
        if self.in_accuracy or not self.is_sure:
            return str(self.accuracy)
        return f"{self.accuracy}, which tells {self.bits} bits"

    @property
    def doubt(self) -> str:
        """Which of the two may be over its limit."""
        if self.accuracy.high > self.limit:
            return f"{self.accuracy} may be over {self.limit:.3f}"
        return f"{self.bits} bits may be over {self.bits_limit:.3f}"
