"""Parquet that holds more than it seems to: one line, before it is unpacked."""

import importlib
import subprocess
import sys

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from measurand.benchmarks import parquet, unpack
from measurand.benchmarks.candidates import find_options
from measurand.benchmarks.files import read_table_file
from measurand.core.errors import BadInput
from measurand.disk.files import DEEPEST

MEGABYTE = 2**20
ROWS = 4_096
SHARED = {"use_dictionary": False, "column_encoding": "DELTA_BYTE_ARRAY"}
LIMITED = """
import resource, sys
resource.setrlimit(resource.RLIMIT_AS, (2**32, 2**32))
from measurand.benchmarks.files import read_table_file
from measurand.benchmarks.candidates import find_options
from measurand.core.errors import BadInput
for path in sys.argv[1:]:
    try: print(len(read_table_file(path)))
    except BadInput as bad: print(bad)
"""


def repeat(text, count=ROWS):
    """A column of one text, which the file holds once."""
    zeros = pa.array([0] * count, pa.int32())
    return pa.DictionaryArray.from_arrays(zeros, pa.array([text]))


def listed(array):
    """The same in lists of two."""
    ends = pa.array(range(0, len(array) + 1, 2), pa.int32())
    return pa.ListArray.from_arrays(ends, array)


def nest(deep):
    """A type with so many objects inside each other."""
    kind = pa.string()
    for _ in range(deep):
        kind = pa.struct([("a", kind)])
    return pa.nulls(3, kind)


def write(path, columns, **options):
    pq.write_table(pa.table(columns), path, store_schema=False, **options)
    return path


def small_files(folder):
    """Files of a few KB that unpack to gigabytes, each in another way."""
    long = repeat("x" * MEGABYTE)
    inside = pa.StructArray.from_arrays([long], ["b"])
    columns = {
        "wide": {f"c{i}": long for i in range(30)},
        "list": {"a": listed(long)},
        "object": {"a": inside, "n": [*range(ROWS)]},
    }
    for name, arrays in columns.items():
        path = write(folder / f"{name}.parquet", arrays, compression="zstd")
        assert path.stat().st_size < 20_000
        yield path
    path, texts = folder / "shared.parquet", pa.array(["x" * MEGABYTE] * 500)
    with pq.ParquetWriter(path, pa.schema([("a", "string")]), **SHARED) as writer:
        for _ in range(6):
            writer.write_table(pa.table({"a": texts}))
    yield path
    yield lying_list(folder / "lie.parquet", 10_000_019, groups=60)


def digits(number, length=0):
    """A number as Thrift writes it, padded to so many bytes."""
    number, written = 2 * number, bytearray()
    while number or not written or len(written) < length:
        written.append(number & 127 | 128)
        number >>= 7
    written[-1] &= 127
    return bytes(written)


def claim(path, what, claims):
    """Have the footer claim other numbers than what stands there, and nothing else."""
    content = path.read_bytes()
    start = len(content) - 8 - int.from_bytes(content[-8:-4], "little")
    footer = content[start:]
    for number in what:
        old = digits(number)
        assert footer.count(old), number
        footer = footer.replace(old, digits(claims, len(old)))
    path.write_bytes(content[:start] + footer)
    return path


def lying_list(path, count, groups=1):
    """A list of so many numbers in each row, of which the footer claims two."""
    rows = pa.table({"a": pa.array([np.zeros(count, np.int8)], pa.list_(pa.int8()))})
    with pq.ParquetWriter(path, rows.schema, store_schema=False) as writer:
        for _ in range(groups):
            writer.write_table(rows)
    return claim(path, [count], 2)


def test_a_footer_that_claims_fewer_values_in_a_list_is_not_believed(
    tmp_path, monkeypatch
):
    path = lying_list(tmp_path / "a.parquet", 2_000_003)
    assert path.stat().st_size < 10_000
    assert pq.read_metadata(path).row_group(0).column(0).num_values == 2
    monkeypatch.setattr(parquet, "most_bytes", lambda: 10_000_000)
    monkeypatch.setattr(pq.ParquetFile, "read", None)
    monkeypatch.setattr(pq.ParquetFile, "iter_batches", None)
    with pytest.raises(BadInput, match=r"it holds more than 9\.5 MB"):
        read_table_file(path)


def test_a_footer_that_claims_smaller_pages_is_not_believed(tmp_path, monkeypatch):
    options = {"compression": "zstd", "use_dictionary": False}
    path = write(tmp_path / "a.parquet", {"a": ["x" * 3_000_017]}, **options)
    size = pq.read_metadata(path).row_group(0).column(0).total_uncompressed_size
    claim(path, [size], 30)
    monkeypatch.setattr(parquet, "most_bytes", lambda: 1_000_000)
    monkeypatch.setattr(pq.ParquetFile, "iter_batches", None)
    with pytest.raises(BadInput, match=r"it holds more than 1\.0 MB"):
        read_table_file(path)


