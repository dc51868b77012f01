"""Readers that read no text."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from measurand.core.arrays import Floats, Ints
from measurand.core.items import Items
from measurand.core.reader import FittedReader
from measurand.core.recipe import Strength, Traits

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
        """The same for letters, of which metadata may tell: no choice is read."""
        return self.fit(items, rng)

    def out_of_fold(self, items: Items, rng: np.random.Generator) -> Floats:
        """Class probabilities of training items by readers that did not see them."""
        folds = rng.permutation(np.arange(len(items)) % FOLDS)
        answers = np.zeros((len(items), len(items.classes)))
        for fold in range(FOLDS):
            reader = self.fit(items.rows(folds != fold), rng)
            class_columns = np.array([items.classes.index(c) for c in reader.classes])
            inside = np.flatnonzero(folds == fold)
            answers[np.ix_(inside, class_columns)] = reader.predict(items.rows(inside))
        return answers


@dataclass(frozen=True, eq=False)
class FittedMetadata:
    """Known items, by which others are answered.

    Attributes:
        train: The training items.
        order: The columns, the most telling first.
        strength: How many items' worth a back-off counts.
    """

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
    """The mean log loss over held-out folds: lower is more telling."""
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
