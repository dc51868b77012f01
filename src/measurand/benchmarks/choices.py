"""Choices that items bring along: which columns hold them, and which one is right.

A cell may hold a list of texts, such a list in JSON, objects with a text and perhaps a
letter each, an object of texts by letter, or the choices stand in a column each. The
gold may be an index, a letter or the text of one choice.
"""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice

import numpy as np
import pandas as pd

from measurand.benchmarks.cells import UNLABELLED, scalar_text
from measurand.benchmarks.formats import TEXT
from measurand.benchmarks.nested import check_no_objects
from measurand.benchmarks.paths import is_missing, open_nested, parse_paths, path_column
from measurand.benchmarks.roles import (
    ColumnRoles,
    NamedColumns,
    bare_name,
    has_plain_label,
)
from measurand.core.errors import AmbiguousRoles, BadInput, join_names, quote
from measurand.core.items import LETTERS, pack_choices, with_columns
from measurand.core.seeds import generator

PLAIN_CHOICES = frozenset(
    {"choices", "options", "endings", "answeroptions", "answersoptions"}
    | {"answerchoices", "multiplechoices"}
)
FAMILY = re.compile(r"(|options?|op|opt|endings?|choices?|answer|sol)_?([a-j]|\d)")
WRONG = re.compile(r"(?:distractor|incorrectanswer|wronganswer)(\d)")
RIGHT = frozenset({"correctanswer", "answer"})
HIDDEN = "-1"  # the gold of a row in a test part whose golds nobody is told
FEWEST, MOST = 2, len(LETTERS)
ROWS = 50  # that are looked at, from the first on
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


def find_choice_columns(
    table: pd.DataFrame, columns: Sequence[str], named: NamedColumns
) -> tuple[str, ...]:
    """The columns of the choices: as named, else by plain names and what they hold."""
    if named.choices:
        return named.choices
    taken = named.names()
    free = [column for column in columns if column not in taken]
    plain = [column for column in free if bare_name(column) in PLAIN_CHOICES]
    plain = [column for column in plain if _holds_lists(table[column])]
    if len(plain) > 1:
        raise AmbiguousRoles(
            f"{len(plain)} columns could be the choices: {join_names(plain)}; the "
            f"columns are {join_names(columns)}; name one with `choices`"
        )
    if plain:
        return tuple(plain)
    families = [*_families(free)]
    families = [
        family
        for family in families
        if named.label or has_plain_label([c for c in free if c not in family[:-1]])
    ]
    return families[0] if len(families) == 1 else ()


def _holds_lists(column: "pd.Series[str]") -> bool:
    """Whether most of the first cells are lists or objects, or JSON that holds one."""
    cells = [*islice((cell for cell in column if not is_missing(cell)), ROWS)]
    nested = [isinstance(open_nested(cell), list | tuple | dict) for cell in cells]
    return 2 * sum(nested) > len(cells)


