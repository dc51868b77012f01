"""Files that unpack to more than a memory holds: one line, and soon."""

import gzip
import io

import pandas as pd
import pytest

from measurand.benchmarks import unpack
from measurand.benchmarks.files import read_figures, read_table_file
from measurand.benchmarks.published.layouts import read_published_file
from measurand.core.errors import BadInput

ROW = b'{"claim": "a", "label": "b"}\n'


@pytest.fixture
def small_memory(monkeypatch):
    """A machine whose free memory holds tables of 100 KB."""
    monkeypatch.setattr(unpack, "available_memory", lambda: 200_000)


def bomb(path, part, times):
    """A packed file that holds `part` so many times."""
    with gzip.open(path, "wb") as file:
        for _ in range(times):
            file.write(part)
    return path


def refused(read, path, reason):
    with pytest.raises(BadInput, match=rf"^cannot read [^\n]*{reason}[^\n]*$"):
        read(str(path))


@pytest.mark.parametrize("name", ["a.jsonl.gz", "a.json.gz", "a.csv.gz", "a.tsv"])
@pytest.mark.parametrize("part", [ROW * 1000, b" " * 10_000, b"\n" * 10_000])
@pytest.mark.usefixtures("small_memory")
def test_a_packed_file_stops_where_the_memory_ends(tmp_path, name, part):
    path = bomb(tmp_path / name, part, 20)
    refused(read_table_file, path, r"more than 0\.1 MB")


@pytest.mark.usefixtures("small_memory")
def test_every_reader_of_files_stops(tmp_path):
    path = bomb(tmp_path / "a.tsv.gz", b"a\tb\n" * 1000, 100)
    refused(
        lambda path: read_published_file(tmp_path / "a.tsv.gz", quoted=False),
        path,
        "more than",
    )
    refused(read_figures, path, "more than")
    (tmp_path / "plain.jsonl").write_bytes(ROW * 6000)
    refused(read_table_file, tmp_path / "plain.jsonl", "more than")


@pytest.mark.usefixtures("small_memory")
def test_parquet_stops_before_its_words_are_written_out(tmp_path):
    buffer = io.BytesIO()
    pd.DataFrame({"claim": ["x" * 1000] * 5000}).to_parquet(buffer)
    assert len(buffer.getvalue()) < 100_000
    (tmp_path / "a.parquet").write_bytes(buffer.getvalue())
    refused(read_table_file, tmp_path / "a.parquet", "more than")


def test_what_is_packed_closer_than_any_text_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(unpack, "FREE", 2**20)
    path = bomb(tmp_path / "a.jsonl.gz", b"\0" * 10_000, 1000)
    refused(read_table_file, path, "250 times its size")


def test_rows_that_repeat_are_read(tmp_path):
    path = bomb(tmp_path / "a.jsonl.gz", ROW, 2000)
    assert len(read_table_file(path)) == 2000


@pytest.mark.parametrize("deep", [100, 100_000])
def test_deep_cells_are_refused(tmp_path, deep):
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'{"a": ' + b"[" * deep + b"]" * deep + b"}\n")
    refused(read_table_file, path, "nested too deeply")
