"""The reader of a few words: whether the words that tell most stand in a text.

Where so little tells a label, the words may be the cause of what its length or form
tells, which go with them: "not" makes a claim longer. They are, if length or form tells
hardly anything of the texts without them: once they are taken out, as of "not", or once
a word of ordinary length has their place, as of a word that took that of another.
"""

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.special import chdtrc, xlogy

from measurand.core.arrays import Floats, Ints
from measurand.core.items import Items
from measurand.core.recipe import Strength, Traits
from measurand.core.words import MARKUP, WORD, content_words
from measurand.readers.baselines import FittedSurface, SurfaceReader
from measurand.readers.linear import FittedTfidf, TfidfReader

PIECE = re.compile(
    rf"(?P<markup>{MARKUP.pattern})|(?P<word>\s?(?:{WORD.pattern}))"
    r"|(?P<mark>\s?[^\w\s])|(?P<other>.)",
    re.DOTALL,
)
SURE = 0.05  # chance that any of the words seems to tell, where none does


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


@dataclass(frozen=True)
class KeyWordsRemovedReader:
    """The length or the form of each field without its most telling words.

    Attributes:
        length_only: Whether length is read, and nothing else of the form.
        replaced: Whether a word of ordinary length has the place of each.
        count: Words a label.
        folds: Held-out folds for the temperature; 0 leaves it at 1.
    """

    kind: ClassVar[str] = "without keywords"
    traits: ClassVar[Traits] = Traits(Strength.FORM)
    length_only: bool = False
    replaced: bool = False
    count: int = 2
    folds: int = 3

    def fit(self, items: Items, rng: np.random.Generator) -> "FittedWithoutKeyWords":
        """Choose the words, and learn from how the rest is written."""
        removed = {
            field: choose_removal(items, field, self.count, replaced=self.replaced)
            for field in items.fields
        }
        reader = SurfaceReader(self.length_only, self.folds)
        fitted = reader.fit(remove_words(items, removed), rng)
        return FittedWithoutKeyWords(fitted, removed)


@dataclass(frozen=True, eq=False)
class FittedWithoutKeyWords:
    """A reader of form without a few words that has learned."""

    reader: FittedSurface
    removed: "dict[str, Removal]"

    @property
    def classes(self) -> tuple[str, ...]:
        """The labels."""
        return self.reader.classes

    def predict(self, items: Items) -> Floats:
        """Class probabilities."""
        return self.reader.predict(remove_words(items, self.removed))


@dataclass(frozen=True)
class Removal:
    """What is taken out of texts, and what has its place.

    Attributes:
        words: The words, in small letters.
        size: The letters of what has the place of each; 0 leaves none.
    """

    words: frozenset[str]
    size: int = 0

    def __call__(self, text: str) -> str:
        """The text without these words and, where nothing replaces them, their spaces.

        The mark of a sentence that was nothing else goes with it, since it would tell
        as much.

        >>> Removal(frozenset({"not", "never"}))("It is not so. Never.")
        'It is so.'
        >>> Removal(frozenset({"not", "never"}), 4)("It is not so. Never.")
        'It is xxxx so. Xxxx.'
        """
        if text.isascii() and not any(word in text.lower() for word in self.words):
            return text
        kept, gone, bare = [], False, True  # bare: nothing but a mark stands before
        for piece in PIECE.finditer(text):
            word = piece[0].strip() if piece.lastgroup == "word" else ""
            if word.lower() in self.words and self.size:
                kept.append(piece[0].replace(word, self._stand_in(word)))
                gone, bare = False, False
            elif word.lower() in self.words:
                gone = True
            elif not (gone and bare and piece.lastgroup == "mark"):
                kept.append(piece[0])
                if not piece[0].isspace():
                    gone, bare = False, piece.lastgroup == "mark"
        return _begin_like(text, "".join(kept))

    def _stand_in(self, word: str) -> str:
        """What has the place of a word: its case, and nothing else of it."""
        filler = "x" * self.size
        if word.isupper() and len(word) > 1:
            return filler.upper()
        return filler.capitalize() if word[:1].isupper() else filler


def _begin_like(text: str, rest: str) -> str:
    """What is left of a text, without a sign of whether its first word went.

    >>> _begin_like("Never boats.", " boats."), _begin_like("never boats.", " boats.")
    ('Boats.', 'boats.')
    """
    if not text[:1].isspace():
        rest = rest.lstrip()
    return rest[:1].upper() + rest[1:] if text[:1].isupper() else rest


def choose_removal(items: Items, field: str, count: int, *, replaced: bool) -> Removal:
    """The words of a field that tell most, so many a label."""
    gold, most = items.gold(items.classes), count * len(items.classes)
    texts = items.column(field).tolist()
    telling = telling_words(texts, gold, most)
    if not replaced:
        return Removal(telling)
    sizes = [len(w) for text in texts for w in content_words(text) if w not in telling]
    return Removal(telling, int(np.median(sizes)) if sizes else 1)


def remove_words(items: Items, removed: "dict[str, Removal]") -> Items:
    """The items without these words in each field."""
    for field, remove in removed.items():
        items = items.change_texts(field, remove)
    return items


def keep_words(items: Items, kept: dict[str, frozenset[str]]) -> Items:
    """The items with no word but these in each field."""
    for field, own in kept.items():
        texts = [
            " ".join(w for w in content_words(text) if w in own)
            for text in items.column(field).tolist()
        ]
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
        counts[label].update({*content_words(text)})
    vocabulary = sorted({word for counter in counts for word in counter})
    within = np.array([[c[word] for word in vocabulary] for c in counts], float)
    sizes = np.bincount(gold)[:, None]
    told = np.zeros(len(vocabulary))
    for cells in (within, sizes - within) if vocabulary else ():
        told += xlogy(cells, cells).sum(axis=0) - xlogy(cells.sum(0), cells.sum(0))
    # Of words that tell as much, the first of the alphabet; those that may tell by
    # chance would only be noise, but the best is always read.
    order = np.argsort(-told, kind="stable")[:most]
    of_none = float(xlogy(sizes, sizes).sum() - xlogy(sizes.sum(), sizes.sum()))
    chances = chdtrc(len(counts) - 1, np.maximum(2 * (told[order] - of_none), 0))
    sure = chances <= SURE / max(len(vocabulary), 1)
    return frozenset(vocabulary[i] for i in [*order[:1], *order[1:][sure[1:]]])
