"""Kills at random moments, and what is left of a run then.

Each audit is run in two worker processes and killed (SIGKILL) at a moment drawn from
the length of a run that nobody disturbs, again and again on one store; after some kills
it is let end, and its report is held against that of the undisturbed run, byte for
byte, and the names of all files against those that it left. Every run has one of three
values of PYTHONHASHSEED. Then single workers are killed, which must end the run in one
line, and the run that follows must end as if nothing was. `python -m bench kills 5
evidence` kills five times in one audit.
"""

import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from bench.figures import Figure
from bench.texts import pairs

KILLS = 50  # in each audit
BETWEEN = 5  # kills on one store before the run is let end
PATIENCE = 10.0  # seconds in which workers must follow their parent
WORKER = b"multiprocessing.spawn"
CHEAP = "--no-calibrate"
COMMANDS = {
    "evidence": ("pairs.jsonl", "--metadata", "genre", "--shuffles", "3", CHEAP),
    "leakage": ("pairs.jsonl", "--no-map"),
    "exposure": ("pairs.jsonl", "--text", "hypothesis", "--m", "10", "--n", "20"),
    "explanations": ("synthetic:explained", "--items", "40", CHEAP),
}
ROWS = 120  # of the file: short runs are hit at more of their moments
QUIET = "undisturbed"
HASH_SEEDS = ("0", "1", "2")


@dataclass
class Arena:
    """One audit that is killed, in a folder of its own.

    Attributes:
        audit: Its name.
        folder: Where the file, the stores and the reports are.
        counts: What happened, how often.
        runs: How many were started: each takes the next hash seed.
        quiet: What lies in the folder after the undisturbed run.
    """

    audit: str
    folder: Path
    counts: Counter[str] = field(default_factory=Counter)
    runs: int = 0
    quiet: set[str] = field(default_factory=set)

    def start(self, store: str) -> subprocess.Popen[bytes]:
        """The audit under way, in a group of processes of its own."""
        verb = [sys.executable, "-m", "measurand", self.audit, *COMMANDS[self.audit]]
        where = ("--workers", "2", "--store", store, "--out", f"{store}-report")
        where += ("--overwrite",)  # a run may have ended before its kill
        seed = HASH_SEEDS[self.runs % len(HASH_SEEDS)]
        self.runs += 1
        with (self.folder / "said").open("wb") as said:
            return subprocess.Popen(
                [*verb, *where],
                cwd=self.folder,
                env={**os.environ, "PYTHONHASHSEED": seed},
                stdout=said,
                stderr=said,
                start_new_session=True,
            )

    def said(self) -> str:
        """What the last run printed."""
        return (self.folder / "said").read_text(errors="replace")

    def contents(self, store: str) -> dict[str, bytes]:
        """Every file of a report, but for the log of the run."""
        root = self.folder / f"{store}-report"
        files = [path for path in sorted(root.rglob("*")) if path.is_file()]
        return {
            str(path.relative_to(root)): path.read_bytes()
            for path in files
            if path.name != "run.json"
        }

    def names(self, store: str) -> set[str]:
        """All that lies in the folder after a run with this store."""
        names = {str(path.relative_to(self.folder)) for path in self.folder.rglob("*")}
        mine = {n for n in names if store == QUIET or not n.startswith(QUIET)}
        return {re.sub(f"^{store}", "", name) for name in mine}

    def finish(self, store: str) -> None:
        """Let the run end, and hold its report against the undisturbed one."""
        code = self.start(store).wait()
        self.counts["ended"] += 1
        self.counts["other exit codes"] += code != 0
        self.counts["entries that were half written"] += "altered" in self.said()
        same = self.contents(store) == self.contents(QUIET)
        self.counts["reports with other bytes"] += not same
        self.counts["files too many or too few"] += len(self.names(store) ^ self.quiet)
        for name in (store, f"{store}-report"):
            shutil.rmtree(self.folder / name, ignore_errors=True)

    def kill_main(self, seconds: float) -> None:
        """Kill the main process after so long; its workers have to follow."""
        running = self.start("killed")
        try:
            running.wait(seconds)
            self.counts["over before the kill"] += 1
        except subprocess.TimeoutExpired:
            running.kill()
            running.wait()
            self.counts["kills of the main process"] += 1
        self.counts["orphans"] += len(left_behind(running.pid))

    def kill_worker(self, rng: random.Random) -> None:
        """Kill one worker as soon as some work, after a moment more."""
        running = self.start("killed")
        pause = rng.uniform(0, 1)
        while running.poll() is None:
            workers = [pid for pid in group(running.pid) if is_worker(pid)]
            if workers:
                time.sleep(pause)
                send_kill(rng.choice(workers))
                break
            time.sleep(0.01)
        code = running.wait()
        self.counts["kills of a worker"] += code != 0
        last = self.said().splitlines()[-1:]
        lost = code == 1 and last and last[0].startswith("measurand: a worker process")
        self.counts["lost workers that were not one line"] += code != 0 and not lost
        self.counts["orphans"] += len(left_behind(running.pid))


