"""Parquet: how much a file holds is known before any of it is unpacked.

A text that a dictionary holds once may stand in a million rows, and so may one that is
written as what it shares with the one before. The headers of all pages bound everything
else, as the footer may claim less than they hold; texts are counted in dictionary form,
a piece at a time, and only then written out.
"""

from collections.abc import Iterator, Sequence
from typing import IO, Any

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from measurand.benchmarks.formats import MOST_COLUMNS, require_distinct_names
from measurand.benchmarks.pages import MOST_PAGES, Pages, read_pages
from measurand.benchmarks.unpack import (
    check_ratio,
    check_size,
    most_by_ratio,
    most_bytes,
)
from measurand.core.errors import BadInput, MeasurandError, quote
from measurand.disk.files import DEEPEST, parse_json

PIECE = 2**20  # rows of a column in dictionary form that are counted at a time
CELL = 8  # bytes that a cell takes at least
SHARED = "DELTA_BYTE_ARRAY"  # texts as what they share with the one before
# How much of the bound one piece of such texts may be, which no dictionary holds.
PIECES = 16


def parse_parquet(stream: IO[bytes]) -> pd.DataFrame:
    """A table of a Parquet file, integers kept whole and bytes read as UTF-8."""
    try:
        table, _ = read_parquet(stream)
        columns = [_to_plain_column(column) for column in table.columns]
        table = pa.Table.from_arrays(columns, names=table.column_names)
        return table.to_pandas(integer_object_nulls=True)  # type: ignore[no-any-return]
    except (MeasurandError, MemoryError):
        raise
    # Types of pandas that a program has made known to Arrow run code of their own on
    # what the file says about them, and raise errors of any kind.
    except Exception as broken:
        why = quote(str(broken) or type(broken).__name__)
        raise BadInput(f"not a whole Parquet file ({why})") from None


def read_parquet(stream: IO[bytes]) -> tuple[Any, bytes]:
    """The table, and apart from it what pandas wrote about it, which nobody read."""
    try:
        content = stream.read()
        check_parquet(content)
        table = pq.ParquetFile(pa.BufferReader(content)).read()
        table.validate(full=True)  # text that is not UTF-8 would fail much later
    except MemoryError:
        raise BadInput("it takes more memory than is free; give fewer rows") from None
    metadata: bytes = (table.schema.metadata or {}).get(b"pandas", b"null")
    # Whoever asks Arrow for it makes objects of it, however deep it is.
    return table.replace_schema_metadata(None), metadata


def _to_plain_column(column: Any) -> Any:
    """The column without a dictionary, and with text in place of bytes."""
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if pa.types.is_binary(column.type) or pa.types.is_large_binary(column.type):
        column = column.cast(pa.large_string())
    return column


def index_column(metadata: bytes, columns: Sequence[str]) -> str | None:
    """The column that was the index, by what pandas wrote; None where none was.

    >>> index_column(b'{"index_columns": ["id"]}', ["id", "claim"])
    'id'
    """
    value = parse_json(metadata)
    names = value.get("index_columns") if isinstance(value, dict) else None
    is_one = isinstance(names, list) and len(names) == 1 and names[0] in columns
    return str(names[0]) if names and is_one else None


