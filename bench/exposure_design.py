"""Whether intervals and verdicts of the exposure audit hold in simulated studies.

    python -m bench exposure_design [STUDIES]

A study has six tasks, one model, 20 draws of 200 test items from a pool, and an effect
whose mean over its tasks is the margin itself, 1 point: there a false alarm and a false
all-clear are both as likely as they can be. Tasks differ by a standard deviation of 0,
0.1 or 0.2 log-odds; 12 % of the items have an effect of their own, which any draw of
the pool meets again; the arms of a draw share the luck of an item hardly (0) or nearly
wholly (0.95), and trainings differ by 0.2 or 0.02 log-odds. Stated for each are how
often 89 % intervals cover the mean over the study's tasks, how often a mean or a task
that is not above the margin is called so, and how often "not inflated" is said, and is
false: the mean is at the margin, or the study's own tasks differ by a standard
deviation of twice the margin or more. `null` repeats this with a mean of zero: where
tasks do not differ, "not inflated" is then the power.
"""

import sys
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from itertools import product

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from bench.figures import Figure
from measurand.audits.exposure.statistics.decisions import WIDER, decide
from measurand.audits.exposure.statistics.task_means import (
    POINTS,
    TaskMeans,
    task_means,
)
from measurand.core.arrays import Floats
from measurand.core.seeds import generator

TASKS, DRAWS, N, MARGIN, LEVEL = 6, 20, 200, 1.0, 0.89
SPREADS, POOLS = (0.0, 0.1, 0.2), (450, 20_000)
AGREEMENT = {"low": (0.0, 0.2), "high": (0.95, 0.02)}  # of luck, sd of trainings
ITEM_SD, OWN_SHARE, OWN_EFFECT = 1.5, 0.12, 1.5  # log-odds
LOGITS = 1.702  # of a probit, about
STUDIES, PIECE = 2_000, 20
GRID = np.linspace(-1.5, 1.5, 301)  # shifts whose mean effect is worked out
SAMPLE = 200_000  # items that stand for all of a population


@dataclass(frozen=True)
class Setting:
    """What studies are simulated from."""

    spread: float
    pool: int
    agreement: str
    mean: float

    def __str__(self) -> str:
        """Its name among the figures."""
        where = "null" if self.mean == 0 else "margin"
        return f"{where}_spread_{self.spread:g}_pool_{self.pool}_{self.agreement}"


def items(shape: tuple[int, ...], rng: np.random.Generator) -> tuple[Floats, Floats]:
    """How hard items are without the treatment, and with it, in probits."""
    hard = 0.5 + ITEM_SD * rng.standard_normal(shape, dtype=np.float32)
    own = rng.random(shape, dtype=np.float32)  # the sign, and whether there is any
    signs = np.where(own < OWN_SHARE / 2, -OWN_EFFECT, OWN_EFFECT).astype(np.float32)
    return hard / LOGITS, (hard + np.where(own < OWN_SHARE, signs, 0)) / LOGITS


def effect_curve(noise: float) -> Floats:
    """The mean effect in points at each shift of the grid, over the population."""
    before, after = items((SAMPLE,), generator(0, "bench", "population"))
    scale = np.sqrt(1 + (noise / LOGITS) ** 2)  # what the luck of trainings flattens
    chances = [ndtr((after + shift / LOGITS) / scale).mean() for shift in GRID]
    return POINTS * (np.array(chances) - ndtr(before / scale).mean())


def true_effects(
    setting: Setting, studies: int, curve: Floats, rng: np.random.Generator
) -> tuple[Floats, Floats]:
    """The shift and the effect of each task; the mean of each study is as wanted."""
    shifts = setting.spread * rng.standard_normal((studies, TASKS))
    effects = np.interp(shifts, GRID, curve)
    effects += setting.mean - effects.mean(axis=1, keepdims=True)
    return np.interp(effects, curve, GRID), effects


