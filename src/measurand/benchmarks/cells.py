"""Cells of every kind, turned into the text that items hold."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from numbers import Integral, Real

import numpy as np
import pandas as pd

from measurand.benchmarks.formats import TEXT, UNLABELLED
from measurand.benchmarks.nested import check_no_objects
from measurand.benchmarks.paths import Parts
from measurand.benchmarks.roles import ColumnRoles
from measurand.core.choices import are_free
from measurand.core.errors import BadInput, quote
from measurand.core.items import with_columns
from measurand.disk.files import DEEPEST
from measurand.settings.source import Source

MISSING = "missing"  # the value of a metadata cell that holds nothing
LISTS = (list, tuple, np.ndarray)
NO_CLASS = "-1"  # the hub's label where there is none, if classes are numbers
FEWEST_NUMBERED = 3  # classes from 0 on, before a -1 next to them is none of them
JOIN = Source.join  # between the texts of a cell, so that they read on as one


def text_cells(
    column: "pd.Series[str]", part: str, join: str = JOIN
) -> "pd.Series[str]":
    """A column of text; between the texts of a list stands `join`."""
    converted = _convert_cells(column, lambda cell: _text_of_cell(cell, join))
    lacking = converted.isna()
    content = "text or a list of texts"
    return _require_cells(column, converted, lacking, part, content, single=False)


def label_cells(
    column: "pd.Series[str]", part: str, join: str = JOIN
) -> "pd.Series[str]":
    """A column of labels, none of them missing or blank; true and false are words."""
    converted = _convert_cells(column, lambda cell: word_text(cell, join))
    blank = converted.isna() | (converted.str.strip() == "")
    return _require_cells(column, converted, blank, part, "a label")


def labels_alike(labels: Iterable[str]) -> list[tuple[str, ...]]:
    """The labels that differ by case, spaces or the format of numbers only.

    >>> labels_alike(["yes", "yes ", "No", "no", "1", "1.0", "maybe"])
    [('yes', 'yes '), ('No', 'no'), ('1', '1.0')]
    """
    groups: dict[str, list[str]] = {}
    for label in dict.fromkeys(labels):
        key = " ".join(label.split()).casefold()
        try:
            number = float(key)
        except ValueError:
            pass
        else:
            key = str(number)
        groups.setdefault(key, []).append(label)
    return [tuple(group) for group in groups.values() if len(group) > 1]


def name_cells(
    column: "pd.Series[str]", part: str, join: str = JOIN
) -> "pd.Series[str]":
    """A column of ids, groups or splits, none of them missing."""
    converted = _convert_cells(column, lambda cell: scalar_text(cell, join))
    lacking = converted.isna()
    return _require_cells(column, converted, lacking, part, "a name or a number")


def rationale_cells(column: "pd.Series[str]", join: str = JOIN) -> "pd.Series[str]":
    """A column of explanations, empty where a cell holds none.

    Spans, which are lists of numbers or of names and values, are kept as JSON.
    """
    return _convert_cells(
        column, lambda cell: _text_of_cell(cell, join) or _spans_json(cell)
    ).fillna("")


def metadata_cells(column: "pd.Series[str]", join: str = JOIN) -> "pd.Series[str]":
    """A column of metadata; a cell that holds nothing says so."""
    converted = _convert_cells(
        column, lambda cell: scalar_text(cell, join) or _text_of_cell(cell, join)
    )
    if converted.isna().any():
        check_no_objects(column, "metadata")
    return converted.mask(converted.isna() | (converted == ""), MISSING)


def _convert_cells(
    column: "pd.Series[str]", turn: Callable[[object], str | None]
) -> "pd.Series[str]":
    """The column as text; missing where a cell is, or where `turn` finds nothing."""
    if isinstance(column.dtype, pd.StringDtype):
        return column.astype(TEXT)
    missing_cells = column.isna()
    cells = [
        None if missing else turn(cell)
        for missing, cell in zip(missing_cells, column, strict=True)
    ]
    return pd.Series(cells, index=column.index, dtype=TEXT, name=column.name)


def _require_cells(
    column: "pd.Series[str]",
    converted: "pd.Series[str]",
    lacking: "pd.Series[bool]",
    part: str,
    content: str,
    *,
    single: bool = True,
) -> "pd.Series[str]":
    """The converted column, unless a cell lacks what is wanted.

    Args:
        column: The cells as they were given.
        converted: The same as text.
        lacking: Where there is none.
        part: What the column is.
        content: What a cell should hold.
        single: Whether that is one value, and no list of them.
    """
    rows = (np.flatnonzero(lacking.to_numpy()) + 1).tolist()
    if rows:
        check_no_objects(column, part)
        are_lists = single and all(isinstance(cell, LISTS) for cell in column[lacking])
        fault = f"hold a list and not {content}" if are_lists else f"lack {content}"
        way = "fill or remove these rows"
        if are_lists:
            inside = [next(flatten_cell(cell), None) for cell in column[lacking]]
            option = f"`{part.split()[-1]}` {quote(f'{column.name}[0]')}"
            if part.endswith("label") and are_free(inside):
                option = f"`answers` {quote(str(column.name))}"
            way = f"name what is in them, such as {option}"
        raise bad_cells(rows, column, part, fault, f"{way}, or name another column")
    return converted


def bad_cells(
    rows: Sequence[int], column: "pd.Series[str]", part: str, fault: str, way: str
) -> BadInput:
    """The error of some cells: how many, which come first, and what to do."""
    first = ", ".join(map(str, rows[:3]))
    return BadInput(
        f"{len(rows)} of {len(column)} {part} cells in column "
        f"{quote(str(column.name))} {fault}, first in rows {first}; {way}"
    )


def scalar_text(cell: object, join: str = JOIN) -> str | None:
    """One value as it is written; whole numbers without a point, True as 1.

    >>> [scalar_text(cell) for cell in (1.0, True, 0.5, "1.0", [1])]
    ['1', '1', '0.5', '1.0', None]
    >>> scalar_text(Parts(["row", 1]), "-")
    'row-1'
    """
    if isinstance(cell, str):
        return mend_surrogates(cell)
    if isinstance(cell, bool | np.bool_ | Integral):
        return str(int(cell))
    if isinstance(cell, Real):
        number = float(cell)
        return str(int(number)) if number.is_integer() else str(number)
    if isinstance(cell, Parts):
        texts = [_text_of_cell(part, join) for part in cell]
        return join.join(text for text in texts if text) if None not in texts else None
    if isinstance(cell, list | tuple | dict | set | bytes | np.ndarray):
        return None
    return str(cell)


def word_text(cell: object, join: str = JOIN) -> str | None:
    """The same, with words for true and false.

    >>> word_text(True), word_text(2.0)
    ('true', '2')
    """
    is_bool = isinstance(cell, bool | np.bool_)
    return str(bool(cell)).lower() if is_bool else scalar_text(cell, join)


def _text_of_cell(cell: object, join: str = JOIN) -> str | None:
    """The text of a cell, or of the lists in it; None where there is something else.

    >>> _text_of_cell(["A title", ["One.", "Two."]]), _text_of_cell(["a", 1])
    ('A title One. Two.', None)
    """
    if isinstance(cell, list | tuple | np.ndarray) and not isinstance(cell, Parts):
        parts = list(flatten_cell(cell))
        # Numbers among the texts are references (FEVER's page and line), not words.
        if not all(isinstance(part, str) for part in parts):
            return None
        return join.join(mend_surrogates(str(part)) for part in parts)
    return scalar_text(cell, join)


def _spans_json(cell: object) -> str | None:
    """A list of spans as JSON; None where the cell holds something else.

    >>> _spans_json([[0, 12], [20, 31]]), _spans_json("a _text_of_cell")
    ('[[0, 12], [20, 31]]', None)
    """
    plain = cell.tolist() if isinstance(cell, np.ndarray) else cell
    if not isinstance(plain, list | tuple | dict) or not plain:
        return None
    try:
        return json.dumps(plain, default=_plain_value)
    except (TypeError, ValueError, RecursionError):  # a key of another type, a circle
        return None


def _plain_value(odd: object) -> object:
    """What JSON writes for a value that it has no word for."""
    return odd.tolist() if hasattr(odd, "tolist") else str(odd)


def flatten_cell(cell: object, level: int = 0) -> Iterator[object]:
    """The leaves of nested lists, in order."""
    if level > DEEPEST:
        raise BadInput(f"a cell holds more than {DEEPEST} lists inside each other")
    if isinstance(cell, list | tuple) or (isinstance(cell, np.ndarray) and cell.ndim):
        for part in cell:
            yield from flatten_cell(part, level + 1)
    else:
        yield cell


def mend_surrogates(words: str) -> str:
    r"""The text; half a surrogate pair, which no file can hold, becomes U+FFFD.

    >>> mend_surrogates("a\ud800") == "a\ufffd"
    True
    """
    if words.isascii():
        return words
    try:
        words.encode()
    except UnicodeEncodeError:
        # Through UTF-16, so that two halves that do stand together become one letter.
        return words.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return words


def clean_table(
    frame: pd.DataFrame, roles: ColumnRoles, join: str = JOIN, side: str = ""
) -> pd.DataFrame:
    """The columns that play a part, as text, under the item ids."""
    prefix = f"{side} " if side else ""
    texts = {roles.query: "query"}
    if roles.evidence is not None:
        texts[roles.evidence] = "evidence"
    for column in roles.fields:
        texts.setdefault(column, f"field {column}")
    columns = {
        name: text_cells(frame[name], prefix + what, join)
        for name, what in texts.items()
    }
    for listed in (roles.choices, roles.accepted):
        if listed is not None:
            columns[listed] = frame[listed]
    columns[roles.label] = label_cells(frame[roles.label], f"{prefix}label", join)
    for column in roles.rationales:
        if column not in columns:
            columns[column] = rationale_cells(frame[column], join)
    for column in roles.metadata:
        columns[column] = metadata_cells(frame[column], join)
    for name in (roles.subject, roles.document):
        if name is not None and name not in columns:
            columns[name] = metadata_cells(frame[name], join)
    if roles.group in columns:
        columns[str(group_column(roles))] = columns[str(roles.group)]
    elif roles.group is not None:
        columns[roles.group] = name_cells(frame[roles.group], f"{prefix}group", join)
    if roles.split is not None and not side:
        columns[roles.split] = name_cells(frame[roles.split], "split", join)
    ids = pd.Index(_item_ids(frame, roles, join, side), name="id")
    return pd.DataFrame(columns).set_axis(ids, axis="index")


def _item_ids(
    frame: pd.DataFrame, roles: ColumnRoles, join: str, side: str
) -> list[str]:
    """The ids of the rows: as they are given, else their numbers."""
    if roles.id is None:
        return [f"{side}-{row}" if side else str(row) for row in range(len(frame))]
    what = f"{side} id" if side else "id"
    return name_cells(frame[roles.id], what, join).tolist()


def group_column(roles: ColumnRoles) -> str | None:
    """The column of the group: apart from a text, which may be read changed.

    >>> group_column(ColumnRoles("claim", None, "label"))
    >>> group_column(ColumnRoles("claim", None, "label", group="claim"))
    'claim (group)'
    """
    texts = (roles.query, roles.evidence, *roles.fields)
    name = roles.group
    if name is None or name not in texts:
        return name
    taken = (*texts, roles.label, *roles.metadata, *roles.rationales, roles.split)
    while name in taken:
        name = f"{name} (group)"
    return name


def drop_unlabelled(
    tables: list[pd.DataFrame], label: str
) -> tuple[list[pd.DataFrame], dict[str, int]]:
    """The tables without the rows that are marked as having no label, if others do."""
    marks = _unlabelled_marks({*pd.concat([table[label] for table in tables])})
    remaining = [table[~table[label].isin(marks)] for table in tables]
    dropped = sum(map(len, tables)) - sum(map(len, remaining))
    if not dropped or not any(map(len, remaining)):
        return tables, {}
    return remaining, {"dropped_no_label": dropped}


def _unlabelled_marks(labels: Set[str]) -> list[str]:
    """Which value means no label: SNLI's mark, and -1 below numbered classes.

    The hub numbers classes from 0. Next to 0 and 1 alone, -1 is as often a class.

    >>> _unlabelled_marks({"-1", "0", "1", "2"}), _unlabelled_marks({"-1", "0", "1"})
    (['-', '-1'], ['-'])
    """
    classes = labels - {UNLABELLED, NO_CLASS}
    numbered = classes == {*map(str, range(len(classes)))}
    is_none = numbered and len(classes) >= FEWEST_NUMBERED
    return [UNLABELLED, NO_CLASS] if is_none else [UNLABELLED]


def with_texts(
    table: pd.DataFrame, columns: Mapping[str, Sequence[str]]
) -> pd.DataFrame:
    """The table with these columns of texts."""
    texts = {
        name: pd.Series(list(values), index=table.index, dtype=TEXT)
        for name, values in columns.items()
    }
    return with_columns(table, texts)
