"""JSON and separated values: from bytes to a table.

Rows are gathered in batches, and each batch becomes columns before the next is read:
a table never stands in memory as a million dictionaries.
"""

import csv
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import IO, Any, Literal

import pandas as pd

from measurand.core.errors import BadInput, join_names, quote
from measurand.core.items import with_columns
from measurand.core.names import check_text
from measurand.disk.files import DEEPEST, depth

UNLABELLED = "-"  # SNLI's label where its annotators did not agree
TEXT = pd.Series(["text"]).dtype  # `str` since pandas 3, `object` before
BATCH = 50_000
MOST_COLUMNS = 1000  # keys that differ from row to row would fill rows × rows cells
LONGEST_FIELD = 2**31 - 1  # the csv module refuses fields over 128 KB unless told
WRAPPERS = ("data", "rows", "items")
SEPARATORS = ",\t;|"  # what may stand between fields
FEWEST_AGAIN = 2  # columns whose name stands below it, before it is no name
LONGEST_HEAD = 3  # words
UNNAMED = "column"  # what a column is called in a file without a header, and its number

# What stands in a line of MMLU, whose files have no header.
BARE_QUESTION = ("question", "A", "B", "C", "D", "answer")

Row = dict[str, Any]


def _parse_object(pairs: list[tuple[str, Any]]) -> Row:
    """The object, if no key stands in it twice."""
    row = dict(pairs)
    if len(row) < len(pairs):
        require_distinct_names([name for name, _ in pairs])
    return row


DECODER = json.JSONDecoder(object_pairs_hook=_parse_object)


def parse_json_lines(stream: IO[bytes]) -> pd.DataFrame:
    """A table of one JSON object a line; blank lines are skipped."""
    return gather_table(parse_object_lines(stream))


def parse_object_lines(stream: IO[bytes]) -> Iterator[Row]:
    """The object on each line that is not blank."""
    return _parse_objects(_decode_lines(stream))


def parse_json_table(stream: IO[bytes]) -> pd.DataFrame:
    """A table of a list of objects, an object around one, or an object of columns."""
    text = "".join(_decode_lines(stream))
    try:
        value = decode_json(text)
    except json.JSONDecodeError as bad:
        if bad.msg == "Extra data":  # JSON lines under the name .json are common
            return gather_table(_parse_objects(text.split("\n")))
        raise BadInput(_json_error_text(bad, bad.lineno)) from None
    del text
    if isinstance(value, dict):
        rows = _find_rows(value)
        if rows is None:
            return _table_of_columns(value)
        value = rows
    if not isinstance(value, list):
        raise BadInput("it holds neither a list of objects nor an object of columns")
    for number, row in enumerate(value, 1):
        if not isinstance(row, dict):
            raise BadInput(
                f"element {number} of the list is {_json_kind(row)}, not an object"
            )
    return gather_table(iter(value))


def _find_rows(value: Row) -> list[Row] | None:
    """The list of objects in an object: under a plain key, or the only one there is.

    None where there is none, or where all that it holds may be columns of one table.

    >>> _find_rows({"version": 1, "Data": [{"claim": "It floats."}]})
    [{'claim': 'It floats.'}]
    >>> _find_rows({"claim": ["It floats."], "log": [{"page": 1}]})
    """
    lists: dict[str, list[Row]] = {
        key: cells for key, cells in value.items() if _is_list_of_objects(cells)
    }
    plain = [key for key in WRAPPERS if isinstance(value.get(key), list)]
    if len(plain) == 1 and (plain[0] in lists or not value[plain[0]]):
        rows: list[Row] = value[plain[0]]
        return rows
    # A column may be left to be refused: it must not be taken for all there is.
    are_columns = all(isinstance(cells, list | dict) for cells in value.values())
    if not lists or (are_columns and len(value) > 1):
        return None
    if len(lists) > 1:
        raise BadInput(
            f"it holds {len(lists)} lists of objects, {join_names([*lists])}; put the "
            f"one that is meant at the top, or under one of {', '.join(WRAPPERS)}"
        )
    return next(iter(lists.values()))


def _is_list_of_objects(cells: object) -> bool:
    """Whether this is a list of one object or more, and of nothing else."""
    if not isinstance(cells, list) or not cells:
        return False
    return all(isinstance(row, dict) for row in cells)


