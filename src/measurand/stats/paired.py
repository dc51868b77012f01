"""Scores of the same items, compared."""

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import ndtri

from measurand.core.arrays import Clusters, Floats
from measurand.core.clusters import count_clusters, split_ways
from measurand.core.errors import BadInput, Undefined
from measurand.core.estimate import Estimate
from measurand.stats.decisions import averaged_runs, two_source_quantile
from measurand.stats.resampling import (
    RESAMPLES,
    bootstrap,
)
from measurand.stats.scores import (
    bound_constant_ratio,
    bound_share,
    unseen_share,
)
from measurand.stats.uncertainty import run_variance, uneven_variance


def _pair_scores(*scores: "pd.Series[float]") -> Floats:
    """The scores side by side; scores of different items are refused."""
    first = scores[0]
    for series in scores[1:]:
        if not first.index.equals(series.index):
            raise BadInput("these scores are of different items; compare the same ids")
    return np.column_stack([np.asarray(score, float) for score in scores])


def mean_score(
    score: "pd.Series[float]",
    *,
    rng: np.random.Generator,
    clusters: Clusters = None,
    resamples: int = RESAMPLES,
) -> Estimate:
    """The mean of a score from 0 to 1; the interval resamples items or their clusters.

    Where all are 0 or all are 1, or nearly all, it is no narrower than Wilson's, as
    resamples hardly vary.

    >>> print(mean_score(pd.Series([1.0] * 20), rng=np.random.default_rng(0)))
    1.000 [0.839, 1.000]
    """
    values = _pair_scores(score)
    rows = np.column_stack([values, np.ones(len(score))])
    estimate = bootstrap(
        lambda s: s[..., 0] / s[..., 1],
        rows,
        rng=rng,
        clusters=clusters,
        resamples=resamples,
    )
    return bound_share(estimate, values, clusters)


def difference(
    a: "pd.Series[float]",
    b: "pd.Series[float]",
    *,
    rng: np.random.Generator,
    clusters: Clusters = None,
    level: float = 0.95,
) -> Estimate:
    """Mean of `a - b` over items; the interval resamples items, keeping pairs.

    >>> ones, zeros = pd.Series([1.0] * 50), pd.Series([0.0] * 50)
    >>> print(difference(ones, zeros, rng=np.random.default_rng(0)))
    1.000 [1.000, 1.000]
    """
    # One column of differences, not two of scores: far fewer rows differ.
    first, second = _pair_scores(a, b).T
    return bootstrap(
        lambda s: s[..., 0] / s[..., 1],
        np.column_stack([first - second, np.ones(len(a))]),
        rng=rng,
        clusters=clusters,
        level=level,
    )


def gain_over(
    right: "pd.Series[float]",
    guess: "pd.Series[float]",
    *,
    rng: np.random.Generator,
    clusters: Clusters = None,
) -> Estimate:
    """How much more often answers are right than a guess.

    The interval is that of `difference`. Where the guess is a chance between 0 and 1,
    which nobody drew, it is no narrower than that of the answers: where all are right,
    each resample misses a guess among four by 0.75.

    >>> ones, guess = pd.Series([1.0] * 50), pd.Series([0.25] * 50)
    >>> print(gain_over(ones, guess, rng=np.random.default_rng(0)))
    0.750 [0.679, 0.750]
    """
    estimate = difference(right, guess, rng=rng, clusters=clusters)
    if not guess.between(0, 1, inclusive="neither").all():
        return estimate
    base = float(right.mean()) - estimate.value
    ends = estimate.low + base, estimate.high + base
    of_right = replace(estimate, value=estimate.value + base, low=ends[0], high=ends[1])
    bound = bound_share(of_right, np.asarray(right, float), clusters)
    low, high = bound.low - base, bound.high - base
    return replace(estimate, low=low, high=high, method=bound.method)


def share_difference(
    a: "pd.Series[float]",
    b: "pd.Series[float]",
    *,
    clusters: Clusters = None,
    level: float = 0.95,
) -> Estimate:
    """Mean of `a - b` over items that are 0 or 1, by a score interval.

    Where few items differ, a bootstrap is too sure that the truth is small: at 40 items
    it says "within 0.02" of a true 0.035 every fifth time. This interval holds its
    level; clusters take part by their design effect and a t quantile.

    >>> ones, zeros = pd.Series([1.0] * 50), pd.Series([0.0] * 50)
    >>> print(share_difference(zeros, zeros))
    0.000 [-0.075, 0.075]
    >>> print(share_difference(ones, zeros))
    1.000 [0.851, 1.000]
    """
    return mean_share_difference([a], b, clusters=clusters, level=level)


