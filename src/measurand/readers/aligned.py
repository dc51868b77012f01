"""The reader that joins two texts by meaning, without a transformer.

Each word of the query is set next to the word of the evidence that is likest to it, by
static word vectors, and the other way round (the soft alignment of Parikh et al. 2016,
with nothing trained but the regression on top). It reads all that the linear reader
reads, which query words are met and how well, and how numbers compare.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, hstack

from measurand.core.arrays import Bools, Floats, Ints
from measurand.core.items import Items
from measurand.core.recipe import LOCATE, Strength, Traits
from measurand.models.vectors import (
    PACKAGE,
    Lexicon,
    check_vectors,
    load_vectors,
    vectors_path,
)
from measurand.readers.alignment import GRADES, Alignment, align_texts
from measurand.readers.attribution import gram_scores, only_field
from measurand.readers.cross import hash_bags
from measurand.readers.linear import Linear, choose_strength, fit_linear
from measurand.readers.ngrams import (
    Grams,
    WordNumbers,
    fit_grams,
    number_words,
    take_texts,
)
from measurand.readers.numbers import mark_relations
from measurand.text.words import NEGATIONS

STRENGTHS = (0.1, 0.3, 1.0)  # of which one is chosen on rows held out of training
MARKS = 2**17  # columns that words with their grades are hashed into
SCALE = 0.15  # of standard deviations: a feature of all texts next to rows of length 1
FARTHEST = 5.0  # standard deviations that a feature may be from its mean
FLAT = 1e-6  # spread up to which a feature is the same in all items


@dataclass(frozen=True)
class AlignedReader:
    """Logistic regression on words, and on how those of two fields align.

    The first field asks, and any other should answer. With one field alone it reads
    that field's words and word pairs.

    Attributes:
        vectors: The package or the folder that holds the word vectors.
        least: Items a word feature must stand in.
        folds: Held-out folds for the temperature; 0 leaves it at 1.
    """

    kind: ClassVar[str] = "aligned"
    traits: ClassVar[Traits] = Traits(Strength.ALIGNED, needs_weights=True)
    vectors: str = field(default=PACKAGE, metadata={LOCATE: vectors_path})
    least: int = 2
    folds: int = 3

    def fit(self, items: Items, rng: np.random.Generator) -> "FittedAligned":
        """Learn the words, how strongly to hold back the regression, and this."""
        reading = _read_texts(items, {}, self.vectors)
        grams, columns, features = learn_meetings(items, reading, self.least)
        strength = choose_strength(features, items, STRENGTHS, rng)
        return FittedAligned(
            items.classes,
            grams,
            reading.vocabulary,
            columns,
            fit_linear(features, items, strength, self.folds, rng),
            self.vectors,
        )

    def without_temperature(self) -> "AlignedReader":
        """The same answers without the folds that only the temperature needs."""
        return replace(self, folds=0)

    def check_weights(self) -> None:
        """Raise where the vectors are not to be had."""
        check_vectors(self.vectors)


@dataclass(frozen=True, eq=False)
class Meeting:
    """How the first field of some items meets another.

    Attributes:
        marks: Words of the first field with their grades, hashed.
        features: How the texts align and their numbers compare.
    """

    marks: csr_array
    features: Floats


@dataclass(frozen=True, eq=False)
class MeetingColumns:
    """What training showed of a meeting: its common marks, and the usual features."""

    used: Ints
    mean: Floats
    spread: Floats

    def take(self, meeting: Meeting) -> csr_array:
        """The marks that are known, and the features in shares of their spread."""
        deviations = (meeting.features - self.mean) / self.spread
        dense = SCALE * np.clip(deviations, -FARTHEST, FARTHEST)
        marks = meeting.marks[:, self.used]
        return csr_array(hstack([marks, csr_array(dense)], format="csr"))


def learn_columns(meeting: Meeting, least: int) -> MeetingColumns:
    """What training shows of a meeting."""
    # A mark met once teaches nothing about other items and only costs time.
    counts = np.bincount(meeting.marks.indices, minlength=MARKS)
    spread = meeting.features.std(axis=0)
    # What never differs has no spread; then nothing is made of a difference.
    spread = np.where(spread > FLAT, spread, np.inf)
    used = np.flatnonzero(counts >= least)
    return MeetingColumns(used, meeting.features.mean(axis=0), spread)


Read = TypeVar("Read", bound="WordReading")


@dataclass(frozen=True, eq=False)
class WordReading(ABC):
    """Items as a reader of alignments has them after reading.

    Attributes:
        texts: Each field as it was written, for its numbers.
        tokens: Each field as word numbers, the field that asks first.
        vocabulary: The number of each word.
        scores: What the words of each field add to each score.
    """

    by_field: ClassVar[tuple[str, ...]] = ("texts", "tokens", "scores")
    texts: "Mapping[str, NDArray[np.object_]]"
    tokens: Mapping[str, WordNumbers]
    vocabulary: dict[str, int]
    scores: Mapping[str, Floats] = field(default_factory=dict, kw_only=True)

    @property
    @abstractmethod
    def remark(self) -> dict[str, float]:
        """What a user should know of this reading, by its name."""

    @abstractmethod
    def align(self, first: str, others: Sequence[str]) -> Iterator[Alignment]:
        """The words of the first field next to those of each other."""

    def meet(self, vocabulary_size: int) -> list[Meeting]:
        """How the first field meets each other; words from that number are new."""
        first, *others = self.tokens
        query = self.tokens[first]
        is_known = query.ids < vocabulary_size
        rows, ids = query.rows[is_known], query.ids[is_known].astype(np.int64)
        meetings = []
        for second, aligned in zip(others, self.align(first, others), strict=True):
            keys = ids * GRADES + aligned.grades[is_known]
            marks = hash_bags(rows, keys, len(query.starts) - 1, MARKS)
            numbers = mark_relations(self.texts[first], self.texts[second])
            meetings.append(Meeting(marks, np.hstack([aligned.features, numbers])))
        return meetings

    def rearrange(self: Read, name: str, order: "NDArray[np.int32]") -> Read:
        """The same items when a field is handed round."""
        if name not in self.tokens:
            return self
        changed = {}
        for attribute in self.by_field:
            parts = getattr(self, attribute)
            if name in parts:
                part = parts[name]
                is_numbers = isinstance(part, WordNumbers)
                turned = take_texts(part, order) if is_numbers else part[order]
                changed[attribute] = {**parts, name: turned}
        return replace(self, **changed)


def learn_meetings(
    items: Items, reading: WordReading, least: int
) -> tuple[dict[str, Grams], list[MeetingColumns], csr_array]:
    """The words of each field, how fields meet, and the rows of both."""
    # What all choices of an item share tells none of them from another.
    fields = items.fields if items.contest is None else items.fields[:1]
    parts = {f: fit_grams(items.column(f), least=least) for f in fields}
    meetings = reading.meet(len(reading.vocabulary))
    columns = [learn_columns(meeting, least) for meeting in meetings]
    met = [c.take(m) for c, m in zip(columns, meetings, strict=True)]
    blocks = [*(rows for _, rows in parts.values()), *met]
    grams = {name: field_grams for name, (field_grams, _) in parts.items()}
    return grams, columns, csr_array(hstack(blocks, format="csr"))


@dataclass(frozen=True, eq=False)
class FittedWords(ABC, Generic[Read]):
    """A reader of alignments that has learned."""

    classes: tuple[str, ...]
    grams: Mapping[str, Grams]
    vocabulary: dict[str, int]
    columns: Sequence[MeetingColumns]
    linear: Linear
    weights: str
    last: dict[str, float] = field(default_factory=dict, kw_only=True)

    @abstractmethod
    def read_items(self, items: Items) -> Read:
        """The items as words with their vectors."""

    def predict(self, items: Items) -> Floats:
        """Class probabilities."""
        return self._add_up(self.read(items))

    def read(self, items: Items) -> Read:
        """What the words of each field add to each score, and which words they are."""
        reading = self.read_items(items)
        self.last.update(reading.remark)
        scores, start = {}, 0
        for name, columns in self.grams.items():
            end = start + len(columns.feature_keys)
            counts = columns.counts(items.column(name))
            scores[name] = np.asarray(counts @ self.linear.weights[start:end])
            start = end
        return replace(reading, scores=scores)

    def predict_rearranged(
        self, reading: Read, field: str, orders: NDArray[np.int32]
    ) -> Iterator[Floats]:
        """The class probabilities when `field` is handed round."""
        for order in orders:
            yield self._add_up(reading.rearrange(field, order))

    def remarks(self) -> Mapping[str, float | str]:
        """The share of items that were not read whole, or mostly by their letters."""
        return self.last

    def word_scores(self, items: Items) -> list[Floats]:
        """What each word of the one field adds to each score by itself."""
        name = only_field(list(self.grams), items)
        weights = self.linear.weights[: len(self.grams[name].feature_keys)]
        return gram_scores(items.column(name).tolist(), self.grams[name], weights)

    def field_scores(self, reading: Read) -> tuple[Floats, int]:
        """What the fields add, and the weight behind those of how they meet."""
        total = sum(reading.scores.values()) + self.linear.bias
        return np.asarray(total), len(self.linear.weights)

    def _add_up(self, reading: Read) -> Floats:
        """The class probabilities of what fields add, and of how they meet."""
        total, end = self.field_scores(reading)
        meetings = reading.meet(len(self.vocabulary))
        if meetings:
            met = [c.take(m) for c, m in zip(self.columns, meetings, strict=True)]
            blocks = csr_array(hstack(met, format="csr"))
            total = total + blocks @ self.linear.weights[end - blocks.shape[1] : end]
        return self.linear.probabilities(np.asarray(total))


class FittedAligned(FittedWords["AlignedReading"]):
    """A reader of alignments that has learned."""

    def read_items(self, items: Items) -> "AlignedReading":
        """The items as words with the vectors that they have everywhere."""
        return _read_texts(items, self.vocabulary, self.weights)


@dataclass(frozen=True, eq=False)
class AlignedReading(WordReading):
    """Items with the vectors that words have everywhere.

    Attributes:
        lexicon: The vector of each word.
        negations: Which words negate.
    """

    lexicon: Lexicon
    negations: Bools

    def align(self, first: str, others: Sequence[str]) -> Iterator[Alignment]:
        """The words of the first field next to those of each other."""
        for second in others:
            sides = self.tokens[first], self.tokens[second]
            yield align_texts(*sides, self.lexicon, self.negations)

    @property
    def remark(self) -> dict[str, float]:
        """The share of the items of which most words were read by their letters."""
        shares = []
        for numbers in self.tokens.values():
            by_letter = np.bincount(
                numbers.rows,
                self.lexicon.spelled[numbers.ids],
                minlength=len(numbers.starts) - 1,
            )
            shares.append(by_letter > np.diff(numbers.starts) / 2)
        return {"spelled": float(np.mean(np.any(shares, axis=0)))}


def _read_texts(
    items: Items, vocabulary: Mapping[str, int], vectors: str
) -> AlignedReading:
    """The items as words with vectors; new words join a copy of the vocabulary."""
    numbers = dict(vocabulary)
    tokens = {
        name: number_words(items.column(name), numbers, grow=True)
        for name in items.fields
    }
    spellings = [*numbers]
    return AlignedReading(
        {name: items.column(name).to_numpy(object) for name in items.fields},
        tokens,
        numbers,
        load_vectors(vectors).lexicon(spellings),
        np.array([word in NEGATIONS for word in spellings], bool),
    )
