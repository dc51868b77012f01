"""Why a part leaks: the simplest thing that gives as much away.

Something simple explains a leak where a reader adds little to it: what both tell
together is hardly more than what it tells alone. That one tells as many bits as the
other would not do, since they may tell them of other items. What tells hardly anything
without a few words that explain it is no cause: it goes with the words, and is said to;
what tells half without them explains half. Of two that each tell some, of other items,
both are named.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from measurand.audits.leakage.asking import Runs
from measurand.audits.leakage.rules import OF_LENGTH, OF_LIKENESS, RuleRuns, name_rule
from measurand.audits.leakage.settings import EXPLAINS, EXPLAINS_PARTLY, FLOOR
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
# What goes with words.
GOES_WITH = {
    "its length": (LENGTH, *map(name_rule, OF_LENGTH)),
    "its form": (FORM,),
    "its likeness to others": tuple(map(name_rule, OF_LIKENESS)),
}


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
    rules: Mapping[str, RuleRuns] | None = None,
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
    of_rules = {name: rule.runs for name, rule in (rules or {}).items()}
    without = {**simple.without[part]}
    without |= {name: rule.without for name, rule in (rules or {}).items()}
    runs = {**simple.runs[part], **of_rules}
    names = [name for name in runs if name in {*leaking, *of_rules}]
    if not telling or not names:
        return Cause()
    words = runs.get(KEY_WORDS)
    own = {
        name: _own_share(words, runs[name], without.get(name, ()), ground)
        for name in names
    }
    along = {name for name in names if own[name] < EXPLAINS_PARTLY}
    shares = {
        name: _least_share(
            [share_explained(runs[name], r, ground) for r in telling], own[name]
        )
        for name in names
        if name not in along
    }
    for name, share in shares.items():
        if share.explained < EXPLAINS:
            continue
        percent = 100 * min(share.explained, 1)
        of_each = f"at least {percent:.0f} % of what each reader finds"
        return Cause(f"by {WORDS.get(name, name)} ({of_each})", whole=True)
    most = max((share.told for share in shares.values()), default=0.0)
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
            simplest = " and ".join(_name_part(n, shares[n]) for n in named)
            return Cause(simplest, after_words=_name_along(along, named))
    return Cause(after_words=_name_along(along, ()))


def _name_part(name: str, share: Share) -> str:
    """How much of a leak something simple tells."""
    return f"{100 * share.told:.0f} % of what it tells by {WORDS.get(name, name)}"


def _name_along(along: set[str], named: Sequence[str]) -> str:
    """A clause on what goes with words, where nothing like it is named as a cause.

    Form has length, which is said alone.

    >>> _name_along({"length", "surface"}, ())
    'with which its length goes'
    """
    said = [
        what for what, of in GOES_WITH.items() if along & {*of} and not {*named} & {*of}
    ]
    if {LENGTH, FORM} <= along and "its length" in said:
        said.remove("its form")
    goes = "go" if len(said) > 1 else "goes"
    return f"with which {' and '.join(said)} {goes}" if said else ""


def _own_share(
    words: Runs | None, simple: Runs, without: Sequence[Runs], ground: Ground
) -> float:
    """Of what it tells, the share that it tells without a few words.

    In one way of doing without them: a word that was added leaves nothing behind where
    it is taken out, and a word in the place of another where one replaces it. All of it
    is its own where the words explain little of it, or it tells nearly as much.
    """
    if words is None or not without:
        return 1.0
    if share_explained(words, simple, ground).explained < EXPLAINS_PARTLY:
        return 1.0
    left = min(told_bits(each, ground) for each in without)
    share = max(left, 0.0) / told_bits(simple, ground)
    return share if share < 1 - EXPLAINS_PARTLY else 1.0


def _least_share(shares: Sequence[Share], own: float) -> Share:
    """What is explained of the reader to which it explains least, as far as it may."""
    explained = min(share.explained for share in shares)
    return Share(own * explained, own * min(share.told for share in shares))


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
