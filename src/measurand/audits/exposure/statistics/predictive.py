"""What a fitted model, or its priors alone, expects repeated studies to show.

A repeated study has the same tasks and pairs and new trainings: effects of tasks and
pairs are those of the posterior, effects of observations are drawn again. The statistic
is the paper's: (Y1 - Y0) / n, averaged over models, tasks and subsamples.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

import numpy as np
from scipy.special import expit, roots_hermitenorm

from measurand.audits.exposure.statistics.blocks import dense_logits
from measurand.audits.exposure.statistics.counts import ArmPairs
from measurand.audits.exposure.statistics.laplace import PosteriorGrid, draw_by_point
from measurand.audits.exposure.statistics.studies import (
    MODELS,
    Latent,
    Priors,
    lay_out_studies,
    tabulate_study,
)
from measurand.core.arrays import Floats

NODES, FEW = 5, 3  # of the integral over an observation's effect
SMALL = 0.6  # of its sd: below, three nodes are right to a thousandth of a point
FARTHEST = 300.0  # logits beyond are as good as these, and their squares are finite
BLOCK = 2_000_000  # logits in memory at once
CELLS = (-4, -3, -2, -1)  # the axes of a study


@dataclass(frozen=True)
class PriorPredictive:
    """What the priors alone expect."""

    differences: Floats
    accuracies: Floats


@dataclass(frozen=True)
class RepeatedStudies:
    """What repeated studies of the same pairs would show, a draw of the posterior each.

    Attributes:
        predictive: The mean difference of one repeated study, in percentage points.
        average: That of endless ones: without the luck of trainings and items.
    """

    predictive: Floats
    average: Floats


def repeat_studies(
    grid: PosteriorGrid, *, rng: np.random.Generator, size: int
) -> RepeatedStudies:
    """Draws of both from one pass.

    The effect of an observation is integrated out. What it and the luck of items add
    to one study is a sum of so many terms that it is normal for all that matters, and
    cheaper to draw than its parts.
    """
    latent = grid.mode.blocks.latent
    average, luck = [], []
    for logs, logits in _expected_logits(grid, rng, size):
        noise = float(np.sqrt(latent.variance(logs, "observation")))
        right, spread = moments(logits, noise)
        average.append(_accuracy_difference(latent, right))
        luck.append(_luck_sd(latent, right, spread))
    order = rng.permutation(size)
    mean = np.concatenate(average)[order]
    lucky = np.concatenate(luck)[order] * rng.standard_normal(size)
    return RepeatedStudies(mean + lucky, mean)


def _expected_logits(
    grid: PosteriorGrid, rng: np.random.Generator, size: int
) -> Iterator[tuple[Floats, Floats]]:
    """Draws of the logits without effects of observations, with their log sds."""
    latent = grid.mode.blocks.latent
    for logs, effects in draw_by_point(grid, rng, size, observations=False):
        logits = effects.pair[..., None, :] + dense_logits(
            latent, effects.fixed, effects.local
        )
        yield logs, np.asarray(logits)


def moments(logits: Floats, noise: float) -> tuple[Floats, Floats]:
    """Mean and variance of a chance whose logit has normal noise, by quadrature.

    An analysis spends its time here. Nodes come in pairs about zero; of a pair, product
    and sum of the chances need one division: with odds against x, 1 / (1 + s x + x²)
    and (2 + s x) times that, where s is the sum of what the two nodes do to x.

    >>> mean, variance = moments(np.zeros(1), 0.5)
    >>> round(float(mean[0]), 9), round(float(variance[0]), 3)
    (0.5, 0.014)
    """
    against = np.exp(np.minimum(-logits, FARTHEST))
    alone = 1 / (1 + against)
    if noise == 0:
        return alone, np.zeros_like(alone)
    middle, pairs = _quadrature(FEW if noise < SMALL else NODES)
    mean, square = middle * alone, middle * alone**2
    rest = against**2
    rest += 1
    for node, share in pairs:
        moved = (2 * np.cosh(noise * node)) * against
        product = 1 / (rest + moved)
        moved += 2
        moved *= product
        mean += share * moved
        moved *= moved
        product *= 2
        moved -= product
        moved *= share
        square += moved
    square -= mean**2
    return mean, square


@cache
def _quadrature(nodes: int) -> tuple[float, list[tuple[float, float]]]:
    """The weight of the middle node, and each positive node with its weight."""
    positions, weights = roots_hermitenorm(nodes)
    shares = weights / weights.sum()
    half = nodes // 2
    further = zip(positions[half + 1 :], shares[half + 1 :], strict=True)
    return float(shares[half]), [(float(node), float(share)) for node, share in further]


def _accuracy_difference(latent: Latent, right: Floats) -> Floats:
    """Treatment less control accuracy, averaged over pairs, in percentage points."""
    has_trials = latent.trials[0] > 0
    rates = right if has_trials.all() else np.where(has_trials, right, 0.0)
    # Control and treatment alternate along the slots, whatever else shares a pair.
    gained = rates[..., 1::2, :].sum(axis=CELLS) - rates[..., ::2, :].sum(axis=CELLS)
    return np.asarray(100 * gained / has_trials[..., ::2, :].sum())


def _luck_sd(latent: Latent, right: Floats, spread: Floats | float = 0.0) -> Floats:
    """The sd that the luck of trainings and items gives the difference of a study."""
    trials = latent.trials[0]
    has_trials = trials > 0
    # Of items: E[p (1 - p)] / n, where E[p²] is the mean squared and the spread.
    items = (right - right**2 - spread) / np.where(has_trials, trials, 1.0)
    variances = items + spread
    total = (
        variances if has_trials.all() else np.where(has_trials, variances, 0.0)
    ).sum(axis=CELLS)
    return np.asarray(100 * np.sqrt(total) / has_trials[..., ::2, :].sum())


def _difference_with_luck(
    latent: Latent, right: Floats, rng: np.random.Generator
) -> Floats:
    """The difference that counts with these chances show, luck of items included."""
    lucky = _luck_sd(latent, right) * rng.standard_normal(len(right))
    return np.asarray(_accuracy_difference(latent, right) + lucky)


def prior_predictive(
    pairs: ArmPairs,
    model: str = "observation",
    priors: Priors | None = None,
    *,
    rng: np.random.Generator,
    size: int = 2_000,
) -> PriorPredictive:
    """What studies of this shape show where only the priors speak."""
    latent = lay_out_studies(tabulate_study(pairs), MODELS[model], priors or Priors())
    piece_size = max(1, BLOCK // latent.correct.size)
    cells = np.argwhere(latent.trials[0][..., ::2, :] > 0) * np.array([1, 1, 2, 1])
    differences, accuracies = [], []
    for done in range(0, size, piece_size):
        right = _prior_chances(latent, rng, min(piece_size, size - done))
        differences.append(_difference_with_luck(latent, right, rng))
        sampled_cells = tuple(cells[rng.integers(len(cells), size=len(right))].T)
        chances = right[(np.arange(len(right)), *sampled_cells)]
        trials = latent.trials[0][sampled_cells]
        accuracies.append(rng.binomial(trials.astype(np.int64), chances) / trials)
    return PriorPredictive(np.concatenate(differences), np.concatenate(accuracies))


def _prior_chances(latent: Latent, rng: np.random.Generator, size: int) -> Floats:
    """Chances of a correct answer, everything drawn from its prior."""
    shape = latent.correct.shape[1:]
    scales = np.abs(rng.standard_normal((size, len(latent.effects)))) * latent.scales
    logs = np.log(scales)
    local_sds = np.sqrt(latent.local_variances(logs))[:, None, :]
    pair_sds = np.sqrt(latent.variance(logs, "pair"))[:, None, None, None]
    noise = np.sqrt(latent.variance(logs, "observation"))[:, None, None, None, None]
    fixed = rng.standard_normal((size, len(latent.precision)))
    fixed = fixed / np.sqrt(latent.precision)
    tasks = (size, shape[0], latent.local.shape[-1])
    logits = dense_logits(latent, fixed, local_sds * rng.standard_normal(tasks))
    paired = pair_sds * rng.standard_normal((size, *shape[:2], shape[3]))
    logits = logits + paired[..., None, :] + noise * rng.standard_normal((size, *shape))
    return np.asarray(expit(logits))
