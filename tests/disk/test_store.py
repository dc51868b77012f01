"""Answers on disk: whole, or noticed not to be."""

import json
import os
from pathlib import Path

import numpy as np
import pytest

from measurand.core.benchmark import Benchmark
from measurand.core.errors import BadOption, StoreFailed
from measurand.disk import store as module
from measurand.disk.files import check_writable, write_file
from measurand.disk.store import MARKER, Codec, MemoryStore, Store, entry_key
from measurand.experiment.ask import ANSWER_CODEC, Answer, Ask
from measurand.experiment.experiment import ask_all, open_experiment
from measurand.experiment.rationales import TEXT_CODEC
from measurand.models.server.calls import CALL_CODEC, Call, Reply, Token, Use
from measurand.readers.baselines import MajorityReader

KEY = "ab" + "0" * 62


@pytest.fixture
def stored(tmp_path, rng):
    store = Store(tmp_path / "store")
    answer = Answer(rng.random((3, 5, 2), np.float32), np.ones((3, 5), "i4"))
    store.write(KEY, ANSWER_CODEC, answer)
    return store


def read(store, key=KEY, codec=ANSWER_CODEC):
    """The answer, and what was said about it."""
    lines = []
    return store.read(key, codec, lines.append), lines


def paths(store):
    """The file of numbers, and its mark."""
    return store.paths(KEY, ANSWER_CODEC)


@pytest.mark.parametrize("shape", [(1, 4, 2), (3, 4, 5), (2, 0, 3)])
@pytest.mark.parametrize("donated", [True, False])
def test_an_answer_is_read_as_it_was_written(tmp_path, rng, shape, donated):
    donors = rng.integers(9, size=shape[:2], dtype=np.int32) if donated else None
    answer = Answer(rng.random(shape, np.float32), donors)
    Store(tmp_path).write(KEY, ANSWER_CODEC, answer)
    again, said = read(Store(tmp_path))
    assert (again.values == answer.values).all()
    assert again.values.dtype == np.float32
    assert (again.donors is None) == (donors is None)
    assert donors is None or (again.donors == donors).all()
    assert said == []


def test_the_same_answer_is_the_same_bytes(stored, tmp_path):
    other = Store(tmp_path / "other")
    other.write(KEY, ANSWER_CODEC, read(stored)[0])
    for one, two in zip(paths(stored), paths(other), strict=True):
        assert one.read_bytes() == two.read_bytes()


def test_no_answer_is_no_damage(tmp_path, stored):
    assert read(Store(tmp_path / "nowhere")) == (None, [])
    paths(stored)[1].unlink()  # a kill between the two files
    assert read(stored) == (None, [])
    assert not stored.has(KEY, ANSWER_CODEC)


def flipped(content, place):
    return content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :]


def test_any_altered_byte_is_noticed(stored):
    for path in paths(stored):
        content = path.read_bytes()
        for place in range(0, len(content), 11):
            paths(stored)[1].parent.mkdir(exist_ok=True)
            mark = paths(stored)[1].read_bytes()
            path.write_bytes(flipped(content, place))
            _, said = read(stored)
            assert len(said) == 1, (path.suffix, place)
            paths(stored)[1].write_bytes(mark)
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
    paths(stored)[1].write_bytes(mark)
    answer, said = read(stored)
    assert answer is None
    assert len(said) == 1
    assert KEY in said[0]
    assert read(stored) == (None, [])


def test_another_layout_of_the_same_numbers_is_noticed(stored):
    mark = paths(stored)[1]
    record = json.loads(mark.read_text())
    assert record["stated"]["shape"] == [3, 5, 2]
    record["stated"]["shape"] = [5, 3, 2]
    mark.write_text(json.dumps(record))
    assert read(stored)[0] is None


@pytest.mark.parametrize("place", [0, 1])
def test_a_pipe_in_the_place_of_an_entry_is_noticed(stored, place):
    answer, _ = read(stored)
    path = paths(stored)[place]
    path.unlink()
    os.mkfifo(path)
    assert read(stored) == (
        None,
        [f"store entry {KEY} was altered or cut short; computing it again"],
    )
    stored.write(KEY, ANSWER_CODEC, answer)
    assert read(stored)[1] == []


def test_a_pipe_in_the_place_of_the_marker_is_replaced(stored):
    answer, _ = read(stored)
    (stored.directory / MARKER).unlink()
    os.mkfifo(stored.directory / MARKER)
    assert not stored.is_current()
    stored.write(KEY, ANSWER_CODEC, answer)
    assert stored.is_current()


