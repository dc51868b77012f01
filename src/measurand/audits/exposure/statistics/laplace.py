"""Nested Laplace: likely effects, a grid over their spreads, and draws.

The log standard deviations are few (one to four). Their most probable value is found
by Newton's method with finite differences; a lattice in the eigen-coordinates of the
curvature there then represents their whole distribution (nested Laplace).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, product

import numpy as np
from scipy.special import expit, gammaln, logsumexp

from measurand.audits.exposure.statistics.blocks import (
    Blocks,
    LogitEffects,
    dense_logits,
    information_blocks,
    logit_variances,
    solve_effects,
    sum_slots,
)
from measurand.audits.exposure.statistics.studies import Latent
from measurand.core.arrays import Floats
from measurand.core.errors import Undefined

CLOSE = 1e-5  # a step this small on the logit scale; the next would square it
FARTHEST = 2.0  # longest step: over more, the curvature of a logit changes too much
STEPS = 100
COUNTS = (-4, -3, -2, -1)  # the axes of the counts


@dataclass(frozen=True)
class Mode:
    """The most probable effects, and the information around them."""

    effects: LogitEffects
    logits: Floats
    blocks: Blocks


def find_mode(latent: Latent, log_sds: Floats, logits: Floats) -> Mode:
    """The most probable effects by Newton's method, each study and point for itself."""
    shape = (*log_sds.shape[:-1], *latent.correct.shape[1:])
    logits = np.broadcast_to(logits, shape)
    for _ in range(STEPS):
        around = information_blocks(latent, log_sds, logits)
        effects = solve_effects(around, around.weights * logits + around.surprise)
        move = effects.logits(latent) - logits
        far = np.abs(move).max(axis=COUNTS, keepdims=True)
        if far.max() < CLOSE:
            return Mode(effects, logits, around)
        logits = logits + move * np.minimum(1, FARTHEST / np.maximum(far, CLOSE))
    raise Undefined("the effects have no single most probable value; check the counts")


def mean_effects(mode: Mode) -> LogitEffects:
    """The mean effects: the mode, shifted for the skewness of binomial counts.

    To first order, the mean lies where the third derivatives, each times the variance
    of its logit, push the mode; at n = 50 that is a third of a posterior sd of beta.
    """
    right = expit(mode.logits)
    skewness = mode.blocks.weights * (1 - 2 * right)
    push = -skewness * logit_variances(mode.blocks) / 2
    return mode.effects.plus(solve_effects(mode.blocks, push))


def log_likelihood(latent: Latent, log_sds: Floats, mode: Mode) -> Floats:
    """Laplace's log probability of the counts given the standard deviations."""
    trials, correct = latent.trials[:, None], latent.correct[:, None]
    fit = correct * mode.logits - trials * np.logaddexp(0, mode.logits)
    ways = gammaln(trials + 1) - gammaln(correct + 1) - gammaln(trials - correct + 1)
    evidence = fit.sum(axis=COUNTS) + ways.sum(axis=COUNTS)
    return np.asarray(
        evidence - (_prior_distance(mode, log_sds) + _log_volume(mode, log_sds)) / 2
    )


def _prior_distance(mode: Mode, log_sds: Floats) -> Floats:
    """How far the effects lie from zero, in the squared sds of their priors."""
    latent, effects, noise = mode.blocks.latent, mode.effects, mode.blocks.noise
    variances = latent.local_variances(log_sds)[..., None, :]
    total = (latent.precision * effects.fixed**2).sum(axis=-1)
    total = total + (effects.local**2 / variances).sum(axis=(-2, -1))
    if "pair" in latent.effects:
        spread = latent.variance(log_sds, "pair")
        total = total + (effects.pair**2).sum(axis=(-3, -2, -1)) / spread
    if "observation" in latent.effects:
        total = total + (effects.observation**2 / noise).sum(axis=COUNTS)
    return np.asarray(total)


def _log_volume(mode: Mode, log_sds: Floats) -> Floats:
    """The log determinant of the information over that of the priors alone."""
    around, latent = mode.blocks, mode.blocks.latent
    fixed = np.linalg.slogdet(around.information)[1] - np.log(latent.precision).sum()
    variances = latent.local_variances(log_sds)
    tasks = np.log(variances).sum(axis=-1)[..., None] - np.log(
        np.linalg.det(around.local_variance)
    )
    spread = latent.variance(log_sds, "pair")[..., None, None, None]
    pairs = np.log1p(spread * sum_slots(around.damped)).sum(axis=(-3, -2, -1))
    observations = -np.log(around.shrunk).sum(axis=COUNTS)
    return np.asarray(fixed + tasks.sum(axis=-1) + pairs + observations)


def log_prior(latent: Latent, log_sds: Floats) -> Floats:
    """The log density of the log standard deviations under half-normal priors."""
    ratios = np.exp(log_sds) / latent.scales
    normal = 0.5 * np.log(2 / np.pi) - np.log(latent.scales) - ratios**2 / 2
    return np.asarray((normal + log_sds).sum(axis=-1))


APART = 0.1  # of finite differences, on the log scale
NEAR = 0.2  # posterior sds from the top; a lattice need not be centred to a hair
START = np.log(0.4)  # log standard deviation at which the search begins
LONGEST = 1.5  # step on the log scale
FLATTEST = 0.1  # curvature taken at least, so that no step and no grid runs away
LOWEST, HIGHEST = -7.0, 3.0  # log standard deviations outside are as good as these
SEARCHES = 60
FINE = (1.0, 3.0)  # step and radius of the lattice, in posterior sds
COARSE = (1.5, 3.0)


