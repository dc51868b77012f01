"""Candidates: the texts of a part, and which possible cues each of them has."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from measurand.core.arrays import Ints
from measurand.core.items import Items


@dataclass(frozen=True, eq=False)
class PartTexts:
    """The texts of one part, a row each; of choices, each choice is a row.

    Attributes:
        texts: One a row.
        item: The item that each row is of.
        gold: The class number of each row; of choices, 0 is right and 1 wrong.
        classes: What the numbers represent.
        contests: Whether rows of one item are its choices.
    """

    texts: Sequence[str]
    item: Ints
    gold: Ints
    classes: tuple[str, ...]
    contests: bool


def part_texts(items: Items, part: str) -> PartTexts:
    """The rows of a part."""
    if part != items.choices:
        gold, classes = items.gold(items.classes), items.classes
        texts = items.column(part).tolist()
        return PartTexts(texts, np.arange(len(items)), gold, classes, contests=False)
    texts = [text for row in items.choice_texts for text in row]
    item = np.repeat(np.arange(len(items)), items.choice_counts)
    starts = np.cumsum(items.choice_counts) - items.choice_counts
    wrong = np.ones(len(texts), np.int64)
    wrong[starts + items.numbers] = 0
    return PartTexts(texts, item, wrong, ("right", "wrong"), contests=True)


@dataclass(frozen=True, eq=False)
class Candidates:
    """Possible cues of one kind.

    Attributes:
        marks: Rows × candidates: 1 where the row has it.
        names: What each is called.
    """

    marks: csr_array
    names: Sequence[str]


NONE = Candidates(csr_array((0, 0)), ())
