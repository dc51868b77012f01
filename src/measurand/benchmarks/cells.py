"""Cells of every kind, turned into the text that items hold."""

import json
from collections.abc import Callable, Iterator
from numbers import Integral, Real

import numpy as np
import pandas as pd

from measurand.benchmarks.formats import TEXT
from measurand.core.errors import BadInput, quote

MISSING = "missing"  # the value of a metadata cell that holds nothing


def texts(column: "pd.Series[str]", part: str) -> "pd.Series[str]":
    """A column of text; lists of sentences are joined by a space."""
    found = turned(column, text)
    return complete(found, found.isna(), f"{part} cells", "text or a list of texts")


def labels(column: "pd.Series[str]", part: str) -> "pd.Series[str]":
    """A column of labels, none of them missing or blank."""
    found = turned(column, scalar)
    blank = found.isna() | (found.str.strip() == "")
    return complete(found, blank, f"{part} cells", "a label")


def names(column: "pd.Series[str]", part: str) -> "pd.Series[str]":
    """A column of ids, groups or splits, none of them missing."""
    found = turned(column, scalar)
    return complete(found, found.isna(), f"{part} cells", "a name or a number")


def rationales(column: "pd.Series[str]") -> "pd.Series[str]":
    """A column of explanations, empty where a cell holds none.

    Spans, which are lists of numbers or of names and values, are kept as JSON.
    """
    return turned(column, lambda cell: text(cell) or spans(cell)).fillna("")


def kinds(column: "pd.Series[str]") -> "pd.Series[str]":
    """A column of metadata; a cell that holds nothing says so."""
    found = turned(column, lambda cell: scalar(cell) or text(cell))
    return found.mask(found.isna() | (found == ""), MISSING)


def turned(
    column: "pd.Series[str]", turn: Callable[[object], str | None]
) -> "pd.Series[str]":
    """The column as text; missing where a cell is, or where `turn` finds nothing."""
    if isinstance(column.dtype, pd.StringDtype):
        return column.astype(TEXT)
    gone = column.isna()
    cells = [None if no else turn(cell) for no, cell in zip(gone, column, strict=True)]
    return pd.Series(cells, index=column.index, dtype=TEXT, name=column.name)


def complete(
    found: "pd.Series[str]", lacking: "pd.Series[bool]", cells: str, wanted: str
) -> "pd.Series[str]":
    """The column itself, unless a cell lacks what is wanted."""
    rows = np.flatnonzero(lacking.to_numpy()) + 1
    if len(rows):
        first = ", ".join(str(row) for row in rows[:3])
        raise BadInput(
            f"{len(rows)} of {len(found)} {cells} in column "
            f"{quote(str(found.name))} lack {wanted}, first in rows {first}; "
            "fill or remove these rows, or name another column"
        )
    return found


def scalar(cell: object) -> str | None:
    """One value as it is written; whole numbers without a point, True as 1.

    >>> scalar(1.0), scalar(True), scalar(0.5), scalar("1.0"), scalar([1])
    ('1', '1', '0.5', '1.0', None)
    """
    if isinstance(cell, str):
        return mended(cell)
    if isinstance(cell, bool | np.bool_ | Integral):
        return str(int(cell))
    if isinstance(cell, Real):
        number = float(cell)
        return str(int(number)) if number.is_integer() else str(number)
    if isinstance(cell, list | tuple | dict | set | bytes | np.ndarray):
        return None
    return str(cell)


def text(cell: object) -> str | None:
    """The text of a cell, or of the lists in it; None where there is something else.

    >>> text(["A title", ["One.", "Two."]]), text(["a", 1])
    ('A title One. Two.', None)
    """
    if isinstance(cell, list | tuple | np.ndarray):
        parts = list(flat(cell))
        # Numbers among the texts are references (FEVER's page and line), not words.
        if not all(isinstance(part, str) for part in parts):
            return None
        return " ".join(mended(str(part)) for part in parts)
    return scalar(cell)


def spans(cell: object) -> str | None:
    """A list of spans as JSON; None where the cell holds something else.

    >>> spans([[0, 12], [20, 31]]), spans("a text")
    ('[[0, 12], [20, 31]]', None)
    """
    plain = cell.tolist() if isinstance(cell, np.ndarray) else cell
    if not isinstance(plain, list | tuple | dict) or not plain:
        return None
    return json.dumps(plain, default=lambda odd: odd.tolist())


def flat(cell: object) -> Iterator[object]:
    """The leaves of nested lists, in order."""
    if isinstance(cell, list | tuple | np.ndarray):
        for part in cell:
            yield from flat(part)
    else:
        yield cell


def mended(words: str) -> str:
    r"""The text; half a surrogate pair, which no file can hold, becomes U+FFFD.

    >>> mended("a\ud800") == "a\ufffd"
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