def check_parquet(content: bytes) -> None:
    """Raise where a Parquet file holds more, or deeper, than a table may."""
    source = pa.BufferReader(content)
    footer = pq.read_metadata(source)
    columns = [footer.schema.column(i) for i in range(footer.num_columns)]
    _check_columns([column.path for column in columns])
    most = most_bytes()
    pages = _read_all_pages(content, footer)
    widths = [column.length for column in columns]
    size = _check_values(footer, pages, widths, most, len(content))
    texts = [c.path for c in columns if c.physical_type == "BYTE_ARRAY"]
    shared = _shared_sizes(footer, pages)
    dictionaries = [path for path in texts if path not in shared]
    file = pq.ParquetFile(source, metadata=footer, read_dictionary=dictionaries)
    require_distinct_names(file.schema_arrow.names)
    # A row of texts is never longer than all that is stored of their columns.
    bound = min(most, most_by_ratio(len(content)))
    rows = bound // PIECES // max(1, sum(shared.values())) if shared else PIECE
    rows = max(1, min(rows, PIECE))
    groups = [*range(footer.num_row_groups)]
    # Arrow reads no lists of texts of two dictionaries: these a group of rows a time.
    has_lists = any(c.max_repetition_level for c in columns if c.path in texts)
    for batch_groups in (
        ([[g] for g in groups] if has_lists else [groups]) if texts else ()
    ):
        for batch in file.iter_batches(rows, row_groups=batch_groups, columns=texts):
            size += sum(map(_text_bytes, batch.columns))
            check_size(size, most)
            check_ratio(size, len(content))


def _check_columns(paths: Sequence[str]) -> None:
    """Raise where there are too many columns, or types too deep inside each other."""
    if len(paths) > MOST_COLUMNS:
        raise BadInput(f"there are {len(paths):,} columns; {MOST_COLUMNS:,} are read")
    if any(path.count(".") >= DEEPEST for path in paths):
        raise BadInput(
            f"a column is nested too deeply; allowed are {DEEPEST} types inside each "
            "other"
        )


def _read_all_pages(content: bytes, footer: Any) -> list[Pages]:
    """What the pages of each piece of a column hold, in the order of `_chunks`."""
    pages: list[Pages] = []
    left = MOST_PAGES
    for _, _, chunk in _chunks(footer):
        pages.append(read_pages(content, chunk, left))
        left -= pages[-1].number
    return pages


def _check_values(
    footer: Any,
    pages: Sequence[Pages],
    widths: Sequence[int | None],
    most: int,
    packed: int,
) -> int:
    """The bytes that all values take apart from texts, where they are not too many.

    Footer and pages both count the values; the schema says how wide each is.
    """
    size = stored = 0
    for (group, column, chunk), content in zip(_chunks(footer), pages, strict=True):
        count = max(chunk.num_values, footer.row_group(group).num_rows, content.values)
        size += count * max(CELL, widths[column] or 0)
        stored += max(0, chunk.total_uncompressed_size, content.size)
    check_size(max(size, stored), most)
    check_ratio(max(size, stored), packed)
    return size


def _shared_sizes(footer: Any, pages: Sequence[Pages]) -> dict[str, int]:
    """The columns of texts that no dictionary holds, with the most bytes of one."""
    sizes: dict[str, int] = {}
    for (_, column, chunk), content in zip(_chunks(footer), pages, strict=True):
        if SHARED not in chunk.encodings and not content.are_shared:
            continue
        path = chunk.path_in_schema
        size = max(chunk.total_uncompressed_size, content.size)
        if footer.schema.column(column).max_repetition_level:
            # One row may hold any number of them: no piece is small enough.
            raise BadInput(
                f"the lists in column {quote(path)} are written as {SHARED}, so that "
                "their size is not known before; write them with dictionaries"
            )
        sizes[path] = max(size, sizes.get(path, 0))
    return sizes


def _chunks(footer: Any) -> Iterator[tuple[int, int, Any]]:
    """Every piece of a column, with the places of its rows and of its column."""
    for group in range(footer.num_row_groups):
        rows = footer.row_group(group)
        for column in range(footer.num_columns):
            yield group, column, rows.column(column)


def _text_bytes(array: Any) -> int:
    """How many bytes the texts in a column take where each is written out."""
    if pa.types.is_dictionary(array.type):
        lengths = pc.binary_length(array.dictionary)
        return pc.sum(pc.take(lengths, array.indices)).as_py() or 0
    if pa.types.is_struct(array.type):
        return sum(map(_text_bytes, array.flatten()))
    if pa.types.is_nested(array.type):
        return _text_bytes(array.flatten())
    return int(array.nbytes)