def run(arguments: Sequence[str]) -> list[Figure]:
    """What kills left in each audit; `arguments` are their number and audits."""
    numbers = [int(word) for word in arguments if word.isdigit()]
    audits = [word for word in arguments if word in COMMANDS] or list(COMMANDS)
    figures = []
    for audit in audits:
        with tempfile.TemporaryDirectory(prefix="measurand-kills-") as folder:
            arena = Arena(audit, Path(folder))
            harass(arena, numbers[0] if numbers else KILLS)
            figures += to_figures(arena)
    return figures


def harass(arena: Arena, kills: int) -> None:
    """Kill the main process so often, and a worker a tenth as often."""
    # Invented words, but for some that leakage knows as English function words.
    items = [{**i, "hypothesis": f"It is the {i['hypothesis']}"} for i in pairs(ROWS)]
    lines = "".join(json.dumps(item) + "\n" for item in items)
    (arena.folder / "pairs.jsonl").write_text(lines, "utf-8")
    begun = time.monotonic()
    if arena.start(QUIET).wait() != 0:
        raise SystemExit(f"{arena.audit} fails undisturbed: {arena.said()[-400:]}")
    length = time.monotonic() - begun
    arena.quiet = arena.names(QUIET)
    rng = random.Random(arena.audit)
    number = 0
    while arena.counts["kills of the main process"] < kills:
        number += 1
        arena.kill_main(rng.uniform(0, length))
        if number % BETWEEN == 0:
            arena.finish("killed")
    arena.finish("killed")
    for _ in range(max(1, kills // 10)):
        arena.kill_worker(rng)
        arena.finish("killed")


def to_figures(arena: Arena) -> list[Figure]:
    """The counts; of what must not be there is at most none."""
    wanted = ("kills of the main process", "kills of a worker", "ended")
    counts = arena.counts
    return [
        Figure(
            f"{arena.audit}: {what}", counts[what], "", None if what in wanted else 0
        )
        for what in counts
        if what != "over before the kill"
    ]


def group(leader: int) -> list[int]:
    """The processes of a group that still run; the dead who await burial do not."""
    running = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue  # it ended while we looked
        if int(fields[2]) == leader and fields[0] not in "ZX":
            running.append(int(stat.parent.name))
    return running


def left_behind(leader: int) -> list[int]:
    """The processes of a group that do not end in time; they are ended then."""
    end = time.monotonic() + PATIENCE
    while group(leader) and time.monotonic() < end:
        time.sleep(0.02)
    orphans = group(leader)
    for orphan in orphans:
        send_kill(orphan)
    return orphans


def is_worker(process: int) -> bool:
    """Whether a process is one that trials run in."""
    try:
        return WORKER in Path(f"/proc/{process}/cmdline").read_bytes()
    except OSError:
        return False


def send_kill(process: int) -> None:
    """Kill a process that may be gone already."""
    with suppress(ProcessLookupError):
        os.kill(process, signal.SIGKILL)
