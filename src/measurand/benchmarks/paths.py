"""Paths into nested cells: `gold_evidence[].text`, `passages[0].body`, `title+body`.

A path is a column and its steps: `.key` into an object, `[0]` or `[-1]` into a list,
`[]` through all of a list. A key that is not a plain word is written `["a.b"]`. A cell,
or what stands in it, may also be a text that holds a list or an object in JSON. A `+`
stands between several columns or paths that make one field. A column that is called
like a path comes first.
"""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from math import isnan

import numpy as np
import pandas as pd

from measurand.benchmarks.formats import decode_json
from measurand.benchmarks.printed import read_printed
from measurand.core.errors import BadInput, quote

EACH = None  # the step through all of a list
STEP = re.compile(r'\.([^.\[+]+)|\[(?:(-?\d{1,9})|("(?:[^"\\]|\\.)*"))?\]')
PLAIN_KEY = re.compile(r"[\w-]+")
NESTED_TEXT = re.compile(r"\s*[\[{]")  # how a text that may be nested JSON begins
LONGEST_PATH = 500  # letters of a path, or of several that make one field
LONGEST_JSON = 2**23  # letters: one cell of `[],[],…` unpacks to twenty times its size
MOST_PARTS = 1_000_000  # values that one cell gives

Step = str | int | None


@dataclass(frozen=True)
class Path:
    """A column and the steps from its cells to the values that are meant."""

    column: str
    steps: tuple[Step, ...] = ()

    def __str__(self) -> str:
        """The path as it is written.

        >>> str(Path("ctx", ("paragraphs", None, 0, "a.b")))
        'ctx.paragraphs[][0]["a.b"]'
        """
        return self.column + "".join(map(write_step, self.steps))


class Parts(list[object]):
    """The values of a cell that a path leads to, to be joined into one text."""


class Place(int):
    """The place of the right choice, from 0, that a list of zeros and a 1 tells."""


def write_step(step: Step) -> str:
    """One step as a path writes it.

    >>> [write_step(step) for step in ("text", "a.b", 0, None)]
    ['.text', '["a.b"]', '[0]', '[]']
    """
    if isinstance(step, str):
        return f".{step}" if PLAIN_KEY.fullmatch(step) else f"[{json.dumps(step)}]"
    return "[]" if step is None else f"[{step}]"


def parse_paths(name: str, columns: Sequence[str]) -> tuple[Path, ...]:
    """The paths that make the field `name`; none where it cannot be read as paths.

    >>> [str(path) for path in parse_paths("title + ctx[].text", ["title", "ctx"])]
    ['title', 'ctx[].text']
    >>> parse_paths("ctx[", ["ctx"]), parse_paths("text", ["ctx"])
    ((), ())
    """
    if len(name) > LONGEST_PATH:
        return ()
    paths: list[Path] = []
    rest = f"+{name}"
    while rest.startswith("+"):
        rest = rest[1:].strip()
        column = _leading_column(rest, columns)
        if column is None:
            return ()
        steps, rest = _parse_steps(rest[len(column) :])
        paths.append(Path(column, steps))
        rest = rest.lstrip()
    is_column = len(paths) == 1 and not paths[0].steps  # but for the spaces around it
    return () if rest or is_column else tuple(paths)


def _leading_column(text: str, columns: Sequence[str]) -> str | None:
    """The longest column with which the text begins, up to a step or its end."""
    leading = [
        column
        for column in columns
        if text.startswith(column) and text[len(column) :].lstrip()[:1] in {*".[+", ""}
    ]
    return max(leading, key=len, default=None)


def _parse_steps(text: str) -> tuple[tuple[Step, ...], str]:
    """The steps with which the text begins, and what stands behind them.

    >>> _parse_steps('.a[][2]["b.c"]+d')
    (('a', None, 2, 'b.c'), '+d')
    """
    steps: list[Step] = []
    while match := STEP.match(text):
        key, index, quoted = match.groups()
        if quoted is not None:
            try:
                key = json.loads(quoted)
            except ValueError:  # an escape that JSON has not
                break
            steps.append(key)
        elif key is not None:
            steps.append(key.rstrip())
        else:
            steps.append(EACH if index is None else int(index))
        text = text[match.end() :]
    return tuple(steps), text


def leads_into(column: str, names: Iterable[str]) -> bool:
    """Whether one of the names is this column or a path into it."""
    starts = (f"{column}.", f"{column}[")
    return any(name == column or name.startswith(starts) for name in names)


def path_column(table: pd.DataFrame, path: Path) -> "pd.Series[str]":
    """What a path leads to in every row; missing where it leads nowhere."""
    values = [*_path_values(table, path)]
    return pd.Series(values, index=table.index, dtype=object, name=str(path))


def join_columns(columns: "Sequence[pd.Series[str]]", name: str) -> "pd.Series[str]":
    """Several columns as one called `name`; missing where one of them is."""
    if len(columns) == 1:
        return columns[0].rename(name)
    cells = [
        None if any(map(is_missing, row)) else Parts(row)
        for row in zip(*columns, strict=True)
    ]
    return pd.Series(cells, index=columns[0].index, dtype=object, name=name)


