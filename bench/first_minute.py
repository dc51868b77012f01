"""What a newcomer waits for: the demo, and 4,000 items of SNLI in one file.

CPU seconds of all processes, each command from an empty store and on one worker; the
first answer is the first line of `audit` that says one, at the CPU seconds that the
process had then. Each is the least of three runs, as what else a machine does only
adds: on a shared one the same run took up to half as long again. A second folder names
another checkout, which is measured beside it (`before`): what it has no word for, it is
not asked. Then both audits with a reader that joins two texts, once each: `aligned`,
and `frozen` from an empty store and with another seed from one with its vectors.

Needs `snli_train_18k.jsonl.gz` in the folder that MEASURAND_DATA or
`python -m bench first_minute FOLDER [CHECKOUT]` names.
"""

import compileall
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

import pandas as pd

from bench.esnli import spent
from bench.figures import Figure

ROWS = "snli_train_18k.jsonl.gz"
ITEMS = 4000
FIRST = "first answer"
HERE = Path(__file__).parent.parent
DEMO, FIRST_ANSWER, BOTH = 18.0, 5.0, 75.0  # the most CPU seconds that each may take
ALIGNED, FROZEN, AGAIN = 110.0, 220.0, 100.0
RUNS = 3


def run(arguments: Sequence[str]) -> list[Figure]:
    """The CPU seconds of each command, today and in another checkout."""
    folder = Path(arguments[0] if arguments else os.environ.get("MEASURAND_DATA", ""))
    if not (folder / ROWS).is_file():
        print(f"first_minute: not run; set MEASURAND_DATA to a folder with {ROWS}")
        return []
    with tempfile.TemporaryDirectory(prefix="measurand-bench-") as place:
        table = Path(place) / "items.jsonl"
        rows = pd.read_json(folder / ROWS, lines=True)
        rows.sample(ITEMS, random_state=0).to_json(table, orient="records", lines=True)
        figures = least(measure, HERE, Path(place) / "now", table)
        figures += measure_joining(HERE, Path(place) / "joining", table)
        for checkout in arguments[1:]:
            before = Path(place) / "before"
            figures += least(measure_before, Path(checkout), before, table)
    return figures


def least(
    measured: Callable[[Path, Path, Path], list[Figure]],
    checkout: Path,
    place: Path,
    table: Path,
) -> list[Figure]:
    """The least of each figure in some runs, each in a folder of its own."""
    runs = [measured(checkout, Path(f"{place}-{run}"), table) for run in range(RUNS)]
    return [
        min(each, key=lambda figure: figure.value) for each in zip(*runs, strict=True)
    ]


def measure(checkout: Path, place: Path, table: Path) -> list[Figure]:
    """The demo, the first answer, and both audits whole with their controls."""
    prepare(checkout, place)
    demo, lines = cost(checkout, place, "demo", "--out", "demo")
    first = first_answer(checkout, place, "audit", str(table), "--out", "r")
    both = whole(checkout, place, table)
    return [
        Figure("demo", demo, "CPU s", most=DEMO),
        Figure("demo: lines that it prints", lines, "lines"),
        Figure("audit: its first answer", first, "CPU s", most=FIRST_ANSWER),
        Figure("audit: evidence and leakage, whole", both, "CPU s", most=BOTH),
    ]


def measure_joining(checkout: Path, place: Path, table: Path) -> list[Figure]:
    """Both audits whole, with the readers that join two texts."""
    prepare(checkout, place)
    words = "audit", str(table), "--strongest", "cross", "--workers", "1", "--reader"
    figures = []
    for what, reader, seed, most in (
        ("aligned", "aligned", "0", ALIGNED),
        ("frozen, an empty store", "frozen", "0", FROZEN),
        ("frozen, a store with its vectors", "frozen", "1", AGAIN),
    ):
        store = place / f"store-{reader}"
        told = *words, reader, "--seed", seed, "--out", f"{reader}{seed}"
        seconds = cost(checkout, place, *told, "--store", str(store))[0]
        figures.append(Figure(f"audit: with {what}", seconds, "CPU s", most=most))
    return figures


def measure_before(checkout: Path, place: Path, table: Path) -> list[Figure]:
    """The same audits, and the demo, by another checkout."""
    prepare(checkout, place)
    demo, lines = cost(checkout, place, "demo", "--out", "demo")
    both = whole(checkout, place, table)
    return [
        Figure("before: demo", demo, "CPU s"),
        Figure("before: demo: lines that it prints", lines, "lines"),
        Figure("before: audit: evidence and leakage, whole", both, "CPU s"),
    ]


def prepare(checkout: Path, place: Path) -> None:
    """Make the folder, and compile the code as an installed one is."""
    place.mkdir()
    compileall.compile_dir(checkout / "src", quiet=2)


def whole(checkout: Path, place: Path, table: Path) -> float:
    """The CPU seconds of both audits with their controls, light readers and pages."""
    words = str(table), "--strongest", "cross", "--workers", "1", "--out", "audit"
    return cost(checkout, place, "audit", *words)[0]


def cost(checkout: Path, place: Path, *words: str) -> tuple[float, int]:
    """The CPU seconds of a command, and the lines that it prints."""
    before = spent()
    ended = subprocess.run(
        command(*words),
        env=environment(checkout, place),
        cwd=place,
        capture_output=True,
        text=True,
    )
    if ended.returncode:
        raise RuntimeError(ended.stderr[-500:])
    return spent() - before, len(ended.stdout.splitlines())


def first_answer(checkout: Path, place: Path, *words: str) -> float:
    """The CPU seconds of a command when it first says an answer; it is then ended."""
    with subprocess.Popen(
        command(*words),
        env=environment(checkout, place),
        cwd=place,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    ) as running:
        for line in running.stderr or ():
            if line.startswith(FIRST):
                seconds = cpu_seconds(running.pid)
                running.kill()
                return seconds
    raise RuntimeError("no first answer was given")


def cpu_seconds(pid: int) -> float:
    """What a process has used of the CPU so far, its threads together."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def command(*words: str) -> list[str]:
    """The command line of this interpreter."""
    return [sys.executable, "-m", "measurand", *words]


def environment(checkout: Path, place: Path) -> dict[str, str]:
    """One thread, a store that no other command has filled, and this checkout."""
    return os.environ | {
        "PYTHONPATH": str(checkout.resolve() / "src"),
        "OMP_NUM_THREADS": "1",
        "MEASURAND_STORE": tempfile.mkdtemp(dir=place),
    }
