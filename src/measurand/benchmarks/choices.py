"""Choices that items bring along: their texts, and how they are marked.

A cell may hold a list of texts, such a list in JSON, objects with a text and perhaps a
letter each, an object of texts by letter, or the choices stand in a column each. A mark
stands next to a text, or before it. The gold may be an index, a letter, a mark or the
text of one choice (`golds.py`).
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain

import numpy as np
import pandas as pd

from measurand.benchmarks.cells import bad_cells, scalar_text, with_texts, word_text
from measurand.benchmarks.golds import (
    MARK,
    ItemChoices,
    gold_letters,
    gold_way,
    mark_key,
    range_text,
    read_golds,
    right_keys,
)
from measurand.benchmarks.nested import check_no_objects
from measurand.benchmarks.paths import (
    Path,
    is_missing,
    lists_by_key,
    open_listed,
    open_nested,
    parse_paths,
    path_column,
)
from measurand.benchmarks.printed import check_printed
from measurand.benchmarks.roles import WORDS, ColumnRoles, bare_name
from measurand.core.errors import BadInput
from measurand.core.items import LETTERS, pack_choices
from measurand.core.seeds import generator

TEXT_KEY = "text"
# A number must stand apart from what follows: "1.5" is a choice, and no first one.
PREFIX = re.compile(r"\s*[(\[]?(?:([A-Za-z])[)\].:]+\s*|(\d{1,2})[)\].:]+\s+)\S")
FEWEST, MOST = 2, len(LETTERS)
COLUMN = "by the names of their columns"  # how a gold may name a choice

Marks = Mapping[str, Sequence[object]]


def read_choices(
    tables: Sequence[pd.DataFrame], roles: ColumnRoles, seed: int
) -> tuple[list[pd.DataFrame], dict[str, str]]:
    """The tables with one field of choices and letters as labels, and what was found.

    Where the label is itself one of the columns of choices, it always stood in the same
    position: the order of each item's choices is then drawn.
    """
    sides = ["train", "test"] if len(tables) > 1 else [""]
    drawn = roles.label in roles.choice_columns
    items = []
    for table, name in zip(tables, sides, strict=True):
        rows = _read_choices(table, roles, f"{name} choices".strip())
        if drawn:
            rng = generator(seed, "choice order", name)
            orders = [rng.permutation(len(row.texts)) for row in rows]
            rows = [
                ItemChoices([row.texts[position] for position in order])
                for row, order in zip(rows, orders, strict=True)
            ]
        items.append(rows)
    golds = [read_golds(*pair, roles) for pair in zip(tables, items, strict=True)]
    way = gold_way([*chain(*golds)], [*chain(*items)], tables, roles)
    changed = []
    for table, side, row_golds, name in zip(tables, items, golds, sides, strict=True):
        part = f"{name} label".strip()
        letters = gold_letters(row_golds, side, way, table[roles.label], part)
        cells = [pack_choices(item.texts) for item in side]
        columns = {str(roles.choices): cells, roles.label: letters}
        changed.append(with_texts(table, columns))
    counts = [len(item.texts) for item in chain(*items)]
    return changed, {
        "choices": f"{', '.join(roles.choice_columns)} ({range_text(counts)} each"
        f"{', in an order that was drawn' if drawn else ''})",
        "label": f"{roles.label} ({way})",
    }


def right_choices(
    table: pd.DataFrame, choices: Sequence[str], labels: Sequence[str]
) -> dict[str, list[str | None]]:
    """The choice that each of these columns would call right, for every row."""
    roles = ColumnRoles("", None, "", choice_columns=tuple(choices))
    items = _read_choices(table, roles, "choices")
    return {
        label: right_keys(table, replace(roles, label=label), items) for label in labels
    }


def _read_choices(
    table: pd.DataFrame, roles: ColumnRoles, part: str
) -> list[ItemChoices]:
    """The choices of every row; rows that lack some are refused together."""
    if len(roles.choice_columns) == 1:
        column = table[roles.choice_columns[0]]
        opened = (open_cell(cell, row) for row, cell in enumerate(column, 1))
        beside = marks_beside(table, roles.choice_columns[0])
        rows = [
            drop_padding(texts, {**marks, **others})
            for (texts, marks), others in zip(opened, beside, strict=True)
        ]
    else:
        column = table[roles.choice_columns[0]].rename(", ".join(roles.choice_columns))
        cells = zip(*(table[name] for name in roles.choice_columns), strict=True)
        names = [mark_key(name) for name in roles.choice_columns]
        texts = [_drop_last_missing(row) for row in cells]
        rows = [(row, {COLUMN: names[: len(row)]}) for row in texts]
    _check_rows([texts for texts, _ in rows], column, part)
    return mark_by_prefix(
        [
            ItemChoices(
                [str(word_text(text)) for text in texts],
                fitting_marks(marks, len(texts)),
            )
            for texts, marks in rows
        ]
    )


def _drop_last_missing(row: Sequence[object]) -> list[object]:
    """The choices in the columns of a row, without the last where they are blank."""
    texts = list(row)
    while texts and (is_missing(texts[-1]) or not str(texts[-1]).strip()):
        texts.pop()
    return texts


def _check_rows(
    rows: Sequence[Sequence[object]], column: "pd.Series[str]", part: str
) -> None:
    """Raise where items have too few or too many choices, or some without text."""
    written = [
        [None if is_missing(text) else scalar_text(text) for text in texts]
        for texts in rows
    ]
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
    for problem, faulty in problems.items():
        if faulty:
            way = (
                f"allowed are {FEWEST} to {MOST} texts; mend or remove these rows, or "
                "name another column with `choices`"
            )
            raise bad_cells(faulty, column, part, problem, way)


def most_choices(table: pd.DataFrame, columns: Sequence[str]) -> int:
    """How many choices an item has at most."""
    if len(columns) > 1:
        return len(columns)
    cells = [open_listed(cell) for cell in table[columns[0]]]
    return max(len(c) if isinstance(c, list | tuple | dict) else 0 for c in cells)


def open_cell(cell: object, row: int) -> tuple[list[object], Marks]:
    """The choices in a cell, and how they are marked; none where it holds others.

    >>> open_cell({"text": ["a boat", "a mast"], "label": ["A", "B"]}, 1)
    (['a boat', 'a mast'], {'as its choices are marked': ['A', 'B']})
    >>> open_cell('[{"text": "oak", "id": 1}, {"text": "ash", "id": 2}]', 1)
    (['oak', 'ash'], {'as its choices are marked by id': [1, 2]})
    >>> open_cell({"A": "a boat", "B": "a mast"}, 1)
    (['a boat', 'a mast'], {'as its choices are marked': ['A', 'B']})
    """
    try:
        opened = open_listed(cell)
        check_printed(opened)
    except BadInput as bad:
        raise BadInput(f"row {row} of the choices: {bad}") from None
    if isinstance(opened, dict):
        texts = open_nested(opened.get(TEXT_KEY))
        if isinstance(texts, list | tuple):
            return [*texts], _marks_among(opened, TEXT_KEY)
        by_letter = all(len(str(key)) == 1 for key in opened)
        return ([*opened.values()], {MARK: [*opened]}) if by_letter else ([], {})
    if not isinstance(opened, list | tuple):
        return [], {}
    if opened and all(isinstance(part, dict) and TEXT_KEY in part for part in opened):
        return [part[TEXT_KEY] for part in opened], _marks_among(opened, TEXT_KEY)
    return [*opened], {}


def marks_beside(table: pd.DataFrame, name: str) -> Iterator[Marks]:
    """How choices are marked next to a path to their texts, for every row."""
    columns = [str(column) for column in table.columns if column != name]
    paths = parse_paths(name, columns)
    last = paths[0].steps[-1] if len(paths) == 1 and paths[0].steps else None
    if not isinstance(last, str):
        yield from ({} for _ in range(len(table)))
        return
    for holder in path_column(table, Path(paths[0].column, paths[0].steps[:-1])):
        yield _marks_among(open_nested(holder), last)


def _marks_among(holder: object, text_key: str) -> Marks:
    """What stands next to the texts of a cell under every other key.

    >>> _marks_among([{"body": "oak", "rank": 2}, {"body": "ash", "rank": 1}], "body")
    {'by the rank of its choices': [2, 1]}
    """
    lists = lists_by_key(holder)
    return {_mark_way(key): marks for key, marks in lists.items() if key != text_key}


def _mark_way(key: str) -> str:
    """How golds are given that are what stands under a key; plain ones are marks."""
    if key == "label":
        return MARK
    plain = bare_name(key) in WORDS["marks"]
    return f"{MARK} by {key}" if plain else f"by the {key} of its choices"


def drop_padding(texts: list[object], marks: Marks) -> tuple[list[object], Marks]:
    """The choices in a cell and their marks, without the last where there is none.

    >>> drop_padding(["oak", None, "ash", None], {"by": ["A", "B", "C", "D"]})
    (['oak', None, 'ash'], {'by': ['A', 'B', 'C']})
    """
    count = len(texts)
    while count and is_missing(texts[count - 1]):
        count -= 1
    return texts[:count], {way: values[:count] for way, values in marks.items()}


def fitting_marks(marks: Marks, count: int) -> dict[str, list[str]]:
    """The marks as they are compared, of those that tell all of an item's choices.

    >>> fitting_marks({"id": ["A.", 2], "flag": [True, False], "rank": [1, 1]}, 2)
    {'id': ['a', '2']}
    """
    written = {
        way: [
            mark_key(scalar_text(value) or "")
            for value in values
            if not is_missing(value) and not isinstance(value, bool | np.bool_)
        ]
        for way, values in marks.items()
    }
    return {way: w for way, w in written.items() if len({*w} - {""}) == count == len(w)}


def mark_by_prefix(items: Sequence[ItemChoices]) -> list[ItemChoices]:
    """The items, marked by the letters before their texts where all have their own."""
    prefixes = [_prefixes(item.texts) for item in items]
    if not all(prefixes):
        return [*items]
    way = f"{MARK} in their text"
    return [
        replace(item, marks={**item.marks, way: marks})
        for item, marks in zip(items, prefixes, strict=True)
    ]


def _prefixes(texts: Sequence[str]) -> list[str]:
    """The letters or numbers before the texts, which are the first in any order.

    >>> _prefixes(["B. oak", "(A) ash"]), _prefixes(["2) oak", "1) ash"])
    (['b', 'a'], ['2', '1'])
    >>> _prefixes(["B. oak", "C. ash"]), _prefixes(["1.5", "2.5"])
    ([], [])
    """
    matches = [PREFIX.match(text) for text in texts]
    marks = [(match[1] or match[2]).lower() for match in matches if match]
    numbers = [str(number) for number in range(len(texts) + 1)]
    runs = ([*LETTERS.lower()[: len(texts)]], numbers[1:], numbers[:-1])
    return marks if any(sorted(marks) == sorted(run) for run in runs) else []
