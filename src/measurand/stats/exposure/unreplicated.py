"""What a study would have said without replication.

A slice keeps one triple of each task and model, as most benchmarks do. Many slices show
how often such a study would report an effect, and whether its intervals are honest:
whether they cover the grand mean, which all triples together give.
"""

from dataclasses import dataclass

import numpy as np

from measurand.core.finding import Estimate
from measurand.stats.exposure.hierarchical import LEVEL, fit_posterior, fit_studies
from measurand.stats.exposure.mixture import Mixture
from measurand.stats.exposure.rows import ArmPairs
from measurand.stats.exposure.studies import METHODS, Studies, tabulate_study
from measurand.stats.scores import wilson_share

SLICES = 500
NOTABLE = 0.04  # log-odds: about the step between neighbours on a leaderboard


@dataclass(frozen=True)
class SliceAnalysis:
    """How slices without replication turn out.

    Attributes:
        beta: The posterior of each slice.
        grand_mean: Of beta, from all triples.
        outside: The share of slices whose posterior mean is notable.
        excluding: The share of intervals without 0.
        coverage: The share of intervals that cover the grand mean.
    """

    beta: Mixture
    grand_mean: float
    outside: Estimate
    excluding: Estimate
    coverage: Estimate


def analyse_slices(
    pairs: ArmPairs,
    model: str = "observation",
    *,
    rng: np.random.Generator,
    slices: int = SLICES,
    notable: float = NOTABLE,
    level: float = LEVEL,
    grand_mean: float | None = None,
) -> SliceAnalysis:
    """The distribution of conclusions over slices with one triple a task and model.

    The grand mean is that of all triples, fitted here where it is not known already.
    """
    grand = (
        float(fit_posterior(pairs, model).beta.mean)
        if grand_mean is None
        else grand_mean
    )
    beta = fit_studies(draw_slices(pairs, rng=rng, slices=slices), model)
    low, high = beta.interval(level)
    return SliceAnalysis(
        beta,
        grand,
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