def mean_share_difference(
    runs: Sequence["pd.Series[float]"],
    base: "pd.Series[float]",
    *,
    clusters: Clusters = None,
    level: float = 0.95,
) -> Estimate:
    """Mean over items and runs of `run - base`, all 0 or 1, by a score interval.

    The runs of an item are averaged first: what one run has right and another wrong is
    luck of the run, and an interval of each run would count it as an item's, too.

    >>> ones, half = pd.Series([1.0] * 50), pd.Series([0.0, 1.0] * 25)
    >>> print(mean_share_difference([half, 1 - half], ones))
    -0.500 [-0.602, -0.429]

    A base that is neither, as guessing among four choices, is known, and leaves no more
    than what it lacks:

    >>> print(mean_share_difference([ones], ones / 4))
    0.750 [0.666, 0.750]
    """
    scores = _pair_scores(*runs, base).T
    differences = scores[:-1] - scores[-1]
    count, n = differences.shape
    ways = [np.arange(n)] if clusters is None else split_ways(clusters)
    units = min(count_clusters(way) for way in ways[:2])
    if units < 2:
        raise Undefined("an interval needs at least two items or clusters; add items")
    mean = differences.mean(axis=0)
    value, square = float(mean.mean()), float((mean**2).mean())
    variance, freedom = uneven_variance(
        mean, np.arange(n) if clusters is None else clusters
    )
    plain = (square - value**2) / n
    effective = min(float(n), n * plain / variance) if variance > 0 else float(units)
    if units == n:
        freedom = float(max(n - 1, 1))
    of_runs = run_variance(differences, clusters)
    low, high = score_bounds(
        value,
        (variance + of_runs) ** 0.5,
        square,
        effective,
        two_source_quantile(level, (variance, of_runs), (freedom, max(count - 1, 1))),
        level=level,
        seed_se=of_runs**0.5,
        moved=(float(np.maximum(-mean, 0).mean()), float(np.maximum(mean, 0).mean())),
    )
    what = "items" if units == n else f"{units} clusters"
    method = f"score interval over {what}"
    if count > 1:
        method += f"; {averaged_runs(count)}"
    is_known = bool(((scores[-1] > 0) & (scores[-1] < 1)).any())
    guessed = float(scores[-1].mean())
    least, most = (-guessed, 1 - guessed) if is_known else (-1.0, 1.0)
    return Estimate(value, max(low, least), min(high, most), level, n, method)


def score_bounds(
    value: float,
    se: float,
    discordant: float,
    units: float,
    quantile: float,
    *,
    level: float,
    seed_se: float = 0.0,
    moved: tuple[float, float] | None = None,
) -> tuple[float, float]:
    """The least and the greatest mean difference that what was seen allows.

    Away from the value the variance is that of the difference tried: it grows as that
    of items that differ must, as in Tango's interval (1998), which this is for
    independent items. And where no item differs in one direction, the truth may be the
    most that shows nothing in so many units: the rule of three.

    Args:
        value: The mean difference, from -1 to 1.
        se: Its standard error, as seen.
        discordant: The share that differs, either way.
        units: How many independent items it rests on.
        quantile: How many standard errors the interval reaches.
        level: The coverage of the interval.
        seed_se: The part of `se` that items do not make.
        moved: The shares of items that differ below zero and above, where an item is an
            average of several and so may differ a little.
    """
    plain = discordant - value**2
    # What one item's variance adds to that of the mean.
    an_item = (se**2 - seed_se**2) / plain if plain > 0 and se > 0 else 1 / units
    ends = []
    for side, sign in enumerate((-1, 1)):
        net, wins = sign * value, (discordant + sign * value) / 2
        # One item that differs is no longer nothing.
        differing = (moved[side] if moved else wins) * units
        nothing = unseen_share(units, level) * max(1 - differing, 0.0)

        def beyond(end: float, net: float = net, wins: float = wins) -> float:
            spread = _discordance_variance(end, wins, wins - net)
            added = max(spread - plain, 0.0) * an_item
            return (end - net) ** 2 - quantile**2 * (se**2 + added)

        reach = net + quantile * se
        start = reach + 1e-9  # next to it, as rounding decides the sign at it
        end = reach
        if start < 1 and beyond(start) < 0:
            end = float(brentq(beyond, start, 1.0)) if beyond(1.0) > 0 else 1.0
        ends.append(sign * min(max(end, net + nothing), max(reach, 1.0)))
    return ends[0], ends[1]


def _discordance_variance(theta: float, wins: float, losses: float) -> float:
    """The variance of one item's difference, likeliest where the mean is `theta`.

    >>> round(_discordance_variance(0.1, 0.3, 0.2), 3)  # as seen: 0.5 - 0.01
    0.49
    >>> round(_discordance_variance(0.1, 0.0, 0.0), 3)  # all must be of one kind
    0.09
    """
    if theta < 0:
        return _discordance_variance(-theta, losses, wins)
    b = (2 - wins + losses) * theta - wins - losses
    root = math.sqrt(max(b * b + 8 * losses * theta * (1 - theta), 0.0))
    return (root - b) / 2 + theta - theta**2


