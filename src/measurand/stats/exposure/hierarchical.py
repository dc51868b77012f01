"""The hierarchical binomial model of an exposure study, fitted by nested Laplace.

`fit(pairs)` gives what is known of beta, the log-odds that the treatment adds. Models
by name: "observation" (the default), "paper", "released", and "plain" for slices
without replication; `studies` says what they hold. Without an effect for every
observation, intervals are far too narrow: trainings differ by more than coin flips.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from measurand.core.errors import UnknownName
from measurand.core.finding import Estimate
from measurand.core.reader import Floats
from measurand.stats.exposure.draws import Draws, drawn
from measurand.stats.exposure.laplace import centred
from measurand.stats.exposure.mixture import Mixture
from measurand.stats.exposure.nested import COARSE, FINE, START, Grid, explored
from measurand.stats.exposure.predictive import Repeated, repeated
from measurand.stats.exposure.rows import Pairs
from measurand.stats.exposure.studies import (
    MODELS,
    Model,
    Priors,
    Studies,
    laid_out,
    study,
)

LEVEL = 0.89  # of the paper's credible intervals
DRAWS = 2_000
PIECE = 200_000  # counts in memory at once, over all points of the lattice
POINTS = 33  # of the coarse lattice of three effects
FIRST = 8  # studies that show the others where to begin


@dataclass(frozen=True)
class Posterior:
    """What a study tells about one contrast.

    Attributes:
        pairs: The study.
        model: The name of the model.
        priors: Its priors.
        grid: The posterior of the standard deviations, and of all else given them.
        beta: The log-odds that the treatment adds.
    """

    pairs: Pairs
    model: str
    priors: Priors
    grid: Grid
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
        known = Mixture(np.array([mean]), np.array([spread]), np.ones(1))
        low, high = (float(np.exp(end)) for end in known.interval(LEVEL))
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

    def draws(self, rng: np.random.Generator, size: int = DRAWS) -> Draws:
        """Joint draws of every effect and standard deviation."""
        return drawn(self.grid, rng=rng, size=size)

    def repeated(self, rng: np.random.Generator, size: int = DRAWS) -> Repeated:
        """What repeated studies of these pairs would show, and endless ones."""
        return repeated(self.grid, rng=rng, size=size)

    def predictive(self, rng: np.random.Generator, size: int = DRAWS) -> Floats:
        """Mean differences of repeated studies of these pairs, percentage points."""
        return self.repeated(rng, size).predictive

    def average(self, rng: np.random.Generator, size: int = DRAWS) -> Floats:
        """The mean difference in true accuracy, in percentage points, as draws."""
        return self.repeated(rng, size).average


def fit(
    pairs: Pairs, model: str = "observation", priors: Priors | None = None
) -> Posterior:
    """What the pairs tell about the effect of the treatment."""
    priors = priors or Priors()
    grid = explored(laid_out(study(pairs), named(model), priors), FINE)
    beta = effect_of_method(grid)
    first = Mixture(beta.means[0], beta.sds[0], beta.weights[0])
    return Posterior(pairs, model, priors, grid, first)


def fit_many(
    studies: Studies, model: str = "observation", priors: Priors | None = None
) -> Mixture:
    """Beta of each of many small studies of one shape, on a coarser lattice."""
    latent = laid_out(studies, named(model), priors or Priors())
    most = max(1, PIECE // (latent.correct[0].size * POINTS))
    found: list[Mixture] = []
    start = START
    done, some = 0, min(most, FIRST)
    while done < len(studies):
        grid = explored(latent.part(slice(done, done + some)), COARSE, start)
        found.append(effect_of_method(grid))
        # Studies of one kind are alike, so the next search begins where these ended.
        start = (grid.weights[..., None] * grid.log_sds).sum(axis=1).mean(axis=0)
        done, some = done + some, most
    return joined(found)


def joined(parts: Sequence[Mixture]) -> Mixture:
    """Mixtures of several pieces in one."""
    return Mixture(
        np.concatenate([part.means for part in parts]),
        np.concatenate([part.sds for part in parts]),
        np.concatenate([part.weights for part in parts]),
    )


def effect_of_method(grid: Grid) -> Mixture:
    """The last fixed term, as a mixture over the lattice."""
    variances = np.linalg.inv(grid.found.blocks.information)[..., -1, -1]
    means = centred(grid.found).fixed[..., -1]
    return Mixture(means, np.sqrt(variances), grid.weights)


def named(model: str) -> Model:
    """The model of that name."""
    if model not in MODELS:
        raise UnknownName("model", model, list(MODELS))
    return MODELS[model]


def estimated(draws: Floats, n: int, method: str, level: float = 0.95) -> Estimate:
    """The mean of some draws, with the central interval that holds `level` of them."""
    low, high = np.quantile(draws, [(1 - level) / 2, (1 + level) / 2])
    return Estimate(float(draws.mean()), float(low), float(high), level, n, method)