@dataclass(frozen=True)
class PosteriorGrid:
    """The posterior of the log standard deviations, as weighted points.

    Attributes:
        log_sds: Studies × points × effects.
        weights: Studies × points, summing to 1 over points.
        mode: The most probable effects at each point.
        log_evidence: The log probability of each study's counts.
    """

    log_sds: Floats
    weights: Floats
    mode: Mode
    log_evidence: Floats


def explore_posterior(
    latent: Latent, lattice: tuple[float, float] = FINE, start: float | Floats = START
) -> PosteriorGrid:
    """The posterior of the log standard deviations on a lattice around its top."""
    centre, curvature, logits = _find_top(latent, start)
    values, vectors = np.linalg.eigh(curvature)
    scales = 1 / np.sqrt(np.maximum(values, FLATTEST))
    steps = _lattice_points(centre.shape[-1], *lattice)
    moves = np.einsum("bij,bj,pj->bpi", vectors, scales, steps)
    points = np.clip(centre[:, None] + moves, LOWEST, HIGHEST)
    laplace_mode = find_mode(latent, points, logits)
    density = log_likelihood(latent, points, laplace_mode) + log_prior(latent, points)
    total = logsumexp(density, axis=1)
    volume = np.log(scales).sum(axis=-1) + centre.shape[-1] * np.log(lattice[0])
    weights = np.exp(density - total[:, None])
    return PosteriorGrid(points, weights, laplace_mode, np.asarray(total + volume))


def _lattice_points(axes: int, apart: float, radius: float) -> Floats:
    """The points of a cubic lattice within a ball around zero.

    >>> _lattice_points(1, 1.5, 3.0).tolist()
    [[-3.0], [-1.5], [0.0], [1.5], [3.0]]
    >>> len(_lattice_points(3, 1.5, 3.0)), len(_lattice_points(3, 1.0, 3.0))
    (33, 123)
    """
    reach = int(radius / apart)
    points = np.array(list(product(range(-reach, reach + 1), repeat=axes))) * apart
    return np.asarray(points[(points**2).sum(axis=1) <= radius**2 + 1e-9], float)


def _find_top(latent: Latent, start: float | Floats) -> tuple[Floats, Floats, Floats]:
    """Where the log sds are most probable, the curvature there, and the logits."""
    studies, axes = len(latent.correct), len(latent.effects)
    centre = np.zeros((studies, axes)) + start
    smoothed = (latent.correct + 0.5) / (latent.trials + 1)
    logits = np.log(smoothed / (1 - smoothed))
    value, slope, curvature, logits = _density_surface(latent, centre, logits)
    damping = np.zeros(studies)
    for _ in range(SEARCHES):
        ascent, distance = _newton_step(slope, curvature, damping)
        moving = np.flatnonzero((distance > NEAR) & (damping < 1e6))
        if len(moving) == 0:
            break
        proposal = np.clip(centre[moving] + ascent[moving], LOWEST, HIGHEST)
        proposed = _density_surface(latent.part(moving), proposal, logits[moving])
        better = proposed[0] >= value[moving] - 1e-9
        damping[moving] = np.where(
            better, damping[moving] / 10, np.maximum(10 * damping[moving], 1.0)
        )
        accepted = moving[better]
        centre[accepted], value[accepted] = proposal[better], proposed[0][better]
        slope[accepted], curvature[accepted] = proposed[1][better], proposed[2][better]
        logits[accepted] = proposed[3][better]
    return centre, curvature, logits[:, None]


def _newton_step(
    slope: Floats, curvature: Floats, damping: Floats
) -> tuple[Floats, Floats]:
    """A safe step uphill, and how many posterior sds from the top we are."""
    values, vectors = np.linalg.eigh(curvature)
    along = np.einsum("bij,bi->bj", vectors, slope)
    firm = np.maximum(values, FLATTEST)
    distance = np.sqrt((along**2 / firm).sum(axis=-1))
    ascent = np.einsum("bij,bj->bi", vectors, along / (firm + damping[:, None]))
    length = np.linalg.norm(ascent, axis=-1, keepdims=True)
    return ascent * np.minimum(1, LONGEST / np.maximum(length, 1e-12)), distance


def _density_surface(
    latent: Latent, centre: Floats, logits: Floats
) -> tuple[Floats, Floats, Floats, Floats]:
    """Log density, slope and curvature at `centre` by differences, and the logits."""
    axes = centre.shape[-1]
    unit = np.eye(axes) * APART
    couples = list(combinations(range(axes), 2))
    mixed_steps = np.array([unit[i] + unit[j] for i, j in couples]).reshape(-1, axes)
    points = centre[:, None] + np.concatenate([0 * unit[:1], unit, -unit, mixed_steps])
    laplace_mode = find_mode(latent, points, logits[:, None])
    density = log_likelihood(latent, points, laplace_mode) + log_prior(latent, points)

    centre_density = density[:, 0]
    up, down = density[:, 1 : axes + 1], density[:, axes + 1 : 2 * axes + 1]
    slope = (up - down) / (2 * APART)
    curvature = np.zeros((len(centre), axes, axes))
    curvature[:, range(axes), range(axes)] = 2 * centre_density[:, None] - up - down
    for at, (i, j) in enumerate(couples):
        mixed = up[:, i] + up[:, j] - density[:, 2 * axes + 1 + at] - centre_density
        curvature[:, i, j] = curvature[:, j, i] = mixed
    return (
        centre_density.copy(),
        slope,
        curvature / APART**2,
        laplace_mode.logits[:, 0].copy(),
    )


BLOCK = 50_000  # logits at once: more would not fit into a fast cache


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
    """Draws about zero: fixed terms first, then what depends on them in turn."""
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
