"""Real processes, really killed: what was finished stays, and no worker is left."""

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.cli.commands import made, written

KILLS = 20
PATIENCE = 5.0  # seconds in which workers must follow their parent


def started(folder, store):
    """An audit in two worker processes, in a process group of its own."""
    command = ("evidence", "facts.jsonl", "--metadata", "kind", "--shuffles", "3")
    return subprocess.Popen(
        [sys.executable, "-m", "measurand", *command, "--workers", "2", "--out", "r"],
        cwd=folder,
        env={**os.environ, "MEASURAND_STORE": str(store)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def left(group):
    """The processes of a group that still run; the dead who await burial do not."""
    running = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue  # it ended while we looked
        if int(fields[2]) == group and fields[0] not in "ZX":
            running.append(int(stat.parent.name))
    return running


def deserted(group):
    """Whether a group empties in time."""
    end = time.monotonic() + PATIENCE
    while left(group) and time.monotonic() < end:
        time.sleep(0.02)
    return not left(group)


def finished(store):
    """The answers that are whole, and which file on disk each is."""
    marks = {path: path.stat() for path in store.glob("*/*.json")}
    return {path: (stat.st_ino, stat.st_mtime_ns) for path, stat in marks.items()}


def killed(folder, store, seconds):
    """Whether the run was killed after so long, and not finished before."""
    running = started(folder, store)
    try:
        running.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        running.kill()
        running.communicate()
        assert deserted(running.pid)
        return True
    assert running.returncode == 0
    return False


@pytest.fixture
def folder(tmp_path):
    written(tmp_path / "facts.jsonl", made(240))
    return tmp_path


@pytest.mark.slow
def test_twenty_kills_lose_nothing_and_change_nothing(folder):
    begun = time.monotonic()
    whole = started(folder, folder / "whole")
    whole.communicate()
    length = time.monotonic() - begun
    undisturbed = (folder / "r" / "report.json").read_bytes()
    rng, kills, store, survived = random.Random(0), 0, folder / "store-0", 0
    while kills < KILLS:
        before = finished(store)
        if killed(folder, store, rng.uniform(0, length)):
            kills += 1
            after = finished(store)
            assert before.items() <= after.items()
            survived += bool(before)
        else:
            assert (folder / "r" / "report.json").read_bytes() == undisturbed
            store = folder / f"store-{kills}"
    before = finished(store)
    (folder / "r" / "report.json").unlink(missing_ok=True)
    last = started(folder, store)
    assert "altered" not in last.communicate()[1]
    assert before.items() <= finished(store).items()
    assert finished(store).keys() == {
        store / path.relative_to(folder / "whole")
        for path in finished(folder / "whole")
    }
    assert (folder / "r" / "report.json").read_bytes() == undisturbed
    assert survived > 0


def test_ctrl_c_ends_everything_in_one_line(folder):
    running = started(folder, folder / "store")
    while not list((folder / "store").glob("*/*.json")) and running.poll() is None:
        time.sleep(0.01)
    os.killpg(running.pid, signal.SIGINT)
    said = running.communicate(timeout=30)[1]
    assert running.returncode == 130
    assert said.splitlines()[-1] == "stopped; what was finished is kept"
    assert deserted(running.pid)
