"""What a fitted model, or its priors alone, expects repeated studies to show.

A repeated study has the same tasks and pairs and new trainings: effects of tasks and
pairs are those of the posterior, effects of observations are drawn anew. The statistic
is the paper's: (Y1 - Y0) / n, averaged over models, tasks and subsamples.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.special import expit, roots_hermitenorm

from measurand.core.reader import Floats
from measurand.stats.exposure.blocks import dense
from measurand.stats.exposure.draws import by_point
from measurand.stats.exposure.nested import Grid
from measurand.stats.exposure.rows import Pairs
from measurand.stats.exposure.studies import MODELS, Latent, Priors, laid_out, study

NODES = 5  # of the integral over an observation's effect
BLOCK = 2_000_000  # logits in memory at once


@dataclass(frozen=True)
class PriorPredictive:
    """What the priors alone expect.

    Attributes:
        differences: The mean difference of a study, in percentage points, a draw.
        accuracies: The accuracy of a control arm on one subsample, a draw.
    """

    differences: Floats
    accuracies: Floats


def predicted(grid: Grid, *, rng: np.random.Generator, size: int) -> Floats:
    """Mean differences of repeated studies, in percentage points."""
    latent = grid.found.blocks.latent
    parts = []
    for logs, logits in expected_logits(grid, rng, size):
        noise = np.sqrt(latent.variance(logs, "observation"))
        if noise > 0:
            logits = logits + noise * rng.standard_normal(logits.shape)
        parts.append(observed(latent, expit(logits), rng))
    return np.asarray(rng.permutation(np.concatenate(parts)))


def average(grid: Grid, *, rng: np.random.Generator, size: int) -> Floats:
    """Mean differences in true accuracy, in percentage points.

    Without the luck of single trainings and items: what endless replication of these
    pairs would show. The effect of an observation is integrated out.
    """
    latent = grid.found.blocks.latent
    nodes, weights = roots_hermitenorm(NODES)
    shares = weights / weights.sum()
    parts = []
    for logs, logits in expected_logits(grid, rng, size):
        noise = float(np.sqrt(latent.variance(logs, "observation")))
        right = np.zeros_like(logits)
        for node, share in zip(nodes, shares, strict=True) if noise else [(0.0, 1.0)]:
            right += share * expit(logits + noise * node)
        parts.append(difference(latent, right))
    return np.asarray(rng.permutation(np.concatenate(parts)))


def expected_logits(
    grid: Grid, rng: np.random.Generator, size: int
) -> Iterator[tuple[Floats, Floats]]:
    """Draws of the logits without effects of observations, with their log sds."""
    latent = grid.found.blocks.latent
    for logs, effects in by_point(grid, rng, size, observations=False):
        tasks = dense(latent, effects.fixed, effects.local)
        yield logs, np.asarray(tasks + effects.pair[..., None, :])


def difference(latent: Latent, right: Floats) -> Floats:
    """Treatment less control accuracy, averaged over pairs, in percentage points."""
    seen = latent.trials[0] > 0
    rates = np.where(seen, right, 0.0)
    # Control and treatment alternate along the slots, whatever else shares a pair.
    gained = rates[..., 1::2, :] - rates[..., ::2, :]
    pairs = seen[..., ::2, :].sum()
    return np.asarray(100 * gained.sum(axis=(-4, -3, -2, -1)) / pairs)


def observed(latent: Latent, right: Floats, rng: np.random.Generator) -> Floats:
    """The difference that counts with these chances show, luck of items included.

    A sum of so many counts is normal for all that matters, and cheaper to draw than
    its parts.
    """
    trials = latent.trials[0]
    seen = trials > 0
    spread = np.where(seen, right * (1 - right) / np.where(seen, trials, 1), 0.0)
    pairs = seen[..., ::2, :].sum()
    luck = 100 * np.sqrt(spread.sum(axis=(-4, -3, -2, -1))) / pairs
    shown = difference(latent, right) + luck * rng.standard_normal(len(right))
    return np.asarray(shown)


def prior_predictive(
    pairs: Pairs,
    model: str = "observation",
    priors: Priors | None = None,
    *,
    rng: np.random.Generator,
    size: int = 2_000,
) -> PriorPredictive:
    """What studies of this shape show where only the priors speak."""
    latent = laid_out(study(pairs), MODELS[model], priors or Priors())
    most = max(1, BLOCK // latent.correct.size)
    cells = np.argwhere(latent.trials[0][..., ::2, :] > 0) * np.array([1, 1, 2, 1])
    differences, accuracies = [], []
    for done in range(0, size, most):
        right = prior_chances(latent, rng, min(most, size - done))
        differences.append(observed(latent, right, rng))
        one = tuple(cells[rng.integers(len(cells), size=len(right))].T)
        chances = right[(np.arange(len(right)), *one)]
        trials = latent.trials[0][one]
        accuracies.append(rng.binomial(trials.astype(np.int64), chances) / trials)
    return PriorPredictive(np.concatenate(differences), np.concatenate(accuracies))


def prior_chances(latent: Latent, rng: np.random.Generator, size: int) -> Floats:
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
    logits = dense(latent, fixed, local_sds * rng.standard_normal(tasks))
    paired = pair_sds * rng.standard_normal((size, *shape[:2], shape[3]))
    logits = logits + paired[..., None, :] + noise * rng.standard_normal((size, *shape))
    return np.asarray(expit(logits))
