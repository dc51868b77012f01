"""Answers on disk: whole, or noticed not to be."""

import json
import os

import numpy as np
import pytest

from measurand.core.errors import StoreFailed
from measurand.core.files import check_writable, write_file
from measurand.experiment.store import Answer, Store

KEY = "ab" + "0" * 62


@pytest.fixture
def stored(tmp_path, rng):
    store = Store(tmp_path / "store")
    store.write(KEY, Answer(rng.random((3, 5, 2), np.float32), np.ones((3, 5), "i4")))
    return store


def read(store):
    """The answer, and what was said about it."""
    lines = []
    return store.read(KEY, lines.append), lines


@pytest.mark.parametrize("shape", [(1, 4, 2), (3, 4, 5), (2, 0, 3)])
@pytest.mark.parametrize("donated", [True, False])
def test_an_answer_is_read_as_it_was_written(tmp_path, rng, shape, donated):
    donors = rng.integers(9, size=shape[:2], dtype=np.int32) if donated else None
    answer = Answer(rng.random(shape, np.float32), donors)
    Store(tmp_path).write(KEY, answer)
    again, said = read(Store(tmp_path))
    assert (again.values == answer.values).all()
    assert again.values.dtype == np.float32
    assert (again.donors is None) == (donors is None)
    assert donors is None or (again.donors == donors).all()
    assert said == []


def test_the_same_answer_is_the_same_bytes(stored, tmp_path):
    other = Store(tmp_path / "other")
    other.write(KEY, read(stored)[0])
    for one, two in zip(stored.paths(KEY), other.paths(KEY), strict=True):
        assert one.read_bytes() == two.read_bytes()


def test_no_answer_is_no_damage(tmp_path, stored):
    assert read(Store(tmp_path / "nowhere")) == (None, [])
    stored.paths(KEY)[1].unlink()  # a kill between the two files
    assert read(stored) == (None, [])
    assert not stored.has(KEY)


def flipped(content, place):
    return content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :]


def test_any_altered_byte_is_noticed(stored):
    for path in stored.paths(KEY):
        content = path.read_bytes()
        for place in range(0, len(content), 11):
            stored.paths(KEY)[1].parent.mkdir(exist_ok=True)
            mark = stored.paths(KEY)[1].read_bytes()
            path.write_bytes(flipped(content, place))
            _, said = read(stored)
            assert len(said) == 1, (path.suffix, place)
            stored.paths(KEY)[1].write_bytes(mark)
            path.write_bytes(content)
    assert read(stored)[1] == []


MARKS = (
    b"",
    b"null",
    b"[]",
    b"{}",
    b'{"sha256": 1}',
    b'{"sha256": "\xff"}',
    b"[" * 100_000,
    b'{"sha256": "", "shape": [1e99, 1, 1]}',
    b'{"sha256": "", "shape": "abc"}',
)


@pytest.mark.parametrize("mark", MARKS, ids=range(len(MARKS)))
def test_a_mark_that_is_none_is_noticed_once(stored, mark):
    stored.paths(KEY)[1].write_bytes(mark)
    answer, said = read(stored)
    assert answer is None
    assert len(said) == 1
    assert KEY in said[0]
    assert read(stored) == (None, [])


def test_another_layout_of_the_same_numbers_is_noticed(stored):
    mark = stored.paths(KEY)[1]
    stated = json.loads(mark.read_text())
    assert stated["shape"] == [3, 5, 2]
    mark.write_text(json.dumps({**stated, "shape": [5, 3, 2]}))
    assert read(stored)[0] is None


def test_a_lost_file_of_numbers_is_noticed(stored):
    stored.paths(KEY)[0].unlink()
    answer, said = read(stored)
    assert answer is None
    assert KEY in said[0]


def test_a_file_is_there_whole_or_not_at_all(tmp_path):
    write_file(tmp_path / "a" / "b", b"old")
    with pytest.raises(TypeError):
        write_file(tmp_path / "a" / "b", "not bytes")
    assert (tmp_path / "a" / "b").read_bytes() == b"old"
    assert os.listdir(tmp_path / "a") == ["b"]


@pytest.mark.parametrize("place", ["file/a", "/proc/a/b", "n" * 300 + "/a"])
def test_a_place_that_takes_no_file_is_one_line(tmp_path, place):
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreFailed, match="name another folder") as failed:
        write_file(tmp_path / place, b"")
    assert "\n" not in str(failed.value)
    with pytest.raises(StoreFailed, match="cannot write to"):
        check_writable((tmp_path / place).parent)


def test_trying_a_folder_makes_it_and_leaves_nothing_in_it(tmp_path):
    check_writable(tmp_path / "a" / "b")
    assert list((tmp_path / "a" / "b").iterdir()) == []
