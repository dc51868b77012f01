"""Files that are there whole, and nothing beside them."""

import os
import subprocess
import sys
import threading

import pytest

from measurand.disk import files
from measurand.disk.files import write_file

KILLED = """
import os, signal, sys
from pathlib import Path
from measurand.disk import files
files.os.chmod = lambda *words: os.kill(os.getpid(), signal.SIGKILL)
files.write_file(Path(sys.argv[1]), b"half")
"""


def kill_writer(path):
    """A process that is killed when it has written a file and not renamed it."""
    subprocess.run([sys.executable, "-c", KILLED, str(path)])
    (part,) = [p for p in path.parent.iterdir() if p.suffix == ".part"]
    return part


def test_what_a_killed_writer_left_is_gone_with_the_next_write(tmp_path):
    part = kill_writer(tmp_path / "a.json")
    assert part.read_bytes() == b"half"
    write_file(tmp_path / "b.json", b"other")
    assert part.exists()
    write_file(tmp_path / "a.json", b"whole", overwrite=False)
    assert sorted(os.listdir(tmp_path)) == ["a.json", "b.json"]
    assert (tmp_path / "a.json").read_bytes() == b"whole"


def test_a_leftover_that_bears_two_names_costs_no_file(tmp_path):
    write_file(tmp_path / "a.json", b"old")
    part = kill_writer(tmp_path / "a.json")
    part.unlink()
    os.link(tmp_path / "a.json", part)
    write_file(tmp_path / "a.json", b"new")
    assert (tmp_path / "a.json").read_bytes() == b"new"
    assert os.listdir(tmp_path) == ["a.json"]


@pytest.mark.parametrize("kind", ["link", "pipe", "folder"])
def test_what_stands_in_the_way_is_gone_or_left_and_never_followed(tmp_path, kind):
    part = kill_writer(tmp_path / "a.json")
    part.unlink()
    (tmp_path / "mine").write_text("mine")
    if kind == "link":
        part.symlink_to(tmp_path / "mine")
    elif kind == "pipe":
        os.mkfifo(part)
    else:
        part.mkdir()
    write_file(tmp_path / "a.json", b"whole")
    assert (tmp_path / "a.json").read_bytes() == b"whole"
    assert (tmp_path / "mine").read_text() == "mine"


def test_many_may_write_one_file_at_once(tmp_path):
    contents = [bytes([letter]) * 200_000 for letter in range(8)]
    threads = [
        threading.Thread(target=write_file, args=(tmp_path / "a", content))
        for content in contents * 5
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (tmp_path / "a").read_bytes() in contents
    assert os.listdir(tmp_path) == ["a"]


def test_without_locks_each_writer_has_a_name_of_its_own(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "try_lock", lambda handle, **_: None)
    part = kill_writer(tmp_path / "a")
    write_file(tmp_path / "a", b"whole")
    write_file(tmp_path / "b", b"whole")
    assert {*os.listdir(tmp_path)} == {"a", "b", part.name}