def _families(columns: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Columns that hold one choice each: A to D, option_a, ending0, distractor1.

    >>> [*_families(["id", "A", "B", "C"])], [*_families(["sol1", "sol2", "a", "b"])]
    ([('A', 'B', 'C')], [('sol1', 'sol2')])
    >>> [*_families(["distractor1", "distractor2", "correct_answer"])]
    [('distractor1', 'distractor2', 'correct_answer')]
    """
    groups: dict[tuple[str, bool], dict[str, str]] = {}
    wrong: dict[str, str] = {}
    for column in columns:
        if match := FAMILY.fullmatch(column.lower()):
            groups.setdefault((match[1], match[2].isdigit()), {})[match[2]] = column
        elif match := WRONG.fullmatch(bare_name(column)):
            wrong[match[1]] = column
    for (name, _), members in groups.items():
        start = min(members)
        run = [chr(ord(start) + step) for step in range(len(members))]
        fewest = FEWEST if name else FEWEST + 1  # a bare A and B say less
        starts = "a01" if name else "a"
        if start in starts and len(members) >= fewest and set(run) == set(members):
            yield tuple(members[step] for step in run)
    right = [column for column in columns if bare_name(column) in RIGHT]
    if wrong and right:
        yield (*(wrong[number] for number in sorted(wrong)), right[0])


def read_choices(
    tables: Sequence[pd.DataFrame], roles: ColumnRoles, seed: int
) -> tuple[list[pd.DataFrame], dict[str, str]]:
    """The tables with one field of choices and letters as labels, and what was found.

    Where the label is itself one of the columns of choices, it always stood in the same
    position: the order of each item's choices is then drawn.
    """
    sides = ["train", "test"] if len(tables) > 1 else [""]
    items = [
        _read_table(table, roles, f"{side} choices".strip())
        for table, side in zip(tables, sides, strict=True)
    ]
    drawn = roles.label in roles.choice_columns
    if drawn:
        items = [
            _draw_order(side, generator(seed, "choice order", name))
            for side, name in zip(items, sides, strict=True)
        ]
    golds = [_read_golds(table, roles) for table in tables]
    way = _gold_way(
        [gold for side in golds for gold in side], [i for s in items for i in s]
    )
    changed = []
    for table, side, row_golds, name in zip(tables, items, golds, sides, strict=True):
        letters = _letters(row_golds, side, way, roles.label, f"{name} label".strip())
        cells = [pack_choices(item.texts) for item in side]
        columns = {str(roles.choices): cells, roles.label: letters}
        texts = {
            column: pd.Series(values, index=table.index, dtype=TEXT)
            for column, values in columns.items()
        }
        changed.append(with_columns(table, texts))
    counts = [len(item.texts) for side in items for item in side]
    return changed, {
        "choices": f"{', '.join(roles.choice_columns)} ({_count_text(counts)}"
        f"{', in an order that was drawn' if drawn else ''})",
        "label": f"{roles.label} ({way})",
    }


def _count_text(counts: Sequence[int]) -> str:
    """How many choices items have.

    >>> _count_text([4, 4]), _count_text([3, 5, 4])
    ('4 each', '3 to 5 each')
    """
    least, most = min(counts), max(counts)
    return f"{least} each" if least == most else f"{least} to {most} each"


def _read_table(
    table: pd.DataFrame, roles: ColumnRoles, part: str
) -> list[ItemChoices]:
    """The choices of every row; rows that lack some are refused together."""
    if len(roles.choice_columns) == 1:
        column = table[roles.choice_columns[0]]
        rows = [_open_cell(cell, row) for row, cell in enumerate(column, 1)]
        marks = _marks_beside(table, roles.choice_columns[0])
        rows = [
            (texts, own or [*map(str, beside)])
            for (texts, own), beside in zip(rows, marks, strict=True)
        ]
    else:
        column = table[roles.choice_columns[0]].rename(", ".join(roles.choice_columns))
        cells = zip(*(table[name] for name in roles.choice_columns), strict=True)
        rows = [(_drop_last_missing(row), []) for row in cells]
    _check_rows([texts for texts, _ in rows], column, part)
    items = []
    for texts, own_marks in rows:
        written = [str(scalar_text(text)) for text in texts]
        fitting = own_marks if len(own_marks) == len(written) else []
        items.append(ItemChoices(written, [mark.strip().lower() for mark in fitting]))
    return items


def _open_cell(cell: object, row: int) -> tuple[list[object], list[str]]:
    """The choices in a cell, and how they are marked; none where it holds others.

    >>> _open_cell({"text": ["a boat", "a mast"], "label": ["A", "B"]}, 1)
    (['a boat', 'a mast'], ['A', 'B'])
    >>> _open_cell('[{"text": "oak", "label": 1}, {"text": "ash", "label": 2}]', 1)
    (['oak', 'ash'], ['1', '2'])
    >>> _open_cell({"A": "a boat", "B": "a mast"}, 1)
    (['a boat', 'a mast'], ['A', 'B'])
    """
    try:
        opened = open_nested(cell)
    except BadInput as bad:
        raise BadInput(f"row {row} of the choices: {bad}") from None
    marks: list[object] = []
    if isinstance(opened, dict):
        texts = open_nested(opened.get("text"))
        if isinstance(texts, list | tuple):
            inside = open_nested(opened.get("label"))
            marks = [*inside] if isinstance(inside, list | tuple) else []
        elif all(len(str(key)) == 1 for key in opened):
            texts, marks = [*opened.values()], [*opened]
        return [*(texts or ())] if isinstance(texts, list | tuple) else [], [
            *map(str, marks)
        ]
    if not isinstance(opened, list | tuple):
        return [], []
    objects = [choice for choice in opened if isinstance(choice, dict)]
    if objects and len(objects) == len(opened) and all("text" in o for o in objects):
        marks = [choice["label"] for choice in objects if "label" in choice]
        return [choice["text"] for choice in objects], [*map(str, marks)]
    return [*opened], []


def _marks_beside(table: pd.DataFrame, name: str) -> Iterator[Sequence[object]]:
    """How choices are marked beside a path to their texts, for every row."""
    beside = f"{name.removesuffix('.text')}.label" if name.endswith(".text") else ""
    paths = parse_paths(beside, [str(column) for column in table.columns])
    if len(paths) != 1:
        yield from ([] for _ in range(len(table)))
        return
    for cell in path_column(table, paths[0]):
        marks = open_nested(cell)
        yield marks if isinstance(marks, list | tuple) else []


def _drop_last_missing(row: Sequence[object]) -> list[object]:
    """The choices in the columns of a row, without the last where they are blank."""
    texts = list(row)
    while texts and (is_missing(texts[-1]) or not str(texts[-1]).strip()):
        texts.pop()
    return texts


def _check_rows(
    rows: Sequence[Sequence[object]], column: "pd.Series[str]", part: str
) -> None:
    """Raise where items have too few or too many choices, or some that are no text."""
    written = [[scalar_text(text) for text in texts] for texts in rows]
    if any(text is None for texts in written for text in texts) or not any(written):
        check_no_objects(column, part)
    few = [row for row, texts in enumerate(written, 1) if len(texts) < FEWEST]
    many = [row for row, texts in enumerate(written, 1) if len(texts) > MOST]
    blank = [
        row
        for row, texts in enumerate(written, 1)
        if any(text is None or not text.strip() for text in texts)
    ]
    problems = {
        f"hold fewer than {FEWEST} choices": few,
        f"hold more than {MOST} choices": many,
        "hold a choice that is empty or no text": blank,
    }
    for problem, found in problems.items():
        if found:
            first = ", ".join(map(str, found[:3]))
            raise BadInput(
                f"{len(found)} of {len(rows)} {part} cells in column "
                f"{quote(str(column.name))} {problem}, first in rows {first}; allowed "
                f"are {FEWEST} to {MOST} texts; mend or remove these rows, or name "
                "another column with `choices`"
            )


def _draw_order(
    items: Sequence[ItemChoices], rng: np.random.Generator
) -> list[ItemChoices]:
    """The items, the choices of each in an order of its own."""
    return [
        ItemChoices(
            [item.texts[position] for position in rng.permutation(len(item.texts))]
        )
        for item in items
    ]


def _read_golds(table: pd.DataFrame, roles: ColumnRoles) -> list[object]:
    """The golds as they are given; a split that hides all of its own is left out.

    Hidden are blanks and -1, where no row of the split has another gold.
    """
    golds = [_gold_of(cell) for cell in table[roles.label]]
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


def _gold_way(golds: Sequence[object], items: Sequence[ItemChoices]) -> str:
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
        letters = LETTERS[: len(item.texts)]
        letter = text.upper().strip("().:")
        return letters.index(letter) if len(letter) == 1 and letter in letters else None
    names = item.marks if way == MARK else item.keys
    key = text.lower() if way == MARK else text_key(text)
    return names.index(key) if key in names else None


def _letters(
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


def sort_choices(table: pd.DataFrame, choices: str, label: str) -> pd.DataFrame:
    """The table with sorted choices and the text of the right one as its label.

    So compared, items are the same whatever the order of their choices.
    """
    rows = [[*map(text_key, json.loads(cell))] for cell in table[choices]]
    right = [
        texts[LETTERS.index(letter)]
        for texts, letter in zip(rows, table[label], strict=True)
    ]
    cells = [pack_choices(sorted(texts)) for texts in rows]
    return with_columns(table, {choices: cells, label: right})


def count_choices(cells: Iterable[str], right: Iterable[str]) -> dict[str, int]:
    """How many items have a choice twice, and of how many the right one stands twice.

    >>> count_choices(['["a", "a"]', '["b", "c", "c"]'], ["a", "b"])
    {'duplicate_choices': 2, 'several_right': 1}
    """
    duplicates = several = 0
    for cell, text in zip(cells, right, strict=True):
        texts = json.loads(cell)
        duplicates += len(set(texts)) < len(texts)
        several += texts.count(text) > 1
    return {"duplicate_choices": duplicates, "several_right": several}


def text_key(text: str) -> str:
    """A text as it is compared with another: without case and spare space.

    >>> text_key(" A  Boat")
    'a boat'
    """
    return " ".join(text.split()).casefold()
