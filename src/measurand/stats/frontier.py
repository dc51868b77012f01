"""The frontier of two goods, of each of which more is better.

A point is dominated where another is at least as good on both axes and better on one.
The hypervolume is the area between a reference point and the frontier: with two axes it
is a sum of rectangles, exact.
"""

import numpy as np

from measurand.core.arrays import Bools, Floats
from measurand.core.errors import BadInput, Undefined
from measurand.core.estimate import Estimate
from measurand.stats.resampling import percentile_estimate

EPSILON = 1e-12  # keeps 0 over 0 at 0


def dominance_mask(points: Floats) -> Bools:
    """Which points some other point beats; of equal points none beats the other.

    Args:
        points: Any leading shape × points × 2.

    >>> points = np.array([[1.0, 0.2], [0.5, 0.5], [0.5, 0.1], [0.5, 0.5]])
    >>> dominance_mask(points).tolist()
    [False, False, True, False]
    """
    points = _as_points(points)
    point, rival = points[..., :, None, :], points[..., None, :, :]
    beaten = (rival >= point).all(axis=-1) & (rival > point).any(axis=-1)
    return np.asarray(beaten.any(axis=-1))


def hypervolume(points: Floats) -> Floats:
    """The area that the points dominate; one below 0 on an axis adds nothing.

    Args:
        points: Any leading shape × points × 2; one area for each leading place.

    >>> float(hypervolume(np.array([[1.0, 0.25], [0.5, 0.5]])))
    0.375
    """
    excess = np.maximum(_as_points(points), 0.0)
    order = np.argsort(-excess[..., 0], axis=-1, kind="stable")
    wide = np.take_along_axis(excess[..., 0], order, -1)
    high = np.maximum.accumulate(np.take_along_axis(excess[..., 1], order, -1), axis=-1)
    # From the widest point inwards, each adds what it rises above those before it.
    rise = np.diff(high, axis=-1, prepend=0.0)
    return np.asarray((wide * rise).sum(axis=-1))


def hypervolume_estimate(
    points: Floats, draws: Floats, n: int, *, what: str = "items"
) -> Estimate:
    """The hypervolume with an interval from the points of each resample.

    The best of several noisy points looks better than it is, in every resample once
    more than in the items. So the interval is turned about the value (the basic
    bootstrap): what resampling adds is taken off. Turned, it may pass what there is:
    of axes that are shares, the whole area, where it ends.

    Args:
        points: Points × 2, of shares.
        draws: The same points in each resample: resamples × points × 2.
        n: How many items.
        what: What was resampled.
    """
    value = float(hypervolume(points))
    interval = percentile_estimate(value, hypervolume(draws), n, what)
    low = max(2 * value - interval.high, 0.0)
    high = min(2 * value - interval.low, max(1.0, value))
    return Estimate(value, low, high, interval.level, n, f"basic {interval.method}")


def frontier_share(draws: Floats) -> Floats:
    """The share of resamples in which each point is on the frontier.

    >>> frontier_share(np.array([[[1.0, 1.0], [0.0, 0.0]], [[0.0, 1.0], [1.0, 0.0]]]))
    array([1. , 0.5])
    """
    return np.asarray((~dominance_mask(draws)).mean(axis=0))


def harmonic_mean(
    robustness: "Floats | float", informativeness: "Floats | float"
) -> Floats:
    """H = 2 R I / (R + I): no good on one axis makes up for none on the other.

    >>> float(harmonic_mean(1.0, 0.5).round(6)), float(harmonic_mean(0.0, 0.0))
    (0.666667, 0.0)
    """
    r, i = np.asarray(robustness, float), np.asarray(informativeness, float)
    if (r < 0).any() or (i < 0).any():
        raise BadInput("a harmonic mean is of shares from 0 to 1; clip the means first")
    return np.asarray(2 * r * i / (r + i + EPSILON))


def varif(
    specificity: "Floats | float",
    robustness: "Floats | float",
    informativeness: "Floats | float",
) -> Floats:
    """VARIF = S H, of an explainer's means.

    >>> float(varif(0.5, 1.0, 1.0).round(6))
    0.5
    """
    return np.asarray(specificity, float) * harmonic_mean(robustness, informativeness)


def _as_points(points: Floats) -> Floats:
    """The points as floats; anything but pairs of numbers is refused."""
    points = np.asarray(points, float)
    if points.ndim < 2 or points.shape[-1] != 2:
        raise BadInput(f"points have two axes; these have the shape {points.shape}")
    if points.shape[-2] == 0:
        raise Undefined("no points, so there is no frontier")
    if np.isnan(points).any():
        raise BadInput("some points are not a number; leave out what was not run")
    return points
