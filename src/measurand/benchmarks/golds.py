"""Which choice is right: the gold as an index, a letter, a text or a mark."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

import pandas as pd

from measurand.benchmarks.cells import UNLABELLED, scalar_text
from measurand.benchmarks.paths import is_missing, open_gold
from measurand.benchmarks.roles import ColumnRoles
from measurand.core.errors import BadInput, quote
from measurand.core.items import LETTERS

HIDDEN = "-1"  # the gold of a row in a test part whose golds nobody is told
INDEX, INDEX_FROM_1, LETTER, TEXT_OF = "index", "index from 1", "letter", "text"
MARK = "as its choices are marked"


@dataclass(frozen=True)
class ItemChoices:
    """The choices of one item, and how they are marked where the item says so."""

    texts: list[str]
    marks: list[str] = field(default_factory=list)

    @property
    def keys(self) -> list[str]:
        """The texts as they are compared: without case and spare space."""
        return [text_key(text) for text in self.texts]


def text_key(text: str) -> str:
    """A text as it is compared with another: without case and spare space.

    >>> text_key(" A  Boat")
    'a boat'
    """
    return " ".join(text.split()).casefold()


def read_golds(
    table: pd.DataFrame, roles: ColumnRoles, items: Sequence[ItemChoices]
) -> list[object]:
    """The golds as they are given; a split that hides all of its own is left out.

    Hidden are blanks and -1, where no row of the split has another gold.

    Args:
        table: The rows.
        roles: Which column is what.
        items: The choices of each row.
    """
    cells = [
        open_gold(cell, len(item.texts))
        for cell, item in zip(table[roles.label], items, strict=True)
    ]
    several = [row for row, cell in enumerate(cells, 1) if isinstance(cell, list)]
    if several:
        raise BadInput(
            f"{len(several)} of {len(cells)} label cells in column "
            f"{quote(roles.label)} name none or several right choices, first in rows "
            f"{', '.join(map(str, several[:3]))}; one an item is allowed: mend or "
            "remove these rows, or name another column with `label`"
        )
    golds = [_gold_of(cell) for cell in cells]
    if roles.split is None:
        return golds
    splits = [str(split) for split in table[roles.split]]
    told = {
        split
        for gold, split in zip(golds, splits, strict=True)
        if gold is not None and str(gold) != HIDDEN
    }
    return [
        gold if split in told or not told else UNLABELLED
        for gold, split in zip(golds, splits, strict=True)
    ]


def _gold_of(cell: object) -> object:
    """The gold as it is given, None where there is none."""
    text = None if is_missing(cell) else scalar_text(cell)
    if text is None or not text.strip():
        return None
    return (
        text.strip() if isinstance(cell, str) else int(text) if _is_int(text) else text
    )


def _is_int(text: str) -> bool:
    """Whether a text is a whole number, as an index is written."""
    return re.fullmatch(r"-?\d{1,9}", text, re.ASCII) is not None


def gold_way(golds: Sequence[object], items: Sequence[ItemChoices]) -> str:
    """How the golds are given: the way in which most of them lead to a choice.

    A text that is a number may be an index or a choice; it is a choice where all are.
    """
    layouts = [
        (gold, item)
        for gold, item in zip(golds, items, strict=True)
        if gold is not None and gold != UNLABELLED
    ]
    as_text = any(isinstance(gold, str) for gold, _ in layouts)
    ways = [MARK, TEXT_OF, LETTER, INDEX] if as_text else [INDEX, MARK, TEXT_OF]
    numbers = [(int(str(g)), len(i.texts)) for g, i in layouts if _is_int(str(g))]
    if all(number for number, _ in numbers) and any(n == m for n, m in numbers):
        ways.insert(ways.index(INDEX), INDEX_FROM_1)
    fits = {
        way: sum(_gold_place(gold, item, way) is not None for gold, item in layouts)
        for way in ways
    }
    return max(ways, key=lambda way: fits[way])


def _gold_place(gold: object, item: ItemChoices, way: str) -> int | None:
    """The position of the right choice; None where the gold leads to none.

    >>> item = ItemChoices(["a boat", "A mast"], ["1", "2"])
    >>> [_gold_place(*gold) for gold in (
    ...     (1, item, INDEX), ("b", item, LETTER), ("a  mast", item, TEXT_OF),
    ...     ("2", item, MARK), (2, item, INDEX))]
    [1, 1, 1, 1, None]
    """
    text = str(gold)
    if way in (INDEX, INDEX_FROM_1):
        position = int(text) - (way == INDEX_FROM_1) if _is_int(text) else -1
        return position if 0 <= position < len(item.texts) else None
    if way == LETTER:
        return _letter_place(text, item)
    names = item.marks if way == MARK else item.keys
    key = text.lower() if way == MARK else text_key(text)
    return names.index(key) if key in names else None


def right_keys(
    column: "pd.Series[str]", items: Sequence[ItemChoices]
) -> list[str | None]:
    """The choice that each cell of a column leads to, as it is compared; None for none.

    Args:
        column: What may be the golds, of which some may be missing or several.
        items: The choices of each row.
    """
    cells = [
        open_gold(cell, len(item.texts))
        for cell, item in zip(column, items, strict=True)
    ]
    golds = [None if isinstance(cell, list) else _gold_of(cell) for cell in cells]
    way = gold_way(golds, items)
    keys: list[str | None] = []
    for gold, item in zip(golds, items, strict=True):
        position = None if gold is None else _gold_place(gold, item, way)
        keys.append(None if position is None else item.keys[position])
    return keys


LETTERED = re.compile(r"[(\[]?([A-Za-z])(?:[)\].:]+(?:\s+(.+))?)?", re.DOTALL)


def _letter_place(text: str, item: ItemChoices) -> int | None:
    """The position of a letter, bare or marked; what follows must be its choice.

    >>> item = ItemChoices(["a boat", "a mast"])
    >>> golds = ("b", "(B)", "B)", "B.", "B. A mast", "B. a boat", "B mast", "C", "be")
    >>> [_letter_place(gold, item) for gold in golds]
    [1, 1, 1, 1, 1, None, None, None, None]
    """
    match = LETTERED.fullmatch(text)
    place = LETTERS.index(match[1].upper()) if match else len(item.texts)
    if match is None or place >= len(item.texts):
        return None
    agrees = match[2] is None or text_key(match[2]) == item.keys[place]
    return place if agrees else None


def gold_letters(
    golds: Sequence[object],
    items: Sequence[ItemChoices],
    way: str,
    label: str,
    part: str,
) -> list[str]:
    """The letter of each item's right choice; a gold that leads to none is refused."""
    subject = f"{len(golds)} {part} cells in column {quote(label)}"
    lacking = [row for row, gold in enumerate(golds, 1) if gold is None]
    if lacking:
        raise BadInput(
            f"{len(lacking)} of {subject} lack the right choice, first in rows "
            f"{', '.join(map(str, lacking[:3]))}; fill or remove these rows, or name "
            "another column with `label`"
        )
    letters, astray = [], []
    for row, (gold, item) in enumerate(zip(golds, items, strict=True), 1):
        position = _gold_place(gold, item, way)
        if position is None and gold != UNLABELLED:
            astray.append(row)
        letters.append(UNLABELLED if position is None else LETTERS[position])
    if not astray:
        return letters
    row = astray[0]
    given, last = quote(str(golds[row - 1])), LETTERS[len(items[row - 1].texts) - 1]
    raise BadInput(
        f"{len(astray)} of {subject} name none of their item's choices, first in row "
        f"{row}: {given}, while its choices are A to {last}; give an index, a letter "
        "or the text of one, or name another column with `label`"
    )
