"""Certified cues: chosen on half of the families, tested on the other, and swapped.

A cue that is always right in 5 % of 3,000 items is there beyond doubt, though an
accuracy over all items hardly moves. What is chosen among thousands of candidates seems
to predict by luck; so what is chosen on one half is tested on the other, where each
family has one vote, and all tests of all parts share one error by Holm.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypedDict

import numpy as np
from scipy.sparse import csc_array, csr_array
from scipy.special import betainc

from measurand.core.arrays import Bools, Floats, Ints
from measurand.core.estimate import Estimate
from measurand.core.seeds import generator
from measurand.cues import CUES
from measurand.cues.candidates import Candidates, PartTexts
from measurand.stats.scores import wilson_share

MOST_TESTED = 15  # candidates of one kind that a half of the families chooses
LEAST_FAMILIES = 3  # that have a candidate in the half that chooses it
LEAST_Z = 1.5


@dataclass(frozen=True)
class Cue:
    """One thing that predicts one label.

    Attributes:
        part: Where it is seen.
        kind: The kind of cue.
        name: What it is.
        label: What it predicts.
        coverage: The share of items that have it.
        productivity: How often an item that has it has the label.
        base: How often any item has the label.
        p: The chance of so many right votes in the half that did not choose it.
        rows: The rows that have it.
    """

    part: str
    kind: str
    name: str
    label: str
    coverage: float
    productivity: Estimate
    base: float
    p: float
    rows: Ints = field(default_factory=lambda: np.empty(0, np.int64), compare=False)


def find_cues(
    part: str, rows: PartTexts, family: Ints, seed: int, kinds: Sequence[str] = ()
) -> list[Cue]:
    """All candidates of a part that were tested, the surest first."""
    numbers = np.unique(family[rows.item], return_inverse=True)[1]
    count = int(numbers.max()) + 1
    chooses = generator(seed, "cues", part).permutation(count) % 2 == 0
    cues: list[Cue] = []
    for kind in kinds or tuple(CUES.entries):
        candidates: Candidates = CUES.thing(kind)(rows)
        if candidates.marks.shape[1]:
            votes = count_votes(candidates.marks, numbers, rows)
            cues += _test(part, kind, rows, candidates, votes, chooses)
    # Of equals the plainer: a word before the place where it stands.
    ranks = {kind: rank for rank, kind in enumerate(CUES.entries)}
    return sorted(cues, key=lambda cue: (cue.p, ranks[cue.kind], cue.name))


@dataclass(frozen=True, eq=False)
class Votes:
    """How families vote on candidates.

    Attributes:
        has: Families × candidates: 1 where any row of the family has it.
        share: For each class, the share of these rows that are of the class.
        expected: The same, were the candidate no sign of the class. One choice of an
            item is right, so that chance is less where there are more of them.
        base: The share of each class, families counted once.
    """

    has: csr_array
    share: Sequence[csr_array]
    expected: Sequence[csr_array]
    base: Floats


def count_votes(marks: csr_array, family: Ints, rows: PartTexts) -> Votes:
    """One vote a family and candidate, shared out over the classes of its rows."""
    count, length = int(family.max()) + 1, len(family)
    gather = csr_array((np.ones(length), (family, np.arange(length))), (count, length))
    totals = csr_array(gather @ marks)
    has, inverse = totals.copy(), totals.copy()
    has.data = np.ones(len(has.data))
    inverse.data = 1 / inverse.data
    sizes = np.bincount(family)
    shares, expected, base = [], [], []
    for label in range(len(rows.classes)):
        inside = rows.gold == label
        of_label = csr_array(gather[:, inside] @ marks[inside])
        shares.append(csr_array(inverse.multiply(of_label)))
        base.append(float(np.mean(np.bincount(family, inside, count) / sizes)))
        chance = np.full(length, base[label])
        if rows.contests:
            chance = (np.bincount(rows.item, inside) / np.bincount(rows.item))[
                rows.item
            ]
        by_chance = csr_array(gather @ csr_array(marks.multiply(chance[:, None])))
        expected.append(csr_array(inverse.multiply(by_chance)))
    return Votes(has, shares, expected, np.array(base))


def _test(
    part: str,
    kind: str,
    rows: PartTexts,
    candidates: Candidates,
    votes: Votes,
    chooses: Bools,
) -> list[Cue]:
    """The candidates that one half of the families chooses, tested on the other."""
    chances: dict[tuple[int, int], float] = {}
    for half in (chooses, ~chooses):
        n, right, expected = _count_half(votes, ~half)
        for column, label in _choose(votes, half):
            count, hits = int(n[column]), np.floor(right[label][column] + 1e-9)
            chance = float(expected[label][column]) / max(count, 1)
            # The tail of a binomial; all of it from 0 on.
            p = float(betainc(hits, count - hits + 1, chance)) if hits else 1.0
            # Of both halves the surer: Holm counts them as two tests.
            chances[column, label] = min(p, chances.get((column, label), 1.0))
    columns = csc_array(candidates.marks)
    return [
        Cue(
            part=part,
            kind=kind,
            name=candidates.names[column],
            label=rows.classes[label],
            base=float(np.mean(rows.gold == label)),
            p=p,
            **_count_support(rows, columns, column, label),
        )
        for (column, label), p in chances.items()
    ]


def _count_half(
    votes: Votes, half: Bools
) -> tuple[Floats, Sequence[Floats], Sequence[Floats]]:
    """How many families of a half have each candidate; by class, their votes."""

    def count(matrix: csr_array) -> Floats:
        return np.asarray(matrix[half].sum(axis=0), float).ravel()

    right, expected = map(count, votes.share), map(count, votes.expected)
    return count(votes.has), [*right], [*expected]


def _choose(votes: Votes, half: Bools) -> list[tuple[int, int]]:
    """The candidates and classes that go together most in one half."""
    n, shares, chances = _count_half(votes, half)
    chosen: list[tuple[float, int, int]] = []
    for label, (right, expected) in enumerate(zip(shares, chances, strict=True)):
        spread = expected * (1 - expected / np.maximum(n, 1))
        z = (right - expected) / np.sqrt(np.maximum(spread, 1e-9))
        z[n < LEAST_FAMILIES] = -np.inf
        order = np.lexsort([np.arange(len(z)), -z])[:MOST_TESTED]
        chosen += [(float(z[c]), int(c), label) for c in order if z[c] > LEAST_Z]
    best = sorted(chosen, key=lambda row: (-row[0], row[1], row[2]))[:MOST_TESTED]
    return [(column, label) for _, column, label in best]


class _Support(TypedDict):
    """The rows that have a candidate, and what they show."""

    rows: Ints
    coverage: float
    productivity: Estimate


def _count_support(
    rows: PartTexts, marks: csc_array, column: int, label: int
) -> _Support:
    """What a candidate covers, and how often its items have the label."""
    marked = np.flatnonzero(marks[:, [column]].toarray().ravel())
    items = np.unique(rows.item[marked])
    right = int((rows.gold[marked] == label).sum())
    return {
        "rows": marked,
        "coverage": len(items) / (int(rows.item.max()) + 1),
        "productivity": wilson_share(right, len(marked)),
    }


def cue_scores(rows: PartTexts, cue: Cue) -> Floats:
    """How often each item is right for who sees this cue and nothing else.

    Of labels, the commonest with the cue or without it; of choices, any of those that
    the cue leaves.
    """
    has = np.zeros(len(rows.gold), bool)
    has[cue.rows] = True
    if not rows.contests:
        right = np.zeros(len(has))
        for side in (has, ~has):
            counts = np.bincount(rows.gold[side], minlength=1)
            right[side] = rows.gold[side] == counts.argmax()
        return right
    left = has if cue.label == rows.classes[0] else ~has
    counts = np.bincount(rows.item, left)
    left = left | (counts == 0)[rows.item]  # where none is left, any of all
    return np.bincount(rows.item, left & (rows.gold == 0)) / np.bincount(
        rows.item, left
    )


def certified(cues: Mapping[str, Sequence[Cue]], error: float) -> dict[str, list[Cue]]:
    """The cues of each part that are certain, all tests of all parts by Holm.

    A cue within the rows of a surer one that it does not exceed is the same, and left
    out: so the words of one phrase are one cue.
    """
    ranked = sorted((cue for part in cues.values() for cue in part), key=lambda c: c.p)
    tests = 2 * len(ranked)  # each was the choice of one half or of both
    sure: dict[str, list[Cue]] = {part: [] for part in cues}
    for rank, cue in enumerate(ranked):
        if cue.p * (tests - rank) > error:
            break
        if not any(_is_within(cue, surer) for surer in sure[cue.part]):
            sure[cue.part].append(cue)
    return sure


def _is_within(cue: Cue, surer: Cue) -> bool:
    """Whether a cue is part of a surer one, and predicts no better."""
    inside = cue.label == surer.label and len(cue.rows) > 0
    return (
        inside
        and cue.productivity.low <= surer.productivity.high
        and bool(np.isin(cue.rows, surer.rows, assume_unique=True).all())
    )
