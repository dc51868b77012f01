"""Words and ordered word pairs that stand near each other in one text.

A bag of words cannot see that "red boat" and "boat red" differ, nor that two words
decide only together. Each text here is its words and its ordered pairs of words within
a window, present or absent; with `keep`, only the few that predict each label best,
which shows a rare but certain cue that a regression on all features shrinks away.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import pandas as pd
from scipy.sparse import csr_array, hstack

from measurand.core.arrays import Floats, Ints
from measurand.core.items import Items
from measurand.core.recipe import Strength, Traits
from measurand.readers.linear import Linear, fit_linear
from measurand.readers.ngrams import WordNumbers, number_words

MOST_WORDS = 60  # of a text; the pairs of longer ones would fill the memory
MOST_FEATURES = 40_000  # of a field, the commonest of more


@dataclass(frozen=True)
class PairsReader:
    """Logistic regression on words and ordered word pairs of each field.

    Attributes:
        window: How many words apart the two of a pair may be.
        least: Training texts that a feature must stand in.
        keep: The features a label that are kept, chosen on the training items; 0 keeps
            all of them.
        strength: The inverse of the regularisation.
        folds: Held-out folds for the temperature; 0 leaves it at 1.
    """

    kind: ClassVar[str] = "pairs"
    traits: ClassVar[Traits] = Traits(Strength.WORDS)
    window: int = 20
    least: int = 4
    keep: int = 0
    strength: float = 3.0
    folds: int = 3

    def fit(self, items: Items, rng: np.random.Generator) -> "FittedPairs":
        """Learn the features of each field, then one regression over all."""
        gold = items.gold(items.classes)
        fields: dict[str, PairFeatures] = {}
        for field in items.fields:
            pairs, presence = fit_pairs(items.column(field), self.window, self.least)
            if self.keep:
                most = self.keep * len(items.classes)
                pairs = pairs.take(predictive_columns(presence, gold, most))
            fields[field] = pairs
        features = _join_fields(fields, items, scaled=not self.keep)
        linear = fit_linear(features, items, self.strength, self.folds, rng)
        return FittedPairs(items.classes, fields, linear, scaled=not self.keep)

    def without_temperature(self) -> "PairsReader":
        """The same answers without the folds that only the temperature needs."""
        return replace(self, folds=0)


FEW_WORDS = PairsReader(window=1, keep=4, strength=1.0)


@dataclass(frozen=True, eq=False)
class FittedPairs:
    """A reader of word pairs that has learned."""

    classes: tuple[str, ...]
    fields: "Mapping[str, PairFeatures]"
    linear: Linear
    scaled: bool

    def predict(self, items: Items) -> Floats:
        """Class probabilities."""
        features = _join_fields(self.fields, items, scaled=self.scaled)
        return self.linear.probabilities(self.linear.scores(features))


@dataclass(frozen=True, eq=False)
class PairFeatures:
    """The words and word pairs of one field that are known.

    Attributes:
        vocabulary: The number of each word.
        window: How many words apart the two of a pair may be.
        keys: Of each feature, sorted: a word w is w, a pair (v, w) size + v * size + w.
    """

    vocabulary: dict[str, int]
    window: int
    keys: Ints

    @property
    def size(self) -> int:
        """How many words have a number."""
        return len(self.vocabulary)

    @property
    def names(self) -> list[str]:
        """The words of each feature, those of a pair with dots between them."""
        spellings, size = list(self.vocabulary), self.size
        return [
            spellings[key]
            if key < size
            else " … ".join(spellings[n] for n in divmod(key - size, size))
            for key in self.keys.tolist()
        ]

    def take(self, columns: Ints) -> "PairFeatures":
        """Some of the features, in the order of their keys."""
        return replace(self, keys=self.keys[np.sort(columns)])

    def presence(self, texts: Iterable[str]) -> csr_array:
        """Texts × features: 1 where the text has the word or the pair."""
        tokens = number_words(texts, self.vocabulary, grow=False)
        rows, keys = _text_keys(tokens, self.size, self.window)
        columns = pd.Index(self.keys).get_indexer(pd.Index(keys))
        listed = columns >= 0
        shape = len(tokens.starts) - 1, len(self.keys)
        return _mark_cells(rows[listed], columns[listed], shape)


def fit_pairs(
    texts: Iterable[str], window: int, least: int
) -> tuple[PairFeatures, csr_array]:
    """The features that stand in at least `least` texts, and which texts have them."""
    vocabulary: dict[str, int] = {}
    tokens = number_words(texts, vocabulary, grow=True)
    rows, keys = _text_keys(tokens, len(vocabulary), window)
    numbers, distinct = pd.factorize(keys)
    presence = _mark_cells(rows, numbers, (len(tokens.starts) - 1, len(distinct)))
    counts = np.bincount(presence.indices, minlength=len(distinct))
    common = np.flatnonzero(counts >= least)
    if len(common) > MOST_FEATURES:
        # Ties by the key, so that the same texts always keep the same features.
        order = np.lexsort([distinct[common], -counts[common]])
        common = common[order[:MOST_FEATURES]]
    columns = common[np.argsort(distinct[common])]
    pairs = PairFeatures(vocabulary, window, distinct[columns])
    return pairs, csr_array(presence[:, columns])


def predictive_columns(presence: csr_array, gold: Ints, most: int) -> Ints:
    """The columns that stand with one label most surely, by a binomial z score.

    >>> marks = csr_array(np.array([[1, 1], [1, 0], [0, 1], [0, 0]] * 5))
    >>> predictive_columns(marks, np.array([0, 0, 1, 1] * 5), 1).tolist()
    [0]
    """
    counts = np.asarray(presence.sum(axis=0)).ravel()
    best = np.zeros(presence.shape[1])
    for label, share in enumerate(np.bincount(gold) / len(gold)):
        with_label = np.asarray(presence[gold == label].sum(axis=0)).ravel()
        spread = np.sqrt(np.maximum(counts * share * (1 - share), 1e-9))
        best = np.maximum(best, (with_label - counts * share) / spread)
    return np.lexsort([np.arange(len(best)), -best])[:most]


def _text_keys(tokens: WordNumbers, size: int, window: int) -> tuple[Ints, Ints]:
    """The text and the key of every known word and of every pair in the window."""
    rows, ids = tokens.rows, tokens.ids.astype(np.int64)
    first = np.arange(len(ids)) - tokens.starts[rows] < MOST_WORDS
    rows, ids = rows[first], ids[first]
    is_known = ids >= 0
    row_parts, key_parts = [rows[is_known]], [ids[is_known]]
    for distance in range(1, min(window, len(ids) - 1) + 1):
        near = (rows[distance:] == rows[:-distance]) & is_known[distance:]
        near &= is_known[:-distance]
        row_parts.append(rows[distance:][near])
        key_parts.append(size + ids[:-distance][near] * size + ids[distance:][near])
    return np.concatenate(row_parts), np.concatenate(key_parts)


def _mark_cells(rows: Ints, columns: Ints, shape: tuple[int, int]) -> csr_array:
    """A matrix with 1 in each cell that is named, however often."""
    positions = rows.astype(np.int32), columns.astype(np.int32)
    marks = csr_array((np.ones(len(rows)), positions), shape)
    marks.data[:] = 1.0
    return marks


def _join_fields(
    fields: Mapping[str, PairFeatures], items: Items, *, scaled: bool
) -> csr_array:
    """The features of all fields side by side."""
    blocks = []
    for field, pairs in fields.items():
        presence = pairs.presence(items.column(field))
        words = int(np.searchsorted(pairs.keys, pairs.size))
        parts = [presence[:, :words], presence[:, words:]] if scaled else [presence]
        blocks += [_scale_rows(csr_array(p)) if scaled else p for p in parts]
    return csr_array(hstack(blocks, format="csr"))


def _scale_rows(presence: csr_array) -> csr_array:
    """Each row divided by the root of how many features it has."""
    sizes = np.diff(presence.indptr)
    weights = 1 / np.sqrt(np.maximum(sizes, 1))
    return csr_array(
        (np.repeat(weights, sizes), presence.indices, presence.indptr), presence.shape
    )