def _path_values(table: pd.DataFrame, path: Path) -> Iterator[object]:
    """What a path leads to in each row, None where it leads nowhere."""
    for row, cell in enumerate(table[path.column], 1):
        try:
            yield follow_path(cell, path.steps)
        except BadInput as bad:
            where = f"row {row} of column {quote(path.column)}"
            raise BadInput(f"{where}: {bad}") from None


def follow_path(cell: object, steps: Sequence[Step]) -> object:
    """What the steps lead to in a cell: a value, or `Parts` where one is `[]`.

    >>> follow_path([{"text": "One."}, {"text": "Two."}, {}], (None, "text"))
    ['One.', 'Two.']
    >>> follow_path('{"a": [1, 2]}', ("a", -1)), follow_path([1], ("a",))
    (2, None)
    """
    values = [] if is_missing(cell) else [cell]
    is_empty = False
    for step in steps:
        opened = [open_nested(value) for value in values]
        values = _take_step(opened, step)
        if len(values) > MOST_PARTS:
            raise BadInput(
                f"it gives more than {MOST_PARTS:,} values; give a path to fewer"
            )
        # An empty list is there, and holds no text: so it is without a path, too.
        is_empty = is_empty or (step is EACH and any(not holder for holder in opened))
    if EACH not in steps:
        return values[0] if values else None
    return Parts(values) if values or is_empty else None


def _take_step(holders: Sequence[object], step: Step) -> list[object]:
    """The values that one step leads to, no more than may be and one."""
    steps = (value for holder in holders for value in _step_values(holder, step))
    return [
        *islice((value for value in steps if not is_missing(value)), MOST_PARTS + 1)
    ]


def _step_values(holder: object, step: Step) -> Iterable[object]:
    """What one step leads to in a list or an object: nothing where it has no such."""
    if isinstance(step, str):
        return (holder[step],) if isinstance(holder, dict) and step in holder else ()
    if not isinstance(holder, list | tuple):
        return ()
    if step is None:
        return holder
    return (holder[step],) if -len(holder) <= step < len(holder) else ()


def open_nested(value: object) -> object:
    """The list or the object that a text holds in JSON; an array as a list.

    >>> open_nested('[1, "a"]'), open_nested("[1, a]")
    ([1, 'a'], '[1, a]')
    """
    if isinstance(value, np.ndarray):
        return list(value) if value.ndim else value.item()
    if not isinstance(value, str) or not NESTED_TEXT.match(value):
        return value
    if len(value) > LONGEST_JSON:
        raise BadInput(
            f"it holds JSON of {len(value):,} letters; allowed are {LONGEST_JSON:,}"
        )
    try:
        return decode_json(value)
    except json.JSONDecodeError:
        return value


def open_listed(value: object) -> object:
    """The same, and what Python or numpy prints: so tables of lists are saved as CSV.

    >>> open_listed("['a boat', 'oar']"), open_listed("['a' + 'b']")
    (['a boat', 'oar'], "['a' + 'b']")
    """
    opened = open_nested(value)
    return read_printed(opened) if isinstance(opened, str) else opened


def lists_by_key(holder: object) -> dict[str, Sequence[object]]:
    """What the objects in a list hold, or the lists in an object, by key.

    >>> lists_by_key([{"text": "oak", "score": 1}, {"text": "ash", "score": 0}])
    {'text': ['oak', 'ash'], 'score': [1, 0]}
    >>> lists_by_key({"text": ["oak", "ash"], "lang": "en"}), lists_by_key(["oak"])
    ({'text': ['oak', 'ash']}, {})
    """
    if isinstance(holder, dict):
        lists = {str(key): open_listed(value) for key, value in holder.items()}
        return {k: v for k, v in lists.items() if isinstance(v, list | tuple)}
    if not isinstance(holder, list | tuple):
        return {}
    objects = [part for part in holder if isinstance(part, dict)]
    if len(objects) < len(holder):
        return {}
    keys = dict.fromkeys(key for part in objects for key in part)
    return {str(key): [part.get(key) for part in objects] for key in keys}


def open_gold(value: object, choices: int) -> object:
    """A gold as it is given: out of a list of one, or the place of the only 1 in many.

    A list that is shorter than the choices names several of them.

    >>> golds = ["B"], [0, 0, 1], [0, 1, 1], [0, 1], "B"
    >>> [open_gold(gold, choices=3) for gold in golds]
    ['B', 2, [0, 1, 1], [0, 1], 'B']
    """
    opened = open_nested(value)
    if not isinstance(opened, list | tuple):
        return value
    if len(opened) == 1:
        return opened[0]
    numbers = all(isinstance(n, int | float | np.number) for n in opened)
    one_hot = numbers and len(opened) == choices
    if one_hot and sorted(opened) == [*[0] * (len(opened) - 1), 1]:
        return Place([*opened].index(1))
    return [*opened]


def is_missing(value: object) -> bool:
    """Whether a value inside a cell is none.

    >>> [is_missing(value) for value in (None, float("nan"), "", [])]
    [True, True, False, False]
    """
    if value is None or value is pd.NA or value is pd.NaT:
        return True
    return isinstance(value, float | np.floating) and isnan(value)
