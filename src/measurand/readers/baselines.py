"""Baselines: readers of no text, of texts seen before, and of form alone."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from measurand.core.arrays import Floats, Ints
from measurand.core.items import Items
from measurand.core.reader import FittedReader
from measurand.core.recipe import Strength, Traits
from measurand.readers.linear import FittedTfidf, TfidfReader
from measurand.text.words import length_words, remember_texts, surface_words, words

STRENGTHS = (0.5, 2.0, 8.0, 32.0)  # how many items' worth a back-off counts
FOLDS = 5


@dataclass(frozen=True)
class MajorityReader:
    """The commonest label, whatever the item."""

    kind: ClassVar[str] = "majority"
    traits: ClassVar[Traits] = Traits(Strength.TEXTLESS)

    def fit(self, items: Items, rng: np.random.Generator) -> FittedReader:
        """Count the labels."""
        return MetadataReader(()).fit(items, rng)

    def fit_choices(self, items: Items, rng: np.random.Generator) -> FittedReader:
        """Count the letters."""
        return self.fit(items, rng)


@dataclass(frozen=True)
class MetadataReader:
    """The commonest label given the metadata.

    Counts of a metadata tuple are smoothed towards those of the tuple without its last
    column, and so on down to the label shares, so an unseen tuple is answered by its
    nearest known part. The order of the columns and the strength of the smoothing are
    chosen on held-out folds of the training items (cross-fitted).

    Attributes:
        columns: The metadata to read; None means all that the items name.
    """

    kind: ClassVar[str] = "metadata"
    traits: ClassVar[Traits] = Traits(Strength.TEXTLESS)
    columns: tuple[str, ...] | None = None

    def fit(self, items: Items, rng: np.random.Generator) -> "FittedMetadata":
        """Choose the order of the columns and the strength of the smoothing."""
        columns = items.metadata if self.columns is None else self.columns
        folds = rng.permutation(np.arange(len(items)) % FOLDS)
        alone = {c: _held_out_loss(items, (c,), STRENGTHS[1], folds) for c in columns}
        order = tuple(sorted(columns, key=lambda column: (alone[column], column)))
        losses = [
            _held_out_loss(items, order, strength, folds) for strength in STRENGTHS
        ]
        return FittedMetadata(items, order, STRENGTHS[int(np.argmin(losses))])

    def fit_choices(self, items: Items, rng: np.random.Generator) -> "FittedMetadata":
        """The same for letters, on which metadata may depend: no choice is read."""
        return self.fit(items, rng)


@dataclass(frozen=True, eq=False)
class FittedMetadata:
    """Known items, by which others are answered."""

    train: Items
    order: tuple[str, ...]
    strength: float

    @property
    def classes(self) -> tuple[str, ...]:
        """The labels."""
        return self.train.classes

    def predict(self, items: Items) -> Floats:
        """The label shares of each item's tuple, or of its longest known part."""
        codes = [
            pd.factorize(pd.concat([self.train.column(c), items.column(c)]))[0]
            for c in self.order
        ]
        gold = self.train.gold(self.classes)
        unknown = np.zeros(len(items), np.int64)
        is_train = np.arange(len(gold) + len(items)) < len(gold)
        return _smoothed_shares(codes, np.concatenate([gold, unknown]), is_train, self)[
            len(gold) :
        ]


def _smoothed_shares(
    codes: Sequence[Ints],
    gold: Ints,
    is_train: NDArray[np.bool_],
    reader: FittedMetadata,
) -> Floats:
    """The smoothed label shares of every row, counted on the rows that were seen."""
    classes = len(reader.classes)
    group, groups = np.zeros(len(gold), np.int64), 1
    above = np.bincount(gold[is_train], minlength=classes)[None, :] / is_train.sum()
    for code in codes:
        parent = group
        pairs = group * (int(code.max()) + 1) + code
        _, first, group = np.unique(pairs, return_index=True, return_inverse=True)
        groups = len(first)
        cells = np.bincount(
            group[is_train] * classes + gold[is_train], minlength=groups * classes
        ).reshape(groups, classes)
        prior = above[parent[first]]
        total = cells.sum(axis=1, keepdims=True) + reader.strength
        above = (cells + reader.strength * prior) / total
    return np.asarray(above[group])


def _held_out_loss(
    items: Items, order: tuple[str, ...], strength: float, folds: Ints
) -> float:
    """The mean log loss over held-out folds: lower is more informative."""
    codes = [pd.factorize(items.column(column))[0] for column in order]
    gold = items.gold(items.classes)
    reader = FittedMetadata(items, order, strength)
    losses = np.empty(len(items))
    for fold in np.unique(folds):
        inside = np.flatnonzero(folds == fold)
        probabilities = _smoothed_shares(codes, gold, folds != fold, reader)[inside]
        right = np.maximum(probabilities[np.arange(len(inside)), gold[inside]], 1e-9)
        losses[inside] = -np.log(right)
    return float(losses.mean())


UNSEEN = 0.5  # how many items' worth the label shares of all training items count


@dataclass(frozen=True)
class LookupReader:
    """The labels that the same text had in training; a new text gets those of all.

    Texts are the same where their words are: case, spacing and punctuation aside. Of
    items with choices, it remembers which choice was right next to the text.

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
    """Known texts, and how often each had which label."""

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
    """The text of each item by which it is known again.

    Where each item is one choice, its own text too: what was right is no letter.
    """
    fields = items.fields if field is None else (field,)
    if items.contest is not None:
        fields = tuple(dict.fromkeys([items.fields[0], *fields]))
    columns = [map(bare_text, items.column(name).tolist()) for name in fields]
    return ["\n".join(texts) for texts in zip(*columns, strict=True)]


@remember_texts
def bare_text(text: str) -> str:
    """The words of a text; the text itself where it has none.

    >>> bare_text("A dog , Barks!") == bare_text("a dog, barks")
    True
    """
    return " ".join(words(text)) or text


@dataclass(frozen=True)
class SurfaceReader:
    """The form of each field as made-up words, read as `tfidf` reads words.

    It sees no word, so that what it finds is no content: a label that it can predict
    was given away by how the text was written down.

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
        """The class probabilities when `field` is handed round: only added up again."""
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
