"""Readers that read no text."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from measurand.core.items import Items
from measurand.core.reader import FittedReader, Floats

STRENGTHS = (0.5, 2.0, 8.0, 32.0)  # how many items' worth a back-off counts
FOLDS = 5
JOINT = "\x1f"


@dataclass(frozen=True)
class MajorityReader:
    """The commonest label, whatever the item."""

    def fit(self, items: Items, rng: np.random.Generator) -> FittedReader:
        """Count the labels."""
        return MetadataReader(()).fit(items, rng)


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

    columns: tuple[str, ...] | None = None

    def fit(self, items: Items, rng: np.random.Generator) -> "FittedMetadata":
        """Count labels for every tuple."""
        columns = items.metadata if self.columns is None else self.columns
        folds = rng.permutation(np.arange(len(items)) % FOLDS)
        alone = {
            column: held_out(items, (column,), STRENGTHS[1], folds)
            for column in columns
        }
        order = tuple(sorted(columns, key=lambda column: (alone[column], column)))
        if not order:
            return counted(items, (), STRENGTHS[0])
        losses = [held_out(items, order, strength, folds) for strength in STRENGTHS]
        return counted(items, order, STRENGTHS[int(np.argmin(losses))])

    def out_of_fold(self, items: Items, rng: np.random.Generator) -> Floats:
        """Class probabilities of training items by readers that did not see them."""
        folds = rng.permutation(np.arange(len(items)) % FOLDS)
        answers = np.zeros((len(items), len(items.classes)))
        for fold in range(FOLDS):
            reader = self.fit(items.rows(folds != fold), rng)
            known = np.array([items.classes.index(c) for c in reader.classes])
            inside = np.flatnonzero(folds == fold)
            answers[np.ix_(inside, known)] = reader.predict(items.rows(inside))
        return answers


@dataclass(frozen=True, eq=False)
class FittedMetadata:
    """Label shares for each known part of a metadata tuple.

    Attributes:
        classes: The labels.
        order: The columns, the most telling first.
        tables: For each depth, the smoothed shares by the first so many columns.
    """

    classes: tuple[str, ...]
    order: tuple[str, ...]
    tables: tuple[pd.DataFrame, ...]

    def predict(self, items: Items) -> Floats:
        """The label shares of each item's tuple, or of its longest known part."""
        answers = np.tile(self.tables[0].to_numpy(), (len(items), 1))
        for depth, table in enumerate(self.tables[1:], start=1):
            rows = table.index.get_indexer(keys(items, self.order[:depth]))
            answers[rows >= 0] = table.to_numpy()[rows[rows >= 0]]
        return answers


def keys(items: Items, columns: tuple[str, ...]) -> "pd.Index[str]":
    """One value an item for a tuple of columns."""
    # The joint must not stand inside a value, or parts of tuples could be mistaken.
    joined = items.column(columns[0]).str.replace(JOINT, " ")
    for column in columns[1:]:
        joined = joined + JOINT + items.column(column).str.replace(JOINT, " ")
    return pd.Index(joined.array)


def counted(items: Items, order: tuple[str, ...], strength: float) -> FittedMetadata:
    """Label shares at every depth, each smoothed towards the one above."""
    counts = pd.get_dummies(items.labels, dtype=float)[list(items.classes)]
    above = counts.mean().to_frame().T
    tables = [above]
    for depth in range(1, len(order) + 1):
        here = counts.groupby(keys(items, order[:depth])).sum()
        parents = (
            here.index.str.rpartition(JOINT).get_level_values(0) if depth > 1 else None
        )
        prior = (
            np.tile(above.to_numpy(), (len(here), 1))
            if parents is None
            else above.loc[parents].to_numpy()
        )
        shares = here.to_numpy() + strength * prior
        above = pd.DataFrame(
            shares / shares.sum(axis=1, keepdims=True), index=here.index
        )
        tables.append(above)
    return FittedMetadata(items.classes, order, tuple(tables))


def held_out(
    items: Items,
    order: tuple[str, ...],
    strength: float,
    folds: "np.ndarray[tuple[int], np.dtype[np.int64]]",
) -> float:
    """The mean log loss over held-out folds: lower is more telling."""
    losses = []
    for fold in range(FOLDS):
        inside, outside = items.rows(folds == fold), items.rows(folds != fold)
        if len(inside) == 0 or len(outside) == 0:
            continue
        reader = counted(outside, order, strength)
        told = pd.DataFrame(reader.predict(inside), columns=list(reader.classes))
        shares = told.reindex(columns=list(items.classes), fill_value=0.0).to_numpy()
        gold = inside.gold(items.classes)
        losses.append(
            -np.log(np.maximum(shares[np.arange(len(gold)), gold], 1e-9)).mean()
        )
    return float(np.mean(losses))
