"""What stands in nested columns: the paths that lead to it, and rows of several items.

A row of a passage with a list of questions becomes one row per question, next to what
the passage says of itself; a question that is an object of its stem and its choices
becomes these two columns.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from itertools import chain, islice
from statistics import fmean
from typing import Any

import pandas as pd

from measurand.benchmarks.formats import Row, gather_table
from measurand.benchmarks.paths import (
    EACH,
    LONGEST_PATH,
    Parts,
    Path,
    Step,
    is_missing,
    join_columns,
    leads_into,
    open_nested,
    parse_paths,
    path_column,
)
from measurand.benchmarks.roles import SEVERAL
from measurand.core.choices import are_free
from measurand.core.errors import BadInput, NoField, join_names, quote
from measurand.core.items import with_columns
from measurand.core.names import check_text

ROWS = 50  # that are looked into, from the first on
MOST_VALUES = 2_000  # of one cell that are looked at
MOST_INSIDE = 20  # keys of an object, or elements of a list, that are looked at
MOST_PATHS = 20  # of a column that are named
DEEPEST_PATH = 8  # steps
RECORD = 8  # elements at most of a list whose elements differ: a row of its own
TEXTS = ("query", "evidence", "fields", "choices", "answers")  # parts that are texts
# A list of objects under these names holds items, if its objects hold one of the keys.
INNER = ("paragraphs", "qas", "questions")
ITEM_KEYS = frozenset({"question", "qas", "questions"})
# Lists of one length under these names hold a value an item.
PARALLEL = {"questions": "question", "options": "options", "answers": "answer"}
STEM, STEM_CHOICES = "stem", "choices"  # in a question that is an object
# Only rows with one of these columns may hold several items, or a nested question.
SEVERAL_ITEMS = frozenset({*INNER, "question"})


@dataclass
class NestedColumn:
    """A column of lists or objects: its paths with some values of each.

    `needs_path` says that the column itself cannot be read as text: it holds objects,
    or texts in JSON.
    """

    paths: dict[Path, list[object]] = field(default_factory=dict)
    needs_path: bool = False


def find_nested(table: pd.DataFrame) -> dict[str, NestedColumn]:
    """The columns of which most cells are lists, objects, or JSON that holds one."""
    nested = {str(name): look_inside(table[name], str(name)) for name in table.columns}
    return {name: column for name, column in nested.items() if column.paths}


def look_inside(column: "pd.Series[str]", name: str) -> NestedColumn:
    """The paths in the first cells of a column, none where these are not nested."""
    cells = [*islice((cell for cell in column if not is_missing(cell)), ROWS)]
    if any(isinstance(cell, Parts) for cell in cells):  # a path led into them already
        cells = [value for cell in cells if isinstance(cell, Parts) for value in cell]
    opened = [_try_to_open(cell) for cell in cells]
    if 2 * sum(isinstance(cell, list | tuple | dict) for cell in opened) <= len(cells):
        return NestedColumn()
    nested = NestedColumn(needs_path=any(isinstance(cell, str) for cell in cells))
    for cell in opened:
        for steps, value in _walk(cell):
            path = Path(name, steps)
            if path in nested.paths or len(nested.paths) < MOST_PATHS:
                nested.paths.setdefault(path, []).append(value)
    nested.needs_path |= any(
        isinstance(step, str) for path in nested.paths for step in path.steps
    )
    return nested


def _walk(cell: object) -> Iterator[tuple[tuple[Step, ...], object]]:
    """The values in a cell and the steps that lead to them, in order."""
    waiting: list[tuple[tuple[Step, ...], object]] = [((), cell)]
    for _ in range(MOST_VALUES):
        if not waiting:
            return
        steps, value = waiting.pop()
        opened = _try_to_open(value)
        if isinstance(opened, list | tuple | dict):
            if len(steps) < DEEPEST_PATH:
                inside = [(s, v) for s, v in _inside(opened) if not is_missing(v)]
                waiting += [((*steps, s), v) for s, v in reversed(inside)]
        elif steps and len(str(Path("", steps))) < LONGEST_PATH // 2:
            yield steps, opened


def _inside(
    holder: list[object] | tuple[object, ...] | dict[object, object],
) -> list[tuple[Step, object]]:
    """The first values in a list or an object, with the step to each."""
    if isinstance(holder, dict):
        pairs = islice(holder.items(), MOST_INSIDE)
        return [(key, value) for key, value in pairs if isinstance(key, str)]
    values = [*islice(holder, MOST_INSIDE)]
    kinds = {_kind(value) for value in values if not is_missing(value)}
    if len(kinds) > 1 and len(holder) <= RECORD:
        return [*enumerate(values)]
    return [(EACH, value) for value in values]


def _kind(value: object) -> str:
    """What a value is, as far as the elements of one list should agree in it."""
    if isinstance(value, str):
        return "text"
    nested = isinstance(open_nested(value), list | tuple | dict)
    return "object" if isinstance(value, dict) else "list" if nested else "number"


def _try_to_open(value: object) -> object:
    """The list or object in a value; the value itself where it is past all bounds."""
    try:
        return open_nested(value)
    except BadInput:
        return value


def add_path_columns(
    tables: Sequence[pd.DataFrame], columns: Sequence[str], named: dict[str, str]
) -> list[pd.DataFrame]:
    """The tables, with a column for every name that is a path and no column."""
    widened = list(tables)
    for name, argument in named.items():
        if name in columns:
            continue
        check_text(argument, name)
        paths = parse_paths(name, columns)
        parts = [[path_column(table, path) for path in paths] for table in tables]
        for column in chain(*parts) if len(paths) > 1 else ():
            check_no_objects(column, argument)
        cells = [join_columns(side, name) for side in parts if side]
        if not any(column.notna().any() for column in cells):
            raise missing_field(name, columns, tables, several=argument in SEVERAL)
        widened = [
            with_columns(table, {name: column})
            for table, column in zip(widened, cells, strict=True)
        ]
    return widened


def check_no_objects(column: "pd.Series[str]", part: str) -> None:
    """Raise where most cells of a part hold objects, and name the paths into them."""
    cells = [cell for cell in column if not is_missing(cell)]
    objects = [cell for cell in cells if _holds_object(cell)]
    if 2 * len(objects) <= len(cells):
        return  # an odd row or two is to be fixed there
    name = str(column.name)
    values = look_inside(pd.Series(objects), name).paths
    argument = "fields" if "field" in part.split() else part.split()[-1]
    advice = "name another column"
    if values:
        named = _name_path(argument, values)
        if argument == "choices" and (paths := _single_choices(objects[0], name)):
            named = ", ".join(f"`choices` {path!r}" for path in paths)
        names = join_names([*map(str, values)])
        advice = f"name a path, such as {named}; found are {names}"
    raise BadInput(
        f"{len(objects)} of {len(column)} {part} cells in column {quote(name)} hold "
        f"objects, not text; {advice}"
    )


def _name_path(argument: str, values: Mapping[Path, Sequence[object]]) -> str:
    """The path that may play a part, with its argument: texts, or else short values."""
    if argument in TEXTS:
        return f"`{argument}` {str(max(values, key=lambda p: _length(values[p])))!r}"
    varied = [path for path in values if len({*map(str, values[path])}) > 1]
    path = min(varied or values, key=lambda path: mean_words(values[path]))
    free = argument == "label" and are_free(values[path])
    return f"`{'answers' if free else argument}` {str(path)!r}"


def _single_choices(cell: object, name: str) -> list[str]:
    """The paths to choices that stand under a key each; none where they do not.

    >>> _single_choices({"option_a": "oak", "option_b": "ash"}, "options")
    ['options.option_a', 'options.option_b']
    >>> _single_choices([{"A": "oak"}, {"B": "ash"}], "options")
    ['options[0].A', 'options[1].B']
    """
    opened = open_nested(cell)
    if isinstance(opened, dict):
        texts = [isinstance(value, str) for value in opened.values()]
        return [str(Path(name, (str(key),))) for key in opened] if all(texts) else []
    if not isinstance(opened, list | tuple):
        return []
    keys = [[*value] if isinstance(value, dict) else [] for value in opened]
    if any(len(key) != 1 for key in keys) or len({key[0] for key in keys}) < len(keys):
        return []
    return [
        str(Path(name, (position, str(key[0])))) for position, key in enumerate(keys)
    ]


def free_answer_path(column: "pd.Series[str]", name: str) -> str:
    """The path to free answers in a nested column; empty where there are none."""
    values = look_inside(column, name).paths
    free = [path for path in values if are_free(values[path])]
    return str(max(free, key=lambda path: _length(values[path]), default=""))


def _holds_object(cell: object) -> bool:
    """Whether a cell is an object, or a list in which one stands early."""
    waiting = [cell]
    for _ in range(MOST_VALUES):
        if not waiting:
            return False
        value = waiting.pop()
        if isinstance(value, dict):
            return True
        if not isinstance(value, str) and isinstance(
            opened := open_nested(value), list | tuple
        ):
            waiting.extend(opened[:MOST_INSIDE])
    return False


def missing_field(
    name: str, columns: Sequence[str], tables: Sequence[pd.DataFrame], *, several: bool
) -> NoField:
    """The error of a name that is not a column and leads nowhere, with the nearest.

    A comma was meant for a plus, unless `several` columns may play the part.
    """
    nested = find_nested(tables[0][list(columns)])
    paths = [str(path) for column in nested.values() for path in column.paths]
    signs = "+" if several else "+,"
    pieces = re.split(f"[{signs}]", name[:LONGEST_PATH])
    if not re.search(rf"[.\[{signs}]", name) or len(pieces) > MOST_INSIDE:
        return NoField(name, columns, paths)
    nearest = [
        piece.strip()
        if _leads_somewhere(piece.strip(), columns, tables)
        else get_close_matches(piece, [*columns, *paths], n=1, cutoff=0)[0]
        for piece in pieces
    ]
    return NoField(name, columns, paths, "+".join(nearest))


def _leads_somewhere(
    name: str, columns: Sequence[str], tables: Sequence[pd.DataFrame]
) -> bool:
    """Whether a name is a column, or a path to a value in one of the first rows."""
    return name in columns or any(
        path_column(table.head(ROWS), path).notna().any()
        for path in parse_paths(name, columns)
        for table in tables
    )


def _length(values: Sequence[object]) -> tuple[float, float]:
    """How long texts are on average, in words and then in letters."""
    letters = [len(value) if isinstance(value, str) else 0 for value in values]
    return mean_words(values), fmean(letters)


def mean_words(values: Sequence[object]) -> float:
    """How many words a value has on average; one that is not a text has none."""
    return fmean(
        len(value.split()) if isinstance(value, str) else 0 for value in values
    )


def unfold_rows(table: pd.DataFrame, named: Collection[str] = ()) -> pd.DataFrame:
    """The table with one row per item; columns that `named` leads into stay."""
    _check_one_question(table, named)
    for column in INNER:
        if column in table and not leads_into(column, named):
            lists = [open_nested(cell) for cell in table[column].head(ROWS)]
            values = chain(*(c for c in lists if isinstance(c, list | tuple)))
            are_lists = all(isinstance(cell, list | tuple) for cell in lists)
            if are_lists and _are_objects(values, ITEM_KEYS, 1):
                table = gather_table(_item_rows(table, column))
            elif column == "questions" and _are_parallel(table):
                table = gather_table(_parallel_rows(table))
    is_bare = "question" in table and STEM_CHOICES not in table
    if is_bare and not leads_into("question", named):
        cells = [open_nested(cell) for cell in table["question"].head(ROWS)]
        if _are_objects(cells, (STEM, STEM_CHOICES), 2):
            return gather_table(_question_rows(table))
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
        if max(counts)[0] > 1 and all(
            questions_in == answers_to for questions_in, answers_to in counts
        ):
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
    counts = {len(_list_in(values)) for values in lists}
    return counts.pop() if len(counts) == 1 else 0


def _are_objects(cells: Iterable[object], keys: Collection[str], least: int) -> bool:
    """Whether all cells, and one at least, are objects with so many of these keys."""
    counts = [
        sum(key in cell for key in keys) if isinstance(cell, dict) else -1
        for cell in cells
    ]
    return min(counts, default=-1) >= least


def _are_parallel(table: pd.DataFrame) -> bool:
    """Whether the columns of questions, options and answers are lists of one length."""
    if not {*PARALLEL} <= {*table.columns}:
        return False
    columns = [map(open_nested, table[name].head(ROWS)) for name in PARALLEL]
    return all(
        all(isinstance(cell, list | tuple) for cell in row)
        and len({*map(len, row)}) == 1
        for row in zip(*columns, strict=True)
    )


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
    """Each row with the stem as its question and the choices next to it."""
    for row in _rows(table):
        opened = open_nested(row["question"])
        inside = opened if isinstance(opened, dict) else {}
        choices = inside.get(STEM_CHOICES)
        yield {**row, "question": inside.get(STEM), STEM_CHOICES: choices}


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
