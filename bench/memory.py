"""The memory of an audit grows no faster than the file.

Runs `measurand evidence FILE` on made files of growing size and takes the peak resident
memory of each, less what the imports alone take, per byte of the file. One metadata
column is named: every part of the audit runs, with 15 fits. `python -m bench memory
derived` names none, so six are derived and there are three times as many fits, one
after another in the same memory. Sizes can be given too: a million items take long.
"""

import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

from bench.figures import Figure
from bench.texts import write

SIZES = (62_500, 125_000, 250_000)
NAMED = ("--metadata", "genre")
OPTIONS = ("--reader", "tfidf", "--no-calibrate", "--workers", "1", "--shuffles", "20")
IMPORTS = (
    "import measurand.cli, measurand.audits.evidence, measurand.benchmarks.assemble, "
    "measurand.readers.linear, measurand.report.saved"
)
# In a process of its own, which imports little: a child's peak is at least the size of
# the process that started it.
HELPER = """
import json, resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL,
               stderr=subprocess.DEVNULL)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(json.dumps([used.ru_maxrss * 1024, used.ru_utime + used.ru_stime]))
"""


def run(arguments: Sequence[str]) -> list[Figure]:
    """Peak memory and CPU seconds at each size."""
    sizes = [int(size) for size in arguments if size != "derived"] or list(SIZES)
    options = OPTIONS if "derived" in arguments else (*OPTIONS, *NAMED)
    base, _ = peak([sys.executable, "-c", IMPORTS])
    figures, shares = [Figure("imports alone, peak memory", base / 2**20, "MiB")], []
    for size in sizes:
        with tempfile.TemporaryDirectory(prefix="measurand-bench-") as folder:
            file = Path(folder) / "pairs.jsonl"
            written = write(file, size)
            store = ["--store", f"{folder}/store"]
            verb = [sys.executable, "-m", "measurand", "evidence", str(file)]
            most, seconds = peak([*verb, *options, *store])
        shares.append((most - base) / written)
        figures += [
            Figure(f"{size:,} items, file", written / 2**20, "MiB"),
            Figure(f"{size:,} items, peak memory", most / 2**20, "MiB"),
            Figure(f"{size:,} items, memory over imports per byte", shares[-1], ""),
            Figure(f"{size:,} items, whole command", seconds, "s"),
        ]
    if len(shares) > 1:
        steps = [after / before for before, after in pairwise(shares)]
        what = "memory per byte over that at the size before, at most"
        figures.append(Figure(what, max(steps), "times", most=1.0))
    return figures


def peak(command: list[str]) -> tuple[int, float]:
    """The peak resident memory of a command, in bytes, and its CPU seconds."""
    helper = [sys.executable, "-c", HELPER, *command]
    done = subprocess.run(helper, check=True, capture_output=True, text=True)
    most, seconds = json.loads(done.stdout)
    return most, seconds
