"""Pages of a Parquet file: what their own headers say, whatever the footer claims.

Arrow unpacks a page by its header: so many bytes, so many values. A footer may claim
less, and lists have no other bound: a page of a hundred bytes can hold a billion values
of one row. Headers are structs of Thrift's compact protocol, read here without Arrow.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from measurand.core.errors import BadInput

# Fields of a header, and of the header of a data or a dictionary page inside it.
SIZE, PACKED = 2, 3
DATA, DATA_V2 = 5, 8
VALUES, ENCODING, ENCODING_V2 = 1, 2, 4
SHARED_CODE = 7  # DELTA_BYTE_ARRAY
MOST_PAGES = 200_000  # of a file: some seconds, and 200 GB at the usual size
BEYOND = 100  # bytes that Arrow reads past a column of some old writers
# What no size, no count and no number of a field reaches: Thrift cuts larger ones
# silently, and would read something else.
LARGEST, MOST_FIELDS = 2**31, 2**15
LONGEST = 70  # bits of a number in groups of seven
DEEPEST = 8  # structs inside each other; pages have two
# Kinds of fields: two of flags, then numbers, eight bytes, text and structs.
FLAGS, BYTE, NUMBERS, DOUBLE, TEXT, STRUCT = (1, 2), 3, (4, 5, 6), 7, 8, 12


@dataclass(frozen=True)
class Pages:
    """What the headers of a column's pages say, all together.

    Attributes:
        number: How many pages there are.
        values: Their values, empty lists and missing ones too.
        size: Their bytes, unpacked.
        are_shared: Whether texts are written as what they share with the one before.
    """

    number: int
    values: int
    size: int
    are_shared: bool


def read_pages(content: bytes, chunk: Any, most_pages: int = MOST_PAGES) -> Pages:
    """What the pages of a column of a row group hold, read as Arrow will read them.

    Args:
        content: The file.
        chunk: What the footer says of the column.
        most_pages: How many pages are read at most.
    """
    starts = [chunk.data_page_offset]
    if chunk.dictionary_page_offset:
        starts.append(chunk.dictionary_page_offset)
    offset = min(starts)
    end = offset + chunk.total_compressed_size
    if not 0 <= offset <= end <= len(content):
        raise BadInput("a column begins or ends outside the file")
    number = values = size = 0
    are_shared = False
    # Arrow stops at so many values as the footer claims; here all pages are counted.
    while offset < end or values < chunk.num_values:
        if offset >= min(end + BEYOND, len(content)):
            break
        number += 1
        if number > most_pages:
            raise BadInput(
                f"it has more than {most_pages:,} pages in a column; write larger ones"
            )
        header, offset = _read_struct(content, offset, DEEPEST)
        unpacked, packed = _count_values(header, SIZE), _count_values(header, PACKED)
        data, data_v2 = _inner(header, DATA), _inner(header, DATA_V2)
        values += max(_count_values(data, VALUES), _count_values(data_v2, VALUES))
        encodings = _count_values(data, ENCODING), _count_values(data_v2, ENCODING_V2)
        are_shared = are_shared or SHARED_CODE in encodings
        offset += packed
        size += unpacked
    return Pages(number, values, size, are_shared)


def _inner(header: Mapping[int, Any], field: int) -> Mapping[int, Any]:
    """The struct in a field; an empty one where there is none."""
    struct = header.get(field)
    return struct if isinstance(struct, dict) else {}


def _count_values(header: Mapping[int, Any], field: int) -> int:
    """The number in a field; 0 where there is none."""
    number = header.get(field, 0)
    if not isinstance(number, int) or not 0 <= number < LARGEST:
        raise BadInput("the header of a page holds no count where one belongs")
    return number


def _read_struct(content: bytes, offset: int, deep: int) -> tuple[dict[int, Any], int]:
    """The fields of a struct by their numbers, and the place after it.

    >>> _read_struct(bytes([0x15, 0x08, 0x19 + 0x03, 0x15, 0x02, 0, 0]), 0, 2)
    ({1: 4, 2: {1: 1}}, 7)
    """
    if not deep:
        raise BadInput("the header of a page is nested too deeply")
    fields: dict[int, Any] = {}
    field = 0
    try:
        while content[offset]:
            kind, step = content[offset] & 15, content[offset] >> 4
            offset += 1
            if step:
                field += step
            else:
                field, offset = _read_number(content, offset)
            if field in fields or not 0 < field < MOST_FIELDS:
                raise BadInput("the header of a page holds a field twice, or none")
            if kind == STRUCT:
                fields[field], offset = _read_struct(content, offset, deep - 1)
            else:
                fields[field], offset = _read_value(content, offset, kind)
    except IndexError:
        raise BadInput("the header of a page ends outside the file") from None
    return fields, offset + 1


def _read_value(content: bytes, offset: int, kind: int) -> tuple[int | None, int]:
    """A number, or None of what is no number, and the place after it."""
    if kind in FLAGS:
        return None, offset
    if kind == BYTE:
        return None, offset + 1
    if kind in NUMBERS:
        return _read_number(content, offset)
    if kind == DOUBLE:
        return None, offset + 8
    if kind == TEXT:
        length, offset = _read_digits(content, offset)
        return None, offset + length
    raise BadInput("the header of a page is none")


def _read_number(content: bytes, offset: int) -> tuple[int, int]:
    """A number whose lowest bit is its sign."""
    digits, offset = _read_digits(content, offset)
    return (digits >> 1) ^ -(digits & 1), offset


def _read_digits(content: bytes, offset: int) -> tuple[int, int]:
    """A number in bytes of seven bits, the lowest first, and the place after it."""
    digits = 0
    for shift in range(0, LONGEST, 7):
        byte = content[offset]
        offset += 1
        digits |= (byte & 127) << shift
        if byte < 128:
            return digits, offset
    raise BadInput("the header of a page holds a number without end")
