"""Files and classes of the package may be moved and renamed: no number moves."""

import re
import shutil
from pathlib import Path

import pytest

import measurand
from tests.cli.commands import made, process, written

SOURCE = Path(measurand.__file__).parent
RENAMED = {
    r"\binterventions\.shuffle\b": "interventions.permute",
    r"\bShuffle\b": "Permute",
    r"\bTfidfReader\b": "WordsReader",
}


@pytest.fixture
def elsewhere(tmp_path):
    """A copy of the package in which a file has moved and two classes are renamed."""
    copy = tmp_path / "copy"
    unread = shutil.ignore_patterns("__pycache__")
    shutil.copytree(SOURCE, copy / "measurand", ignore=unread)
    folder = copy / "measurand" / "interventions"
    (folder / "shuffle.py").rename(folder / "permute.py")
    for path in copy.rglob("*.py"):
        text = path.read_text("utf-8")
        for old, new in RENAMED.items():
            text = re.sub(old, new, text)
        path.write_text(text, "utf-8")
    return copy


def audited(root, file, store):
    """The report that the package under `root` prints, and the names of its answers."""
    code = "import measurand; print(measurand.__file__)"
    place = process(prefix=("-c", code), PYTHONPATH=root).out
    assert Path(place.strip()).parent == root / "measurand"
    options = ("--no-calibrate", "--json", "--workers", "1", "--metadata", "kind")
    said = process(
        "evidence", file, *options, "--store", store, PYTHONPATH=root, cwd=store.parent
    )
    assert said.code == 0, said.err
    return said.out, {path.name for path in store.rglob("*.*")}


@pytest.mark.slow
def test_a_moved_file_and_renamed_classes_give_the_same_report(elsewhere, tmp_path):
    file = written(tmp_path / "facts.jsonl", made(200))
    report, answers = audited(SOURCE.parent, file, tmp_path / "first")
    assert '"recipe": "tfidf"' in report
    assert answers
    assert audited(elsewhere, file, tmp_path / "second") == (report, answers)
