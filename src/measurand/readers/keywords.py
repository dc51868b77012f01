"""The reader of a few words: whether the words that tell most stand in a text.

Where so little tells a label, the words are the cause, and not the length or the form
of the texts, which go with them: "not" makes a claim longer.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.special import xlogy

from measurand.core.arrays import Floats, Ints
from measurand.core.items import Items
from measurand.core.recipe import Strength, Traits
from measurand.core.words import words
from measurand.readers.linear import FittedTfidf, TfidfReader


@dataclass(frozen=True)
class KeyWordsReader:
    """The most telling words of each field and nothing else of it.

    Attributes:
        count: Words a label.
        folds: Held-out folds for the temperature; 0 leaves it at 1.
    """

    kind: ClassVar[str] = "keywords"
    traits: ClassVar[Traits] = Traits(Strength.WORDS)
    count: int = 2
    folds: int = 3

    def fit(self, items: Items, rng: np.random.Generator) -> "FittedKeyWords":
        """Choose the words, and learn from whether they stand in a text."""
        gold, most = items.gold(items.classes), self.count * len(items.classes)
        kept = {
            field: telling_words(items.column(field), gold, most)
            for field in items.fields
        }
        reader = TfidfReader(folds=self.folds)
        return FittedKeyWords(reader.fit(keep_words(items, kept), rng, items), kept)


@dataclass(frozen=True, eq=False)
class FittedKeyWords:
    """A reader of a few words that has learned."""

    reader: FittedTfidf
    kept: dict[str, frozenset[str]]

    @property
    def classes(self) -> tuple[str, ...]:
        """The labels."""
        return self.reader.classes

    def predict(self, items: Items) -> Floats:
        """Class probabilities."""
        return self.reader.predict(keep_words(items, self.kept))


def keep_words(items: Items, kept: dict[str, frozenset[str]]) -> Items:
    """The items with no word but these in each field."""
    for field, own in kept.items():
        texts = [" ".join(w for w in words(t) if w in own) for t in items.column(field)]
        items = items.with_field(field, texts)
    return items


def telling_words(texts: Iterable[str], gold: Ints, most: int) -> frozenset[str]:
    """The words whose standing in a text tells most about its label, in bits.

    >>> sorted(telling_words(["not a boat", "a boat", "not a tree"], [1, 0, 1], 1))
    ['not']
    """
    gold = np.asarray(gold)
    counts = [Counter[str]() for _ in range(int(gold.max()) + 1)]
    for text, label in zip(texts, gold, strict=True):
        counts[label].update({*words(text)})
    vocabulary = sorted({word for counter in counts for word in counter})
    within = np.array([[c[word] for word in vocabulary] for c in counts], float)
    sizes = np.bincount(gold)[:, None]
    told = np.zeros(len(vocabulary))
    for cells in (within, sizes - within) if vocabulary else ():
        told += xlogy(cells, cells).sum(axis=0) - xlogy(cells.sum(0), cells.sum(0))
    # Of words that tell as much, the first of the alphabet.
    return frozenset(vocabulary[i] for i in np.argsort(-told, kind="stable")[:most])
