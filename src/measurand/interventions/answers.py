"""Interventions on the right answer: out of the choices, or out of the evidence.

What becomes of an item follows from that item alone, without any draw: an audit can ask
which items were changed, and what is right then. Items without choices, and those whose
right one does not stand in the evidence word for word, stay as they are.
"""

import re
from dataclasses import dataclass
from typing import ClassVar
from zlib import crc32

import numpy as np

from measurand.core.arrays import Ints
from measurand.core.choices import OPPOSITE, answer_type, normalise_answer
from measurand.core.items import LETTERS, Items, pack_choices
from measurand.text.words import sentence_spans

NONE_OF_THESE = "none of these"
SHORTEST = 2  # letters of an answer that is looked for: one may be any word's


@dataclass(frozen=True)
class RemoveGold:
    """The right choice replaced by "none of these", which is then right."""

    kind: ClassVar[str] = "remove-gold"

    def __call__(self, items: Items, rng: np.random.Generator) -> Items:
        """The items with these words where the right choice stood."""
        if items.choices is None:
            return items
        rows = zip(items.choice_texts, items.gold(tuple(LETTERS)), strict=True)
        cells = [
            pack_choices([*texts[:gold], NONE_OF_THESE, *texts[gold + 1 :]])
            for texts, gold in rows
        ]
        return items.with_field(items.choices, cells)

    def __str__(self) -> str:
        """The name in reports."""
        return "gold removed"


@dataclass(frozen=True)
class DeleteAnswer:
    """The evidence without the sentences in which the right choice stands.

    Attributes:
        field: The field of the evidence.
    """

    kind: ClassVar[str] = "delete-answer"
    field: str

    def __call__(self, items: Items, rng: np.random.Generator) -> Items:
        """The items with what is left of each text."""
        if items.choices is None:
            return items
        texts = items.column(self.field).tolist()
        rows = zip(texts, _right_choices(items), strict=True)
        return items.with_field(self.field, [_without(*row) for row in rows])

    def __str__(self) -> str:
        """The name in reports."""
        return "answer deleted"

    def right_after(self, items: Items) -> Ints:
        """The position of the right choice; -1 where its text is as it was."""
        rows = zip(items.column(self.field), _right_choices(items), strict=True)
        changed = [mentions(*row) for row in rows]
        return np.where(changed, items.gold(tuple(LETTERS)), -1)


@dataclass(frozen=True)
class SwapAnswer:
    """The evidence with another choice of its type where the right one stood.

    It is one that the evidence does not speak of; which one, the texts of the choices
    decide. So the evidence says another answer than one may remember.

    Attributes:
        field: The field of the evidence.
    """

    kind: ClassVar[str] = "swap-answer"
    field: str

    def __call__(self, items: Items, rng: np.random.Generator) -> Items:
        """The items whose evidence supports another of their choices."""
        if items.choices is None:
            return items
        rows = zip(
            items.column(self.field).tolist(),
            items.choice_texts,
            items.gold(tuple(LETTERS)),
            self.right_after(items),
            strict=True,
        )
        changed = [
            text if new < 0 else _replace(text, choices[gold], choices[new])
            for text, choices, gold, new in rows
        ]
        return items.with_field(self.field, changed)

    def __str__(self) -> str:
        """The name in reports."""
        return "answer swapped"

    def right_after(self, items: Items) -> Ints:
        """The position of the choice that is right then; -1 where there is none."""
        rows = zip(
            items.column(self.field),
            items.choice_texts,
            items.gold(tuple(LETTERS)),
            strict=True,
        )
        return np.array([_other_choice(*row) for row in rows], np.int64)


def mentions(text: str, answer: str) -> bool:
    """Whether an answer stands in a text, as words of their own.

    >>> mentions("They sailed to  Oslo.", "oslo"), mentions("A mastiff", "mast")
    (True, False)
    >>> mentions("No, she said", "No")
    False
    """
    pattern = _pattern(answer)
    return pattern is not None and pattern.search(text) is not None


def _pattern(answer: str) -> "re.Pattern[str] | None":
    """What finds an answer in a text; None where it could stand there by chance."""
    pieces = answer.strip(" \t\n.,;:!?").split()
    if len("".join(pieces)) < SHORTEST or normalise_answer(answer) in OPPOSITE:
        return None
    inside = r"\s+".join(map(re.escape, pieces))
    return re.compile(rf"(?<!\w){inside}(?!\w)", re.IGNORECASE)


def _right_choices(items: Items) -> list[str]:
    """The text of each right choice."""
    rows = zip(items.choice_texts, items.gold(tuple(LETTERS)), strict=True)
    return [texts[gold] for texts, gold in rows]


def _without(text: str, answer: str) -> str:
    """The text without the sentences in which the answer stands.

    >>> _without("It rained. They went to Oslo. It is cold.", "Oslo")
    'It rained. It is cold.'
    """
    pattern = _pattern(answer)
    if pattern is None or not pattern.search(text):
        return text
    # An answer may run over the end of a sentence: whatever it touches goes.
    hits = [match.span() for match in pattern.finditer(text)]
    sentences = [
        text[start:end]
        for start, end in sentence_spans(text)
        if not any(first < end and start < last for first, last in hits)
    ]
    return " ".join(sentences)


def _replace(text: str, answer: str, substitute: str) -> str:
    """The text with another answer in the place of this one.

    >>> _replace("Oslo is cold. In oslo it rains.", "Oslo", "Rome")
    'Rome is cold. In Rome it rains.'
    """
    pattern, words = _pattern(answer), substitute.strip(" \t\n.,;:!?")
    # As a function: in a plain replacement a backslash would mean something.
    return text if pattern is None else pattern.sub(lambda match: words, text)


def _other_choice(text: str, choices: list[str], gold: int) -> int:
    """The choice that takes the place of the right one in a text; -1 if none can."""
    right = choices[gold]
    if not mentions(text, right):
        return -1
    fitting = [
        position
        for position, choice in enumerate(choices)
        if answer_type(choice) == answer_type(right)
        and _pattern(choice) is not None
        and not (mentions(right, choice) or mentions(choice, right))
        and not mentions(text, choice)
    ]
    lots = {
        p: crc32(f"{right}\0{choices[p]}".encode("utf-8", "backslashreplace"))
        for p in fitting
    }
    return min(lots, key=lambda position: lots[position], default=-1)
