"""The reader of a sentence encoder that is not trained, and only read once a text.

It reads what the reader of alignments reads, by the vectors that words have in their
text in place of those that they have everywhere, and next to it the vectors of whole
texts: how far they are apart and where they agree. On top is one logistic regression,
so that folds, shuffles and seeds only put vectors together again.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from measurand.core.arrays import Bools, Floats, Ints
from measurand.core.items import Items
from measurand.core.recipe import LOCATE, Strength, Traits
from measurand.models.embeddings import Embeddings, check_encoder, load_embeddings
from measurand.models.places import sentence_path
from measurand.models.vectors import Lexicon
from measurand.readers.aligned import FittedWords, WordReading, learn_meetings
from measurand.readers.alignment import Alignment, align_texts
from measurand.readers.features import Features
from measurand.readers.linear import choose_strength, fit_linear
from measurand.readers.ngrams import (
    WordNumbers,
    number_words,
)
from measurand.text.words import NEGATIONS

STRENGTHS = (0.1, 0.3, 1.0)  # of which one is chosen on rows held out of training
SCALE = 0.06  # of standard deviations of the numbers of texts
FARTHEST = 5.0  # standard deviations that a number may be from its mean
FLAT = 1e-6  # spread up to which a number is the same in all items
LIKE, SAME = 0.5, 0.8  # cosines of words in their texts: alike in meaning, and one word
DIGITS = 9  # of a score: what is beyond depends on the order of sums


@dataclass(frozen=True)
class FrozenReader:
    """Logistic regression on words, alignments and vectors of a frozen encoder.

    The first field asks, and any other should answer. With one field alone it reads
    that field's words and vector.

    Attributes:
        model: The encoder: minilm as installed, a folder, or all-MiniLM-L6-v2 of the
            hub.
        least: Items a word feature must stand in.
        folds: Held-out folds for the temperature; 0 leaves it at 1.
    """

    kind: ClassVar[str] = "frozen"
    traits: ClassVar[Traits] = Traits(Strength.FROZEN, needs_weights=True)
    model: str = field(default="minilm", metadata={LOCATE: sentence_path})
    least: int = 2
    folds: int = 3

    def fit(self, items: Items, rng: np.random.Generator) -> "FittedFrozen":
        """Learn the words, how strongly to hold back the regression, and this."""
        reading = _embed_items(items, {}, self.model)
        reading = replace(reading, rarity=_weigh_words(reading))
        grams, columns, sparse = learn_meetings(items, reading, self.least)
        numbers = reading.numbers(grams)
        usual = numbers.mean(axis=0), numbers.std(axis=0)
        features = Features(sparse, _standardise(numbers, *usual))
        strength = choose_strength(features, items, STRENGTHS, rng)
        return FittedFrozen(
            items.classes,
            grams,
            reading.vocabulary,
            columns,
            fit_linear(features, items, strength, self.folds, rng),
            self.model,
            rarity=reading.rarity,
            usual=usual,
        )

    def without_temperature(self) -> "FrozenReader":
        """The same answers without the folds that only the temperature needs."""
        return replace(self, folds=0)

    def list_unread(self, texts: Sequence[str]) -> Sequence[str]:
        """Those of the texts that nobody has embedded yet, each once."""
        return load_embeddings(self.model).list_missing(texts)

    def read_texts(self, texts: Sequence[str]) -> None:
        """Embed texts, and keep that."""
        load_embeddings(self.model).find(texts)

    def check_weights(self) -> None:
        """Raise where the encoder is not to be had."""
        check_encoder(self.model)


def _standardise(numbers: Any, mean: Any, spread: Any) -> "NDArray[np.float32]":
    """Numbers in shares of their spread; none of what never differs."""
    spread = np.where(spread > FLAT, spread, np.inf)
    deviations = np.clip((numbers - mean) / spread, -FARTHEST, FARTHEST)
    return np.asarray(SCALE * deviations, np.float32)


def _weigh_words(reading: "FrozenReading") -> Floats:
    """How rare each word is among the texts: the log of how few hold it."""
    counts = np.zeros(len(reading.vocabulary))
    total = 0
    for tokens in reading.tokens.values():
        pairs = np.unique(np.stack([tokens.rows, tokens.ids.astype(np.int64)]), axis=1)
        counts += np.bincount(pairs[1], minlength=len(counts))
        total += len(tokens.starts) - 1
    return np.asarray(np.log((1 + total) / (1 + counts)) + 0.1)


@dataclass(frozen=True, eq=False)
class FrozenReading(WordReading):
    """Items with the vectors of their texts, and of words in these.

    Attributes:
        spots: The words of each field by their place among all that were read.
        places: The place of each text among all that were read.
        embeddings: All that were read.
        truncated: The share of items of which the encoder did not read all words.
        rarity: How much each word of training says; new ones are as the rarest.
    """

    by_field = (*WordReading.by_field, "spots", "places")
    spots: Mapping[str, WordNumbers]
    places: Mapping[str, Ints]
    embeddings: Embeddings
    truncated: float
    rarity: Floats = field(default_factory=lambda: np.ones(1))

    @property
    def remark(self) -> dict[str, float]:
        """The share of items of which a text was cut."""
        return {"truncated": self.truncated}

    def numbers(self, fields: Any) -> "NDArray[np.float32]":
        """The vectors of these fields; how far the first is from others, and agrees."""
        vectors = {
            name: self.embeddings.vectors[places].astype(np.float32)
            for name, places in self.places.items()
        }
        first, *others = vectors.values()
        columns = [vectors[name] for name in fields]
        for second in others:
            columns += [np.abs(first - second), first * second]
        return np.hstack(columns)

    def align(self, first: str, others: Sequence[str]) -> Iterator[Alignment]:
        """The words of the first field next to those of each other."""
        words = self._lexicon() if others else ()
        for second in others:
            yield align_texts(self.spots[first], self.spots[second], *words)

    def _lexicon(self) -> tuple[Lexicon, Bools]:
        """The words that were read, with how much they say and whether they negate."""
        total = self.embeddings.starts[-1]
        spelled = [*self.vocabulary]
        rarity = np.full(len(spelled), self.rarity.max(initial=1.0))
        rarity[: len(self.rarity)] = self.rarity
        negates = np.array([word in NEGATIONS for word in spelled], bool)
        weights, negations = np.ones(total), np.zeros(total, bool)
        for name, tokens in self.tokens.items():
            weights[self.spots[name].ids] = rarity[tokens.ids]
            negations[self.spots[name].ids] = negates[tokens.ids]
        lexicon = Lexicon(
            self.embeddings.directions[:total],
            self.embeddings.lengths[:total],
            weights,
            np.zeros(0, bool),
            LIKE,
            SAME,
        )
        return lexicon, negations


@dataclass(frozen=True, eq=False)
class FittedFrozen(FittedWords[FrozenReading]):
    """A reader of a frozen encoder that has learned."""

    rarity: Floats = field(kw_only=True)
    usual: tuple[Any, Any] = field(kw_only=True)

    def read_items(self, items: Items) -> FrozenReading:
        """The items as embedded, their words as rare as in training."""
        reading = _embed_items(items, self.vocabulary, self.weights)
        return replace(reading, rarity=self.rarity)

    def field_scores(self, reading: FrozenReading) -> tuple[Floats, int]:
        """What words and vectors of the fields add, and where these weights begin."""
        total, _ = super().field_scores(reading)
        numbers = _standardise(reading.numbers(self.grams), *self.usual)
        start = len(self.linear.weights) - numbers.shape[1]
        dense = numbers.astype(float) @ self.linear.weights[start:]
        return total + dense.round(DIGITS), start


def _embed_items(
    items: Items, vocabulary: Mapping[str, int], model: str
) -> FrozenReading:
    """The items as embedded; new words join a copy of the vocabulary."""
    embeddings, numbers = load_embeddings(model), dict(vocabulary)
    columns = {name: items.column(name).to_numpy(object) for name in items.fields}
    every = embeddings.find([text for column in columns.values() for text in column])
    places = dict(zip(columns, np.split(every, len(columns)), strict=True))
    starts = np.array(embeddings.starts)
    spots, tokens = {}, {}
    cut = np.zeros(len(items), bool)
    for name, rows in places.items():
        sizes = starts[rows + 1] - starts[rows]
        ends = np.concatenate([[0], np.cumsum(sizes)])
        inside = np.arange(ends[-1]) - np.repeat(ends[:-1], sizes)
        spots[name] = WordNumbers(np.repeat(starts[rows], sizes) + inside, ends)
        words = number_words(items.column(name), numbers, grow=True)
        cut |= np.diff(words.starts) > sizes
        at = np.repeat(words.starts[:-1], sizes) + inside
        tokens[name] = WordNumbers(words.ids[at], ends)
    truncated = float(cut.mean()) if len(cut) else 0.0
    return FrozenReading(
        texts=columns,
        tokens=tokens,
        spots=spots,
        places=places,
        vocabulary=numbers,
        embeddings=embeddings,
        truncated=truncated,
    )
