"""Free answers: what one is by its form, when two are the same, and who writes them."""

import re
from collections.abc import Sequence
from typing import Protocol, runtime_checkable

import numpy as np

from measurand.core.errors import NotApplicable, ReaderFailed
from measurand.core.items import Items
from measurand.core.reader import Reader
from measurand.core.words import FUNCTION

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


def answer_type(text: str) -> str:
    """What an answer is, as far as its form tells.

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
