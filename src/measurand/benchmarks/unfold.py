"""Rows that hold several items, one after another: SQuAD, RACE, QuALITY, ARC.

A row of a passage with a list of questions becomes one row a question, beside what the
passage says of itself; a question that is an object of its stem and its choices becomes
these two columns.
"""

from collections.abc import Collection, Iterator
from typing import Any

import pandas as pd

from measurand.benchmarks.formats import Row, gather_table
from measurand.benchmarks.nested import ROWS
from measurand.benchmarks.paths import is_missing, open_nested

# A list of objects under these names holds items, if its objects hold one of the keys.
INNER = ("paragraphs", "qas", "questions")
ITEM_KEYS = frozenset({"question", "qas", "questions"})
# Lists of one length under these names hold a value an item.
PARALLEL = {"questions": "question", "options": "options", "answers": "answer"}
STEM, CHOICES = "stem", "choices"  # in a question that is an object


def unfold_rows(table: pd.DataFrame, named: Collection[str] = ()) -> pd.DataFrame:
    """The table with one row an item; columns that `named` leads into stay as they are.

    Args:
        table: The rows as they were read.
        named: The columns and paths that were named.
    """
    for column in INNER:
        if column in table and not _is_named(column, named):
            if _holds(table[column], ITEM_KEYS, every=False):
                table = gather_table(_item_rows(table, column))
            elif column == "questions" and _are_parallel(table):
                table = gather_table(_parallel_rows(table))
    if (
        "question" in table
        and CHOICES not in table
        and not _is_named("question", named)
        and _holds(table["question"], {STEM, CHOICES}, every=True, in_list=False)
    ):
        table = gather_table(_question_rows(table))
    return table


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
        yield {**row, "question": inside.get(STEM), CHOICES: inside.get(CHOICES)}


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
