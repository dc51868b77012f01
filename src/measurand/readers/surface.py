"""The reader of form: spacing, case, punctuation, digits, markup and length."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from measurand.core.arrays import Floats
from measurand.core.items import Items
from measurand.core.surface import surface_words
from measurand.readers.linear import FittedTfidf, TfidfReader


@dataclass(frozen=True)
class SurfaceReader:
    """The form of each field as made-up words, read as `tfidf` reads words.

    It sees no word, so that what it finds is no content: a label that it can tell was
    given away by how the text was written down.

    Attributes:
        folds: Held-out folds for the temperature; 0 leaves it at 1.
    """

    kind: ClassVar[str] = "surface"
    folds: int = 3

    def fit(self, items: Items, rng: np.random.Generator) -> "FittedSurface":
        """Learn from the form of each field."""
        reader = TfidfReader(folds=self.folds)
        return FittedSurface(reader.fit(surface_items(items), rng))

    def without_temperature(self) -> "SurfaceReader":
        """The same answers without the folds that only the temperature needs."""
        return replace(self, folds=0)


@dataclass(frozen=True, eq=False)
class FittedSurface:
    """A reader of form that has learned."""

    reader: FittedTfidf

    @property
    def classes(self) -> tuple[str, ...]:
        """The labels."""
        return self.reader.classes

    def predict(self, items: Items) -> Floats:
        """Class probabilities."""
        return self.reader.predict(surface_items(items))

    def embed(self, items: Items) -> Floats:
        """Where the items lie by their form."""
        return self.reader.embed(surface_items(items))


def surface_items(items: Items) -> Items:
    """The items with every text as made-up words that name its form."""
    texts: Mapping[str, list[str]] = {
        field: [surface_words(text) for text in items.column(field)]
        for field in items.fields
    }
    for field, described in texts.items():
        items = items.with_field(field, described)
    return items
