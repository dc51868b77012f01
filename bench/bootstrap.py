"""What an interval costs: 10,000 resamples of 10,000 items, against a numpy loop."""

from collections.abc import Sequence

import numpy as np

from bench.figures import Figure, cpu
from measurand.core.seeds import generator
from measurand.stats.resampling import RESAMPLES, bootstrap

ITEMS = 10_000
LOOPED = 500  # resamples that the plain loop draws; the time is scaled to RESAMPLES


def run(arguments: Sequence[str]) -> list[Figure]:
    """The worst case, in which all rows differ, and the usual one."""
    rng = generator(0, "bench", "bootstrap")
    cases = {
        "all rows different": rng.normal(size=ITEMS),
        "right or wrong": (rng.random(ITEMS) < 0.7).astype(float),
    }
    return [figure for name, score in cases.items() for figure in case(name, score)]


def case(name: str, score: np.ndarray) -> list[Figure]:
    """A mean with its interval, by us and by a loop."""
    rows = np.column_stack([score, np.ones(ITEMS)])
    rng = generator(0, "bench", "ours")
    ours, found = cpu(lambda: bootstrap(lambda s: s[..., 0] / s[..., 1], rows, rng=rng))
    looped, (low, high) = cpu(lambda: loop(score))
    plain = looped * RESAMPLES / LOOPED
    width = (found.high - found.low) / (high - low)
    return [
        Figure(f"{name}: {RESAMPLES:,} × {ITEMS:,}", ours, "s", most=2.0),
        Figure(f"{name}: plain loop, scaled from {LOOPED}", plain, "s"),
        Figure(f"{name}: plain loop over ours", plain / ours, "times"),
        Figure(f"{name}: width of our interval over the loop's", width, "times"),
    ]


def loop(score: np.ndarray) -> tuple[float, float]:
    """The percentile interval as it is usually written down."""
    rng = generator(0, "bench", "loop")
    picks = (rng.integers(ITEMS, size=ITEMS) for _ in range(LOOPED))
    low, high = np.quantile([score[rows].mean() for rows in picks], [0.025, 0.975])
    return float(low), float(high)
