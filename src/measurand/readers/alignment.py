"""How the words of two texts meet by meaning: each next to the likest of the other.

Every word has a best match in the other text, by the cosine of their vectors. Of these
matches stand here how good they are, how much of the text they cover, which order they
come in, and which side is negated. What is most unlike, and how long both texts are,
helped on no average of real pairs (`python -m bench joining`).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from measurand.core.arrays import Bools, Floats, Ints
from measurand.models.vectors import Lexicon
from measurand.readers.ngrams import WordNumbers

MOST = 300  # words of a text that are aligned, the first ones of more
QUANTILES = (0.0, 0.1, 0.25, 0.5)
WEIGHT = 20.0  # of a word that says much: what sums of weights are divided by
REACH = 3  # words before a match in which a negation is taken to be of it
CELLS = 2**18  # pairs of words that are compared at a time
ROWS = 2**13  # words whose vectors are laid side by side at a time
DIGITS = 6  # of a feature: what is beyond depends on the order of sums
NONE, GRADES = -1, 3  # of how a word of the query is met: not at all, alike, the same


@dataclass(frozen=True, eq=False)
class Alignment:
    """What is known of pairs of texts.

    Attributes:
        features: Pairs × features.
        grades: Of each word of the first texts, end to end: 2 where the other text has
            it, 1 where it has one that is like it, else 0.
    """

    features: Floats
    grades: Ints


def align_texts(
    first: WordNumbers, second: WordNumbers, lexicon: Lexicon, negations: Bools
) -> Alignment:
    """How each text of `first` meets the one of `second` at its place.

    Args:
        first: Numbers of words, rows of the lexicon.
        second: The same, with as many texts.
        lexicon: The vectors of all words.
        negations: Which words negate.
    """
    sizes = [np.diff(texts.starts) for texts in (first, second)]
    features = np.zeros((len(sizes[0]), FEATURES))
    grades = np.zeros(len(first.ids), np.int64)
    for rows in _batches(*sizes):
        a, b = _pad(first, rows), _pad(second, rows)
        block = _Block(a, b, lexicon, negations)
        features[rows] = block.features()
        inside = a != NONE
        places = first.starts[rows][:, None] + np.arange(a.shape[1])
        grades[places[inside]] = block.grades()[inside]
    return Alignment(features.round(DIGITS), grades)


def _batches(first: Ints, second: Ints) -> Iterator[Ints]:
    """Rows of like length, as many as are compared at a time; none without words."""
    first, second = np.minimum(first, MOST), np.minimum(second, MOST)
    full = np.flatnonzero((first > 0) & (second > 0))
    order = full[np.lexsort([first[full], second[full]])]
    start = 0
    while start < len(order):
        width, height = 1, 1
        end = start
        while end < len(order):
            width = max(width, int(first[order[end]]))
            height = max(height, int(second[order[end]]))
            count = end - start + 1
            full_up = count * width * height > CELLS or count * (width + height) > ROWS
            if full_up and end > start:
                break
            end += 1
        yield order[start:end]
        start = end


def _pad(texts: WordNumbers, rows: Ints) -> "NDArray[np.int64]":
    """The words of some texts side by side, NONE behind the last."""
    sizes = np.minimum(np.diff(texts.starts)[rows], MOST)
    columns = np.arange(int(sizes.max()))
    places = texts.starts[rows][:, None] + columns
    inside = columns < sizes[:, None]
    ids = texts.ids[np.minimum(places, len(texts.ids) - 1)]
    return np.where(inside, ids, NONE).astype(np.int64)


class _Block:
    """Some pairs of texts, each padded to the longest."""

    def __init__(self, a: Ints, b: Ints, lexicon: Lexicon, negations: Bools) -> None:
        self.sides = _Side(a, lexicon, negations), _Side(b, lexicon, negations)
        query, evidence = self.sides
        # Whole numbers small enough that float32 holds every sum of products.
        products = query.vectors @ evidence.vectors.transpose(0, 2, 1)
        cosines = products / (query.lengths[:, :, None] * evidence.lengths[:, None, :])
        outside = ~(query.inside[:, :, None] & evidence.inside[:, None, :])
        cosines[outside] = -2
        self.best = [cosines.max(axis=2), cosines.max(axis=1)]
        self.place = cosines.argmax(axis=2)

    def grades(self) -> Ints:
        """How each word of the first text is met."""
        best, side = self.best[0], self.sides[0]
        return np.asarray((best >= side.like).astype(np.int64) + (best >= side.same))

    def features(self) -> Floats:
        """Pairs × features."""
        query, evidence = self.sides
        columns = [*chain(*map(_match, self.sides, self.best))]
        covered = columns[COVERED]
        columns += _order(query, self.best[0], self.place)
        columns += _negation(query, evidence, self.best[1], covered)
        return np.column_stack(columns)


class _Side:
    """One text of each pair."""

    def __init__(self, ids: Ints, lexicon: Lexicon, negations: Bools) -> None:
        self.inside = ids != NONE
        self.count = self.inside.sum(axis=1)
        self.vectors = lexicon.directions[ids].astype(np.float32)
        self.lengths = lexicon.lengths[ids]
        self.weights = np.where(self.inside, lexicon.weights[ids], 0.0)
        self.shares = self.weights / self.weights.sum(axis=1, keepdims=True)
        self.negated = negations[ids] & self.inside
        self.like, self.same = lexicon.like, lexicon.same


def _match(side: _Side, best: Floats) -> list[Floats]:
    """How well the words of a text are matched, and how much is not."""
    best = np.where(side.inside, best, 0.0).astype(float)
    ranked = np.sort(np.where(side.inside, best, 2.0), axis=1)
    rows, last = np.arange(len(best)), side.count - 1
    same = side.inside & (best >= side.same)
    unlike = side.weights * (1 - best)
    return [
        *(ranked[rows, (share * last).astype(np.int64)] for share in QUANTILES),
        best.sum(axis=1) / side.count,
        (side.shares * best).sum(axis=1),
        (side.shares * same).sum(axis=1),
        same.sum(axis=1) / side.count,
        unlike.max(axis=1) / WEIGHT,
        unlike.sum(axis=1) / WEIGHT,
        (side.weights * (best < side.like)).sum(axis=1) / WEIGHT,
        np.log1p((side.inside & ~same).sum(axis=1)),
    ]


COVERED = 5  # the place of the weighted mean of the best matches among these


def _order(side: _Side, best: Floats, position: Ints) -> list[Floats]:
    """Whether words that are matched stand in the order of their matches."""
    matched = side.inside & (best >= side.like)
    numbers = np.where(matched, np.arange(matched.shape[1]), -1)
    before = np.maximum.accumulate(numbers, axis=1)[:, :-1]
    are_matched = matched[:, 1:] & (before >= 0)
    before = np.maximum(before, 0)
    step = position[:, 1:] - np.take_along_axis(position, before, axis=1)
    least = np.minimum(
        side.weights[:, 1:], np.take_along_axis(side.weights, before, axis=1)
    )
    weight = np.where(are_matched, least, 0.0)
    total = np.maximum(weight.sum(axis=1), 1e-9)
    return [
        (weight * (step < 0)).sum(axis=1) / total,
        (weight * (step == 1)).sum(axis=1) / total,
        are_matched.any(axis=1).astype(float),
    ]


def _negation(
    query: _Side, evidence: _Side, best: Floats, covered: Floats
) -> list[Floats]:
    """Which side is negated, and whether what the other text matches is."""
    counts = [np.minimum(side.negated.sum(axis=1), 3) for side in (query, evidence)]
    first, second = (count > 0 for count in counts)
    matched = evidence.inside & (best >= evidence.like)
    near = np.zeros(len(best), bool)
    for step in range(1, REACH + 1):
        near |= (evidence.negated[:, :-step] & matched[:, step:]).any(axis=1)
    flags = [first & ~second, second & ~first, first & second, near, near & ~first]
    apart = first != second
    return [
        *(count.astype(float) for count in counts),
        *(flag.astype(float) for flag in flags),
        apart * covered,
        ~apart * covered,
    ]


# Which columns say what.
GROUPS = {
    "matches": range(24),
    "order": range(24, 27),
    "negation": range(27, 36),
}
FEATURES = sum(map(len, GROUPS.values()))