def simulated(setting: Setting, shifts: Floats, rng: np.random.Generator) -> TaskMeans:
    """What the draws of some studies show: studies × tasks."""
    agreement, noise = AGREEMENT[setting.agreement]
    cells = shifts.size
    before, after = items((cells, setting.pool), rng)
    after += (shifts.reshape(cells, 1) / LOGITS).astype(np.float32)
    rows = np.arange(cells)[:, None]
    places = np.zeros((DRAWS, cells, N), np.int64)
    gained = np.zeros((DRAWS, cells, N), np.float32)
    for draw in range(DRAWS):
        tested = drawn_items(cells, setting.pool, rng)
        luck = rng.standard_normal((2, cells, N), dtype=np.float32)
        luck[1] = agreement * luck[0] + np.sqrt(1 - agreement**2) * luck[1]
        luck -= noise / LOGITS * rng.standard_normal((2, cells, 1), dtype=np.float32)
        gained[draw] += luck[1] < after[rows, tested]
        gained[draw] -= luck[0] < before[rows, tested]
        places[draw] = rows * setting.pool + tested
    gained *= POINTS
    differences = gained.mean(axis=2, dtype=float).T
    gained -= differences.mean(axis=1)[:, None].astype(np.float32)
    sums = np.bincount(places.ravel(), gained.ravel(), cells * setting.pool)
    across = (sums.reshape(cells, -1) ** 2).sum(axis=1)
    across -= (gained**2).sum(axis=(0, 2), dtype=float)
    shared = across / (N**2 * DRAWS * (DRAWS - 1))
    split = (*shifts.shape, DRAWS)
    return task_means(differences.reshape(split), N, shared.reshape(shifts.shape))


def drawn_items(cells: int, pool: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """The items that each task tests in one draw; of large pools one may come twice."""
    if pool > 10 * N:
        return rng.integers(pool, size=(cells, N))
    order = rng.random((cells, pool), dtype=np.float32)
    return np.argpartition(order, N, axis=1)[:, :N]


def outcomes(setting: Setting, studies: int) -> dict[str, float]:
    """How often intervals cover and verdicts err."""
    rng = generator(0, "bench", str(setting))
    curve = effect_curve(AGREEMENT[setting.agreement][1])
    names = ("covered", "inflated", "not_inflated", "false_not_inflated", "width")
    counts = dict.fromkeys(names, 0.0)
    alone = 0.0
    for start in range(0, studies, PIECE):
        shifts, effects = true_effects(setting, min(PIECE, studies - start), curve, rng)
        cells = simulated(setting, shifts, rng)
        verdicts = decide(cells, [cells], MARGIN)
        inside = np.abs(cells.average - setting.mean) <= cells.half_width(LEVEL)
        wrong = (verdicts.above.tasks & (effects <= MARGIN)).any(axis=1)
        counts["covered"] += inside.sum()
        counts["inflated"] += (verdicts.inflated | wrong).sum()
        apart = effects.std(axis=1, ddof=1) >= WIDER * MARGIN
        counts["not_inflated"] += verdicts.within.sum()
        beyond = apart | (setting.mean >= MARGIN)
        counts["false_not_inflated"] += (verdicts.within & beyond).sum()
        counts["width"] += cells.half_width(LEVEL).sum()
        draws = task_means_alone(cells)
        alone += (np.abs(cells.average - setting.mean) <= draws.half_width(LEVEL)).sum()
    shares = {name: round(float(count) / studies, 4) for name, count in counts.items()}
    return {**shares, "covered_by_draws_alone": round(float(alone) / studies, 4)}


def task_means_alone(cells: TaskMeans) -> TaskMeans:
    """The same, were draws independent."""
    return TaskMeans(cells.means, cells.luck, np.zeros_like(cells.luck), cells.draws)


def held(setting: Setting, shares: dict[str, float]) -> list[Figure]:
    """The figures of one setting, each with its target where it has one."""
    targets = {
        "covered": {"least": 0.87, "most": 0.91},
        "inflated": {"most": 0.05},
        "false_not_inflated": {"most": 0.05},
    }
    return [
        Figure(
            f"{setting}, {name}",
            value,
            "points" if name == "width" else "share",
            **targets.get(name, {}),
        )
        for name, value in shares.items()
    ]


def run(arguments: list[str]) -> list[Figure]:
    """Simulate every setting."""
    studies = int(arguments[0]) if arguments else STUDIES
    figures = [Figure("studies a setting", studies, "studies")]
    choices = product((MARGIN, 0.0), SPREADS, POOLS, AGREEMENT)
    settings = [
        Setting(spread, items, agreement, mean)
        for mean, spread, items, agreement in choices
    ]
    with ProcessPoolExecutor() as workers:
        told = workers.map(partial(outcomes, studies=studies), settings)
        for setting, shares in zip(settings, told, strict=True):
            figures += held(setting, shares)
            print(setting, shares, file=sys.stderr, flush=True)
    return figures
