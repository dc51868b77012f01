import errno
import json
import os
import subprocess
import sys
from contextlib import contextmanager

import pytest

from measurand.core.errors import BadOption, StoreFailed
from measurand.disk import folders
from measurand.disk.folders import DEMO, READER, check_out, replace_folder, seal_folder


def put(folder, *, overwrite=False, **files):
    """Write these files as a run does."""
    with replace_folder(folder, overwrite=overwrite) as part:
        (part / "sub").mkdir()
        for name, content in files.items():
            (part / "sub" / name).write_text(content)
        seal_folder(part, {"clock": content})


def contents(folder):
    """What every file below holds, but for what each run writes of itself."""
    paths = {p.relative_to(folder).as_posix(): p for p in folder.rglob("*")}
    return {
        n: p.read_text() for n, p in paths.items() if p.is_file() and "run" not in n
    }


def test_a_folder_is_replaced_only_when_asked_to(tmp_path):
    put(tmp_path / "r", a="1", b="1")
    with pytest.raises(BadOption, match="holds a report; give `overwrite`"):
        put(tmp_path / "r", a="2")
    put(tmp_path / "r", overwrite=True, a="2")
    assert contents(tmp_path / "r") == {"sub/a": "2"}
    assert os.listdir(tmp_path) == ["r"]


def alter(path):
    path.write_text("mine")


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("sub/a", alter),
        ("run.json", alter),
        ("sub/mine.txt", alter),
        (".hidden", alter),
        ("notes", lambda path: path.mkdir()),
        ("link", lambda path: path.symlink_to("sub/a")),
        ("sub/pipe", os.mkfifo),
    ],
)
def test_what_measurand_did_not_write_is_left_alone(tmp_path, name, change):
    put(tmp_path / "r", a="1")
    change(tmp_path / "r" / name)
    before = {p: p.lstat().st_mtime_ns for p in tmp_path.rglob("*")}
    with pytest.raises(BadOption, match="which measurand did not write or which was"):
        put(tmp_path / "r", overwrite=True, a="2")
    assert {p: p.lstat().st_mtime_ns for p in tmp_path.rglob("*")} == before


def test_what_was_written_meanwhile_is_left_alone(tmp_path):
    put(tmp_path / "r", a="1")
    with (
        pytest.raises(BadOption, match=r"mine\.txt"),
        replace_folder(tmp_path / "r", overwrite=True),
    ):
        alter(tmp_path / "r" / "mine.txt")
    assert contents(tmp_path / "r") == {"sub/a": "1", "mine.txt": "mine"}
    assert os.listdir(tmp_path) == ["r"]


def test_what_is_written_at_the_last_moment_is_left_alone(tmp_path, monkeypatch):
    put(tmp_path / "r", a="1")
    swap = folders._put_in_place

    def write_and_swap(part, path):
        if not (path / "mine.txt").exists() and not (part / "mine.txt").exists():
            alter(path / "mine.txt")
        swap(part, path)

    monkeypatch.setattr(folders, "_put_in_place", write_and_swap)
    with pytest.raises(BadOption, match=r"mine\.txt"):
        put(tmp_path / "r", overwrite=True, a="2")
    assert contents(tmp_path / "r") == {"sub/a": "1", "mine.txt": "mine"}


def test_a_list_that_names_files_elsewhere_gives_no_right_to_them(tmp_path):
    alter(tmp_path / "mine.txt")
    put(tmp_path / "r", a="1")
    record = json.loads((tmp_path / "r" / "run.json").read_text())
    record["files"]["../mine.txt"] = folders._fingerprint(tmp_path / "mine.txt")
    record["sha256"] = folders._seal(record)
    (tmp_path / "r" / "run.json").write_text(json.dumps(record))
    put(tmp_path / "r", overwrite=True, a="2")
    assert (tmp_path / "mine.txt").read_text() == "mine"


def test_a_saved_reader_is_not_replaced_by_a_report(tmp_path):
    with replace_folder(tmp_path / "r", holds=READER) as part:
        alter(part / "weights")
        seal_folder(part, {}, READER)
    with pytest.raises(BadOption, match=r"holds a saved reader, not a report"):
        put(tmp_path / "r", overwrite=True, a="1")
    assert (tmp_path / "r" / "weights").read_text() == "mine"


def test_what_is_read_is_not_replaced(tmp_path):
    put(tmp_path / "r", a="1")
    with pytest.raises(BadOption, match="holds 'a', which is read here"):
        check_out(tmp_path / "r", overwrite=True, inputs=[tmp_path / "r" / "sub" / "a"])


def test_the_folder_one_is_in_is_refused(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(BadOption, match=r"the folder you are in.* such as report"):
        put(".", a="1")


def test_a_link_stays_and_leads_to_what_is_new(tmp_path):
    put(tmp_path / "r", a="1")
    (tmp_path / "link").symlink_to("r")
    put(tmp_path / "link", overwrite=True, a="2")
    assert (tmp_path / "link").is_symlink()
    assert contents(tmp_path / "r") == {"sub/a": "2"}


def test_a_list_that_is_a_pipe_gives_no_right(tmp_path):
    put(tmp_path / "r", a="1")
    (tmp_path / "r" / "run.json").unlink()
    os.mkfifo(tmp_path / "r" / "run.json")
    with pytest.raises(BadOption, match=r"holds 'run\.json', which measurand did not"):
        check_out(tmp_path / "r", overwrite=True)


@pytest.fixture
def unreadable(monkeypatch):
    """Take the right to look into a folder, from whoever runs this."""
    scandir, paths = os.scandir, set()

    def refuse(path):
        if os.fspath(path) in paths:
            raise PermissionError(errno.EACCES, "Permission denied", os.fspath(path))
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refuse)
    return paths


