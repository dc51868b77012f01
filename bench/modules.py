"""How many modules one item of an audit passes from file to page.

A JSON-lines file of four plain columns is audited twice in one process, on one worker;
counted are the modules of which a function is called the second time, when all that is
imported once and remembered is there. `python -m bench modules` prints their names.
"""

import json
import random
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from bench.figures import Figure

ITEMS = 240
MOST = {"evidence": 70}
COLOURS = ("red", "blue", "green")
TRACED = """
import inspect, json, shutil, sys
from contextlib import suppress
from pathlib import Path
import measurand
from measurand.cli import main
root = str(Path(measurand.__file__).parent) + "/"
called = set()
def note(frame, event, _):
    file, flags = frame.f_code.co_filename, frame.f_code.co_flags
    # Bodies of modules and classes are no functions: they run as they are imported.
    if event == "call" and flags & inspect.CO_OPTIMIZED and file.startswith(root):
        called.add(file.removeprefix(root))
def audit():
    shutil.rmtree("store", ignore_errors=True)
    sys.argv = ["measurand", sys.argv[1], "items.jsonl", "--no-calibrate"]
    sys.argv += ["--workers", "1", "--store", "store", "--overwrite", "--out", "page"]
    with suppress(SystemExit):
        main()
audit()
sys.setprofile(note)
audit()
sys.setprofile(None)
Path("called.json").write_text(json.dumps(sorted(called)))
"""


def run(arguments: Sequence[str]) -> list[Figure]:
    """The modules of each audit, in all and by folder."""
    figures = []
    for audit in arguments or MOST:
        names = called_modules(audit)
        print(audit, *names, sep="\n  ")
        most = MOST.get(audit)
        figures.append(Figure(f"{audit}: modules", len(names), "modules", most=most))
        folders = Counter(name.rpartition("/")[0] or "measurand" for name in names)
        figures += [
            Figure(f"{audit}: of {folder}", count, "modules")
            for folder, count in sorted(folders.items())
        ]
    return figures


def called_modules(audit: str) -> list[str]:
    """The modules of which a function is called."""
    with tempfile.TemporaryDirectory(prefix="measurand-bench-") as folder:
        (Path(folder) / "items.jsonl").write_text(made_items(), "utf-8")
        words = [sys.executable, "-c", TRACED, audit]
        subprocess.run(words, cwd=folder, check=True, capture_output=True)
        return list(json.loads((Path(folder) / "called.json").read_text("utf-8")))


def made_items() -> str:
    """Claims whose evidence decides, and where each is from."""
    rng = random.Random(0)
    rows = []
    for number in range(ITEMS):
        claimed, seen = rng.choice(COLOURS), rng.choice(COLOURS)
        rows.append(
            {
                "claim": f"the box {number} is {claimed}",
                "evidence": f"somebody saw that box {number} was {seen} today",
                "label": "yes" if claimed == seen else "no",
                "source": rng.choice("ab"),
            }
        )
    return "\n".join(map(json.dumps, rows))