def parse_separated_values(stream: IO[bytes], separator: str) -> pd.DataFrame:
    """A table of separated values with a header line; every cell is text.

    The separator is the one that the file's name says, unless the header holds none of
    them and another in its place, as where tabs are saved under the name .csv. Where
    the first line is no header, columns are called `column1` and so on: no such name is
    plain, so that nothing is read before somebody names the columns.
    """
    csv.field_size_limit(LONGEST_FIELD)
    separator = _find_separator(stream, separator)
    quoting: Literal[0, 3] = csv.QUOTE_MINIMAL
    try:
        table = gather_table(parse_records(stream, separator, quoting))
    except BadInput as quoted:
        if separator != "\t":
            raise
        # GLUE and its kin write tabs without quoting: a quote is a letter there.
        quoting = csv.QUOTE_NONE
        stream.seek(0)
        try:
            table = gather_table(parse_records(stream, separator, quoting))
        except BadInput:
            raise quoted from None
    # No names, and some occur again below as values: of numbers alone both may be so.
    names = [str(name) for name in table.columns]
    again = [name for name in names if (table[name] == name).any()]
    if len(again) < FEWEST_AGAIN or not any(map(_is_no_name, names)):
        return table
    stream.seek(0)
    header = [f"{UNNAMED}{number}" for number in range(1, len(names) + 1)]
    return gather_table(parse_records(stream, separator, quoting, header))


def _is_no_name(name: str) -> bool:
    """Whether a header says what hardly names a column: a number, or a sentence.

    >>> [_is_no_name(name) for name in ("2", "Which boat left port?", "gold label")]
    [True, True, False]
    """
    return name.isdigit() or len(name.split()) > LONGEST_HEAD


def _find_separator(stream: IO[bytes], expected: str) -> str:
    """What stands between the fields of the header, by the first line that is one."""
    header = next((line for line in _decode_lines(stream) if line.strip()), "")
    stream.seek(0)
    # A quote that is still open may hold the separator on the next line.
    if expected in header or header.count('"') % 2:
        return expected
    likely = max(SEPARATORS, key=header.count)
    return likely if likely in header else expected


def _decode_lines(stream: IO[bytes]) -> Iterator[str]:
    """The lines as text, without a byte order mark."""
    offset = 0
    for line in stream:
        if b"\0" in line:
            raise BadInput(
                f"byte {offset + line.index(0)} is NUL, so this is no text in UTF-8; "
                "save it as UTF-8, or name it .parquet if it is Parquet"
            )
        try:
            text = line.decode()
        except UnicodeDecodeError as bad:
            position = offset + bad.start
            raise BadInput(f"byte {position} is not UTF-8; save it as UTF-8") from None
        yield text if offset else text.removeprefix("\ufeff")
        offset += len(line)


def _parse_objects(texts: Iterable[str]) -> Iterator[Row]:
    """The object on each line that is not blank."""
    for number, text in enumerate(texts, 1):
        if not text.strip():
            continue
        try:
            row = decode_json(text.rstrip("\r\n"))
        except json.JSONDecodeError as bad:
            raise BadInput(_json_error_text(bad, number)) from None
        except BadInput as bad:
            raise BadInput(f"line {number}: {bad}") from None
        if not isinstance(row, dict):
            raise BadInput(
                f"line {number} holds {_json_kind(row)}, not an object; "
                "a file that is one JSON list should be called .json"
            )
        yield row


def parse_records(
    stream: IO[bytes],
    separator: str,
    quoting: Literal[0, 3],
    header: list[str] | None = None,
) -> Iterator[Row]:
    """The rows under the header line, or under `header`, each as long as it."""
    lines = _decode_lines(stream)
    reader = csv.reader(lines, delimiter=separator, quoting=quoting, strict=True)
    line = 1
    while True:
        try:
            row = next(reader, None)
        except csv.Error as bad:
            raise BadInput(f"line {line}: {bad}") from None
        if row is None:
            return
        if row and header is None:
            if _is_bare_question(row):
                yield dict(zip(header := [*BARE_QUESTION], row, strict=True))
            else:
                header = require_distinct_names([name.strip() for name in row])
        elif header is not None and len(row) == len(header):
            yield dict(zip(header, row, strict=True))
        elif header is not None and row:
            raise BadInput(
                f"line {line} has {len(row)} fields where the header has "
                f"{len(header)}; put quotes around fields that hold the separator"
            )
        line = reader.line_num + 1


def _is_bare_question(row: list[str]) -> bool:
    """Whether the first line is MMLU's: a question, four choices and a letter.

    >>> _is_bare_question(["What floats?", "boats", "oak", "fir", "ash", "B"])
    True
    >>> _is_bare_question([*BARE_QUESTION])
    False
    """
    letters = BARE_QUESTION[1:-1]
    return (
        len(row) == len(BARE_QUESTION)
        and row[-1].strip() in letters
        and not any(cell.strip() in letters for cell in row[:-1])
    )


def require_distinct_names(names: list[str]) -> list[str]:
    """The column names, if no two are the same and all are text."""
    for name in names:
        check_text("column", name)
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise BadInput(f"more than one column is called {quote(twice[0])}; rename one")
    return names