def test_a_footer_that_names_another_encoding_is_not_believed(tmp_path):
    path = write(tmp_path / "a.parquet", {"a": [["x", "xy"]] * 9}, **SHARED)
    # 7 is DELTA_BYTE_ARRAY in the list of encodings, and 0 is PLAIN.
    content = path.read_bytes()
    start = len(content) - 8 - int.from_bytes(content[-8:-4], "little")
    footer = content[start:].replace(digits(7), digits(0))
    path.write_bytes(content[:start] + footer)
    assert "DELTA_BYTE_ARRAY" not in str(pq.read_metadata(path).row_group(0).column(0))
    with pytest.raises(BadInput, match=r"lists in column 'a.list.element' are written"):
        read_table_file(path)


@pytest.mark.slow
def test_small_files_of_gigabytes_are_a_line_each_where_memory_is_limited(tmp_path):
    paths = [*map(str, small_files(tmp_path))]
    command = [sys.executable, "-c", LIMITED, *paths]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    lines = done.stdout.splitlines()
    assert len(lines) == len(paths), done.stderr[-300:]
    for line in lines:
        # By a count, and not by an allocation that failed at the limit.
        assert (
            "the memory that is free holds a table of no more" in line
            or "it unpacks to more than 250 times its size" in line
        )


def test_a_text_that_stands_in_all_rows_is_counted_in_each(tmp_path, monkeypatch):
    monkeypatch.setattr(parquet, "most_bytes", lambda: 1_000_000)
    fits = write(tmp_path / "fits.parquet", {"a": repeat("x" * 100)})
    assert len(read_table_file(fits)) == ROWS
    for column in (repeat("x" * 300), listed(repeat("x" * 300))):
        with pytest.raises(BadInput, match=r"it holds more than 1\.0 MB"):
            read_table_file(write(tmp_path / "more.parquet", {"a": column}))


def test_numbers_and_bytes_of_one_width_are_counted_by_the_footer(
    tmp_path, monkeypatch
):
    monkeypatch.setattr(parquet, "most_bytes", lambda: 1_000_000)
    monkeypatch.setattr(pq.ParquetFile, "read", None)
    wide = pa.array([b"x" * 1_000] * 2_000, pa.binary(1_000))
    for column in (pa.array([7] * 200_000, pa.int8()), wide):
        with pytest.raises(BadInput, match=r"it holds more than 1\.0 MB"):
            read_table_file(write(tmp_path / "more.parquet", {"a": column}))


def test_a_file_that_unpacks_to_too_many_times_its_size_is_one_line(
    tmp_path, monkeypatch
):
    monkeypatch.setattr(unpack, "FREE", 1_000_000)
    fits = write(tmp_path / "fits.parquet", {"a": repeat("x" * 200)})
    assert len(read_table_file(fits)) == ROWS
    for column in (repeat("x" * 2_000), listed(repeat("x" * 2_000))):
        path = write(tmp_path / "more.parquet", {"a": column})
        assert path.stat().st_size < 10_000
        with pytest.raises(BadInput, match="it unpacks to more than 250 times its"):
            read_table_file(path)


def test_texts_that_share_are_counted_in_pieces_whatever_the_footer_claims(
    tmp_path, monkeypatch
):
    texts = ["x" * 50_000 + f"{i:04d}" for i in range(400)]
    path = write(tmp_path / "a.parquet", {"a": texts}, **SHARED, write_statistics=False)
    size = pq.read_metadata(path).row_group(0).column(0).total_uncompressed_size
    claim(path, [size], 1)
    pieces = []
    monkeypatch.setattr(parquet, "most_bytes", lambda: 1_000_000)
    count = parquet._text_bytes
    monkeypatch.setattr(
        parquet, "_text_bytes", lambda a: pieces.append(len(a)) or count(a)
    )
    with pytest.raises(BadInput, match=r"it holds more than 1\.0 MB"):
        read_table_file(path)
    assert {*pieces} == {1}


