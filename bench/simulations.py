"""Whether the intervals of statistics cover, by 2,000 simulations of each.

The simulations are those of the test suite, which runs each 400 times and so would not
notice a coverage of 0.92; `python -m bench simulations` does.
"""

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from bench.figures import Figure

RUNS = 2000
ROOT = Path(__file__).parent.parent


def run(arguments: Sequence[str]) -> list[Figure]:
    """The tests that failed."""
    words = (
        "-m",
        "pytest",
        "tests/stats",
        "-m",
        "slow",
        "-k",
        "cover or rarely",
        "-rf",
    )
    tried = subprocess.run(
        [sys.executable, *words, "-p", "no:cacheprovider"],
        cwd=ROOT,
        env={**os.environ, "MEASURAND_RUNS": str(RUNS)},
        capture_output=True,
        encoding="utf-8",
    )
    lines = tried.stdout.splitlines()
    failed = [line for line in lines if line.startswith(("FAILED", "ERROR"))]
    if tried.returncode not in (0, 1) or not lines:
        raise RuntimeError(tried.stdout[-2000:] + tried.stderr[-2000:])
    print("\n".join([*failed, lines[-1]]))
    return [Figure(f"tests that {RUNS:,} simulations fail", len(failed), "tests", 0)]