def ratio(
    a: "pd.Series[float]",
    b: "pd.Series[float]",
    *,
    rng: np.random.Generator,
    less: "pd.Series[float] | None" = None,
    clusters: Clusters = None,
) -> Estimate:
    """Mean of `a` over mean of `b`, after `less` is taken from both.

    A ratio whose denominator is not clearly above zero raises: its interval explodes.
    Where `a` is `b`, or `less`, in every item, resamples do not vary: the interval is
    then by the rule of three.

    >>> ones, half = pd.Series([1.0] * 20), pd.Series([0.0, 1.0] * 10)
    >>> print(ratio(ones, ones, less=half, rng=np.random.default_rng(0)))
    1.000 [0.663, 1.000]
    """
    base = b * 0 if less is None else less
    if difference(b, base, rng=rng, clusters=clusters).low <= 0:
        raise Undefined(
            "the denominator is not clearly above zero, so the ratio is withheld"
        )
    rows = _pair_scores(a, b, base)
    with np.errstate(divide="ignore", invalid="ignore"):
        estimate = bootstrap(
            lambda s: (s[..., 0] - s[..., 2]) / (s[..., 1] - s[..., 2]),
            rows,
            rng=rng,
            clusters=clusters,
        )
    return bound_constant_ratio(estimate, rows[:, 0], rows[:, 1], rows[:, 2], clusters)


def correlation(
    x: Floats, y: Floats, *, rng: np.random.Generator, clusters: Clusters = None
) -> Estimate:
    """Pearson's correlation over the items that have both scores.

    >>> ones = np.arange(30.0)
    >>> print(correlation(ones, 3 - ones, rng=np.random.default_rng(0)))
    -1.000 [-1.000, -1.000]
    """
    complete = np.isfinite(x) & np.isfinite(y)
    x, y = x[complete], y[complete]
    if len(x) < 3 or x.std() == 0 or y.std() == 0:
        raise Undefined("one of the two scores is the same for all items")
    # Centred first, so that sums of squares do not cancel.
    x, y = x - x.mean(), y - y.mean()
    rows = np.column_stack([x, y, x * x, y * y, x * y, np.ones(len(x))])

    def statistic(s: Floats) -> Floats:
        a, b, aa, bb, ab, n = np.moveaxis(s, -1, 0)
        spread = (aa - a * a / n) * (bb - b * b / n)
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray((ab - a * b / n) / np.sqrt(spread))

    complete_clusters = None if clusters is None else clusters[complete]
    return bootstrap(statistic, rows, rng=rng, clusters=complete_clusters)


def sign_flip(
    differences: Floats, *, rng: np.random.Generator, permutations: int = 10_000
) -> float:
    """The two-sided p-value that paired differences are symmetric about zero."""
    if len(differences) == 0:
        raise Undefined("no pairs to flip")
    observed = abs(differences.sum())
    larger = 0
    block = max(1, 20_000_000 // len(differences))
    for start in range(0, permutations, block):
        size = (min(block, permutations - start), len(differences))
        signs = rng.integers(0, 2, size, dtype=np.int8) * 2 - 1
        larger += int((np.abs(signs @ differences) >= observed - 1e-12).sum())
    return (1 + larger) / (1 + permutations)


# Any order of four is met by chance more often than once in twenty: 2 / 4!.
LEAST_POINTS = 5


def pearson(
    x: NDArray[np.float64],
    y: NDArray[np.float64],
    level: float = 0.95,
    *,
    units: int | None = None,
) -> Estimate | None:
    """Pearson's r with Fisher's interval, or nothing where it is undefined.

    Args:
        x: One coordinate of each point.
        y: The other.
        level: The coverage of the interval.
        units: How many of the points are independent, where some are dependent, as the
            parts of one benchmark do. The interval and the count are of these.

    >>> x, y = np.arange(5.0), np.array([0, 2, 1, 4.0, 3])
    >>> print(pearson(x, y))
    0.800 [-0.280, 0.986]
    >>> print(pearson(x, y, units=4))
    None
    """
    n = len(x) if units is None else min(units, len(x))
    if n < LEAST_POINTS or np.ptp(x) == 0 or np.ptp(y) == 0:
        return None
    r = float(np.corrcoef(x, y)[0, 1])
    half = float(ndtri((1 + level) / 2)) / math.sqrt(n - 3)
    # A perfect line has an infinite z, and both ends at r.
    middle = math.atanh(r) if abs(r) < 1 else math.copysign(math.inf, r)
    low, high = math.tanh(middle - half), math.tanh(middle + half)
    return Estimate(r, low, high, level, n, "Pearson's r, Fisher's z")


def trend_line(
    x: NDArray[np.float64], y: NDArray[np.float64]
) -> tuple[float, float] | None:
    """Slope and height at 0 of the least-squares line, where there is one.

    >>> trend_line(np.array([0.0, 1.0]), np.array([1.0, 3.0]))
    (2.0, 1.0)
    """
    if len(x) < 2 or np.ptp(x) == 0:
        return None
    away = x - x.mean()
    slope = float((away * (y - y.mean())).sum() / (away**2).sum())
    return slope, float(y.mean() - slope * x.mean())
