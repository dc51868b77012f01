"""Standard deviations of effects: where they are likely, and a grid over that place.

The log standard deviations are few (one to four). Their most probable value is found
by Newton's method with finite differences; a lattice in the eigen-coordinates of the
curvature there then stands for their whole distribution (nested Laplace).
"""

from dataclasses import dataclass
from itertools import combinations, product

import numpy as np
from scipy.special import logsumexp

from measurand.core.reader import Floats
from measurand.stats.exposure.laplace import Mode, log_likelihood, log_prior, mode
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
class Grid:
    """The posterior of the log standard deviations, as weighted points.

    Attributes:
        log_sds: Studies × points × effects.
        weights: Studies × points, summing to 1 over points.
        found: The most probable effects at each point.
        log_evidence: The log probability of each study's counts.
    """

    log_sds: Floats
    weights: Floats
    found: Mode
    log_evidence: Floats


def explored(
    latent: Latent,
    lattice: tuple[float, float] = FINE,
    start: float | Floats = START,
) -> Grid:
    """The posterior of the log standard deviations on a lattice around its top.

    Args:
        latent: The studies.
        lattice: Its step and its radius, in posterior sds.
        start: Where to look for the top first.
    """
    centre, curvature, logits = top(latent, start)
    values, vectors = np.linalg.eigh(curvature)
    scales = 1 / np.sqrt(np.maximum(values, FLATTEST))
    steps = lattice_points(centre.shape[-1], *lattice)
    moves = np.einsum("bij,bj,pj->bpi", vectors, scales, steps)
    points = np.clip(centre[:, None] + moves, LOWEST, HIGHEST)
    found = mode(latent, points, logits)
    density = log_likelihood(latent, points, found) + log_prior(latent, points)
    total = logsumexp(density, axis=1)
    volume = np.log(scales).sum(axis=-1) + centre.shape[-1] * np.log(lattice[0])
    weights = np.exp(density - total[:, None])
    return Grid(points, weights, found, np.asarray(total + volume))


def lattice_points(axes: int, apart: float, radius: float) -> Floats:
    """The points of a cubic lattice within a ball around zero.

    >>> lattice_points(1, 1.5, 3.0).tolist()
    [[-3.0], [-1.5], [0.0], [1.5], [3.0]]
    >>> len(lattice_points(3, 1.5, 3.0)), len(lattice_points(3, 1.0, 3.0))
    (33, 123)
    """
    reach = int(radius / apart)
    points = np.array(list(product(range(-reach, reach + 1), repeat=axes))) * apart
    return np.asarray(points[(points**2).sum(axis=1) <= radius**2 + 1e-9], float)


def top(latent: Latent, start: float | Floats) -> tuple[Floats, Floats, Floats]:
    """Where the log sds are most probable, the curvature there, and the logits."""
    studies, axes = len(latent.correct), len(latent.effects)
    centre = np.zeros((studies, axes)) + start
    smoothed = (latent.correct + 0.5) / (latent.trials + 1)
    logits = np.log(smoothed / (1 - smoothed))
    value, slope, curvature, logits = surface(latent, centre, logits)
    damping = np.zeros(studies)
    for _ in range(SEARCHES):
        ascent, distance = newton(slope, curvature, damping)
        moving = np.flatnonzero((distance > NEAR) & (damping < 1e6))
        if len(moving) == 0:
            break
        there = np.clip(centre[moving] + ascent[moving], LOWEST, HIGHEST)
        found = surface(latent.part(moving), there, logits[moving])
        better = found[0] >= value[moving] - 1e-9
        damping[moving] = np.where(
            better, damping[moving] / 10, np.maximum(10 * damping[moving], 1.0)
        )
        taken = moving[better]
        centre[taken], value[taken] = there[better], found[0][better]
        slope[taken], curvature[taken] = found[1][better], found[2][better]
        logits[taken] = found[3][better]
    return centre, curvature, logits[:, None]


def newton(slope: Floats, curvature: Floats, damping: Floats) -> tuple[Floats, Floats]:
    """A safe step uphill, and how many posterior sds from the top we are."""
    values, vectors = np.linalg.eigh(curvature)
    along = np.einsum("bij,bi->bj", vectors, slope)
    firm = np.maximum(values, FLATTEST)
    distance = np.sqrt((along**2 / firm).sum(axis=-1))
    ascent = np.einsum("bij,bj->bi", vectors, along / (firm + damping[:, None]))
    length = np.linalg.norm(ascent, axis=-1, keepdims=True)
    return ascent * np.minimum(1, LONGEST / np.maximum(length, 1e-12)), distance


def surface(
    latent: Latent, centre: Floats, logits: Floats
) -> tuple[Floats, Floats, Floats, Floats]:
    """Log density, slope and curvature at `centre` by differences, and the logits."""
    axes = centre.shape[-1]
    unit = np.eye(axes) * APART
    couples = list(combinations(range(axes), 2))
    both = np.array([unit[i] + unit[j] for i, j in couples]).reshape(-1, axes)
    points = centre[:, None] + np.concatenate([0 * unit[:1], unit, -unit, both])
    found = mode(latent, points, logits[:, None])
    density = log_likelihood(latent, points, found) + log_prior(latent, points)

    here = density[:, 0]
    up, down = density[:, 1 : axes + 1], density[:, axes + 1 : 2 * axes + 1]
    slope = (up - down) / (2 * APART)
    curvature = np.zeros((len(centre), axes, axes))
    curvature[:, range(axes), range(axes)] = 2 * here[:, None] - up - down
    for at, (i, j) in enumerate(couples):
        mixed = up[:, i] + up[:, j] - density[:, 2 * axes + 1 + at] - here
        curvature[:, i, j] = curvature[:, j, i] = mixed
    return here.copy(), slope, curvature / APART**2, found.logits[:, 0].copy()
