"""Rationales that are the input over again.

A copy of the input with edits that encode the label predicts the label to whoever
holds the two against each other, and explains nothing. It leaks nothing by itself, it
fits its own input better than any other, and it changes no more than the input does:
on R, I and S it is perfect. So near-copies are distinguished by their words. Words that
most rationales share are padding: they make a copy longer, and no less a copy.
"""

from collections import Counter
from collections.abc import Sequence

import numpy as np

from measurand.audits.explanations.settings import (
    CONTAINED,
    NEAR_COPY,
    PADDING,
    WHOLE_FIELD,
)
from measurand.core.arrays import Bools
from measurand.core.items import Items
from measurand.text.words import bare_words, words


def word_f1(first: Sequence[str], second: Sequence[str]) -> float:
    """The words that two texts share, as a share of those of both; order is nothing.

    >>> word_f1("a red car".split(), "a car".split())
    0.8
    """
    shared = (Counter(first) & Counter(second)).total()
    return 2 * shared / max(len(first) + len(second), 1)


def near_copies(texts: Sequence[str], items: Items, fields: Sequence[str]) -> Bools:
    """Whether each rationale is nearly some field of its input, padded or not."""
    said = [words(text) for text in texts]
    padding = _padding_words(said)
    near = np.zeros(len(texts), bool)
    for field in fields:
        column = [words(text) for text in items.column(field)]
        pairs = zip(said, column, strict=True)
        near |= np.array([_is_near(a, b, padding) for a, b in pairs], bool)
    return near


def _padding_words(texts: Sequence[Sequence[str]]) -> set[str]:
    """The words that stand in at least `PADDING` of the texts that have any."""
    filled = [{*text} for text in texts if text]
    counts = Counter(word for text in filled for word in text)
    return {word for word, n in counts.items() if n >= PADDING * len(filled)}


def _is_near(said: Sequence[str], field: Sequence[str], padding: set[str]) -> bool:
    """Whether a rationale is nearly a field, or holds it whole in mere padding.

    A reason may name what the field names, in words that most reasons have. So padding
    is left out only where nearly all words of the field stand in the rationale.
    """
    if word_f1(said, field) >= NEAR_COPY:
        return True
    shared = (Counter(said) & Counter(field)).total()
    if not field or shared < WHOLE_FIELD * len(field):
        return False
    own = [word for word in said if word not in padding or word in field]
    return word_f1(own, field) >= NEAR_COPY


def fields_without(
    texts: Sequence[str], items: Items, fields: Sequence[str]
) -> tuple[str, ...]:
    """The fields in which most rationales do not stand, word for word.

    What a text is held against must not contain it: it would fit whatever it says. All
    fields where the rationales stand in each of them.
    """
    said = [f" {bare_words(text)} " for text in texts]
    kept = []
    for field in fields:
        column = (f" {bare_words(text)} " for text in items.column(field))
        inside = [a in b for a, b in zip(said, column, strict=True) if a.strip()]
        if not inside or np.mean(inside) <= CONTAINED:
            kept.append(field)
    return tuple(kept) or tuple(fields)
