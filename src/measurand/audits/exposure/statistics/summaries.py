"""A task at a time: is its mean difference above zero?

Under no effect, the difference of a subsample is as likely as its negative. Models that
were tested on one subsample share its items, so their differences flip sign together.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
import pandas as pd
from scipy.stats import norm

from measurand.audits.exposure.statistics.counts import ArmPairs
from measurand.audits.exposure.statistics.hierarchical import (
    LEVEL,
    Mixture,
    fit_posterior,
    fit_studies,
)
from measurand.audits.exposure.statistics.studies import (
    METHODS,
    Studies,
    tabulate_study,
)
from measurand.core.arrays import Floats
from measurand.core.errors import Undefined
from measurand.core.estimate import Estimate
from measurand.stats.decisions import benjamini_hochberg
from measurand.stats.scores import wilson_share

PERMUTATIONS = 10_000


@dataclass(frozen=True)
class TaskDifferences:
    """One contrast, a task at a time.

    Attributes:
        table: One row per task: `difference` (percentage points), `subsamples`, `p`
            (one- sided, that it is not above 0), `p_adjusted` (Benjamini and Hochberg).
        contrast: boost or bias.
    """

    table: pd.DataFrame
    contrast: str

    @property
    def positive(self) -> int:
        """How many tasks have a mean difference above zero."""
        return int((self.table["difference"] > 0).sum())

    @property
    def negative(self) -> int:
        """How many tasks have a mean difference below zero."""
        return int((self.table["difference"] < 0).sum())


def differences_by_task(
    pairs: ArmPairs, *, rng: np.random.Generator, permutations: int = PERMUTATIONS
) -> TaskDifferences:
    """Each task's mean difference, and how easily luck alone would give it."""
    points = pairs.table.assign(difference=100 * pairs.differences)
    rows = {}
    for task, part in points.groupby("task", sort=True):
        summed = part.groupby("subsample")["difference"].sum().to_numpy(float)
        rows[task] = {
            "difference": float(part["difference"].mean()),
            "subsamples": len(summed),
            "p": sign_flip_p(summed, rng=rng, permutations=permutations),
        }
    table = pd.DataFrame.from_dict(rows, orient="index").rename_axis("task")
    adjusted = benjamini_hochberg(table["p"].to_numpy(float))
    return TaskDifferences(table.assign(p_adjusted=adjusted), pairs.contrast)


def sign_flip_p(
    differences: Floats, *, rng: np.random.Generator, permutations: int = PERMUTATIONS
) -> float:
    """The one-sided p-value that differences symmetric about zero sum to so much.

    Exact where all patterns of signs are no more than the permutations.

    >>> sign_flip_p(np.array([1.0, 2.0, 3.0]), rng=np.random.default_rng(0))
    0.125
    """
    if len(differences) == 0:
        raise Undefined("no subsamples to flip")
    total = differences.sum() - 1e-9  # so that rounding hides no tie
    if 2 ** min(len(differences), 60) <= permutations:
        signs = np.array(list(product((-1, 1), repeat=len(differences))))
        return float((signs @ differences >= total).mean())
    signs = rng.integers(0, 2, (permutations, len(differences))) * 2 - 1
    return float((1 + (signs @ differences >= total).sum()) / (1 + permutations))


def per_doubling(
    tables: Sequence[tuple[Hashable, int, ArmPairs]], level: float = 0.95
) -> Estimate:
    """What the mean difference in points gains when n doubles, within each m.

    Least squares on the logarithm of n, with a level of its own for every m. Draws of
    one number may share rows from size to size, so a task's draws of one number are one
    unit of the variance.
    """
    if not any(a[0] == b[0] and a[1] != b[1] for a in tables for b in tables):
        raise Undefined("a trend needs studies of at least two n with one m")
    doublings = np.log2([float(n) for _, n, _ in tables])
    for m in dict.fromkeys(m for m, _, _ in tables):
        rows = [at for at, table in enumerate(tables) if table[0] == m]
        doublings[rows] -= doublings[rows].mean()
    weights = doublings / (doublings @ doublings)
    slope, parts = 0.0, []
    for weight, (_, _, pairs) in zip(weights, tables, strict=True):
        points = pairs.table.assign(difference=100 * pairs.differences)
        draws = points.groupby(["task", "subsample"])["difference"].mean()
        tasks = draws.groupby("task")
        slope += float(weight * tasks.mean().mean())
        centred = (draws - tasks.transform("mean")) / tasks.transform("size")
        parts.append(weight * centred / tasks.ngroups)
    units = pd.concat(parts).groupby(level=["task", "subsample"]).sum()
    half = float(norm.ppf((1 + level) / 2)) * float(np.sqrt((units**2).sum()))
    method = "least squares on log2 of n within m, draws as clusters"
    return Estimate(slope, slope - half, slope + half, level, len(units), method)


SPREAD_DRAWS = 10_000  # of the two mean squares
SPREAD_LEVEL = 0.95


@dataclass(frozen=True)
class Spread:
    """Standard deviations of a difference, in percentage points.

    Attributes:
        subsample: Between draws of train, extra and test text.
        training: Between trainings on one draw: heads, orders, masks.
        draws: How many draws were trained on more than once.
    """

    subsample: Estimate
    training: Estimate
    draws: int