def test_a_lost_file_of_numbers_is_noticed(stored):
    paths(stored)[0].unlink()
    answer, said = read(stored)
    assert answer is None
    assert KEY in said[0]


TOKENS = (Token("A", (("A", -0.1), ("B", -2.5))), Token("."))
THINGS = {
    "texts": (TEXT_CODEC, ["It is so.", "", "\ud800 é"]),
    "call": (
        CALL_CODEC,
        Call({"seed": 0}, Reply("A.", TOKENS, Use(3, 2), "m", "stop")),
    ),
}


@pytest.mark.parametrize("name", THINGS)
def test_texts_and_calls_are_kept_by_the_same_store(tmp_path, name):
    codec, thing = THINGS[name]
    store = Store(tmp_path)
    store.write(KEY, codec, thing)
    assert read(store, codec=codec) == (thing, [])
    (path,) = store.paths(KEY, codec)
    for place in range(0, len(path.read_bytes()), 5):
        content = path.read_bytes()
        path.write_bytes(flipped(content, place))
        gone, said = read(store, codec=codec)
        assert gone is None
        assert said == [
            f"store entry {KEY} was altered or cut short; computing it again"
        ]
        path.write_bytes(content)


@pytest.mark.parametrize("codec", [ANSWER_CODEC, TEXT_CODEC], ids=["numbers", "texts"])
def test_files_copied_under_another_key_are_noticed(tmp_path, codec):
    store = Store(tmp_path)
    thing = Answer(np.ones((1, 2, 2), "f4")) if codec is ANSWER_CODEC else ["a"]
    store.write(KEY, codec, thing)
    other = KEY[::-1]
    for path, copy in zip(
        store.paths(KEY, codec), store.paths(other, codec), strict=True
    ):
        write_file(copy, path.read_bytes())
    gone, said = read(store, other, codec)
    assert gone is None
    assert [other in line for line in said] == [True]
    assert read(store, codec=codec)[1] == []


def test_a_key_written_into_a_moved_entry_does_not_make_it_another(tmp_path, rng):
    store = Store(tmp_path)
    other = KEY[::-1]
    for key in (KEY, other):
        store.write(key, ANSWER_CODEC, Answer(rng.random((3, 5, 2), np.float32)))
    sources, targets = (store.paths(key, ANSWER_CODEC) for key in (KEY, other))
    write_file(targets[0], sources[0].read_bytes())
    record = json.loads(sources[1].read_text()) | {"key": other}
    targets[1].write_text(json.dumps(record))
    gone, said = read(store, other)
    assert gone is None
    assert [other in line for line in said] == [True]


REPLY = {"text": "A", "tokens": [], "use": {"sent": 1, "received": 1}}
REPLY |= {"served": "m", "ended": "stop"}
FORGED = {
    "texts": (TEXT_CODEC, ["a", 3]),
    "no texts": (TEXT_CODEC, "abc"),
    "no call": (CALL_CODEC, []),
    "no reply": (CALL_CODEC, {"request": {}, "reply": {}}),
    "request": (CALL_CODEC, {"request": "x", "reply": REPLY}),
    "text": (CALL_CODEC, {"request": {}, "reply": REPLY | {"text": 3}}),
    "served": (CALL_CODEC, {"request": {}, "reply": REPLY | {"served": []}}),
    "others": (
        CALL_CODEC,
        {"request": {}, "reply": REPLY | {"tokens": [{"text": "A", "others": ["AB"]}]}},
    ),
    "shares": (
        CALL_CODEC,
        {
            "request": {},
            "reply": REPLY | {"tokens": [{"text": "A", "others": [["A", 10**400]]}]},
        },
    ),
    "use": (
        CALL_CODEC,
        {"request": {}, "reply": REPLY | {"use": {"sent": -1, "received": "x"}}},
    ),
    "more": (CALL_CODEC, {"request": {}, "reply": REPLY | {"more": 1}}),
}


@pytest.mark.parametrize("name", FORGED)
def test_forged_texts_and_calls_are_noticed_whatever_their_seal(tmp_path, name):
    codec, stated = FORGED[name]
    raw = Codec(codec.folder, lambda thing: (thing, b""), lambda stated, _: stated)
    store = Store(tmp_path)
    store.write(KEY, raw, stated)
    gone, said = read(store, codec=codec)
    assert gone is None
    assert [KEY in line for line in said] == [True]


