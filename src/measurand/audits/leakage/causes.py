"""Why a part leaks: the simplest thing that gives as much away.

Something simple explains a leak where a reader adds little to it: what both tell
together is hardly more than what it tells alone. That one tells as many bits as the
other would not do, since they may tell them of other items. Where a few words explain
as much as length or form, the words are the cause, and what goes with them is said.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from measurand.audits.leakage.asking import Runs
from measurand.audits.leakage.settings import EXPLAINS, EXPLAINS_PARTLY
from measurand.audits.leakage.simple import (
    FORM,
    KEY_WORDS,
    LENGTH,
    POSITION,
    SimpleReadings,
)
from measurand.audits.leakage.verdict import Cause
from measurand.core.arrays import Floats, Ints
from measurand.core.clusters import count_clusters
from measurand.stats.stacking import stacked_bits

WORDS = {
    POSITION: "the position of the right choice alone",
    LENGTH: "its length alone",
    FORM: "its form alone (spacing, case, punctuation, symbols, digits, markup, "
    "length)",
}
GOES_WITH = {LENGTH: "with which its length goes", FORM: "with which its form goes"}


@dataclass(frozen=True)
class Share:
    """What something simple has to do with what a reader finds.

    Attributes:
        explained: Of the reader's bits, the share that it adds nothing to.
        told: Of the bits that both tell, the share that it tells alone.
    """

    explained: float
    told: float


def find_cause(
    simple: SimpleReadings, part: str, readers: Sequence[Runs], clusters: Ints
) -> Cause:
    """What explains what readers find in a part: what explains all of them."""
    shares = {
        name: _least_share([share_explained(runs, r, clusters) for r in readers])
        for name, runs in simple.runs[part].items()
        if name in (*WORDS, KEY_WORDS)
    }
    words = shares.pop(KEY_WORDS, Share(0, 0))
    for name, share in shares.items():
        if share.explained < EXPLAINS:
            continue
        if words.explained >= EXPLAINS and name in GOES_WITH:
            return Cause(after_words=GOES_WITH[name])
        percent = 100 * min(share.explained, 1)
        return Cause(f"by {WORDS[name]} ({percent:.0f} % of these bits)", whole=True)
    most = max((share.told for share in shares.values()), default=0.0)
    for name, share in shares.items():
        # Of two that tell nearly as much, the simpler.
        if share.told >= max(EXPLAINS * most, EXPLAINS_PARTLY):
            return Cause(f"{100 * share.told:.0f} % of these bits by {WORDS[name]}")
    return Cause()


def _least_share(shares: Sequence[Share]) -> Share:
    """What is explained of the reader to which it explains least."""
    return Share(min(s.explained for s in shares), min(s.told for s in shares))


def share_explained(simple: Runs, reader: Runs, clusters: Ints) -> Share:
    """What one tells of what the other does; all, where the other tells nothing."""
    first, second = simple.probabilities.mean(axis=0), reader.probabilities.mean(axis=0)
    apart = count_clusters(clusters)
    alone = _told_bits(first, reader.gold)
    found = _told_bits(second, reader.gold)
    both = max(stacked_bits(first, second, reader.gold, apart), alone, found)
    if found <= 0 or both <= 0:
        return Share(1, 1)
    return Share(1 - (both - alone) / found, alone / both)


def _told_bits(probabilities: Floats, gold: Ints) -> float:
    """How many bits nearer to its label an item is brought than by label shares."""
    shares = np.bincount(gold) / len(gold)
    of_gold = np.clip(probabilities[np.arange(len(gold)), gold], 1e-6, None)
    return float(np.log2(of_gold / shares[gold]).mean())
