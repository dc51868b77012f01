"""Whether intervals cover the truth as often as they say, by simulation.

Studies are simulated with a known beta and with trainings that differ as much as the
published ones do; where the truth falls in each posterior gives the coverage of
intervals of every level at once.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from measurand.audits.exposure.statistics.hierarchical import LEVEL, fit_studies
from measurand.audits.exposure.statistics.studies import METHODS, Studies
from measurand.core.arrays import Floats
from measurand.core.estimate import Estimate
from measurand.stats.scores import wilson_share


@dataclass(frozen=True)
class Truth:
    """What studies are simulated from.

    Standard deviations are those of the published bias at m = 50, n = 200, as the model
    with an observation effect finds them.

    Attributes:
        beta: The log-odds that the treatment adds; the published boost is 0.22.
        intercept: The log-odds of the first model's control arm in an average task.
        lm: What each further model adds.
        task: Standard deviation of the effects of tasks.
        pair: Standard deviation of the effects of pairs.
        observation: Standard deviation of the effects of single trainings.
        tasks: How many there are.
        models: How many there are.
        subsamples: Of each task.
        n: Test items.
    """

    beta: float = 0.0
    intercept: float = -0.12
    lm: float = -0.23
    task: float = 1.13
    pair: float = 0.33
    observation: float = 0.23
    tasks: int = 8
    models: int = 2
    subsamples: int = 5
    n: int = 200


@dataclass(frozen=True)
class CoverageStudy:
    """Where the truth fell in each posterior.

    Attributes:
        ranks: The posterior probability below the truth, a study: even from 0 to 1 if
            the model is calibrated.
        errors: The posterior mean less the truth, a study.
    """

    ranks: Floats
    errors: Floats

    def coverage(self, level: float = LEVEL) -> Estimate:
        """The share of central intervals that cover the truth."""
        inside = np.abs(2 * self.ranks - 1) <= level
        return wilson_share(int(inside.sum()), len(inside))


def study_coverage(studies: Studies, beta: float, model: str) -> CoverageStudy:
    """Where `beta` falls in the posteriors of studies simulated with it."""
    posteriors = fit_studies(studies, model)
    return CoverageStudy(
        posteriors.below(np.full(len(studies), beta)), posteriors.mean - beta
    )


def simulate_studies(
    truth: Truth, *, rng: np.random.Generator, studies: int
) -> Studies:
    """Studies drawn from the truth, with new tasks, pairs and trainings each."""
    cells = (studies, truth.tasks, truth.models, truth.subsamples, 1, METHODS)
    tasks = rng.normal(0, truth.task, (studies, truth.tasks, 1, 1, 1, 1))
    pairs = rng.normal(0, truth.pair, (*cells[:-1], 1))
    trainings = rng.normal(0, truth.observation, cells)
    models = truth.lm * (np.arange(truth.models) > 0)[:, None, None, None]
    logits = truth.intercept + models + truth.beta * np.arange(METHODS)
    chances = expit(logits + tasks + pairs + trainings)
    correct = rng.binomial(truth.n, chances).astype(float)
    return Studies(correct, np.full((1, *cells[1:]), float(truth.n)))


FEATURES, INFORMATIVE, LABELLED, TRIALS = 20, 10, 100, 2000
RANKS = (5, 10, 15, 20)
SHARE = 0.6  # components for each unit of effective rank
TABLE = 123  # the seed of the published table
PIECE = 100  # trials in memory at once


def pca_bias(
    rank: int, n: int, *, rng: np.random.Generator, trials: int = TRIALS
) -> Estimate:
    """R² with components of the test features less R² with those of extra ones."""
    gained = np.concatenate(
        [
            toy_gains(*split_toy_rows(rank, n, rng, min(PIECE, trials - done)), rank)
            for done in range(0, trials, PIECE)
        ]
    )
    half = 1.96 * float(gained.std(ddof=1)) / np.sqrt(trials)
    value = float(gained.mean())
    method = f"normal, {trials} trials, one table"
    return Estimate(value, value - half, value + half, 0.95, trials, method)


def split_toy_rows(
    rank: int, n: int, rng: np.random.Generator, trials: int
) -> tuple[Floats, Floats]:
    """Trials × rows of features and targets: train first, then extra, then test."""
    from sklearn.datasets import make_regression  # slow to load, and seldom needed

    count = LABELLED + 2 * n
    rows, target = make_regression(
        count,
        FEATURES,
        n_informative=INFORMATIVE,
        effective_rank=rank,
        noise=1.0,
        random_state=TABLE,
    )
    order = rng.permuted(np.tile(np.arange(count), (trials, 1)), axis=1)
    return rows[order], target[order]


def toy_gains(rows: Floats, target: Floats, rank: int) -> Floats:
    """What the test's own features are worth in each trial."""
    n = (rows.shape[1] - LABELLED) // 2
    train, extra, test = np.split(rows, [LABELLED, LABELLED + n], axis=1)
    train_target, test_target = target[:, :LABELLED], target[:, LABELLED + n :]

    def score(unlabeled: Floats) -> Floats:
        projection = _toy_components(unlabeled, int(SHARE * rank))
        predictions = _least_squares(
            train @ projection, train_target, test @ projection
        )
        residuals = ((test_target - predictions) ** 2).sum(axis=-1)
        spread = ((test_target - test_target.mean(axis=-1, keepdims=True)) ** 2).sum(
            axis=-1
        )
        return np.asarray(1 - residuals / spread)

    return score(test) - score(extra)


def _toy_components(rows: Floats, count: int) -> Floats:
    """The directions in which rows vary most, as columns."""
    centred = rows - rows.mean(axis=1, keepdims=True)
    _, directions = np.linalg.eigh(np.swapaxes(centred, -1, -2) @ centred)
    return np.asarray(directions[..., -count:])


def _least_squares(rows: Floats, target: Floats, test_rows: Floats) -> Floats:
    """What least squares with an intercept says of the rows asked about."""
    middle, level = rows.mean(axis=1, keepdims=True), target.mean(axis=-1)
    centred = rows - middle
    transposed = np.swapaxes(centred, -1, -2)
    slopes = np.linalg.solve(transposed @ centred, transposed @ target[..., None])
    return np.asarray(((test_rows - middle) @ slopes)[..., 0] + level[:, None])
