"""Datasets of strangers: their own plain tables, and one line for anything else."""

import gzip
import io
import json
import logging
import os
import pickle
import tarfile
import zipfile

import datasets
import pandas as pd
import pytest

from measurand.benchmarks import unpack
from measurand.benchmarks.hub import load_hub_rows
from measurand.core.errors import BadInput

ROWS = [{"claim": f"claim {i}", "label": i % 2} for i in range(20)]
LINES = "".join(json.dumps(row) + "\n" for row in ROWS)


class Trap:
    """A pickle that leaves a mark where it is opened."""

    def __init__(self, mark):
        self.mark = mark

    def __reduce__(self):
        return os.mkdir, (self.mark,)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty dataset; the library's cache is kept out of the home."""
    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", str(tmp_path / "cache"))
    (tmp_path / "outside.jsonl").write_text('{"secret": "outside"}\n')
    (tmp_path / "facts").mkdir()
    return tmp_path / "facts"


def refused(folder, *words):
    with pytest.raises(BadInput, match=r"^cannot load 'hf:[^\n]{,700}$") as caught:
        load_hub_rows(f"hf:{folder}")
    assert str(caught.value).isprintable()
    for word in words:
        assert word in str(caught.value)


@pytest.mark.parametrize("name", ["train.jsonl", "train.jsonl.gz", "data/train.json"])
def test_plain_tables_are_read(folder, name):
    (folder / name).parent.mkdir(exist_ok=True)
    content = LINES.encode()
    (folder / name).write_bytes(gzip.compress(content) if "gz" in name else content)
    assert len(load_hub_rows(f"hf:{folder}")) == 20


def test_a_readme_may_name_the_tables_of_its_parts(folder):
    (folder / "a.csv").write_text("claim,label\n" + "x,y\n" * 9)
    readme = "configs:\n- config_name: one\n  data_files:\n  - split: train\n"
    (folder / "README.md").write_text(f"---\n{readme}    path: a.csv\n---\n")
    assert len(load_hub_rows(f"hf:{folder}")) == 9


READMES = {
    "object": "configs: !!python/object/apply:os.mkdir ['{mark}']",
    "outside": "configs:\n- config_name: a\n  data_files: ../outside.jsonl",
    "anywhere": "configs:\n- config_name: a\n  data_files: ../*.jsonl",
    "absolute": "configs:\n- config_name: a\n  data_files: {outside}",
    "elsewhere": "configs:\n- config_name: a\n  data_files: http://127.0.0.1:9/a.jsonl",
    "broken": "configs: [",
    "types": "configs: 5",
    "more types": "configs:\n- config_name: 5\n  data_files: 5",
    "deep": "configs: " + "[" * 2000,
    "bomb": "a: &a [x]\nb: &b [*a,*a]\nconfigs: *b",
}


@pytest.mark.parametrize("name", READMES)
def test_a_readme_that_leads_elsewhere_is_one_line(folder, tmp_path, name):
    mark, outside = tmp_path / "mark", tmp_path / "outside.jsonl"
    text = READMES[name].replace("{mark}", str(mark)).replace("{outside}", str(outside))
    (folder / "train.jsonl").write_text(LINES)
    (folder / "README.md").write_text(f"---\n{text}\n---\n")
    refused(folder)
    assert not mark.exists()


@pytest.mark.parametrize("name", ["train.tar", "train.zip", "train.jsonl", "train.pkl"])
def test_archives_and_pickles_are_one_line(folder, tmp_path, name):
    trap = pickle.dumps(Trap(str(tmp_path / "mark")))
    buffer = io.BytesIO()
    if name == "train.zip":
        with zipfile.ZipFile(buffer, "w") as archive:
            archive.writestr("0.pth", trap)
    elif name == "train.pkl":
        buffer.write(trap)
    else:
        with tarfile.open(fileobj=buffer, mode="w") as archive:
            for member in ("0.pth", "0.pyd", "0.json"):
                about = tarfile.TarInfo(member)
                about.size = len(trap)
                archive.addfile(about, io.BytesIO(trap))
    (folder / name).write_bytes(buffer.getvalue())
    refused(folder)
    assert not (tmp_path / "mark").exists()


def test_a_script_is_never_run(folder, tmp_path):
    mark = tmp_path / "mark"
    (folder / "facts.py").write_text(f"import os\nos.mkdir({str(mark)!r})")
    refused(folder)
    (folder / "train.jsonl").write_text(LINES)
    refused(folder)
    assert not mark.exists()


@pytest.mark.parametrize("name", ["README.md", "train.jsonl"])
def test_a_pipe_in_a_folder_is_one_line(folder, name):
    (folder / "test.jsonl").write_text(LINES)
    os.mkfifo(folder / name)
    refused(folder, "no ordinary file")


def test_a_hub_out_of_reach_is_one_line(caplog, monkeypatch):
    tries = logging.getLogger("huggingface_hub.utils._http")
    monkeypatch.setattr(logging.getLogger("huggingface_hub"), "propagate", True)

    def lose(*_):
        tries.warning("Retrying in 1s [Retry 1/5].")
        raise ConnectionError("Couldn't reach it on the Hub")

    monkeypatch.setattr(datasets, "load_dataset_builder", lose)
    refused("no/such", "Couldn't reach it on the Hub")
    assert caplog.records == []


def test_a_table_larger_than_the_memory_is_one_line(folder, monkeypatch):
    monkeypatch.setattr(unpack, "available_memory", lambda: 200_000)
    (folder / "train.jsonl.gz").write_bytes(gzip.compress(LINES.encode() * 1000))
    refused(folder, "the memory that is free")


def test_a_small_table_of_gigabytes_is_refused_before_it_is_unpacked(
    tmp_path, monkeypatch
):
    monkeypatch.setattr(unpack, "available_memory", lambda: 2_000_000)
    monkeypatch.setattr(datasets, "load_dataset", None)
    rows = pd.DataFrame({"claim": ["x" * 1_000] * 4_000, "label": ["a"] * 4_000})
    rows.to_parquet(tmp_path / "train.parquet")
    assert (tmp_path / "train.parquet").stat().st_size < 10_000
    with pytest.raises(BadInput, match=r"cannot load [^\n]*it holds more than"):
        load_hub_rows(f"hf:{tmp_path}")