def variance_components(pairs: ArmPairs, *, rng: np.random.Generator) -> Spread:
    """The spread of draws apart from that of trainings, within tasks and models.

    One-way analysis of variance with unequal group sizes; a subsample variance that
    comes out below zero is none. Intervals are generalised ones (Weerahandi): what the
    two variances can be when each mean square is a chi-square of its own.
    """
    table = pairs.table.assign(difference=100 * pairs.differences)
    cell = table.groupby(["lm", "task"])["difference"]
    draw = table.groupby(["lm", "task", "subsample"])["difference"]
    sizes, cells = draw.size(), cell.size()
    if (sizes < 2).all():
        raise Undefined("no draw was trained on twice; number trainings in 'training'")
    if len(sizes) == len(cells):
        raise Undefined("every task has one subsample, so draws have no spread")
    of_draw = draw.transform("mean")
    within = float(((table["difference"] - of_draw) ** 2).sum())
    between = float(((of_draw - cell.transform("mean")) ** 2).sum())
    free = len(table) - len(sizes), len(sizes) - len(cells)
    squares = sizes.pow(2).groupby(["lm", "task"]).sum() / cells
    typical = float(cells.sum() - squares.sum()) / free[1]
    training, draws = within / free[0], between / free[1]
    likely = within / rng.chisquare(free[0], SPREAD_DRAWS)
    apart = (between / rng.chisquare(free[1], SPREAD_DRAWS) - likely) / typical
    return Spread(
        _sd_estimate((draws - training) / typical, apart, len(sizes)),
        _sd_estimate(training, likely, len(table)),
        int((sizes > 1).sum()),
    )


def _sd_estimate(variance: float, likely: np.ndarray, n: int) -> Estimate:
    """A standard deviation, from a variance and what else it could be."""
    ends = np.quantile(likely, [(1 - SPREAD_LEVEL) / 2, (1 + SPREAD_LEVEL) / 2])
    value, low, high = np.sqrt(np.maximum([variance, *ends], 0.0)).tolist()
    return Estimate(
        value, low, high, SPREAD_LEVEL, n, "analysis of variance, generalised"
    )


SLICES = 500
PLAIN = 50  # slices by which it is found what the plain model distinguishes from zero


@dataclass(frozen=True)
class SliceAnalysis:
    """How slices without replication turn out.

    Attributes:
        beta: The posterior of each slice.
        grand_mean: Of beta, from all triples.
        notable: Log-odds beyond which a posterior mean is.
        outside: The share of slices whose posterior mean is notable.
        excluding: The share of intervals without 0.
        coverage: The share of intervals that cover the grand mean.
    """

    beta: Mixture
    grand_mean: float
    notable: float
    outside: Estimate
    excluding: Estimate
    coverage: Estimate


def analyse_slices(
    pairs: ArmPairs,
    model: str = "observation",
    *,
    rng: np.random.Generator,
    slices: int = SLICES,
    notable: float | None = None,
    level: float = LEVEL,
    grand_mean: float | None = None,
) -> SliceAnalysis:
    """The distribution of conclusions over slices with one triple a task and model.

    The grand mean is that of all triples, fitted here where it is not known already.
    What is notable is what the plain binomial model, by which such studies are read,
    would tell from zero: its interval of this level, to two digits, unless it is given.
    The paper has 0.04, and 0.07 for its zero-shot study.
    """
    grand = (
        float(fit_posterior(pairs, model).beta.mean)
        if grand_mean is None
        else grand_mean
    )
    drawn = draw_slices(pairs, rng=rng, slices=slices)
    beta = fit_studies(drawn, model)
    low, high = beta.interval(level)
    if notable is None:
        plain = fit_studies(
            Studies(drawn.correct[:PLAIN], drawn.trials[:PLAIN]), "plain"
        )
        quantile = float(norm.ppf((1 + level) / 2))
        notable = max(0.01, round(quantile * float(np.median(plain.sd)), 2))
    return SliceAnalysis(
        beta,
        grand,
        notable,
        wilson_share(int((np.abs(beta.mean) > notable).sum()), slices),
        wilson_share(int(((low > 0) | (high < 0)).sum()), slices),
        wilson_share(int(((low < grand) & (grand < high)).sum()), slices),
    )


def draw_slices(pairs: ArmPairs, *, rng: np.random.Generator, slices: int) -> Studies:
    """Studies with one triple of each task and model, drawn at random.

    A task's draw is the same for all models: an unreplicated benchmark has one split.
    """
    full_study = tabulate_study(pairs)
    tasks, models = full_study.correct.shape[1:3]
    flat = (tasks, models, -1, METHODS)
    correct, trials = full_study.correct.reshape(flat), full_study.trials.reshape(flat)
    shape = (slices, tasks, models, 1, 1, METHODS)
    slice_correct, slice_trials = np.zeros(shape), np.zeros(shape)
    for task in range(tasks):
        available = np.flatnonzero((trials[task] > 0).all(axis=(0, 2)))
        sampled_triples = available[rng.integers(len(available), size=slices)]
        slice_correct[:, task, :, 0, 0] = np.moveaxis(
            correct[task][:, sampled_triples], 1, 0
        )
        slice_trials[:, task, :, 0, 0] = np.moveaxis(
            trials[task][:, sampled_triples], 1, 0
        )
    return Studies(slice_correct, slice_trials)
