"""Audits of logged answers that stop early: errors whenever one looks, requests saved.

Each is of 4,000 items in blocks of 100, with three shuffles; right answers with the
item's evidence and with another's share most of what decides them, so that about a
quarter change. One looks after every block.
"""

from collections import Counter
from collections.abc import Sequence

import numpy as np

from bench.figures import Figure
from measurand.core.arrays import Floats
from measurand.stats.sequential import ERROR, GO_ON, LOSES, WITHIN, decide

AUDITS = 1000
ITEMS, BLOCK, SHUFFLES = 4000, 100, 3
RIGHT, SHARED = 0.8, 0.7
MARGINS = (0.02, 0.05)


def run(arguments: Sequence[str]) -> list[Figure]:
    """What a thousand audits decide at each true loss, and after how many items."""
    figures = []
    for margin in MARGINS:
        for loss in (0.0, margin, 2 * margin, 0.2):
            figures += measure(margin, loss)
    return figures


def measure(margin: float, loss: float) -> list[Figure]:
    """The figures of one true loss."""
    blocks = np.arange(BLOCK, ITEMS + 1, BLOCK)
    decisions = [
        decide(differences(loss, np.random.default_rng([seed, 36])), margin, blocks)
        for seed in range(AUDITS)
    ]
    counts = Counter(decision.label for decision in decisions)
    items = float(np.mean([decision.n for decision in decisions]))
    # What is false of this loss may be called with the error, three times its own
    # spread in so many audits above it; what is true has no bound.
    most = ERROR + 3 * (ERROR * (1 - ERROR) / AUDITS) ** 0.5
    false = {LOSES: loss <= margin, WITHIN: loss >= margin, GO_ON: False}
    where = f"true loss {loss:g}, margin {margin:g}"
    rates = [
        Figure(f"{where}: {label}", counts[label] / AUDITS, "", most if no else None)
        for label, no in false.items()
    ]
    return [*rates, Figure(f"{where}: requests saved", 1 - items / ITEMS, "")]


def differences(loss: float, rng: np.random.Generator) -> Floats:
    """What each item loses, over the shuffles; their mean is the loss."""
    own = rng.random(ITEMS)
    shared = rng.random((SHUFFLES, ITEMS)) < SHARED
    draws = np.where(shared, own, rng.random((SHUFFLES, ITEMS))) < RIGHT - loss
    return np.asarray((own < RIGHT) - draws.mean(axis=0))
