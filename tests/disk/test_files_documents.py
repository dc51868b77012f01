"""Files that strangers wrote: the value, or one short reason without it."""

import os
import subprocess
import sys

import pytest

from measurand.core.errors import BadInput
from measurand.disk.files import DEEPEST, depth, read_bounded, read_json, read_toml


@pytest.mark.parametrize("deep", [0, 1, DEEPEST])
def test_a_value_is_read_as_it_is_written(tmp_path, deep):
    path = tmp_path / "a.json"
    path.write_text("\ufeff" + "[" * deep + "1" + "]" * deep, "utf-8")
    assert depth(read_json(path)) == deep
    path.write_text(f"a = {2**63 - 1}\nb = -1.5\n")
    assert read_toml(path) == {"a": 2**63 - 1, "b": -1.5}


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "it is no JSON"),
        ("{", "it is no JSON"),
        ("[" * (DEEPEST + 1) + "]" * (DEEPEST + 1), "nested too deeply"),
        ("[" * 200_000, "nested too deeply"),
        ('{"a":' * 100_000, "nested too deeply"),
        (str(2**63), "a number in it is too large"),
        ("9" * 5000, "a number is too long"),
        ("[NaN]", "NaN is no number"),
        ("-Infinity", "-Infinity is no number"),
        ('{"a": {"b": 1, "b": 2}}', "'b' stands in it twice"),
    ],
    ids=lambda text: text[:12],
)
def test_harmful_json_is_one_reason(tmp_path, text, reason):
    (tmp_path / "a.json").write_text(text)
    with pytest.raises(BadInput, match=f"^[^\n]*{reason}[^\n]*$"):
        read_json(tmp_path / "a.json")


def test_a_name_that_stands_twice_among_many_is_found_at_once(tmp_path):
    names = [f'"name {i}": 1' for i in range(200_000)]
    (tmp_path / "a.json").write_text(f"{{{', '.join([*names, names[-1]])}}}")
    script = "import sys; from measurand.disk.files import *; read_json(sys.argv[1])"
    command = [sys.executable, "-c", script, str(tmp_path / "a.json")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.stderr.endswith("BadInput: 'name 199999' stands in it twice\n")


def test_a_file_of_too_many_bytes_is_not_read(tmp_path):
    (tmp_path / "a").write_bytes(b"12345")
    assert read_bounded(tmp_path / "a", 5) == b"12345"
    with pytest.raises(BadInput, match="more than 4 bytes"):
        read_bounded(tmp_path / "a", 4)


def test_a_pipe_and_a_device_are_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", "/dev/zero", "/dev/null"):
        with pytest.raises(BadInput, match="no ordinary file"):
            read_bounded(path)
    with pytest.raises(IsADirectoryError):
        read_bounded(tmp_path)
