"""The hierarchical binomial model of an exposure study, fitted by nested Laplace.

`fit_posterior(pairs)` gives what is known of beta, the log-odds that the treatment
adds: a mixture of normal distributions. Models by name: "observation" (the default),
"paper", "released", and "plain" for slices without replication; `studies` says what
they hold. Without an effect for every observation, intervals are far too narrow:
trainings differ by more than coin flips.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import ndtr, ndtri

from measurand.audits.exposure.statistics.counts import ArmPairs
from measurand.audits.exposure.statistics.laplace import (
    COARSE,
    FINE,
    START,
    PosteriorGrid,
    explore_posterior,
    mean_effects,
)
from measurand.audits.exposure.statistics.predictive import (
    RepeatedStudies,
    repeat_studies,
)
from measurand.audits.exposure.statistics.studies import (
    MODELS,
    HierarchicalModel,
    Priors,
    Studies,
    lay_out_studies,
    tabulate_study,
)
from measurand.core.arrays import Floats
from measurand.core.errors import UnknownName
from measurand.core.estimate import Estimate

LEVEL = 0.89  # of the paper's credible intervals
DRAWS = 2_000
PIECE = 200_000  # counts in memory at once, over all points of the lattice
POINTS = 33  # of the coarse lattice of three effects
FIRST_STUDIES = 8  # studies that show the others where to begin
HALVINGS = 60  # bisections: the bracket shrinks below rounding


@dataclass(frozen=True)
class Mixture:
    """What we know of a number, as a weighted sum of normal densities.

    Attributes:
        means: Of the parts; the last axis runs over parts, others over mixtures.
        sds: Of the parts.
        weights: Of the parts, summing to 1.

    >>> wide = Mixture(np.array([-1.0, 1.0]), np.ones(2), np.array([0.5, 0.5]))
    >>> float(wide.mean), round(float(wide.sd), 4)
    (0.0, 1.4142)
    """

    means: Floats
    sds: Floats
    weights: Floats

    @cached_property
    def mean(self) -> Floats:
        """The mean of each mixture."""
        return np.asarray((self.weights * self.means).sum(axis=-1))

    @cached_property
    def sd(self) -> Floats:
        """The standard deviation of each mixture."""
        deviations = self.means - self.mean[..., None]
        return np.asarray(
            np.sqrt((self.weights * (self.sds**2 + deviations**2)).sum(-1))
        )

    def below(self, value: float | Floats) -> Floats:
        """The probability of a number below `value`."""
        standard = (np.asarray(value)[..., None] - self.means) / self.sds
        return np.asarray((self.weights * ndtr(standard)).sum(axis=-1))

    def quantile(self, share: float) -> Floats:
        """The number below which `share` of each mixture lies.

        >>> one = Mixture(np.zeros(1), np.ones(1), np.ones(1))
        >>> round(float(one.quantile(0.975)), 3)
        1.96
        """
        far = ndtri(share) * self.sds + self.means
        low, high = far.min(axis=-1), far.max(axis=-1)
        for _ in range(HALVINGS):
            middle = (low + high) / 2
            under = self.below(middle) < share
            low, high = np.where(under, middle, low), np.where(under, high, middle)
        return np.asarray((low + high) / 2)

    def interval(self, level: float) -> tuple[Floats, Floats]:
        """The central interval that holds `level` of each mixture."""
        return self.quantile((1 - level) / 2), self.quantile((1 + level) / 2)


@dataclass(frozen=True)
class Posterior:
    """What a study says about one contrast."""

    pairs: ArmPairs
    model: str
    priors: Priors
    grid: PosteriorGrid
    beta: Mixture

    @property
    def log_evidence(self) -> float:
        """The log probability of the counts under the model, priors included."""
        return float(self.grid.log_evidence[0])

    @cached_property
    def sds(self) -> dict[str, Estimate]:
        """The standard deviation of each effect on the logit scale, with 89 %."""
        weights, logs = self.grid.weights[0], self.grid.log_sds[0]
        return {
            effect: self._sd(weights, logs[:, at])
            for at, effect in enumerate(MODELS[self.model].effects)
        }

    def _sd(self, weights: Floats, logs: Floats) -> Estimate:
        # The lattice is too coarse to read quantiles off; a log-normal is fitted to it.
        mean = float(weights @ logs)
        spread = float(np.sqrt(weights @ (logs - mean) ** 2))
        normal = Mixture(np.array([mean]), np.array([spread]), np.ones(1))
        low, high = (float(np.exp(end)) for end in normal.interval(LEVEL))
        value = float(weights @ np.exp(logs))
        return Estimate(value, low, high, LEVEL, len(self.pairs), self._method)

    @property
    def _method(self) -> str:
        return f"nested Laplace, model {self.model}"

    def estimate(self, level: float = LEVEL) -> Estimate:
        """Beta, with its central credible interval."""
        low, high = (float(end) for end in self.beta.interval(level))
        value, n = float(self.beta.mean), len(self.pairs)
        return Estimate(value, low, high, level, n, self._method)

    def repeat_studies(
        self, rng: np.random.Generator, size: int = DRAWS
    ) -> RepeatedStudies:
        """What repeated studies of these pairs would show, and endless ones."""
        return repeat_studies(self.grid, rng=rng, size=size)

    def predictive(self, rng: np.random.Generator, size: int = DRAWS) -> Floats:
        """Mean differences of repeated studies of these pairs, percentage points."""
        return self.repeat_studies(rng, size).predictive

    def average(self, rng: np.random.Generator, size: int = DRAWS) -> Floats:
        """The mean difference in true accuracy, in percentage points, as draws."""
        return self.repeat_studies(rng, size).average


def fit_posterior(
    pairs: ArmPairs, model: str = "observation", priors: Priors | None = None
) -> Posterior:
    """What the pairs say about the effect of the treatment."""
    priors = priors or Priors()
    grid = explore_posterior(
        lay_out_studies(tabulate_study(pairs), _model_by_name(model), priors), FINE
    )
    beta = _method_effect(grid)
    first = Mixture(beta.means[0], beta.sds[0], beta.weights[0])
    return Posterior(pairs, model, priors, grid, first)


def fit_studies(
    studies: Studies, model: str = "observation", priors: Priors | None = None
) -> Mixture:
    """Beta of each of many small studies of one shape, on a coarser lattice."""
    latent = lay_out_studies(studies, _model_by_name(model), priors or Priors())
    piece_size = max(1, PIECE // (latent.correct[0].size * POINTS))
    mixtures: list[Mixture] = []
    start = START
    done, piece = 0, min(piece_size, FIRST_STUDIES)
    while done < len(studies):
        grid = explore_posterior(latent.part(slice(done, done + piece)), COARSE, start)
        mixtures.append(_method_effect(grid))
        # Studies of one kind are alike, so the next search begins where these ended.
        start = (grid.weights[..., None] * grid.log_sds).sum(axis=1).mean(axis=0)
        done, piece = done + piece, piece_size
    return _join_mixtures(mixtures)


def _join_mixtures(parts: Sequence[Mixture]) -> Mixture:
    """Mixtures of several pieces in one."""
    return Mixture(
        np.concatenate([part.means for part in parts]),
        np.concatenate([part.sds for part in parts]),
        np.concatenate([part.weights for part in parts]),
    )


def _method_effect(grid: PosteriorGrid) -> Mixture:
    """The last fixed term, as a mixture over the lattice."""
    variances = np.linalg.inv(grid.mode.blocks.information)[..., -1, -1]
    means = mean_effects(grid.mode).fixed[..., -1]
    return Mixture(means, np.sqrt(variances), grid.weights)


def _model_by_name(model: str) -> HierarchicalModel:
    """The model of that name."""
    if model not in MODELS:
        raise UnknownName("model", model, list(MODELS))
    return MODELS[model]


def estimate_from_draws(
    draws: Floats, n: int, method: str, level: float = 0.95
) -> Estimate:
    """The mean of some draws, with the central interval that holds `level` of them."""
    low, high = np.quantile(draws, [(1 - level) / 2, (1 + level) / 2])
    return Estimate(float(draws.mean()), float(low), float(high), level, n, method)
