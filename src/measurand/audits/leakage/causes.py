"""Why a part leaks: the simplest thing that gives as much away.

Something simple explains a leak where a reader adds little to it: what both tell
together is hardly more than what it tells alone. That one tells as many bits as the
other would not do, since they may tell them of other items. Where a few words explain
it too, and length or form tells hardly anything without them, the words are the cause,
and what goes with them is said. Of two that each tell some, of other items, both are
named.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from measurand.audits.leakage.asking import Runs
from measurand.audits.leakage.settings import EXPLAINS, EXPLAINS_PARTLY, FLOOR
from measurand.audits.leakage.simple import (
    FORM,
    KEY_WORDS,
    LENGTH,
    POSITION,
    WITHOUT,
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


@dataclass(frozen=True, eq=False)
class Ground:
    """What bits are counted from.

    Attributes:
        guesses: Items × classes: what is expected of who reads nothing.
        clusters: Items with one number hang together.
    """

    guesses: Floats
    clusters: Ints


def find_cause(
    simple: SimpleReadings,
    part: str,
    readers: Sequence[Runs],
    ground: Ground,
    rules: Mapping[str, Runs] | None = None,
) -> Cause:
    """What explains what readers find in a part: what explains all of them.

    Args:
        simple: What readers found that read no word.
        part: The part that leaks.
        readers: The answers of those to whom it does.
        ground: What bits are counted from.
        rules: By how a cause calls it, what each rule tells to which it leaks too.
    """
    telling = [r for r in readers if told_bits(r, ground) > 0]
    # Only what surely tells the label itself can be why others do.
    leaking = {stage.name for stage in simple.stages if part in stage.leaking_parts}
    runs = {**simple.runs[part], **(rules or {})}
    names = [name for name in runs if name in {*leaking, *(rules or ())}]
    if not telling or not names:
        return Cause()
    shares = {
        name: _least_share([share_explained(runs[name], r, ground) for r in telling])
        for name in (*names, *({KEY_WORDS} & {*runs}))
    }
    words = shares.pop(KEY_WORDS, Share(0, 0))
    for name, share in shares.items():
        if share.explained < EXPLAINS:
            continue
        if words.explained >= EXPLAINS and _goes_with_words(runs, name, ground):
            return Cause(after_words=GOES_WITH[name])
        percent = 100 * min(share.explained, 1)
        of_each = f"at least {percent:.0f} % of what each reader finds"
        return Cause(f"by {WORDS.get(name, name)} ({of_each})", whole=True)
    most = max(share.told for share in shares.values())
    for name, share in shares.items():
        # Of two that tell nearly as much, the simpler.
        if share.told >= max(EXPLAINS * most, EXPLAINS_PARTLY):
            first = runs[name]
            apart = [
                other
                for other in shares
                if shares[other].told > 0
                and share_explained(first, runs[other], ground).explained
                < EXPLAINS_PARTLY
            ]
            apart.sort(key=lambda other: -shares[other].told)
            named = [name, *apart[:1]]
            return Cause(" and ".join(_name_part(n, shares[n]) for n in named))
    return Cause()


def _name_part(name: str, share: Share) -> str:
    """How much of a leak something simple tells."""
    return f"{100 * share.told:.0f} % of what it tells by {WORDS.get(name, name)}"


def _goes_with_words(runs: Mapping[str, Runs], name: str, ground: Ground) -> bool:
    """Whether length or form tells less than half of it once a few words are gone."""
    if name not in GOES_WITH:
        return False
    without = told_bits(runs[WITHOUT[name]], ground)
    return without < told_bits(runs[name], ground) / 2


def _least_share(shares: Sequence[Share]) -> Share:
    """What is explained of the reader to which it explains least."""
    return Share(min(s.explained for s in shares), min(s.told for s in shares))


def share_explained(simple: Runs, reader: Runs, ground: Ground) -> Share:
    """What one tells of what the other does, which tells something."""
    apart = count_clusters(ground.clusters)
    alone, found = told_bits(simple, ground), told_bits(reader, ground)
    first, second = simple.probabilities.mean(axis=0), reader.probabilities.mean(axis=0)
    told = stacked_bits(first, second, ground.guesses, reader.gold, apart)
    both = max(told, alone, found)
    return Share(1 - (both - alone) / found, alone / both)


def told_bits(runs: Runs, ground: Ground) -> float:
    """How many bits nearer to its label an item is brought than by guessing."""
    rows = np.arange(len(runs.gold))
    of_gold = runs.probabilities.mean(axis=0)[rows, runs.gold].astype(float)
    guessed = ground.guesses[rows, runs.gold]
    return float(np.log2(np.clip(of_gold, FLOOR, None) / guessed).mean())
