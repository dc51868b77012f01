"""Cells of every kind, turned into the text that items hold."""

import json
from collections.abc import Callable, Iterator
from numbers import Integral, Real

import numpy as np
import pandas as pd

from measurand.benchmarks.formats import TEXT
from measurand.core.errors import BadInput, quote

MISSING = "missing"  # the value of a metadata cell that holds nothing


def text_cells(column: "pd.Series[str]", part: str) -> "pd.Series[str]":
    """A column of text; lists of sentences are joined by a space."""
    converted = _convert_cells(column, _text_of_cell)
    return _require_cells(
        converted, converted.isna(), f"{part} cells", "text or a list of texts"
    )


def label_cells(column: "pd.Series[str]", part: str) -> "pd.Series[str]":
    """A column of labels, none of them missing or blank."""
    converted = _convert_cells(column, _scalar_text)
    blank = converted.isna() | (converted.str.strip() == "")
    return _require_cells(converted, blank, f"{part} cells", "a label")


def name_cells(column: "pd.Series[str]", part: str) -> "pd.Series[str]":
    """A column of ids, groups or splits, none of them missing."""
    converted = _convert_cells(column, _scalar_text)
    return _require_cells(
        converted, converted.isna(), f"{part} cells", "a name or a number"
    )


def rationale_cells(column: "pd.Series[str]") -> "pd.Series[str]":
    """A column of explanations, empty where a cell holds none.

    Spans, which are lists of numbers or of names and values, are kept as JSON.
    """
    return _convert_cells(
        column, lambda cell: _text_of_cell(cell) or _spans_json(cell)
    ).fillna("")


def metadata_cells(column: "pd.Series[str]") -> "pd.Series[str]":
    """A column of metadata; a cell that holds nothing says so."""
    converted = _convert_cells(
        column, lambda cell: _scalar_text(cell) or _text_of_cell(cell)
    )
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
    column: "pd.Series[str]", lacking: "pd.Series[bool]", cells: str, content: str
) -> "pd.Series[str]":
    """The column itself, unless a cell lacks what is wanted."""
    rows = np.flatnonzero(lacking.to_numpy()) + 1
    if len(rows):
        first = ", ".join(str(row) for row in rows[:3])
        raise BadInput(
            f"{len(rows)} of {len(column)} {cells} in column "
            f"{quote(str(column.name))} lack {content}, first in rows {first}; "
            "fill or remove these rows, or name another column"
        )
    return column


def _scalar_text(cell: object) -> str | None:
    """One value as it is written; whole numbers without a point, True as 1.

    >>> [_scalar_text(cell) for cell in (1.0, True, 0.5, "1.0", [1])]
    ['1', '1', '0.5', '1.0', None]
    """
    if isinstance(cell, str):
        return _mend_surrogates(cell)
    if isinstance(cell, bool | np.bool_ | Integral):
        return str(int(cell))
    if isinstance(cell, Real):
        number = float(cell)
        return str(int(number)) if number.is_integer() else str(number)
    if isinstance(cell, list | tuple | dict | set | bytes | np.ndarray):
        return None
    return str(cell)


def _text_of_cell(cell: object) -> str | None:
    """The text of a cell, or of the lists in it; None where there is something else.

    >>> _text_of_cell(["A title", ["One.", "Two."]]), _text_of_cell(["a", 1])
    ('A title One. Two.', None)
    """
    if isinstance(cell, list | tuple | np.ndarray):
        parts = list(flatten_cell(cell))
        # Numbers among the texts are references (FEVER's page and line), not words.
        if not all(isinstance(part, str) for part in parts):
            return None
        return " ".join(_mend_surrogates(str(part)) for part in parts)
    return _scalar_text(cell)


def _spans_json(cell: object) -> str | None:
    """A list of spans as JSON; None where the cell holds something else.

    >>> _spans_json([[0, 12], [20, 31]]), _spans_json("a _text_of_cell")
    ('[[0, 12], [20, 31]]', None)
    """
    plain = cell.tolist() if isinstance(cell, np.ndarray) else cell
    if not isinstance(plain, list | tuple | dict) or not plain:
        return None
    return json.dumps(plain, default=lambda odd: odd.tolist())


def flatten_cell(cell: object) -> Iterator[object]:
    """The leaves of nested lists, in order."""
    if isinstance(cell, list | tuple | np.ndarray):
        for part in cell:
            yield from flatten_cell(part)
    else:
        yield cell


def _mend_surrogates(words: str) -> str:
    r"""The text; half a surrogate pair, which no file can hold, becomes U+FFFD.

    >>> _mend_surrogates("a\ud800") == "a\ufffd"
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
