"""Headers of pages, as Arrow writes them and as nobody should."""

import random
from contextlib import suppress
from types import SimpleNamespace

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from measurand.benchmarks.files import read_table_file
from measurand.benchmarks.pages import read_pages
from measurand.core.errors import BadInput

COLUMNS = {
    "text": [f"text {i % 7}" for i in range(3_000)],
    "lists": [["x", None, f"{i}"][: i % 4] for i in range(3_000)],
    "numbers": [i if i % 3 else None for i in range(3_000)],
}
WRITTEN = [
    {"data_page_version": page, "compression": packed, "use_dictionary": dictionary}
    for page in ("1.0", "2.0")
    for packed in ("none", "zstd")
    for dictionary in (True, False)
]


def chunks(path):
    footer = pq.read_metadata(path)
    for group in range(footer.num_row_groups):
        for column in range(footer.num_columns):
            yield footer.row_group(group).column(column)


@pytest.mark.parametrize("options", WRITTEN)
def test_pages_hold_what_an_honest_footer_says(tmp_path, options):
    path = tmp_path / "a.parquet"
    sizes = {"data_page_size": 500, "row_group_size": 1_100, "write_batch_size": 50}
    pq.write_table(pa.table(COLUMNS), path, **options, **sizes)
    for chunk in chunks(path):
        pages = read_pages(path.read_bytes(), chunk)
        assert pages.values == chunk.num_values
        assert pages.number > 2
        assert 0 < pages.size <= chunk.total_uncompressed_size


HEADERS = {
    "no end": b"\x15" + b"\xff" * 12,
    "a list": b"\x19\x15",
    "too deep": b"\x1c" * 60,
    "a field twice": b"\x15\x02\x05\x02\x02\x00",
    "a number that Thrift cuts": b"\x25\x8a\x80\x80\x80\x20\x00",
    "fewer than none": b"\x25\x01\x15\x01\x00",
    "its end outside": b"\x15",
}


@pytest.mark.parametrize("header", HEADERS.values(), ids=HEADERS)
def test_a_header_that_is_none_is_one_line(header):
    chunk = SimpleNamespace(
        data_page_offset=0,
        dictionary_page_offset=None,
        total_compressed_size=len(header),
        num_values=1,
    )
    with pytest.raises(BadInput, match="the header of a page"):
        read_pages(header, chunk)


def test_a_column_outside_the_file_and_pages_without_number_are_one_line():
    chunk = SimpleNamespace(
        data_page_offset=0,
        dictionary_page_offset=None,
        total_compressed_size=600,
        num_values=1,
    )
    with pytest.raises(BadInput, match="outside the file"):
        read_pages(b"\x00" * 599, chunk)
    with pytest.raises(BadInput, match="more than 500 pages"):
        read_pages(b"\x00" * 600, chunk, 500)


def test_changed_bytes_of_pages_are_one_line_or_a_table(tmp_path):
    path, dice = tmp_path / "a.parquet", random.Random(0)
    pq.write_table(pa.table(COLUMNS).slice(0, 60), path, compression="none")
    content = path.read_bytes()
    # Some changes of a footer abort pyarrow itself: see docs/security.md.
    footer = len(content) - 8 - int.from_bytes(content[-8:-4], "little")
    for _ in range(300):
        changed = bytearray(content)
        for _ in range(dice.randint(1, 4)):
            changed[dice.randrange(footer)] = dice.randrange(256)
        path.write_bytes(changed)
        with suppress(BadInput):
            read_table_file(path)
