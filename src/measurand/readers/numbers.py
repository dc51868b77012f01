"""A reader that compares the numbers of two texts, besides the words of each."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import ClassVar

import numpy as np

from measurand.core.arrays import Floats
from measurand.core.items import Items
from measurand.core.recipe import Strength, Traits
from measurand.readers.linear import FittedTfidf, TfidfReader

NUMBER = re.compile(r"(?:(?<!\w)-)?\d+(?:[.,]\d+)*")  # 1990-95 is no sum
NAME = re.compile(r"\b[A-Z]\w*")
FIELD = "how numbers compare"  # a column besides those of the items
RELATIONS = (  # what may be said of the numbers of two texts
    *(
        f"{what}{order}"
        for what in ("greatest", "least", "most", "first")
        for order in ("above", "below", "same")
    ),
    *("present", "absent"),
)
KEPT = 200_000  # texts of which the numbers are remembered


@dataclass(frozen=True)
class NumbersReader:
    """Words of each field, and how the query's numbers compare with the others.

    Which number is greater, whether one stands in both texts, and which of two names
    that stand in both has the greater number behind it.

    Attributes:
        folds: Held-out folds for the temperature; 0 leaves it at 1.
    """

    kind: ClassVar[str] = "numbers"
    traits: ClassVar[Traits] = Traits(Strength.PAIRS)
    folds: int = 3

    def fit(self, items: Items, rng: np.random.Generator) -> "FittedNumbers":
        """Learn words and comparisons together."""
        reader = TfidfReader(folds=self.folds)
        return FittedNumbers(reader.fit(compare_numbers(items), rng, items))

    def without_temperature(self) -> "NumbersReader":
        """The same answers without the folds that only the temperature needs."""
        return replace(self, folds=0)


@dataclass(frozen=True, eq=False)
class FittedNumbers:
    """A reader of numbers that has learned."""

    reader: FittedTfidf

    @property
    def classes(self) -> tuple[str, ...]:
        """The labels."""
        return self.reader.classes

    def predict(self, items: Items) -> Floats:
        """Class probabilities."""
        return self.reader.predict(compare_numbers(items))


def compare_numbers(items: Items) -> Items:
    """The items with one more field, of words that say how their numbers compare."""
    if items.contest is not None or len(items.fields) < 2:
        return items
    first, *others = (items.column(field).tolist() for field in items.fields)
    answers = [" ".join(texts) for texts in zip(*others, strict=True)]
    pairs = zip(first, answers, strict=True)
    return items.with_field(FIELD, [" ".join(number_relations(q, a)) for q, a in pairs])


def mark_relations(queries: Iterable[str], answers: Iterable[str]) -> Floats:
    """Pairs of texts × `RELATIONS`: 1 for what is true of their numbers.

    >>> marks = mark_relations(["He has 3 boats"], ["Of 2 men, one has 5 boats"])
    >>> [RELATIONS[place] for place in np.flatnonzero(marks[0])]
    ['greatestabove', 'leastbelow', 'mostabove', 'absent']
    """
    pairs = [*zip(queries, answers, strict=True)]
    marks = np.zeros((len(pairs), len(RELATIONS)))
    for row, pair in enumerate(pairs):
        for word in number_relations(*pair):
            marks[row, RELATIONS.index(word)] = 1.0
    return marks


def number_relations(query: str, answer: str) -> list[str]:
    """How the first number of a query compares with those of the other texts.

    >>> number_relations("He has 3 boats", "Of 2 men, one has 5 boats")
    ['greatestabove', 'leastbelow', 'mostabove', 'absent']
    """
    query_numbers, answer_numbers = find_numbers(query), find_numbers(answer)
    words = []
    if query_numbers and answer_numbers:
        words += [
            f"greatest{_compare_sizes(max(answer_numbers), query_numbers[0])}",
            f"least{_compare_sizes(min(answer_numbers), query_numbers[0])}",
            f"most{_compare_sizes(max(answer_numbers), max(query_numbers))}",
            "present" if query_numbers[0] in answer_numbers else "absent",
        ]
    names = [name for name in NAME.findall(query) if name in answer]
    if len(names) > 1:
        behind = [_number_behind(name, answer) for name in (names[0], names[-1])]
        if None not in behind:
            words.append(f"first{_compare_sizes(*behind)}")  # type: ignore[arg-type]
    return words


def _compare_sizes(number: float, reference: float) -> str:
    return "above" if number > reference else "below" if number < reference else "same"


@lru_cache(KEPT)
def find_numbers(text: str) -> Sequence[float]:
    """The numbers of a text.

    >>> find_numbers("1,200 of 3.5")
    (1200.0, 3.5)
    """
    matches = (match.replace(",", "") for match in NUMBER.findall(text))
    return tuple(float(m) for m in matches if m.count(".") < 2)


def _number_behind(name: str, text: str) -> float | None:
    """The first number behind a name; none where there is none."""
    numbers = find_numbers(text[text.index(name) + len(name) :])
    return numbers[0] if numbers else None
