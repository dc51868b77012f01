"""Real processes, really killed: what was finished stays, and no worker is left."""

import os
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import pytest
from bench.kills import Arena, group, harass, to_figures

from tests.cli.commands import LEAST, made, written

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


def killed(folder, store, answers):
    """Whether the run was killed once it had kept so many, and not finished before."""
    before = finished(store)
    running = started(folder, store)
    working(running, store, answers)
    running.kill()
    running.wait()
    assert deserted(running.pid)
    assert "resource_tracker" not in (folder / "said").read_text()
    # What was whole before is the same file still: nothing was computed twice.
    assert before.items() <= finished(store).items()
    assert running.returncode in (0, -signal.SIGKILL)
    return running.returncode != 0


def report(folder):
    return (folder / "r" / "report.json").read_bytes()


@dataclass(frozen=True)
class WholeRun:
    """A run that ends: where, how, and how long it takes."""

    folder: Path
    code: int
    length: float


@pytest.fixture(scope="module")
def whole_run(tmp_path_factory):
    """A run as under nohup, whose terminal is closed once its workers work."""
    folder = tmp_path_factory.mktemp("whole")
    written(folder / "facts.jsonl", made(ITEMS))
    begun = time.monotonic()
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        running = started(folder, folder / "whole")
    finally:
        signal.signal(signal.SIGHUP, before)
    working(running, folder / "whole")
    os.killpg(running.pid, signal.SIGHUP)
    return WholeRun(folder, running.wait(), time.monotonic() - begun)


@pytest.fixture
def folder(tmp_path):
    written(tmp_path / "facts.jsonl", made(ITEMS))
    return tmp_path


@pytest.mark.slow
def test_kills_lose_nothing_and_change_nothing(whole_run, folder):
    """Killed at its first answer, half way, and when all are kept but no report.

    Most of a run loads libraries, where nothing can be lost: `python -m bench kills`
    kills at moments drawn from all of it, by the dozen. A run that ends too soon is
    over; the next begins anew and dies sooner.
    """
    whole, store = whole_run.folder, folder / "store"
    names = {path.name for path in finished(whole / "whole")}
    for answers in (1, len(names) // 2, len(names)):
        while not killed(folder, store, answers):
            assert report(folder) == report(whole)
            shutil.rmtree(store)
            answers -= 1
    before = finished(store)
    assert before
    assert started(folder, store).wait() == 0
    assert "altered" not in (folder / "said").read_text()
    assert before.items() <= finished(store).items()
    assert report(folder) == report(whole)
    assert {path.name for path in finished(store)} == names


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


def working(running, store, answers=1):
    """Wait until so many answers are kept, and so until workers work."""
    while len(finished(store)) < answers and running.poll() is None:
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
def test_ctrl_c_at_any_moment_is_one_line_and_leaves_nobody(whole_run, folder):
    codes = []
    for step in range(MOMENTS):
        shutil.rmtree(folder / "store", ignore_errors=True)
        running = started(folder, folder / "store")
        listening(running)
        if step < MOMENTS - 1:
            time.sleep(whole_run.length * step / MOMENTS)
        else:  # workers work, however slow the machine is today
            working(running, folder / "store")
        codes.append(stopped(folder, running, os.killpg, signal.SIGINT))
    assert codes.count(130) > MOMENTS / 2


@pytest.mark.slow
@pytest.mark.parametrize(
    ("number", "send"),
    [  # Ctrl-C goes to the group, which is tried above
        (signal.SIGINT, os.kill),
        (signal.SIGTERM, os.kill),
        (signal.SIGTERM, os.killpg),
        (signal.SIGHUP, os.kill),
        (signal.SIGHUP, os.killpg),
    ],
)
def test_signals_end_workers_too_in_one_line(folder, number, send):
    running = started(folder, folder / "store")
    working(running, folder / "store")
    assert stopped(folder, running, send, number) == 128 + number


def test_a_signal_while_libraries_load_is_one_line(folder):
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
def test_a_signal_that_the_caller_ignores_is_ignored(whole_run):
    assert whole_run.code == 0


@pytest.mark.slow
def test_a_killed_audit_leaves_nothing_behind(tmp_path):
    arena = Arena("evidence", tmp_path)
    harass(arena, 2)
    figures = {figure.what: figure for figure in to_figures(arena)}
    assert figures["evidence: kills of the main process"].value == 2
    assert figures["evidence: files too many or too few"].value == 0
    assert all(f.value == 0 for f in figures.values() if f.most == 0)