def test_a_folder_that_cannot_be_looked_into_is_left_alone(tmp_path, unreadable):
    put(tmp_path / "r", a="1")
    (tmp_path / "r" / "sub" / "mine").write_text("mine")
    unreadable.add(str(tmp_path / "r" / "sub"))
    line = r"r holds 'sub', which measurand did not [^\n]* cannot be read[^\n]*$"
    with pytest.raises(BadOption, match=line):
        put(tmp_path / "r", overwrite=True, a="2")
    unreadable.clear()
    assert contents(tmp_path / "r") == {"sub/a": "1", "sub/mine": "mine"}
    assert os.listdir(tmp_path) == ["r"]


@pytest.mark.parametrize("below", ["", "/r"])
def test_links_in_a_circle_are_one_line(tmp_path, below):
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    with pytest.raises(
        StoreFailed, match=r"^cannot write to \S+/a\S*: too many [^\n]+$"
    ):
        check_out(f"{tmp_path}/a{below}", overwrite=True)


def test_a_name_that_is_too_long_is_told(tmp_path):
    with pytest.raises(StoreFailed, match=r"cannot write to \S+/nnn.*: file name too"):
        check_out(tmp_path / ("n" * 300), overwrite=True)


def test_a_file_in_the_way_is_one_line(tmp_path):
    alter(tmp_path / "r")
    with pytest.raises(StoreFailed, match=r"^cannot write to [^\n]+: file exists"):
        put(tmp_path / "r", overwrite=True, a="1")
    assert (tmp_path / "r").read_text() == "mine"


class Killed(BaseException):
    """The end of a process: after it no step of it is taken."""


STEPS = {"open", "os.rename", "os.mkdir", "os.remove", "os.rmdir", "os.chmod"}
LIFE = {"left": None}


def _count_steps(event, args):
    if LIFE["left"] is None or event not in STEPS:
        return
    if event == "open" and not (isinstance(args[1], str) and set("wx+") & set(args[1])):
        return
    LIFE["left"] -= 1
    if LIFE["left"] < 0:
        raise Killed


@contextmanager
def killed_after(steps):
    """Every change to the disk after so many fails, as if the process were gone."""
    LIFE["left"] = steps
    try:
        yield
    except Killed:
        pass
    finally:
        LIFE["left"] = None


@pytest.mark.parametrize("can_swap", [True, False])
def test_a_kill_at_any_step_leaves_the_old_or_the_new(tmp_path, monkeypatch, can_swap):
    sys.addaudithook(_count_steps)
    if not can_swap:
        monkeypatch.setattr(folders, "_swap", lambda first, second: False)
    seen = set()
    for steps in range(40):
        folder = tmp_path / str(steps) / "r"
        put(folder, a="old", b="old")
        with killed_after(steps):
            put(folder, overwrite=True, a="new", b="new")
        places = [folder, *folder.parent.glob("*.old")]
        present = [p for p in places if p.exists()]
        if can_swap:
            assert present == [folder]
        found = contents(present[0])
        assert set(found) == {"sub/a", "sub/b"}
        assert len(set(found.values())) == 1
        seen |= set(found.values())
    assert seen == {"old", "new"}


def test_the_demo_is_not_replaced_by_a_report_and_is_named(tmp_path):
    with replace_folder(tmp_path / "r", holds=DEMO) as part:
        alter(part / "page")
        seal_folder(part, {}, DEMO)
    with pytest.raises(BadOption, match="holds the demo, not a report; name another"):
        put(tmp_path / "r", overwrite=True, a="1")
    alter(tmp_path / "r" / "mine")
    with pytest.raises(BadOption, match="which measurand did not write"):
        put(tmp_path / "r", overwrite=True, a="1")


KILLED = """
import sys, time
from measurand.disk.folders import replace_folder
with replace_folder(sys.argv[1]) as part:
    (part / "half").write_text("half")
    print("writing", flush=True)
    time.sleep(600)
"""


def write_for_ever(folder):
    """A process that has begun to write a folder, and does not end."""
    command = [sys.executable, "-c", KILLED, str(folder)]
    running = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert running.stdout.readline() == "writing\n"
    return running


def test_what_a_killed_run_left_is_removed_by_the_next(tmp_path):
    with write_for_ever(tmp_path / "r") as running:
        running.kill()
    assert len(os.listdir(tmp_path)) == 1
    put(tmp_path / "other", a="1")
    assert len(os.listdir(tmp_path)) == 2
    put(tmp_path / "r", a="1")
    assert sorted(os.listdir(tmp_path)) == ["other", "r"]


def test_what_a_run_still_writes_stays(tmp_path):
    with write_for_ever(tmp_path / "r") as running:
        put(tmp_path / "r", a="1")
        (part,) = tmp_path.glob(".measurand-*.part")
        assert (part / "half").read_text() == "half"
        running.kill()


def test_files_of_the_user_that_look_like_leftovers_stay(tmp_path):
    with write_for_ever(tmp_path / "r") as running:
        running.kill()
    (part,) = tmp_path.iterdir()
    user = tmp_path / "mine"
    user.mkdir()
    part.rename(tmp_path / ".measurand-0123456789abcdef-x.part")
    part.symlink_to(user, target_is_directory=True)
    part.with_name(f"{part.stem}0.part").write_text("mine")
    before = sorted(os.listdir(tmp_path))
    put(tmp_path / "r", a="1")
    assert sorted(os.listdir(tmp_path)) == sorted([*before, "r"])
