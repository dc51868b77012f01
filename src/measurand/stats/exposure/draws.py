"""Draws from a posterior that is a mixture of normals over a lattice."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from measurand.core.arrays import Floats
from measurand.stats.exposure.blocks import (
    Blocks,
    LogitEffects,
    dense_logits,
    sum_slots,
)
from measurand.stats.exposure.laplace import mean_effects
from measurand.stats.exposure.nested import PosteriorGrid

BLOCK = 50_000  # logits at once: more would not fit into a fast cache


@dataclass(frozen=True)
class PosteriorDraws:
    """Joint draws; the first axis of everything runs over draws.

    Attributes:
        effects: Every effect.
        sds: The standard deviations of effects, in the order of the model's names.
    """

    effects: LogitEffects
    sds: Floats

    @property
    def beta(self) -> Floats:
        """The log-odds that the treatment adds."""
        return self.effects.fixed[:, -1]


def draw_posterior(
    grid: PosteriorGrid, *, rng: np.random.Generator, size: int, study: int = 0
) -> PosteriorDraws:
    """Joint draws of every effect and standard deviation of one study."""
    parts = list(draw_by_point(grid, rng, size, study))
    arrays = [
        np.concatenate([getattr(effects, name) for _, effects in parts])
        for name in ("fixed", "local", "pair", "observation")
    ]
    sds = np.concatenate(
        [np.tile(np.exp(logs), (len(effects.fixed), 1)) for logs, effects in parts]
    )
    order = rng.permutation(size)
    return PosteriorDraws(LogitEffects(*(array[order] for array in arrays)), sds[order])


def draw_by_point(
    grid: PosteriorGrid,
    rng: np.random.Generator,
    size: int,
    study: int = 0,
    observations: bool = True,
) -> Iterator[tuple[Floats, LogitEffects]]:
    """Draws in pieces, each with the log sds that all draws of the piece have.

    Without `observations` their effects, the larger part of the work, stay fixed.
    """
    counts = rng.multinomial(size, grid.weights[study] / grid.weights[study].sum())
    middle = mean_effects(grid.mode)
    piece_size = max(1, BLOCK // middle.observation[0, 0].size)
    for point in np.flatnonzero(counts):
        centre = LogitEffects(
            middle.fixed[study, point],
            middle.local[study, point],
            middle.pair[study, point],
            middle.observation[study, point],
        )
        for done in range(0, int(counts[point]), piece_size):
            piece = min(piece_size, int(counts[point]) - done)
            at = (study, int(point))
            deviations = _draw_around_zero(grid.mode.blocks, at, rng, piece)
            if observations and "observation" in grid.mode.blocks.latent.effects:
                deviations = _draw_observations(grid.mode.blocks, deviations, at, rng)
            yield grid.log_sds[at], deviations.plus(centre)


def _draw_around_zero(
    blocks: Blocks, at: tuple[int, int], rng: np.random.Generator, size: int
) -> LogitEffects:
    """Draws about zero: fixed terms first, then what hangs on them in turn."""
    root = np.linalg.cholesky(np.linalg.inv(blocks.information[at]))
    fixed = rng.standard_normal((size, len(root))) @ root.T
    variance = blocks.local_variance[at]
    free = rng.standard_normal((size, *variance.shape[:2]))
    pulled = np.einsum("tlm,tmf,nf->ntl", variance, blocks.cross[at], fixed)
    local = np.einsum("tlm,ntm->ntl", np.linalg.cholesky(variance), free) - pulled
    pair_variance = blocks.pair_variance[at]
    pair = np.zeros((size, *pair_variance.shape))
    if "pair" in blocks.latent.effects:
        expected = blocks.damped[at] * dense_logits(blocks.latent, fixed, local)
        independent = np.sqrt(pair_variance) * rng.standard_normal(
            (size, *pair_variance.shape)
        )
        pair = np.asarray(independent - pair_variance * sum_slots(expected))
    return LogitEffects(fixed, local, pair, np.zeros((size, 1, 1, 1, 1)))


def _draw_observations(
    blocks: Blocks,
    deviations: LogitEffects,
    at: tuple[int, int],
    rng: np.random.Generator,
) -> LogitEffects:
    """The draws with the effects of observations, given all others."""
    shrunk, noise = blocks.shrunk[at], blocks.noise[at]
    logits = deviations.logits(blocks.latent)
    free = rng.standard_normal(logits.shape)
    pulled = noise * blocks.weights[at] * shrunk * logits
    observation = np.sqrt(noise * shrunk) * free - pulled
    return LogitEffects(
        deviations.fixed, deviations.local, deviations.pair, observation
    )
