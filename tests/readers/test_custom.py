"""A reader in a file of the user's."""

import pickle
import subprocess
import sys

import pytest

from measurand.checks import check_reader
from measurand.core.errors import BadInput
from measurand.core.recipe import identity
from measurand.readers.custom import load_reader_file

MINE = """
from dataclasses import dataclass
from typing import ClassVar

import numpy as np


@dataclass(frozen=True)
class Lengths:
    kind: ClassVar[str] = "lengths"
    most: int = 9

    def fit(self, items, rng):
        counts = np.ones((self.most + 1, len(items.classes)))
        np.add.at(counts, (lengths(items, self.most), items.gold(items.classes)), 1)
        return Fitted(items.classes, counts / counts.sum(axis=1, keepdims=True))


@dataclass(frozen=True, eq=False)
class Fitted:
    classes: tuple
    shares: np.ndarray

    def predict(self, items):
        return self.shares[lengths(items, len(self.shares) - 1)]


def lengths(items, most):
    texts = items.column(items.fields[0])
    return np.array([min(most, len(text.split())) for text in texts])


short = Lengths(3)
"""


@pytest.fixture
def mine(tmp_path):
    path = tmp_path / "my readers.py"
    path.write_text(MINE)
    return path


def test_a_class_or_an_instance_of_a_file_is_a_reader(mine):
    name, reader = load_reader_file(f"{mine}:Lengths")
    assert name == "my readers.py:Lengths"
    check_reader(reader)
    assert load_reader_file(f"{mine}:short")[1].most == 3
    assert not [*mine.parent.rglob("*.pyc")]


def test_a_file_that_was_changed_is_another_reader(mine):
    before = identity(load_reader_file(f"{mine}:Lengths")[1])
    assert before == identity(load_reader_file(f"{mine}:Lengths")[1])
    mine.write_text(MINE.replace("min(most", "min(most - 1"))
    after = identity(load_reader_file(f"{mine}:Lengths")[1])
    assert before.startswith("lengths ")
    assert after.startswith("lengths ")
    assert before != after
    assert str(mine) not in before


def test_another_process_runs_the_same_bytes_or_none(mine):
    _, reader = load_reader_file(f"{mine}:Lengths")
    script = (
        "import pickle, sys; from measurand.core.recipe import identity; "
        "print(identity(pickle.load(sys.stdin.buffer)))"
    )
    command = [sys.executable, "-c", script]
    sent = pickle.dumps(reader)
    told = subprocess.run(command, input=sent, capture_output=True, check=True)
    assert told.stdout.decode().strip() == identity(reader)
    mine.write_text(MINE + "\n# changed\n")
    refused = subprocess.run(command, input=sent, capture_output=True)
    assert b"was changed while it was in use; run again" in refused.stderr


def test_the_class_of_a_library_keeps_its_kind(tmp_path):
    path = tmp_path / "theirs.py"
    path.write_text("from measurand.readers.linear import TfidfReader as Theirs\n")
    assert identity(load_reader_file(f"{path}:Theirs")[1]).startswith("tfidf")


@pytest.mark.parametrize(
    ("text", "name", "line"),
    [
        ("", "X", "holds no 'X'; what can be fitted in it is none"),
        (MINE, "Lenths", "holds no 'Lenths'; what can be fitted in it is Lengths"),
        (MINE, "Fitted", "cannot be made without settings"),
        (MINE, "lengths", "has no fit"),
        ("1 / 0", "X", "failed as it was run: 'ZeroDivisionError: division by zero'"),
        (
            "raise SystemExit('a\\nb')",
            "X",
            "failed as it was run: 'SystemExit: a\\nb'",
        ),
        ("def", "X", "failed as it was run: 'SyntaxError"),
        ("\x00", "X", "failed as it was run"),
    ],
)
def test_what_is_no_reader_is_one_line(tmp_path, text, name, line):
    path = tmp_path / "odd.py"
    path.write_text(text)
    with pytest.raises(BadInput) as raised:
        load_reader_file(f"{path}:{name}")
    assert line in str(raised.value)
    assert str(raised.value).isprintable()


def test_a_file_that_is_not_there_is_one_line(tmp_path):
    with pytest.raises(BadInput, match="no such file or directory; give a file as"):
        load_reader_file(f"{tmp_path / 'none.py'}:X")
    with pytest.raises(BadInput, match="names no reader in a file"):
        load_reader_file("tfidf")
