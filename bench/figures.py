"""Figures: what a benchmark measured, held against its target, printed and kept.

Seconds are CPU seconds unless a figure says wall: machines are shared. A promise is
held against a ratio of two figures of one run wherever it can be.
"""

import json
import os
import platform
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import TypeVar

from measurand import __version__

RESULTS = Path(__file__).parent / "results"
PACKAGES = ("measurand", "numpy", "pandas", "scikit-learn", "scipy")
T = TypeVar("T")


@dataclass(frozen=True)
class Figure:
    """One number that was measured.

    Attributes:
        what: What it is the number of.
        value: The number.
        unit: What it counts.
        most: What it should be at most.
        least: What it should be at least.
    """

    what: str
    value: float
    unit: str
    most: float | None = None
    least: float | None = None

    @property
    def met(self) -> bool | None:
        """Whether the target is met; None where there is none."""
        if self.most is None and self.least is None:
            return None
        low = -float("inf") if self.least is None else self.least
        high = float("inf") if self.most is None else self.most
        return low <= self.value <= high

    @property
    def target(self) -> str:
        """The target in words, and whether it is met."""
        bounds = (("at most", self.most), ("at least", self.least))
        said = [f"{side} {bound:g}" for side, bound in bounds if bound is not None]
        return (
            f"{' and '.join(said)}: {'met' if self.met else 'MISSED'}" if said else ""
        )


def cpu(work: Callable[[], T]) -> tuple[float, T]:
    """The CPU seconds of this process for `work`, and what it returned."""
    start = time.process_time()
    done = work()
    return time.process_time() - start, done


def table(name: str, figures: Sequence[Figure]) -> str:
    """The figures, one a line."""
    rows = [
        (name, f.what, f"{f.value:,.4g} {f.unit}".strip(), f.target) for f in figures
    ]
    return "\n".join(f"{a:10} {b:66} {c:>18}  {d}".rstrip() for a, b, c, d in rows)


def keep(name: str, about: str, figures: Sequence[Figure]) -> None:
    """Write what was measured, and on what: no host, no path, no date."""
    kept = {
        "benchmark": name,
        "measured": about,
        "figures": [
            {k: v for k, v in (asdict(f) | {"met": f.met}).items() if v is not None}
            for f in figures
        ],
        "cpus": os.cpu_count(),
        "python": platform.python_version(),
        "versions": {package: _find_version(package) for package in PACKAGES},
    }
    RESULTS.mkdir(exist_ok=True)
    path = RESULTS / f"{name}.json"
    path.write_text(json.dumps(kept, indent=2) + "\n", "utf-8")


def _find_version(package: str) -> str:
    """The version of a package; of ours also where it runs without being installed."""
    return __version__ if package == "measurand" else version(package)
