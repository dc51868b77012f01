"""Draws from a posterior that is a mixture of normals over a lattice."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from measurand.core.reader import Floats
from measurand.stats.exposure.blocks import Blocks, Effects, dense, over_slots
from measurand.stats.exposure.laplace import centred
from measurand.stats.exposure.nested import Grid

BLOCK = 50_000  # logits at once: more would not fit into a fast cache


@dataclass(frozen=True)
class Draws:
    """Joint draws; the first axis of everything runs over draws.

    Attributes:
        effects: Every effect.
        sds: The standard deviations of effects, in the order of the model's names.
    """

    effects: Effects
    sds: Floats

    @property
    def beta(self) -> Floats:
        """The log-odds that the treatment adds."""
        return self.effects.fixed[:, -1]


def drawn(grid: Grid, *, rng: np.random.Generator, size: int, study: int = 0) -> Draws:
    """Joint draws of every effect and standard deviation of one study."""
    parts = list(by_point(grid, rng, size, study))
    arrays = [
        np.concatenate([getattr(effects, name) for _, effects in parts])
        for name in ("fixed", "local", "pair", "observation")
    ]
    sds = np.concatenate(
        [np.tile(np.exp(logs), (len(effects.fixed), 1)) for logs, effects in parts]
    )
    mixed = rng.permutation(size)
    return Draws(Effects(*(array[mixed] for array in arrays)), sds[mixed])


def by_point(
    grid: Grid,
    rng: np.random.Generator,
    size: int,
    study: int = 0,
    observations: bool = True,
) -> Iterator[tuple[Floats, Effects]]:
    """Draws in pieces, each with the log sds that all draws of the piece have.

    Without `observations` their effects, the larger part of the work, stay fixed.
    """
    counts = rng.multinomial(size, grid.weights[study] / grid.weights[study].sum())
    middle = centred(grid.found)
    most = max(1, BLOCK // middle.observation[0, 0].size)
    for point in np.flatnonzero(counts):
        centre = Effects(
            middle.fixed[study, point],
            middle.local[study, point],
            middle.pair[study, point],
            middle.observation[study, point],
        )
        for done in range(0, int(counts[point]), most):
            some = min(most, int(counts[point]) - done)
            at = (study, int(point))
            away = around(grid.found.blocks, at, rng, some)
            if observations and "observation" in grid.found.blocks.latent.effects:
                away = with_observations(grid.found.blocks, away, at, rng)
            yield grid.log_sds[at], away.plus(centre)


def around(
    blocks: Blocks, at: tuple[int, int], rng: np.random.Generator, size: int
) -> Effects:
    """Draws about zero: fixed terms first, then what hangs on them in turn."""
    root = np.linalg.cholesky(np.linalg.inv(blocks.information[at]))
    fixed = rng.standard_normal((size, len(root))) @ root.T
    variance = blocks.local_variance[at]
    free = rng.standard_normal((size, *variance.shape[:2]))
    pulled = np.einsum("tlm,tmf,nf->ntl", variance, blocks.cross[at], fixed)
    local = np.einsum("tlm,ntm->ntl", np.linalg.cholesky(variance), free) - pulled
    given = blocks.pair_variance[at]
    pair = np.zeros((size, *given.shape))
    if "pair" in blocks.latent.effects:
        told = blocks.damped[at] * dense(blocks.latent, fixed, local)
        alone = np.sqrt(given) * rng.standard_normal((size, *given.shape))
        pair = np.asarray(alone - given * over_slots(told))
    return Effects(fixed, local, pair, np.zeros((size, 1, 1, 1, 1)))


def with_observations(
    blocks: Blocks, away: Effects, at: tuple[int, int], rng: np.random.Generator
) -> Effects:
    """The draws with the effects of observations, given all others."""
    shrunk, noise = blocks.shrunk[at], blocks.noise[at]
    logits = away.logits(blocks.latent)
    free = rng.standard_normal(logits.shape)
    pulled = noise * blocks.weights[at] * shrunk * logits
    observation = np.sqrt(noise * shrunk) * free - pulled
    return Effects(away.fixed, away.local, away.pair, observation)
