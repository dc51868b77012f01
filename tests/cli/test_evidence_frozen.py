"""A frozen sentence encoder at the command line: same bytes, new answers, one line."""

import json
import shutil

import pytest

pytest.importorskip("tokenizers")
pytest.importorskip("safetensors")

from tests.cli.commands import CITIES, LEAST, in_process, made, process, written
from tests.models.tiny_sentences import write_encoder

WORDS = ("--no-calibrate", *LEAST, "--folds", "3", "--overwrite", "--out", "r")


@pytest.fixture(scope="module")
def first(tmp_path_factory):
    """A file, an encoder, and the report of a run in one process."""
    folder = tmp_path_factory.mktemp("first")
    written(folder / "facts.jsonl", made(120))
    write_encoder(folder / "encoder", [(city,) for city in CITIES])
    said = audit(folder, 1)
    assert said.code == 0, said.err
    return folder


def audit(folder, workers, cwd=None, store="store"):
    command = ("evidence", "facts.jsonl", "--reader", "frozen:encoder", *WORDS)
    place = cwd or folder
    shares = ("--workers", workers, "--store", store)
    return process(*command, *shares, cwd=place)


def report(folder):
    return (folder / "r" / "report.json").read_bytes()


@pytest.fixture
def copy(first, tmp_path):
    shutil.copytree(first, tmp_path / "copy", ignore=lambda *_: ["r", "store"])
    return tmp_path / "copy"


@pytest.mark.slow
def test_workers_and_an_empty_store_change_no_byte(first, copy):
    said = audit(first, 2, cwd=copy)
    assert said.code == 0, said.err
    assert report(copy) == report(first)
    accuracies = {
        finding["reader"]
        for finding in json.loads(report(first))["findings"]
        if finding["statistic"] == "accuracy"
    }
    assert "frozen:encoder" in accuracies


@pytest.mark.slow
def test_a_changed_tokenizer_gives_new_answers(first, copy):
    shutil.copytree(first / "store", copy / "store")
    path = copy / "encoder" / "tokenizer.json"
    pieces = json.loads(path.read_text())
    known = pieces["model"]["vocab"]
    pair = CITIES[:2]
    known[pair[0]], known[pair[1]] = known[pair[1]], known[pair[0]]
    path.write_text(json.dumps(pieces))
    said = audit(copy, 1)
    assert said.code == 0, said.err
    log = json.loads((copy / "r" / "run.json").read_text())
    assert log["answers"]["computed"] > 0


@pytest.mark.slow
def test_a_broken_encoder_is_one_line(copy, monkeypatch):
    path = copy / "encoder" / "model.safetensors"
    path.write_bytes(path.read_bytes()[:-70])
    monkeypatch.chdir(copy)
    said = in_process("evidence", "facts.jsonl", "--reader", "frozen:encoder", *WORDS)
    assert said.code == 1
    assert said.last.startswith("measurand: ")
    assert len([line for line in said.err.splitlines() if "measurand:" in line]) == 1
    assert "Traceback" not in said.err