@pytest.mark.parametrize(("column", "passes"), [("x", 1), (["x", "y"], 40)], ids=str)
def test_texts_of_all_columns_are_counted_together(
    tmp_path, monkeypatch, column, passes
):
    columns = {f"c{i}": [column] * 40 for i in range(9)}
    path = write(tmp_path / "a.parquet", columns, row_group_size=1)
    read, starts = pq.ParquetFile.iter_batches, []

    def counted(file, *arguments, **options):
        starts.append(options)
        return read(file, *arguments, **options)

    monkeypatch.setattr(pq.ParquetFile, "iter_batches", counted)
    assert len(read_table_file(path)) == 40
    assert len(starts) == passes


KINDS = {
    "interval, deep": ("interval", b"[" * 100_000),
    "interval, nothing told": ("interval", b"{}"),
    "interval, unknown": ("interval", b'{"subtype":"nonsense","closed":"x"}'),
    "period, deep": ("period", b"[" * 100_000),
    "period, unknown": ("period", b'{"freq":"nonsense"}'),
}


@pytest.mark.parametrize(("kind", "told"), KINDS.values(), ids=KINDS)
def test_types_of_pandas_that_a_program_made_known_are_one_line(tmp_path, kind, told):
    importlib.import_module("pandas.core.arrays.arrow.extension_types")
    ends = {"left": 1, "right": 2} if kind == "interval" else 1
    name = {b"ARROW:extension:name": f"pandas.{kind}".encode()}
    array = pa.array([ends] * 3)
    field = pa.field(
        "x", array.type, metadata=name | {b"ARROW:extension:metadata": told}
    )
    table = pa.table([array], schema=pa.schema([field]))
    pq.write_table(table, tmp_path / "a.parquet")
    with pytest.raises(BadInput, match="not a whole Parquet file") as failed:
        read_table_file(tmp_path / "a.parquet")
    assert "\n" not in str(failed.value)


HONEST = {
    "plain": {},
    "dictionaries": {"use_dictionary": True, "row_group_size": 7},
    "shared": {"use_dictionary": False, "column_encoding": {"a": "DELTA_BYTE_ARRAY"}},
    "old": {"version": "1.0", "data_page_version": "1.0"},
}


@pytest.mark.parametrize("options", HONEST.values(), ids=HONEST)
def test_what_fits_is_read_as_it_was_written(tmp_path, options):
    columns = {
        "a": [f"text {i}" for i in range(40)],
        "a.b": [["x", None, f"{i}"] for i in range(40)],
        "c": [{"d": f"{i % 3}", "e": [i]} for i in range(40)],
        "f": [i if i % 2 else None for i in range(40)],
        "g": pa.array([b"abc", b"def"] * 20, pa.binary(3)),
    }
    path = write(tmp_path / "a.parquet", columns, **options)
    table = read_table_file(path)
    assert [*table.columns] == [*columns]
    assert table["a"].tolist() == columns["a"]
    assert [[*cell] for cell in table["a.b"]] == columns["a.b"]
    assert table["c"][1]["d"] == "1"
    assert table["f"].tolist() == columns["f"]


@pytest.mark.parametrize("deep", [DEEPEST, 90, 2_000])
def test_types_that_stand_too_deep_are_one_line(tmp_path, deep):
    path = write(tmp_path / "a.parquet", {"a": nest(deep), "b": ["x"] * 3})
    with pytest.raises(BadInput, match=r"^cannot read [^\n]*too deeply nested|deeply;"):
        read_table_file(path)


def test_lists_whose_size_nobody_knows_are_one_line(tmp_path):
    path = write(tmp_path / "a.parquet", {"a": [["x", "xy"]] * 9}, **SHARED)
    with pytest.raises(BadInput, match=r"lists in column 'a.list.element' are written"):
        read_table_file(path)


def test_too_many_columns_are_one_line(tmp_path):
    path = write(tmp_path / "a.parquet", {f"c{i}": ["x"] for i in range(1_001)})
    with pytest.raises(BadInput, match=r"there are 1,001 columns; 1,000 are read"):
        read_table_file(path)


@pytest.mark.parametrize("told", [b"[" * 100_000, b"{}", b"\xff", b'{"columns": 3}'])
def test_what_pandas_wrote_beside_a_table_is_not_read(tmp_path, told):
    table = pa.table({"claim": ["a", "b"]}).replace_schema_metadata({"pandas": told})
    pq.write_table(table, tmp_path / "a.parquet")
    assert read_table_file(tmp_path / "a.parquet")["claim"].tolist() == ["a", "b"]


def test_lists_of_lists_are_no_choices_and_no_error(tmp_path):
    nested = [[["a", "b"], ["c", f"{i}"]] for i in range(12)]
    columns = {"claim": [f"claim {i}" for i in range(12)], "nested": nested}
    path = write(tmp_path / "a.parquet", columns)
    assert [*find_options(read_table_file(path), ["nested"])] == []
