"""Locks: waited for, but not for ever."""

import hashlib
import os
import sys

import pytest

from measurand.disk import locks
from measurand.disk.files import write_file
from measurand.disk.folders import replace_folder, seal_folder
from measurand.disk.locks import try_lock

pytestmark = pytest.mark.skipif(
    sys.platform == "win32", reason="it knows no such locks"
)


@pytest.fixture
def hold(monkeypatch):
    """Lock a file or folder as another process may; it is waited for but briefly."""
    monkeypatch.setattr(locks, "PATIENCE", 0.1)
    handles = []

    def lock(path):
        handles.append(os.open(path, os.O_RDONLY))
        assert try_lock(handles[-1])

    yield lock
    for handle in handles:
        os.close(handle)


def test_a_lock_that_is_held_is_false_after_some_time(tmp_path, hold):
    hold(tmp_path)
    handle = os.open(tmp_path, os.O_RDONLY)
    assert try_lock(handle, wait=True) is False
    os.close(handle)


def test_a_report_is_written_though_somebody_locks_its_folder(tmp_path, hold):
    for text in ("old", "new"):
        with replace_folder(tmp_path / "report", overwrite=True) as part:
            (part / "report.json").write_text(text)
            seal_folder(part, {})
        if text == "old":
            hold(tmp_path / "report")
    assert (tmp_path / "report" / "report.json").read_text() == "new"


def test_a_file_is_written_though_somebody_locks_what_was_left(tmp_path, hold):
    path = tmp_path / "a.json"
    digest = hashlib.sha256(b"a.json").hexdigest()[:16]
    leftover = tmp_path / f".measurand-{digest}.part"
    leftover.write_bytes(b"of a killed run")
    hold(leftover)
    write_file(path, b"new")
    assert path.read_bytes() == b"new"