def gather_table(rows: Iterator[Row]) -> pd.DataFrame:
    """The rows as a table, missing where a row lacks a key."""
    batches: list[pd.DataFrame] = []
    columns: dict[str, None] = {}
    while batch := list(islice(rows, BATCH)):
        names = dict.fromkeys(name for row in batch for name in row)
        for name in names:
            if name not in columns:
                check_text("column", name)
        columns |= names
        if len(columns) > MOST_COLUMNS:
            raise BadInput(
                f"there are more than {MOST_COLUMNS} columns, such as "
                f"{quote(next(reversed(columns)))}; give every row the same few keys"
            )
        cells = {
            name: _cells_to_series([row.get(name) for row in batch]) for name in names
        }
        batches.append(pd.DataFrame(cells, index=range(len(batch))))
    return pd.concat(batches, ignore_index=True) if batches else pd.DataFrame()


def _table_of_columns(value: Row) -> pd.DataFrame:
    """The table of an object that holds a list, or an object by row, a column."""
    require_distinct_names(list(value))
    columns = {
        name: list(cells.values()) if isinstance(cells, dict) else cells
        for name, cells in value.items()
    }
    if not all(isinstance(cells, list) for cells in columns.values()):
        raise BadInput(
            f"it holds no rows; put a list of objects at the top or under one of "
            f"{', '.join(WRAPPERS)}"
        )
    keys = [list(cells) for cells in value.values() if isinstance(cells, dict)]
    lengths = {name: len(cells) for name, cells in columns.items()}
    by_row = keys and len(keys) == len(value) and len(keys[0]) < len(value)
    if by_row and not any(map(str.isdigit, keys[0])):  # as pandas numbers its rows
        raise BadInput(
            f"it is an object of {len(value)} objects, such as "
            f"{quote(next(iter(value)))}, that hold {join_names(keys[0])}; give a list "
            "of these objects"
        )
    if len(set(lengths.values())) > 1 or any(key != keys[0] for key in keys):
        counts = ", ".join(f"{quote(n)} {k}" for n, k in list(lengths.items())[:5])
        raise BadInput(f"its columns do not hold the same rows ({counts})")
    return pd.DataFrame(
        {name: _cells_to_series(cells) for name, cells in columns.items()}
    )


def _cells_to_series(cells: list[Any]) -> "pd.Series[Any]":
    """One column: of text where every cell is text or missing, else as it is."""
    if all(cell is None or type(cell) is str for cell in cells):
        try:
            return pd.Series(cells, dtype=TEXT)
        except UnicodeEncodeError:
            pass  # half a surrogate pair: kept here, replaced where text is taken
    return pd.Series(cells, dtype=object)


def decode_json(text: str) -> Any:
    """The JSON value in `text`."""
    try:
        value = DECODER.decode(text)
        # Few texts hold as many brackets as are allowed inside each other.
        if text.count("[") + text.count("{") > DEEPEST and depth(value) > DEEPEST:
            raise RecursionError
        return value
    except RecursionError:
        raise BadInput("its JSON is nested too deeply") from None
    except json.JSONDecodeError:
        raise
    except ValueError as bad:  # an integer of thousands of digits
        raise BadInput(quote(str(bad), 80)) from None


def _json_error_text(bad: json.JSONDecodeError, line: int) -> str:
    """Place and cause of broken JSON, in one line."""
    near = quote(bad.doc[max(0, bad.pos - 10) : bad.pos + 20])
    cause = bad.msg.lower().removesuffix(" at").removesuffix(" starting")
    return f"line {line}, column {bad.colno}: {cause}, near {near}"


def _json_kind(value: Any) -> str:
    """What a JSON value is called."""
    names = {list: "a list", str: "text", bool: "true or false", type(None): "null"}
    return names.get(type(value), "a number")


def to_dataframe(source: object) -> pd.DataFrame:
    """The rows as a DataFrame whose column names are text and differ."""
    if isinstance(source, pd.DataFrame):
        names = require_distinct_names([str(column) for column in source.columns])
        return source.set_axis(names, axis="columns")
    if isinstance(source, Mapping) and source:
        parts = {str(split): to_dataframe(part) for split, part in source.items()}
        if len(parts) == 1:
            return next(iter(parts.values()))
        tables = [part.assign(split=split) for split, part in parts.items()]
        return pd.concat(tables, ignore_index=True)
    if hasattr(source, "to_pandas") and hasattr(source, "features"):
        return _name_class_labels(source.to_pandas(), source.features or {})
    raise BadInput(
        f"a {type(source).__name__} is no table; give a pandas DataFrame, or a Dataset "
        "or DatasetDict of the datasets library"
    )


def _name_class_labels(
    table: pd.DataFrame, features: Mapping[str, Any]
) -> pd.DataFrame:
    """The table with the numbers of class labels turned into the names they represent.

    A negative number means that the label is kept secret or was never given.
    """
    for column, feature in features.items():
        names = getattr(feature, "names", None)
        if names is not None:
            class_names = {**dict(enumerate(names)), -1: UNLABELLED}
            table = with_columns(table, {column: table[column].map(class_names)})
    return table
