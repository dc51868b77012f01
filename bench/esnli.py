"""The evidence audit of SNLI (18,000 train items, 9,824 test items of e-SNLI).

The whole command with K = 20, all parts, on two workers, with `tfidf` alone and with
`cross` beside it. Memory is the peak over time of the resident memory summed over the
command and its workers, with shared pages counted in each.

Needs `snli_train_18k.jsonl.gz` and `esnli_test.jsonl.gz` in the folder that
MEASURAND_DATA or `python -m bench esnli FOLDER [CHECKOUT ...]` names. Checkouts,
called by their folders, are measured by the same interpreter, and CPU seconds held
against theirs.
"""

import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from bench.figures import Figure

TRAIN, TEST = "snli_train_18k.jsonl.gz", "esnli_test.jsonl.gz"
WORKERS = 2
OPTIONS = ("--no-calibrate", "--shuffles", "20", "--workers", str(WORKERS))
CASES = {"tfidf": ("tfidf",), "tfidf and cross": ("tfidf", "cross")}
WALL = {"tfidf": 60.0, "tfidf and cross": 180.0}
GIB = 3.0
TIMES = 2.5  # the CPU seconds that controls may cost, in those of an audit without
HERE = Path(__file__).parent.parent
PAUSE = 0.1  # seconds between two looks at memory


def run(arguments: Sequence[str]) -> list[Figure]:
    """Wall seconds, CPU seconds and peak memory of each case."""
    folder = Path(arguments[0] if arguments else os.environ.get("MEASURAND_DATA", ""))
    if not ((folder / TRAIN).is_file() and (folder / TEST).is_file()):
        print(f"esnli: not run; set MEASURAND_DATA to a folder with {TRAIN} and {TEST}")
        return []
    figures = []
    for name in CASES:
        wall, seconds, most = cost(name, folder, HERE)
        figures += [
            Figure(f"{name}: wall", wall, "s", most=WALL[name]),
            Figure(f"{name}: CPU of all processes", seconds, "s"),
            Figure(f"{name}: CPU a worker, the least wall", seconds / WORKERS, "s"),
            Figure(f"{name}: peak memory of all processes", most, "GiB", most=GIB),
        ]
        for checkout in map(Path, arguments[1:]):
            before, what = cost(name, folder, checkout)[1], checkout.name
            figures += [
                Figure(f"{name}: CPU of all processes, {what}", before, "s"),
                Figure(f"{name}: CPU against {what}", seconds / before, "", most=TIMES),
            ]
    return figures


def cost(name: str, folder: Path, checkout: Path) -> tuple[float, float, float]:
    """What one command of a checkout costs, from an empty store."""
    readers = [word for reader in CASES[name] for word in ("--reader", reader)]
    with tempfile.TemporaryDirectory(prefix="measurand-bench-") as store:
        verb = [sys.executable, "-m", "measurand", "evidence", str(folder / TRAIN)]
        files = ["--test", str(folder / TEST), "--store", store]
        command = [*verb, *files, *readers, *OPTIONS]
        return costs(command, {**os.environ, "PYTHONPATH": str(checkout / "src")})


def costs(
    command: list[str], environment: dict[str, str]
) -> tuple[float, float, float]:
    """Wall seconds, CPU seconds and peak GiB of a command and all it starts."""
    before, start, most = spent(), time.monotonic(), 0
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    with subprocess.Popen(command, env=environment, **quiet) as running:
        while running.poll() is None:
            most = max(most, sum(resident(pid) for pid in tree(running.pid)))
            time.sleep(PAUSE)
    if running.returncode:
        raise subprocess.CalledProcessError(running.returncode, command)
    return time.monotonic() - start, spent() - before, most / 2**30


def spent() -> float:
    """The CPU seconds of all ended children and of theirs."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def tree(pid: int) -> Iterator[int]:
    """A process and all its descendants."""
    yield pid
    for children in Path(f"/proc/{pid}/task").glob("*/children"):
        for child in read(children).split():
            yield from tree(int(child))


def resident(pid: int) -> int:
    """The resident memory of a process, in bytes; 0 where it has ended."""
    fields = read(Path(f"/proc/{pid}/statm")).split()
    return int(fields[1]) * os.sysconf("SC_PAGE_SIZE") if fields else 0


def read(path: Path) -> str:
    """The text of a file of /proc, empty where its process has ended."""
    try:
        return path.read_text()
    except OSError:
        return ""
