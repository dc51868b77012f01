"""Choices that items bring, of which one is right, and free answers.

A reader of classes reads them as pairs of an item and one of its choices, each right or
wrong; the odds of being right, as shares within the item, are its answer. Where exactly
one choice is right and each was judged by itself, these shares are its probabilities.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Protocol, runtime_checkable
from zlib import crc32

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from measurand.core.arrays import Floats, Ints
from measurand.core.errors import NotApplicable, ReaderFailed
from measurand.core.items import LETTERS, Items
from measurand.core.reader import (
    FittedReader,
    Reader,
    Rearrangeable,
    Remarks,
    check_fitted,
    check_shape,
)
from measurand.text.words import FUNCTION

RIGHT, WRONG = "right", "wrong"
LEAST = 1e-7  # the least probability whose odds are used: float32 may say 0
TIE = 1e-4  # how far a choice's own text may move its odds, so that none are equal


@runtime_checkable
class ReadsChoices(Protocol):
    """A reader that compares the choices of an item itself."""

    def fit_choices(self, items: Items, rng: np.random.Generator) -> FittedReader:
        """Learn from items with choices; its classes are their letters."""


@runtime_checkable
class TakesLetters(FittedReader, Protocol):
    """A fitted reader of choices that can answer with letters it has not met."""

    def with_letters(self, letters: tuple[str, ...]) -> FittedReader:
        """The same reader, whose classes are these letters."""


@dataclass(frozen=True, eq=False)
class ChoicePairs:
    """Items with choices as pairs, the choices of an item one after another.

    Attributes:
        items: One row per pair: the choice first, so that readers of pairs compare it
            with each of the other fields; right or wrong is the label.
        owner: The position of the item that each pair is of.
        position: The position of the choice among those of its item.
    """

    items: Items
    owner: Ints
    position: Ints

    @cached_property
    def first(self) -> Ints:
        """The first pair of each item."""
        return np.flatnonzero(self.position == 0)

    @cached_property
    def lots(self) -> Floats:
        """A number from 0 to 1 for the text of each choice, wherever it stands."""
        texts = self.items.column(self.items.fields[0])
        numbers = [crc32(text.encode("utf-8", "backslashreplace")) for text in texts]
        return np.array(numbers, float) / 2**32

    def shares(self, right: Floats, letters: int) -> Floats:
        """The share of each choice within its item, from its chance of being right.

        Of choices that a reader cannot distinguish the first would always win, so that
        a figure would depend on their order: a lot that each text draws decides.
        """
        chance = np.clip(right, LEAST, 1 - LEAST)
        odds = np.zeros((len(self.first), letters))
        odds[self.owner, self.position] = chance / (1 - chance) * (1 + TIE * self.lots)
        return np.asarray(odds / odds.sum(axis=1, keepdims=True))


def pair_choices(items: Items) -> ChoicePairs:
    """Every choice of every item next to the other fields of the item."""
    name, counts = str(items.choices), items.choice_counts
    owner = np.repeat(np.arange(len(items)), counts)
    position = np.arange(len(owner)) - np.repeat(np.cumsum(counts) - counts, counts)
    rest = [f for f in items.fields if f != name]
    columns: dict[str, Any] = {
        name: [text for texts in items.choice_texts for text in texts]
    }
    columns |= {f: items.column(f).to_numpy(object)[owner] for f in rest}
    right = position == items.gold(tuple(LETTERS))[owner]
    columns[items.label] = np.where(right, RIGHT, WRONG)
    contest = f"{name} of"
    while contest in columns:
        contest += "_"
    columns[contest] = owner
    names = items.ids.astype(str).to_numpy(object)[owner]
    ids = [f"{name} {LETTERS[p]}" for name, p in zip(names, position, strict=True)]
    table = pd.DataFrame(columns, index=pd.Index(ids, name="id"))
    pairs = Items(table, (name, *rest), items.label, contest=contest)
    return ChoicePairs(pairs, owner, position)


@dataclass(frozen=True, eq=False)
class FittedOnPairs:
    """A reader of classes that learned which choices are right.

    Attributes:
        classes: The letters.
        reader: The reader of pairs.
    """

    classes: tuple[str, ...]
    reader: FittedReader

    def predict(self, items: Items) -> Floats:
        """The share of each choice; 0 for letters that an item does not have."""
        pairs = pair_choices(items)
        return self._compare(pairs, self.reader.predict(pairs.items))

    def read(self, items: Items) -> ChoicePairs:
        """The items as pairs."""
        return pair_choices(items)

    def predict_rearranged(
        self, reading: ChoicePairs, field: str, orders: NDArray[np.int32]
    ) -> Iterator[Floats]:
        """The shares under each order: all pairs of an item receive the same text."""
        pair_orders = reading.first[orders[:, reading.owner]]
        reader = self.reader
        if isinstance(reader, Rearrangeable):
            answers = reader.predict_rearranged(
                reader.read(reading.items), field, pair_orders.astype(np.int32)
            )
            for answer in answers:
                yield self._compare(reading, answer)
            return
        texts = reading.items.column(field).to_numpy(object)
        for order in pair_orders:
            changed = reading.items.with_field(field, texts[order].tolist())
            yield self._compare(reading, reader.predict(changed))

    def with_letters(self, letters: tuple[str, ...]) -> "FittedOnPairs":
        """The same reader, whose classes are these letters."""
        return replace(self, classes=letters)

    def remarks(self) -> Mapping[str, float | str]:
        """What the reader of pairs has to say."""
        return self.reader.remarks() if isinstance(self.reader, Remarks) else {}

    def prompts(self, items: Items) -> list[Any]:
        """What a prompted reader is given: each choice by itself."""
        reader: Any = self.reader
        return list(reader.prompts(pair_choices(items).items))

    def _compare(self, pairs: ChoicePairs, answer: Floats) -> Floats:
        check_shape(answer, len(pairs.items), self.reader)
        column = self.reader.classes.index(RIGHT)
        letters = max(len(self.classes), int(pairs.position.max(initial=0)) + 1)
        shares = pairs.shares(np.asarray(answer)[:, column], letters)
        return shares[:, : len(self.classes)]


def fit_to(reader: Reader, items: Items, rng: np.random.Generator) -> FittedReader:
    """The reader, fitted as the kind of the items wants it."""
    if items.choices is None:
        fitted = reader.fit(items, rng)
    elif isinstance(reader, ReadsChoices):
        fitted = reader.fit_choices(items, rng)
    else:
        pairs = pair_choices(items)
        of_pairs = reader.fit(pairs.items, rng)
        check_fitted(of_pairs, reader)
        fitted = FittedOnPairs(items.classes, of_pairs)
    check_fitted(fitted, reader)
    return fitted


def guess_scores(items: Items) -> "pd.Series[float]":
    """How often each item is right for a baseline that reads nothing.

    That is the commonest label, or any of its choices at random.
    """
    if items.choices is not None:
        return pd.Series(1 / items.choice_counts, index=items.ids)
    return (items.labels == commonest_label(items.labels)).astype(float)


def guess_logs(items: Items) -> Floats:
    """The log-probability of each gold label for a baseline that reads nothing.

    No constant answer predicts more than the shares of these labels, so that other
    shares in training are not taken for bits.
    """
    if items.choices is not None:
        return np.asarray(-np.log(items.choice_counts))
    shares = items.labels.value_counts(normalize=True)
    return np.asarray(np.log(items.labels.map(shares).to_numpy(float)))


def guess_table(items: Items, classes: Sequence[str]) -> Floats:
    """What who reads nothing expects, as in `guess_logs`: items × classes."""
    if items.choices is not None:
        counts = items.choice_counts[:, None]
        return np.asarray((np.arange(len(classes)) < counts) / counts)
    shares = items.labels.value_counts(normalize=True).reindex([*classes], fill_value=0)
    return np.tile(shares.to_numpy(float), (len(items), 1))


def commonest_label(labels: "pd.Series[str]") -> str:
    """The label that most items have; the first by name of several.

    >>> commonest_label(pd.Series(["b", "a", "c", "b", "a"]))
    'a'
    """
    counts = labels.value_counts()
    return str(min(counts.index, key=lambda label: (-int(counts[label]), label)))


COUNTED = frozenset(
    {"two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven"}
    | {"twelve", "dozen", "dozens", "hundred", "hundreds", "thousand", "thousands"}
    | {"million", "millions", "billion", "billions", "several", "half", "twice"}
    | set("两兩二三四五六七八九十百千万萬亿億")
)
YEAR = re.compile(r"\b(?:1\d{3}|20\d{2})s?\b")
LONGEST_PHRASE, LONGEST_NAME, LONGEST_NUMBER = 4, 6, 4  # words
OPPOSITE = {"yes": "no", "no": "yes", "true": "false", "false": "true"}
MONTH = re.compile(
    r"\b(?:january|february|march|april|may|june|july|august|september|october"
    r"|november|december|century|(?:mon|tues|wednes|thurs|fri|satur|sun)day)\b"
)
NUMBERS = COUNTED | {"one", "zero", "first", "second", "third"}
ARTICLE = re.compile(r"\b(?:a|an|the)\b")
NO_LETTER = re.compile(r"[^\w\s]")


def normalise_answer(text: str) -> str:
    """An answer as it is compared: without case, articles, points and spare space.

    >>> normalise_answer("The  Great Gatsby."), normalise_answer("U.S.")
    ('great gatsby', 'us')
    """
    return " ".join(ARTICLE.sub(" ", NO_LETTER.sub("", text.lower())).split())


def are_free(cells: Sequence[object]) -> bool:
    """Whether most cells are texts that no other holds, so that none is a class.

    >>> are_free([f"lake {i}" for i in range(40)]), are_free(["yes", "no"] * 20)
    (True, False)
    """
    texts = [cell for cell in cells if isinstance(cell, str)]
    counts = Counter(texts)
    if 2 * len(texts) <= len(cells) or len(counts) <= len(LETTERS):
        return False
    return 2 * sum(count == 1 for count in counts.values()) > len(texts)


def choice_letter(answer: str, choices: Sequence[str]) -> str:
    """The letter of the choice that is meant by its text, letter or index, if any.

    >>> [choice_letter(text, ["two", "1"]) for text in ("two ", "1", "0", "b", "C")]
    ['A', 'B', 'A', 'B', '']
    """
    text, texts = answer.strip(), [choice.strip() for choice in choices]
    letters: list[str] = [*LETTERS[: len(texts)]]
    for names in (texts, letters, [*map(str, range(len(texts)))]):
        if text in names:
            return letters[names.index(text)]
    return text.upper() if text.upper() in letters else ""


def answer_type(text: str) -> str:
    """What an answer is, as far as its form shows.

    >>> [answer_type(text) for text in ("Yes.", "12 %", "two", "May 1903", "1980s")]
    ['yes-no', 'number', 'number', 'date', 'date']
    >>> [answer_type(text) for text in ("the Bank of England", "a red boat")]
    ['name', 'phrase']
    >>> answer_type("because the harbour was frozen")
    'longer'
    """
    plain = normalise_answer(text)
    if plain in OPPOSITE:
        return "yes-no"
    words = text.split()
    telling = [word for word in words if word.lower() not in FUNCTION]
    has_digit = any(letter.isdigit() for letter in text)
    dated = MONTH.search(plain) and (has_digit or text[:1].isupper())
    is_year = YEAR.fullmatch(" ".join(telling).strip(".,"))
    if is_year or (dated and len(words) <= LONGEST_NAME):
        return "date"
    counted = has_digit or not NUMBERS.isdisjoint(plain.split()[:1])
    if counted and len(words) <= LONGEST_NUMBER:
        return "number"
    if telling and len(words) <= LONGEST_NAME and all(w[0].isupper() for w in telling):
        return "name"
    return "phrase" if len(words) <= LONGEST_PHRASE else "longer"


class FittedWriter(Protocol):
    """A reader that writes its answers."""

    def write(self, items: Items) -> Sequence[str]:
        """One answer an item, from the fields of the items but not their choices."""


@runtime_checkable
class WritesAnswers(Protocol):
    """A reader that can write answers, and need not choose among some."""

    def fit_writer(self, items: Items, rng: np.random.Generator) -> FittedWriter:
        """Learn from items what is asked, and how it is answered."""


def writes_answers(reader: Reader, items: Items) -> bool:
    """Whether the items accept free answers, and the reader writes them."""
    return items.answers is not None and isinstance(reader, WritesAnswers)


@runtime_checkable
class InfersQuestions(Reader, Protocol):
    """A reader that can write the question that the choices of an item belong to."""

    def for_questions(self) -> Reader:
        """The recipe that writes questions, from choices alone, and no answers."""


def fit_writer_to(
    reader: Reader, items: Items, rng: np.random.Generator
) -> FittedWriter:
    """The reader, fitted to write."""
    if not isinstance(reader, WritesAnswers):
        raise NotApplicable("this reader chooses among answers and writes none")
    return reader.fit_writer(items, rng)


def write_answers(writer: FittedWriter, items: Items) -> list[str]:
    """What is written to each item; an error where that is not one text an item."""
    texts = list(writer.write(items))
    if len(texts) != len(items) or not all(isinstance(text, str) for text in texts):
        raise ReaderFailed(
            f"{type(writer).__name__}.write gave {len(texts)} answers for {len(items)} "
            "items, or answers that are no texts; return one text an item"
        )
    return texts
