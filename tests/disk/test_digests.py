"""Digests of files: read once, and again whenever anything about a file changed."""

import os
import shutil

import pytest

from measurand.core.errors import MissingWeights
from measurand.disk import digests
from measurand.disk.digests import keep_digests, path_digest
from measurand.disk.store import Store


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / "config.json").write_text("{}")
    (tmp_path / "model" / "model.safetensors").write_bytes(b"weights")
    return tmp_path / "model"


@pytest.fixture
def reads(monkeypatch):
    """The files whose bytes are read; all count as settled."""
    monkeypatch.setattr(digests, "SETTLED", -1)
    monkeypatch.setattr(digests, "KNOWN", {})
    names, read = [], digests._read_digest
    spy = lambda path: names.append(os.path.basename(path)) or read(path)  # noqa: E731
    monkeypatch.setattr(digests, "_read_digest", spy)
    return names


def test_a_folder_is_read_once(folder, reads):
    assert path_digest(str(folder)) == path_digest(str(folder))
    assert reads == ["config.json", "model.safetensors"]


def test_what_a_store_keeps_is_not_read_by_the_next_process(folder, tmp_path, reads):
    for _ in range(2):
        digests.KNOWN.clear()  # as in another process
        with keep_digests(Store(tmp_path / "store")):
            path_digest(str(folder))
    assert reads == ["config.json", "model.safetensors"]


def test_a_damaged_entry_of_a_store_is_read_anew(folder, tmp_path, reads):
    with keep_digests(Store(tmp_path / "store")):
        before = path_digest(str(folder))
        for entry in (tmp_path / "store" / "digests").rglob("*.json"):
            entry.write_text("{}")
        digests.KNOWN.clear()
        assert path_digest(str(folder)) == before
    assert len(reads) == 4


def test_a_copy_and_a_touched_folder_have_the_same_digest(folder, tmp_path, reads):
    before = path_digest(str(folder))
    for path in folder.iterdir():
        os.utime(path, (1, 1))
    copy = shutil.copytree(folder, tmp_path / "copy")
    assert path_digest(str(folder)) == path_digest(str(copy)) == before


def test_a_change_shows_where_size_and_time_are_put_back(folder, reads):
    weights = folder / "model.safetensors"
    before, times = path_digest(str(folder)), weights.stat()
    weights.write_bytes(b"WEIGHTS")
    os.utime(weights, ns=(times.st_atime_ns, times.st_mtime_ns))
    after = weights.stat()
    assert (after.st_size, after.st_mtime_ns) == (times.st_size, times.st_mtime_ns)
    assert path_digest(str(folder)) != before


def test_a_file_that_takes_the_place_of_another_shows(folder, reads):
    weights, other = folder / "model.safetensors", folder / "other"
    before, times = path_digest(str(folder)), weights.stat()
    other.write_bytes(b"WEIGHTS")
    os.utime(other, ns=(times.st_atime_ns, times.st_mtime_ns))
    other.rename(weights)
    assert path_digest(str(folder)) != before


def test_what_was_changed_a_moment_ago_is_not_remembered(folder, monkeypatch):
    monkeypatch.setattr(digests, "KNOWN", {})
    path_digest(str(folder))
    assert digests.KNOWN == {}


@pytest.mark.parametrize(
    "change",
    [
        lambda folder: (folder / "vocab.txt").write_text("a"),
        lambda folder: (folder / "config.json").unlink(),
        lambda folder: (folder / "config.json").rename(folder / "other.json"),
        lambda folder: (
            (folder / "additional_chat_templates").mkdir()
            or (folder / "additional_chat_templates" / "tool.jinja").write_text(
                "{{ a }}"
            )
        ),
    ],
    ids=["more", "fewer", "renamed", "templates"],
)
def test_other_files_are_another_folder(folder, change):
    before = path_digest(str(folder))
    change(folder)
    assert path_digest(str(folder)) != before


def test_links_are_followed_and_those_that_lead_nowhere_left_out(folder, tmp_path):
    before, blobs = path_digest(str(folder)), tmp_path / "blobs"
    shutil.move(folder, blobs)
    folder.mkdir()
    for path in blobs.iterdir():
        (folder / path.name).symlink_to(path)
    (folder / "nowhere").symlink_to(tmp_path / "nowhere")
    assert path_digest(str(folder)) == before


def test_a_pipe_is_one_line(folder):
    os.mkfifo(folder / "vocab.txt")
    with pytest.raises(MissingWeights, match=r"'vocab.txt' is no ordinary file"):
        path_digest(str(folder))
