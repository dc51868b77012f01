"""Intervals of the contrasts of arms over uneven families: coverage and errors.

Scores are drawn, not read: how often each item is right depends on its family, its
query, its text and chance, and the truth of each contrast is known. What cross-fitting
adds is measured by `bench truth`, on benchmarks that readers learn.
"""

import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from itertools import product

import numpy as np
from numpy.typing import NDArray

from bench.figures import Figure
from measurand.arms.alone import MARGIN
from measurand.arms.contrast import best_gain, mean_difference
from measurand.arms.families import Family
from measurand.core.arrays import Floats
from measurand.stats.shuffles import shuffle_effect

SIZES = (100, 300, 1_000, 4_000)
RUNS = 2_000
SHUFFLES = 10
FAMILY_SHARE = 0.15  # spread of an item's chance that its family decides
TEXT_SHARE = 0.15  # the same of the text that it is given


def zipf_sizes(n: int) -> NDArray[np.int64]:
    """Sizes that fall as 1 / rank, the largest a fifth of all items."""
    ranks = np.arange(1, n + 1)
    sizes = np.maximum((n / 5 / ranks).round(), 1).astype(int)
    count = int(np.searchsorted(np.cumsum(sizes), n)) + 1
    sizes = sizes[:count]
    sizes[-1] -= int(sizes.sum()) - n
    return np.asarray(sizes[sizes > 0])


DEALS: dict[str, Callable[[int], "Sequence[int] | NDArray[np.int64]"]] = {
    "single": lambda n: [1] * n,
    "pairs": lambda n: [2] * (n // 2),
    "sixty": lambda n: [n // 60 + (k < n % 60) for k in range(60)],
    "zipf": zipf_sizes,
    "half": lambda n: [n // 2, *[1] * (n - n // 2)],
}


def draw_family(shape: str, n: int) -> Family:
    """Families of that shape."""
    return Family("pair", np.repeat(np.arange(len(DEALS[shape](n))), DEALS[shape](n)))


def _effects(family: Family, spread: float, rng: np.random.Generator) -> Floats:
    """What each item's family adds to its chance: one of two values, so none is cut."""
    return (spread * rng.choice([-1.0, 1.0], len(family.sizes)))[family.numbers]


def simulate_loss(family: Family, rng: np.random.Generator) -> tuple[bool, bool, bool]:
    """Whether the interval of a loss covers, lies above it, lies below it."""
    n = len(family.numbers)
    own = _effects(family, FAMILY_SHARE, rng)
    text = _effects(family, TEXT_SHARE, rng)
    right = rng.random(n) < 0.65 + own
    donors = np.array([rng.permutation(n) for _ in range(SHUFFLES)], np.int32)
    chance = np.clip(0.5 + own[None] + text[donors], 0, 1)
    wrong = rng.random(donors.shape) < chance
    effect = shuffle_effect(
        right.astype(float), wrong.astype(float), donors, family.numbers
    )
    seen = effect.interval(0.95)
    truth = 0.15
    return seen.low <= truth <= seen.high, seen.low > truth, seen.high < truth


def simulate_mean(family: Family, rng: np.random.Generator) -> tuple[bool, bool, bool]:
    """The same of a paired difference of accuracies at the margin."""
    n = len(family.numbers)
    own, also = (_effects(family, FAMILY_SHARE, rng) for _ in range(2))
    a = rng.random(n) < 0.6 + MARGIN + own
    b = rng.random(n) < 0.6 + also
    seen = mean_difference(a.astype(float), b.astype(float), family)
    return seen.low <= MARGIN <= seen.high, seen.low > MARGIN, seen.high < MARGIN


def simulate_gain(family: Family, rng: np.random.Generator) -> tuple[bool, bool, bool]:
    """Whether the ends of a gain hold, three readers and four rivals tied at it."""
    n = len(family.numbers)
    own = _effects(family, FAMILY_SHARE, rng)
    readers = {
        f"reader {k}": (rng.random(n) < 0.6 + MARGIN + own).astype(float)
        for k in range(3)
    }
    rivals = {f"rival {k}": (rng.random(n) < 0.6 + own).astype(float) for k in range(4)}
    gain = best_gain(readers, rivals, family)
    low, high = gain.low > MARGIN, gain.high < MARGIN
    return not (low or high), low, high


KINDS = {"loss": simulate_loss, "mean": simulate_mean, "gain": simulate_gain}


def simulate(kind: str, shape: str, n: int, runs: int) -> dict[str, float | str | int]:
    """The coverage of one contrast over families of one shape."""
    family = draw_family(shape, n)
    seeds = [np.random.default_rng([n, run, *shape.encode()]) for run in range(runs)]
    outcomes = np.array([KINDS[kind](family, rng) for rng in seeds])
    covered, above, below = outcomes.mean(axis=0).tolist()
    return {
        "contrast": kind,
        "families": shape,
        "n": n,
        "effective": round(family.effective, 1),
        "covered": covered,
        "above": above,
        "below": below,
        "runs": runs,
    }


def run(arguments: Sequence[str]) -> list[Figure]:
    """All contrasts over all shapes and sizes, printed as they come and kept."""
    numbers = [int(a) for a in arguments if a.isdigit()]
    runs = numbers[0] if numbers else RUNS
    workers = numbers[1] if len(numbers) > 1 else 1
    jobs = [*product(KINDS, DEALS, SIZES)]
    kinds, shapes, sizes = zip(*jobs, strict=True)
    rows = []
    with ProcessPoolExecutor(workers) as pool:
        for row in pool.map(simulate, kinds, shapes, sizes, [runs] * len(jobs)):
            rows.append(row)
            print(*row.values(), flush=True, file=sys.stderr)
    return [
        Figure(
            f"{row['contrast']}, {row['families']}, n = {row['n']}, "
            f"{row['effective']} effective families: {what}",
            float(row[what]),
            "share",
        )
        for row in rows
        for what in ("covered", "above", "below")
    ]
