"""Rows that hold several items become one row an item.

A row of a passage with a list of questions becomes one row a question, beside what the
passage says of itself; a question that is an object of its stem and its choices becomes
these two columns.
"""

import re
from collections.abc import Collection, Iterator
from typing import Any

import pandas as pd

from measurand.benchmarks.formats import Row, gather_table
from measurand.benchmarks.nested import ROWS
from measurand.benchmarks.paths import is_missing, open_nested
from measurand.core.errors import BadInput

# A list of objects under these names holds items, if its objects hold one of the keys.
INNER = ("paragraphs", "qas", "questions")
ITEM_KEYS = frozenset({"question", "qas", "questions"})
# Lists of one length under these names hold a value an item.
PARALLEL = {"questions": "question", "options": "options", "answers": "answer"}
STEM, STEM_CHOICES = "stem", "choices"  # in a question that is an object


def unfold_rows(table: pd.DataFrame, named: Collection[str] = ()) -> pd.DataFrame:
    """The table with one row an item; columns that `named` leads into stay."""
    _check_one_question(table, named)
    for column in INNER:
        if column in table and not _is_named(column, named):
            if _holds(table[column], ITEM_KEYS, every=False):
                table = gather_table(_item_rows(table, column))
            elif column == "questions" and _are_parallel(table):
                table = gather_table(_parallel_rows(table))
    if (
        "question" in table
        and STEM_CHOICES not in table
        and not _is_named("question", named)
        and _holds(table["question"], {STEM, STEM_CHOICES}, every=True, in_list=False)
    ):
        table = gather_table(_question_rows(table))
    return table


def _check_one_question(table: pd.DataFrame, named: Collection[str]) -> None:
    """Raise where a row asks several questions and answers each in another column."""
    picked = any(re.match(r"questions\[-?\d", name) for name in named)
    if {"questions", "answers"} <= {*table.columns} and not (
        picked or _are_parallel(table)
    ):
        first = table.head(ROWS)
        counts = [
            (len(_list_in(questions)), _answer_count(answers))
            for questions, answers in zip(
                first["questions"], first["answers"], strict=True
            )
        ]
        if max(counts)[0] > 1 and all(asked == told for asked, told in counts):
            raise BadInput(
                "rows hold several 'questions' and an answer to each in 'answers'; one "
                "item a question is needed: give a row for each question"
            )


def _answer_count(cell: object) -> int:
    """How many answers a cell holds: in a list, or in each list of an object.

    >>> _answer_count([1, 2]), _answer_count({"text": ["a"], "start": [3]})
    (2, 1)
    """
    opened = open_nested(cell)
    lists = [*opened.values()] if isinstance(opened, dict) else [opened]
    counts = {len(_list_in(each)) for each in lists}
    return counts.pop() if len(counts) == 1 else 0


def _is_named(column: str, named: Collection[str]) -> bool:
    """Whether a name is this column or leads into it."""
    return any(
        name == column or name.startswith((f"{column}.", f"{column}["))
        for name in named
    )


def _holds(
    column: "pd.Series[str]",
    keys: Collection[str],
    *,
    every: bool,
    in_list: bool = True,
) -> bool:
    """Whether the first cells are lists of objects, or objects, with these keys."""
    cells = [open_nested(cell) for cell in column.head(ROWS)]
    if in_list:
        if not all(isinstance(cell, list | tuple) for cell in cells):
            return False
        cells = [value for cell in cells for value in cell]  # type: ignore[attr-defined]
    test = all if every else any
    return bool(cells) and all(
        isinstance(cell, dict) and test(key in cell for key in keys) for cell in cells
    )


def _are_parallel(table: pd.DataFrame) -> bool:
    """Whether the columns of questions, options and answers are lists of one length."""
    if not {*PARALLEL} <= {*table.columns}:
        return False
    for _, row in table[[*PARALLEL]].head(ROWS).iterrows():
        cells = [open_nested(cell) for cell in row]
        if not all(isinstance(cell, list | tuple) for cell in cells):
            return False
        if len({len(cell) for cell in cells}) > 1:  # type: ignore[arg-type]
            return False
    return True


def _item_rows(table: pd.DataFrame, column: str) -> Iterator[Row]:
    """A row for each object in the lists of a column."""
    for row in _rows(table):
        for item in _list_in(row.pop(column)):
            yield {**row, **(item if isinstance(item, dict) else {})}


def _parallel_rows(table: pd.DataFrame) -> Iterator[Row]:
    """A row for each question of RACE's lists of questions, options and answers."""
    for row in _rows(table):
        lists = [_list_in(row.pop(column)) for column in PARALLEL]
        for values in zip(*lists, strict=False):
            yield {**row, **dict(zip(PARALLEL.values(), values, strict=True))}


def _question_rows(table: pd.DataFrame) -> Iterator[Row]:
    """Each row with the stem as its question and the choices beside it."""
    for row in _rows(table):
        inside = open_nested(row["question"])
        inside = inside if isinstance(inside, dict) else {}
        yield {
            **row,
            "question": inside.get(STEM),
            STEM_CHOICES: inside.get(STEM_CHOICES),
        }


def _rows(table: pd.DataFrame) -> Iterator[dict[str, Any]]:
    """The rows as dictionaries, without what is missing."""
    names = [str(column) for column in table.columns]
    for cells in table.itertuples(index=False, name=None):
        pairs = zip(names, cells, strict=True)
        yield {name: None if is_missing(cell) else cell for name, cell in pairs}


def _list_in(cell: object) -> list[Any]:
    """The list that a cell holds; an empty one where it holds none."""
    opened = open_nested(cell)
    return [*opened] if isinstance(opened, list | tuple) else []