def test_a_lack_of_memory_is_no_damage_of_the_entry(stored):
    def fail(thing):
        raise MemoryError

    with pytest.raises(MemoryError):
        read(stored, codec=ANSWER_CODEC.only(fail))
    assert read(stored)[1] == []


def test_what_is_in_memory_is_handed_on_as_the_same_files(stored, tmp_path):
    memory = MemoryStore()
    memory.write(KEY, ANSWER_CODEC, read(stored)[0])
    handed = Store(tmp_path / "handed")
    handed.keep(memory.files)
    for one, two in zip(paths(stored), paths(handed), strict=True):
        assert one.read_bytes() == two.read_bytes()
    assert [path.suffix for path in map(Path, memory.files)] == [".parquet", ".json"]


def test_a_kill_between_two_files_leaves_no_entry(tmp_path, monkeypatch):
    codec = Codec("", lambda text: ([], text), lambda _, text: text, ".bin")
    calls = []

    def killed(path, content):
        calls.append(path)
        if path.suffix == ".json" and path.name != MARKER:
            raise KeyboardInterrupt
        write_file(path, content)

    monkeypatch.setattr(module, "write_file", killed)
    with pytest.raises(KeyboardInterrupt):
        Store(tmp_path).write(KEY, codec, b"abc")
    names = [MARKER, f"{KEY}.bin", f"{KEY}.json"]
    assert [path.name for path in calls] == names
    assert read(Store(tmp_path), codec=codec) == (None, [])


# --- stores of other versions ---


OLD = ("{0}/{1}.json", "rationales/{0}/{1}.json", "calls/{0}/{1}.json")


def announced(store):
    lines = []
    store.announce_format(lines.append)
    return lines


@pytest.mark.parametrize("name", OLD)
@pytest.mark.parametrize("marker", [None, b"", b'{"store_format": 99}', b"[" * 99_999])
def test_a_store_of_another_version_is_one_line_until_it_is_used(
    tmp_path, name, marker
):
    write_file(tmp_path / name.format(KEY[:2], KEY), b'{"sha256": "", "texts": []}')
    if marker is not None:
        (tmp_path / MARKER).write_bytes(marker)
    (line,) = announced(Store(tmp_path))
    assert line == (
        f"the store in {tmp_path} was written by another version of measurand; those "
        "answers are not used"
    )
    Store(tmp_path).write(entry_key("new"), TEXT_CODEC, ["a"])
    assert announced(Store(tmp_path)) == []


def test_an_old_store_is_noticed_when_it_is_opened_and_computed_into(tmp_path, items):
    benchmark = Benchmark("made", items, items, "claim", "proof")
    old = tmp_path / "ab" / f"{KEY}.json"
    write_file(old, b"{}")
    for times in (1, 0):
        lines = []
        with open_experiment(
            benchmark, store=tmp_path, notice=lines.append
        ) as experiment:
            ask_all(experiment, [Ask(MajorityReader())])
        assert len(lines) == times
        assert experiment.tally["computed"] == times
    assert old.read_bytes() == b"{}"


def test_stores_that_are_new_empty_or_foreign_are_not_announced(stored, tmp_path):
    assert announced(stored) == []
    assert announced(Store(tmp_path / "nowhere")) == []
    foreign = tmp_path / "foreign"
    for name in ("README", "ab/notes.json", "calls/ab/notes.json", "data.json"):
        write_file(foreign / name, b"foreign")
    assert announced(Store(foreign)) == []
    assert announced(Store(foreign / "README")) == []
    assert sorted(path.name for path in foreign.iterdir()) == [
        "README",
        "ab",
        "calls",
        "data.json",
    ]


def test_a_file_is_there_whole_or_not_at_all(tmp_path):
    write_file(tmp_path / "a" / "b", b"old")
    with pytest.raises(TypeError):
        write_file(tmp_path / "a" / "b", "not bytes")
    assert (tmp_path / "a" / "b").read_bytes() == b"old"
    assert os.listdir(tmp_path / "a") == ["b"]


@pytest.mark.parametrize("has_links", [True, False])
def test_a_file_that_came_to_be_there_stays(tmp_path, monkeypatch, has_links):
    def refuse_link(*_):
        raise PermissionError

    if not has_links:
        monkeypatch.setattr(os, "link", refuse_link)
    write_file(tmp_path / "a", b"theirs", overwrite=False)
    with pytest.raises(BadOption, match="a is there already; give `overwrite`"):
        write_file(tmp_path / "a", b"ours", overwrite=False)
    assert (tmp_path / "a").read_bytes() == b"theirs"
    assert os.listdir(tmp_path) == ["a"]


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
