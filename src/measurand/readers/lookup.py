"""A memory of texts: what can be reached without reading anything."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from measurand.core.arrays import Floats
from measurand.core.items import Items
from measurand.core.recipe import Strength, Traits
from measurand.core.words import words

UNSEEN = 0.5  # how many items' worth the label shares of all training items count


@dataclass(frozen=True)
class LookupReader:
    """The labels that the same text had in training; a new text gets those of all.

    Texts are the same where their words are: case, spacing and punctuation aside.

    Attributes:
        field: The field whose text is remembered; None takes all fields together.
    """

    kind: ClassVar[str] = "lookup"
    traits: ClassVar[Traits] = Traits(Strength.TEXTLESS)
    field: str | None = None

    def fit(self, items: Items, rng: np.random.Generator) -> "FittedLookup":
        """Remember the labels of every text."""
        memory: dict[str, Floats] = {}
        gold = items.gold(items.classes)
        for text, code in zip(remembered_texts(items, self.field), gold, strict=True):
            counts = memory.setdefault(text, np.zeros(len(items.classes)))
            counts[code] += 1
        shares = np.bincount(gold, minlength=len(items.classes)) / len(items)
        return FittedLookup(items.classes, self.field, memory, shares)


@dataclass(frozen=True, eq=False)
class FittedLookup:
    """Known texts, and how often each had which label.

    Attributes:
        classes: The labels.
        field: The field whose text is remembered.
        memory: By text, how often it had each label.
        shares: The label shares of all training items.
    """

    classes: tuple[str, ...]
    field: str | None
    memory: Mapping[str, Floats]
    shares: Floats

    def predict(self, items: Items) -> Floats:
        """The label shares of each item's text."""
        nothing = np.zeros(len(self.classes))
        counts = np.array(
            [self.memory.get(t, nothing) for t in remembered_texts(items, self.field)]
        ).reshape(len(items), len(self.classes))
        weighed = counts + UNSEEN * self.shares
        return np.asarray(weighed / weighed.sum(axis=1, keepdims=True))


def remembered_texts(items: Items, field: str | None = None) -> list[str]:
    """The text of each item by which it is known again."""
    fields = items.fields if field is None else (field,)
    columns = [[_plain_text(text) for text in items.column(name)] for name in fields]
    return ["\n".join(texts) for texts in zip(*columns, strict=True)]


def _plain_text(text: str) -> str:
    """The words of a text; the text itself where it has none.

    >>> _plain_text("A dog , Barks!") == _plain_text("a dog, barks")
    True
    """
    return " ".join(words(text)) or text
