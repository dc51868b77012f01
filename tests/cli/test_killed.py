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
from bench.kills import group

from tests.cli.commands import LEAST, made, written

KILLS = 6  # `python -m bench kills` kills by the dozen
ITEMS = 120
OPTIONS = ("--metadata", "kind", *LEAST, "--folds", "3", "--no-calibrate")
MOMENTS = 5
# Seconds in which workers must follow their parent: one that is being started loads
# its libraries first, which takes long on a busy machine. An orphan stays for ever.
PATIENCE = 30.0


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


def deserted(leader):
    """Whether a group empties in time."""
    end = time.monotonic() + PATIENCE
    while group(leader) and time.monotonic() < end:
        time.sleep(0.02)
    return not group(leader)


def finished(store):
    """The answers that are whole, and which file on disk each is."""
    marks = {path: path.stat() for path in store.glob("*/*.json")}
    return {path: (stat.st_ino, stat.st_mtime_ns) for path, stat in marks.items()}


def killed(folder, store, seconds):
    """Whether the run was killed after so long, and not finished before.

    At 0 seconds it is killed as soon as one answer is kept.
    """
    before = finished(store)
    running = started(folder, store)
    try:
        if not seconds:
            working(running, store)
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
    written(folder / "facts.jsonl", made(ITEMS))
    begun = time.monotonic()
    assert started(folder, folder / "whole").wait() == 0
    return time.monotonic() - begun


def harassed(folder, whole, moments):
    """Nothing, where a run that is killed at these moments ends as if it was not.

    A run that ends before its moment is over; the next begins anew and dies sooner.
    """
    written(folder / "facts.jsonl", made(ITEMS))
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


@pytest.fixture(scope="module")
def whole_run(tmp_path_factory):
    """The folder of a run that nobody disturbs, and how long it takes."""
    folder = tmp_path_factory.mktemp("whole")
    return folder, undisturbed(folder)


@pytest.fixture
def folders(tmp_path):
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
    return tmp_path / "one", tmp_path / "two"


@pytest.mark.slow
def test_kills_lose_nothing_and_change_nothing(whole_run, folders):
    whole, length = whole_run
    rng = random.Random(0)
    # The first once there is something to lose, however slow the machine is today.
    moments = [
        [0.0, *(rng.uniform(0, length) for _ in range(KILLS // 2 - 1))] for _ in folders
    ]
    # Two at once: most of a run is one process loading libraries.
    with ThreadPoolExecutor(2) as both:
        list(both.map(harassed, folders, [whole] * 2, moments))


STOPPED = "stopped; what was finished is kept"


def listening(running):
    """Wait until a process answers to SIGTERM, which Python alone does not."""
    bit = 1 << (signal.SIGTERM - 1)
    while running.poll() is None:
        status = Path(f"/proc/{running.pid}/status").read_text()
        (caught,) = [line for line in status.splitlines() if "SigCgt" in line]
        if int(caught.split()[1], 16) & bit:
            return
        time.sleep(0.002)


def working(running, store):
    """Wait until an answer is kept, and so until workers work."""
    while not list(store.glob("*/*.json")) and running.poll() is None:
        time.sleep(0.01)


def stopped(folder, running, send, number):
    """Nothing, where the signal ends all in one line, or came after the end."""
    send(running.pid, number)
    code = running.wait(30)
    said = (folder / "said").read_text()
    assert deserted(running.pid)
    assert "Traceback" not in said
    assert "resource_tracker" not in said
    if code != 0:
        assert code == 128 + number
        assert said.splitlines()[-1] == STOPPED
        assert said.count(STOPPED) == 1
    return code


@pytest.mark.slow
def test_ctrl_c_at_any_moment_is_one_line_and_leaves_nobody(whole_run, folders):
    length, folder = whole_run[1], folders[0]
    written(folder / "facts.jsonl", made(ITEMS))
    codes = []
    for step in range(MOMENTS):
        shutil.rmtree(folder / "store", ignore_errors=True)
        running = started(folder, folder / "store")
        listening(running)
        time.sleep(length * step / MOMENTS)
        codes.append(stopped(folder, running, os.killpg, signal.SIGINT))
    assert codes.count(130) > MOMENTS / 2


@pytest.mark.slow
@pytest.mark.parametrize("send", [os.kill, os.killpg], ids=["alone", "group"])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_signals_end_workers_too_in_one_line(folders, send, number):
    folder = folders[0]
    written(folder / "facts.jsonl", made(ITEMS))
    running = started(folder, folder / "store")
    working(running, folder / "store")
    assert stopped(folder, running, send, number) == 128 + number


def test_a_signal_while_libraries_load_is_one_line(folders):
    folder = folders[0]
    running = started(folder, folder / "store")
    listening(running)
    assert stopped(folder, running, os.kill, signal.SIGTERM) == 143
    assert (folder / "said").read_text() == f"{STOPPED}\n"


STOPPED_AT_WORK = """
import os, signal, sys, time
import measurand.__main__, measurand.cli

class Library:
    def __del__(self, abort=os.abort):
        abort()

def work():
    sys.stdout.write("half a line")
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(60)

library = Library()
measurand.cli.main = work
measurand.__main__.main()
"""


def test_a_library_that_cannot_be_taken_apart_does_not_change_the_exit_code():
    ended = subprocess.run(
        [sys.executable, "-c", STOPPED_AT_WORK], capture_output=True, text=True
    )
    assert (ended.returncode, ended.stdout) == (143, "half a line")
    assert ended.stderr == f"{STOPPED}\n"


@pytest.mark.slow
def test_a_signal_that_the_caller_ignores_is_ignored(folders):
    folder = folders[0]
    written(folder / "facts.jsonl", made(ITEMS))
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)  # as nohup does
    try:
        running = started(folder, folder / "store")
    finally:
        signal.signal(signal.SIGHUP, before)
    working(running, folder / "store")
    os.killpg(running.pid, signal.SIGHUP)
    assert running.wait(60) == 0


@pytest.mark.slow
def test_workers_end_by_themselves_when_the_main_process_is_killed(folders):
    folder = folders[0]
    written(folder / "facts.jsonl", made(ITEMS))
    running = started(folder, folder / "store")
    working(running, folder / "store")
    running.kill()
    running.wait()
    assert deserted(running.pid)
    assert "resource_tracker" not in (folder / "said").read_text()
