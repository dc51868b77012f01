"""What leakage of choices costs, and that it grows no faster than the items.

    python -m bench choices_size [FILE ...] [SIZE ...]

Runs `measurand leakage FILE --reader tfidf` in one process, on files that are given,
such as HellaSwag's validation part; and on made ones of growing size. Takes CPU minutes
and peak resident memory. 100,000 items take a quarter of an hour and more.
"""

import json
import math
import sys
import tempfile
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

from bench.figures import Figure
from bench.memory import peak
from bench.texts import choice_items

SIZES = (10_000, 30_000, 100_000)
OPTIONS = ("--reader", "tfidf", "--workers", "1", "--no-map")
STEEPEST = 1.15  # power of the number of items that still counts as linear growth


def run(arguments: Sequence[str]) -> list[Figure]:
    """CPU minutes and peak memory of each file, and by which power they grow."""
    sizes = [int(word) for word in arguments if word.isdigit()] or list(SIZES)
    files = [Path(word) for word in arguments if not word.isdigit()]
    figures: list[Figure] = []
    for file in files:
        figures += _state(file.name, *_measure(file))
    costs = []
    for size in sizes:
        with tempfile.TemporaryDirectory(prefix="measurand-bench-") as folder:
            file = Path(folder) / "choices.jsonl"
            with file.open("w", encoding="utf-8") as lines:
                lines.writelines(json.dumps(i) + "\n" for i in choice_items(size))
            costs.append(_measure(file))
        figures += _state(f"{size:,} made items", *costs[-1])
    for number, what in enumerate(("memory", "CPU time")):
        powers = [
            math.log(after[number] / before[number]) / math.log(large / small)
            for (before, after), (small, large) in zip(
                pairwise(costs), pairwise(sizes), strict=True
            )
        ]
        if powers:
            name = f"{what} grows by this power of the items, at most"
            figures.append(Figure(name, max(powers), "", most=STEEPEST))
    return figures


def _measure(file: Path, more: Sequence[str] = ()) -> tuple[int, float]:
    """Peak memory in bytes and CPU seconds of the whole command."""
    verb = [sys.executable, "-m", "measurand", "leakage", str(file)]
    return peak([*verb, *OPTIONS, *more])


def _state(name: str, memory: int, seconds: float) -> list[Figure]:
    """The two figures of one file."""
    print(f"{name}: {seconds / 60:.1f} min, {memory / 2**20:.0f} MiB", flush=True)
    return [
        Figure(f"{name}, CPU", seconds / 60, "min"),
        Figure(f"{name}, peak memory", memory / 2**20, "MiB"),
    ]
