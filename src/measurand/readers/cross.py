"""The lexicalised pair classifier: it sees how query and evidence meet, without torch.

After the feature-rich classifier of the SNLI paper (Bowman et al. 2015, section 4.2):
words and word pairs of each field, query words marked new or shared, query × evidence
word pairs, and how much overlaps, is negated and is new. It reads all that the linear
reader reads, so it stands above it on the ladder.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import ClassVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.sparse import csr_array, hstack

from measurand.core.arrays import Bools, Floats, Ints
from measurand.core.items import Items
from measurand.core.recipe import Strength, Traits
from measurand.readers.attribution import gram_scores, only_field
from measurand.readers.linear import Linear, fit_linear
from measurand.readers.ngrams import (
    Grams,
    WordNumbers,
    fit_grams,
    number_words,
    take_texts,
)
from measurand.text.words import NEGATIONS

MOST = 300  # evidence words that are paired with the query's, the first ones of more
STEPS = np.array([0.0, 0.01, 0.2, 0.4, 0.6, 0.8, 0.99])  # edges of the overlap buckets


@dataclass(frozen=True)
class CrossReader:
    """Logistic regression on how the words of two fields meet.

    The first field asks, and any other should answer. With one field alone it reads
    that field's words and word pairs.

    Attributes:
        least: Items a word feature must stand in.
        buckets: How many columns the word pairs are hashed into.
        strength: The inverse of the regularisation.
        folds: Held-out folds for the temperature; 0 leaves it at 1.
    """

    kind: ClassVar[str] = "cross"
    traits: ClassVar[Traits] = Traits(Strength.PAIRS)
    least: int = 2
    buckets: int = 2**19
    strength: float = 1.0
    folds: int = 3

    def fit(self, items: Items, rng: np.random.Generator) -> "FittedCross":
        """Learn the words, then the regression."""
        parts = {f: fit_grams(items.column(f), least=self.least) for f in items.fields}
        vocabulary: dict[str, int] = {}
        blocks = [rows for _, rows in parts.values()]
        tokens = {f: text_words(items.column(f), vocabulary) for f in items.fields}
        first_field, *other_fields = items.fields
        for second_field in other_fields:
            met = tokens[first_field], tokens[second_field]
            blocks += _pair_features(*met, vocabulary, self.buckets)
        features = csr_array(hstack(blocks, format="csr"))
        # A bucket met once teaches nothing about other items and only costs time.
        used = np.flatnonzero(
            np.bincount(features.indices, minlength=features.shape[1]) >= self.least
        )
        features = csr_array(features[:, used])
        linear = fit_linear(features, items, self.strength, self.folds, rng)
        return FittedCross(
            items.classes,
            {field: field_grams for field, (field_grams, _) in parts.items()},
            vocabulary,
            self.buckets,
            used,
            linear,
        )

    def without_temperature(self) -> "CrossReader":
        """The same answers without the folds that only the temperature needs."""
        return replace(self, folds=0)


@dataclass(frozen=True, eq=False)
class FittedCross:
    """A pair classifier that has learned."""

    classes: tuple[str, ...]
    grams: Mapping[str, Grams]
    vocabulary: Mapping[str, int]
    buckets: int
    used: Ints
    linear: Linear

    @cached_property
    def bounds(self) -> Ints:
        """Where the words of each field begin and end among the used columns."""
        sizes = [len(field_grams.feature_keys) for field_grams in self.grams.values()]
        return np.searchsorted(self.used, [0, *np.cumsum(sizes)])

    def predict(self, items: Items) -> Floats:
        """Class probabilities."""
        reading = self.read(items)
        return self._add_up(reading.scores, reading.tokens, reading.vocabulary)

    def read(self, items: Items) -> "CrossReading":
        """What the words of each field add to each score, and which words they are."""
        vocabulary, scores, before = dict(self.vocabulary), {}, 0
        spans = pairwise(self.bounds.tolist())
        for (field, grams), (start, end) in zip(self.grams.items(), spans, strict=True):
            columns = self.used[start:end] - before
            counts = grams.counts(items.column(field))[:, columns]
            scores[field] = np.asarray(counts @ self.linear.weights[start:end])
            before += len(grams.feature_keys)
        tokens = {f: text_words(items.column(f), vocabulary) for f in self.grams}
        return CrossReading(scores, tokens, vocabulary)

    def predict_rearranged(
        self, reading: "CrossReading", field: str, orders: NDArray[np.int32]
    ) -> Iterator[Floats]:
        """The class probabilities when `field` is handed round: only pairs are new."""
        for order in orders:
            scores, tokens = dict(reading.scores), dict(reading.tokens)
            if field in tokens:
                scores[field] = scores[field][order]
                tokens[field] = take_texts(tokens[field], order)
            yield self._add_up(scores, tokens, reading.vocabulary)

    def _add_up(
        self,
        scores: Mapping[str, Floats],
        tokens: Mapping[str, WordNumbers],
        vocabulary: Mapping[str, int],
    ) -> Floats:
        """The class probabilities of what fields add, and of how their words meet."""
        total = sum(scores.values()) + self.linear.bias
        first_field, *other_fields = self.grams
        blocks = [
            block
            for second_field in other_fields
            for block in _pair_features(
                tokens[first_field],
                tokens[second_field],
                vocabulary,
                self.buckets,
                len(self.vocabulary),
            )
        ]
        if blocks:
            end = int(self.bounds[-1])
            words = sum(len(grams.feature_keys) for grams in self.grams.values())
            pairs = csr_array(hstack(blocks, format="csr"))[:, self.used[end:] - words]
            total = total + pairs @ self.linear.weights[end:]
        return self.linear.probabilities(np.asarray(total))

    def word_scores(self, items: Items) -> list[Floats]:
        """What each word of the one field adds to each score: exact."""
        field = only_field(list(self.grams), items)
        weights = np.zeros(
            (len(self.grams[field].feature_keys), self.linear.weights.shape[1])
        )
        weights[self.used] = self.linear.weights
        return gram_scores(items.column(field).tolist(), self.grams[field], weights)


@dataclass(frozen=True, eq=False)
class CrossReading:
    """Items as the pair classifier has them after reading."""

    scores: Mapping[str, Floats]
    tokens: Mapping[str, WordNumbers]
    vocabulary: Mapping[str, int]


def text_words(texts: "pd.Series[str]", vocabulary: dict[str, int]) -> WordNumbers:
    """The words of each text, each once; new ones join the vocabulary.

    A word that training never showed still overlaps with itself.
    """
    return _distinct_words(number_words(texts, vocabulary, grow=True))


def _pair_features(
    query: WordNumbers,
    evidence: WordNumbers,
    vocabulary: Mapping[str, int],
    buckets: int,
    known_size: float = np.inf,
) -> list[csr_array]:
    """Feature blocks of two fields: words new or shared, word pairs, and how many.

    Only words under number `known_size` are features of their own.
    """
    n = len(query.starts) - 1
    shared, met = _common_words(query, evidence)
    is_known = query.ids < known_size
    marked_ids = query.ids.astype(np.int64) * 2 + shared
    words = hash_bags(query.rows[is_known], marked_ids[is_known], n, 2**17)
    fresh = _select_words(query, ~shared & is_known)
    unmet = _first_words(
        _select_words(evidence, ~met & (evidence.ids < known_size)), MOST
    )
    rows, first, second = _cross_words(fresh, unmet)
    pairs = hash_bags(rows, first * 1_000_003 + second, n, buckets)
    return [words, pairs, _overlap_features(query, evidence, shared, vocabulary)]


def _distinct_words(tokens: WordNumbers) -> WordNumbers:
    """Each word of a text once, in order of appearance."""
    size = int(tokens.ids.max(initial=0)) + 1
    rows, ids = np.divmod(pd.unique(tokens.rows * size + tokens.ids), size)
    return _numbers_from_rows(rows, ids.astype(np.int32), len(tokens.starts) - 1)


def _first_words(tokens: WordNumbers, most: int) -> WordNumbers:
    """The first so many words of each text."""
    position = np.arange(len(tokens.ids)) - tokens.starts[tokens.rows]
    return _select_words(tokens, position < most)


def _numbers_from_rows(rows: Ints, ids: NDArray[np.int32], n: int) -> WordNumbers:
    """Word numbers from the text number of each word."""
    return WordNumbers(
        ids, np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=n))])
    )


def _select_words(tokens: WordNumbers, chosen: NDArray[np.bool_]) -> WordNumbers:
    """The chosen words of each text."""
    return _numbers_from_rows(
        tokens.rows[chosen], tokens.ids[chosen], len(tokens.starts) - 1
    )


def _common_words(a: WordNumbers, b: WordNumbers) -> tuple[Bools, Bools]:
    """Which words of `a` stand in the same text of `b`, and which of `b` in `a`.

    Each word stands in a text once.
    """
    size = int(max(a.ids.max(initial=0), b.ids.max(initial=0))) + 1
    places = pd.Index(a.rows * size + a.ids).get_indexer(b.rows * size + b.ids)
    met, shared = places >= 0, np.zeros(len(a.ids), bool)
    shared[places[met]] = True
    return shared, met


def _cross_words(a: WordNumbers, b: WordNumbers) -> tuple[Ints, Ints, Ints]:
    """Every word of `a` with every word of the same text of `b`: text, word, word."""
    sizes = np.diff(b.starts)[a.rows]
    first = np.repeat(np.arange(len(a.ids)), sizes)
    step = np.arange(len(first)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    rows = a.rows[first]
    return (
        rows,
        a.ids[first].astype(np.int64),
        b.ids[b.starts[rows] + step].astype(np.int64),
    )


def hash_bags(rows: Ints, keys: Ints, n: int, size: int) -> csr_array:
    """Rows of length 1 with a cell for each hashed key."""
    hashed = (keys.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(
        64 - int(np.log2(size))
    )
    counts = np.maximum(np.bincount(rows, minlength=n), 1)
    positions = rows.astype(np.int32), hashed.astype(np.int32)
    return csr_array((1 / np.sqrt(counts[rows]), positions), (n, size))


def _overlap_features(
    query: WordNumbers,
    evidence: WordNumbers,
    shared: NDArray[np.bool_],
    vocabulary: Mapping[str, int],
) -> csr_array:
    """How much of the query is shared, in buckets, and which side is negated."""
    n = len(query.starts) - 1
    sizes = np.maximum(np.diff(query.starts), 1)
    overlap = np.bincount(query.rows, shared, minlength=n) / sizes
    bucket = np.searchsorted(STEPS, overlap, side="right") - 1
    negations = [vocabulary[word] for word in sorted(NEGATIONS) if word in vocabulary]
    no = [
        np.bincount(side.rows, np.isin(side.ids, negations), minlength=n) > 0
        for side in (query, evidence)
    ]
    negated = no[0] * 2 + no[1]
    rows = np.arange(n, dtype=np.int32)
    columns = np.concatenate(
        [bucket, len(STEPS) + negated, len(STEPS) + 4 + bucket * 4 + negated]
    )
    shape = (n, len(STEPS) * 5 + 4)
    return csr_array(
        (np.ones(3 * n), (np.tile(rows, 3), columns.astype(np.int32))), shape
    )
