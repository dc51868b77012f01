"""The reader of form: spacing, case, punctuation, digits, markup and length."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from measurand.core.arrays import Floats
from measurand.core.items import Items
from measurand.core.recipe import Strength, Traits
from measurand.core.words import length_words, surface_words
from measurand.readers.linear import FittedTfidf, TfidfReader


@dataclass(frozen=True)
class SurfaceReader:
    """The form of each field as made-up words, read as `tfidf` reads words.

    It sees no word, so that what it finds is no content: a label that it can tell was
    given away by how the text was written down.

    Attributes:
        length_only: Whether it reads how long texts are and nothing else of them.
        folds: Held-out folds for the temperature; 0 leaves it at 1.
    """

    kind: ClassVar[str] = "surface"
    traits: ClassVar[Traits] = Traits(Strength.FORM)
    length_only: bool = False
    folds: int = 3

    def fit(self, items: Items, rng: np.random.Generator) -> "FittedSurface":
        """Learn from the form of each field."""
        reader = TfidfReader(folds=self.folds)
        form = surface_items(items, length_only=self.length_only)
        return FittedSurface(reader.fit(form, rng, items), self.length_only)

    def without_temperature(self) -> "SurfaceReader":
        """The same answers without the folds that only the temperature needs."""
        return replace(self, folds=0)


@dataclass(frozen=True, eq=False)
class FittedSurface:
    """A reader of form that has learned."""

    reader: FittedTfidf
    length_only: bool

    @property
    def classes(self) -> tuple[str, ...]:
        """The labels."""
        return self.reader.classes

    def predict(self, items: Items) -> Floats:
        """Class probabilities."""
        return self.reader.predict(self.describe(items))

    def read(self, items: Items) -> Mapping[str, Floats]:
        """What the form of each field adds to the score of each class."""
        return self.reader.read(self.describe(items))

    def predict_rearranged(
        self, reading: Mapping[str, Floats], field: str, orders: NDArray[np.int32]
    ) -> Iterator[Floats]:
        """The class probabilities when `field` is handed round: only added up anew."""
        return self.reader.predict_rearranged(reading, field, orders)

    def embed(self, items: Items) -> Floats:
        """Where the items lie by their form."""
        return self.reader.embed(self.describe(items))

    def describe(self, items: Items) -> Items:
        """The items as this reader reads them."""
        return surface_items(items, length_only=self.length_only)


def surface_items(items: Items, *, length_only: bool) -> Items:
    """The items with every text as made-up words that name its form."""
    describe = length_words if length_only else surface_words
    for field in items.fields:
        texts = items.column(field).tolist()
        items = items.with_field(field, [describe(text) for text in texts])
    return items
