"""Inputs at random, as `python -m bench fuzz` gives them by the thousand."""

import base64
import os

import pytest
from bench import fuzz, fuzz_checks

KEY = fuzz_checks.KEYS["MEASURAND_API_KEY"]


@pytest.mark.slow
def test_inputs_at_random_break_nothing(monkeypatch):
    # How long an input may take is for `python -m bench fuzz`, on a quiet machine.
    monkeypatch.setattr(fuzz, "PATIENCE", fuzz.HANGING)
    firsts = {fuzz.SCHEDULE.index(kind) for kind in fuzz.SHARES}
    outcomes = fuzz.fuzz(sorted(firsts | {*range(24)}))
    assert {kind for kind, _ in outcomes} == {*fuzz.SHARES}
    assert {0, 1} <= {outcome.code for outcome in outcomes.values()}
    assert not {name: o.breaks for name, o in outcomes.items() if o.breaks}


# --- what is counted as a break ---


def test_a_file_that_changes_is_a_break():
    before = {"/a/notes": "1", "/a/out": "folder"}
    after = {"/a/out": "folder", "/a/out/report": "2", "/a/stray": "3"}
    changes = fuzz_checks.find_changes(before, after, ["/a/out"])
    assert changes == ["changed or gone: /a/notes", "new: /a/stray"]


@pytest.mark.parametrize(
    ("code", "err"),
    [
        (None, "Traceback (most recent call last)\nKeyError: 1"),
        (4, ""),
        (1, ""),
        (1, "measurand: no such file\nmore"),
        (1, "measurand: one\nmeasurand: two"),
        (0, "\x1b[31mred"),
    ],
)
def test_an_end_that_is_not_one_line_is_a_break(code, err):
    assert fuzz_checks.find_breaks(code, ("", err))


def test_a_report_and_a_line_are_none():
    assert fuzz_checks.find_breaks(0, ("evidence is used", "12 test items")) == []
    assert fuzz_checks.find_breaks(1, ("", "12 test items\nmeasurand: no rows")) == []


@pytest.mark.parametrize(
    "said",
    [
        KEY,
        KEY[::-1],
        KEY.encode().hex(),
        base64.b64encode(f"it is {KEY}!".encode()).decode(),
        "".join(f"\\u{ord(letter):04x}" for letter in KEY),
        "".join(f"%{ord(letter):02X}" for letter in KEY),
    ],
)
def test_a_key_that_is_written_or_printed_is_a_break(tmp_path, said):
    path = tmp_path / "answer.json"
    path.write_text(f"so: {said}.")
    assert fuzz_checks.find_keys([str(path)], ("", "")) == [f"a key in {path}"]
    assert fuzz_checks.find_keys([], (said, "")) == ["a key in stdout"]
    assert fuzz_checks.find_keys([], ("sk-", "key")) == []


def test_a_write_elsewhere_and_a_call_to_another_machine_are_breaks(tmp_path):
    watch = fuzz_checks.Watch(str(tmp_path / "in"))
    watch("open", (str(tmp_path / "in" / "x"), "w", os.O_WRONLY))
    watch("open", (str(tmp_path / "x"), "r", os.O_RDONLY))
    watch("socket.connect", (None, ("127.0.0.1", 80)))
    assert watch.seen == []
    watch("open", (str(tmp_path / "in" / ".." / "x"), "w", os.O_WRONLY))
    watch("os.rename", (str(tmp_path / "in" / "x"), str(tmp_path / "y"), -1, -1))
    watch("socket.connect", (None, ("192.0.2.1", 80)))
    assert len(watch.seen) == 3
