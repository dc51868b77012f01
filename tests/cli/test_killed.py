"""Real processes, really killed: what was finished stays, and no worker is left."""

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.cli.commands import made, written

KILLS = 20
OPTIONS = ("--metadata", "kind", "--shuffles", "3", "--no-calibrate")
PATIENCE = 5.0  # seconds in which workers must follow their parent


def started(folder, store):
    """An audit in two worker processes, in a process group of its own."""
    options = (
        *OPTIONS,
        "--workers",
        "2",
        "--out",
        "r",
        "--overwrite",
        "--store",
        str(store),
    )
    with (folder / "said").open("w") as said:
        return subprocess.Popen(
            [sys.executable, "-m", "measurand", "evidence", "facts.jsonl", *options],
            cwd=folder,
            stdout=said,
            stderr=said,
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
    before = finished(store)
    running = started(folder, store)
    try:
        running.wait(seconds)
    except subprocess.TimeoutExpired:
        running.kill()
        running.wait()
    assert deserted(running.pid)
    # What was whole before is the same file still: nothing was computed twice.
    assert before.items() <= finished(store).items()
    assert running.returncode in (0, -signal.SIGKILL)
    return running.returncode != 0


def report(folder):
    return (folder / "r" / "report.json").read_bytes()


def undisturbed(folder):
    """How long a run takes that nobody disturbs."""
    written(folder / "facts.jsonl", made(240))
    begun = time.monotonic()
    assert started(folder, folder / "whole").wait() == 0
    return time.monotonic() - begun


def harassed(folder, whole, moments):
    """Nothing, where a run that is killed at these moments ends as if it was not.

    A run that ends before its moment is over; the next begins anew and dies sooner.
    """
    written(folder / "facts.jsonl", made(240))
    store, survivors = folder / "store", 0
    for moment in moments:
        while not killed(folder, store, moment):
            assert report(folder) == report(whole)
            shutil.rmtree(store)
            moment *= 0.7
        survivors += len(finished(store))
    before = finished(store)
    assert started(folder, store).wait() == 0
    assert "altered" not in (folder / "said").read_text()
    assert before.items() <= finished(store).items()
    assert report(folder) == report(whole)
    names = {path.name for path in finished(whole / "whole")}
    assert {path.name for path in finished(store)} == names
    assert survivors > 0


@pytest.fixture
def folders(tmp_path):
    for name in ("whole", "one", "two"):
        (tmp_path / name).mkdir()
    return tmp_path / "whole", tmp_path / "one", tmp_path / "two"


@pytest.mark.slow
def test_twenty_kills_lose_nothing_and_change_nothing(folders):
    whole, *others = folders
    length = undisturbed(whole)
    rng = random.Random(0)
    moments = [[rng.uniform(0, length) for _ in range(KILLS // 2)] for _ in others]
    # Two at once: most of a run is one process loading libraries.
    with ThreadPoolExecutor(2) as both:
        list(both.map(harassed, others, [whole] * 2, moments))


@pytest.mark.slow
def test_ctrl_c_ends_everything_in_one_line(folders):
    folder = folders[1]
    written(folder / "facts.jsonl", made(240))
    running = started(folder, folder / "store")
    while not list((folder / "store").glob("*/*.json")) and running.poll() is None:
        time.sleep(0.01)
    os.killpg(running.pid, signal.SIGINT)
    assert running.wait(30) == 130
    said = (folder / "said").read_text()
    assert "Traceback" not in said
    assert said.splitlines()[-1] == "stopped; what was finished is kept"
    assert deserted(running.pid)
