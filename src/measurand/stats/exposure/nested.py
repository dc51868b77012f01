"""Standard deviations of effects: where they are likely, and a grid over that place.

The log standard deviations are few (one to four). Their most probable value is found
by Newton's method with finite differences; a lattice in the eigen-coordinates of the
curvature there then stands for their whole distribution (nested Laplace).
"""

from dataclasses import dataclass
from itertools import combinations, product

import numpy as np
from scipy.special import logsumexp

from measurand.core.arrays import Floats
from measurand.stats.exposure.laplace import Mode, find_mode, log_likelihood, log_prior
from measurand.stats.exposure.studies import Latent

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
    latent: Latent,
    lattice: tuple[float, float] = FINE,
    start: float | Floats = START,
) -> PosteriorGrid:
    """The posterior of the log standard deviations on a lattice around its top.

    Args:
        latent: The studies.
        lattice: Its step and its radius, in posterior sds.
        start: Where to look for the top first.
    """
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
