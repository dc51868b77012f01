"""How well a score distinguishes two kinds, and how well it keeps a known order.

The AUC is the chance that one of the first kind scores above one of the second, ties
one half. Its variance comes from what each score adds to it (DeLong et al. 1988); what
scores of one item or cluster add is summed first (Obuchowski 1997), and the interval is
taken on the logit scale. Where nothing overlaps that variance is 0, and the interval is
Newcombe's (2006, method 5) for so many independent units.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd
from scipy.optimize import brentq
from scipy.special import ndtri

from measurand.core.arrays import Clusters, Floats, Ints
from measurand.core.clusters import split_ways
from measurand.core.errors import BadInput, Undefined
from measurand.core.estimate import Estimate
from measurand.stats.resampling import combine_ways, percentile_estimate


def auc(positive: Floats, negative: Floats, *, level: float = 0.95) -> Estimate:
    """How well scores of some items tell them from other, independent items.

    >>> float(auc(np.array([1.0, 2.0, 3.0]), np.array([0.0, 2.0])))
    0.75
    """
    above, below = len(positive), len(negative)
    units = np.arange(above), np.arange(above, above + below)
    return _delong_auc(positive, negative, [units], level)


def paired_auc(
    positive: Floats,
    negative: Floats,
    *,
    clusters: Clusters = None,
) -> Estimate:
    """The same where both are scores of the same items, in the same order.

    >>> print(paired_auc(np.arange(40.0), np.arange(40.0)))
    0.500 [0.500, 0.500]
    """
    if len(positive) != len(negative):
        raise BadInput(
            f"{len(positive)} and {len(negative)} scores; compare the same items"
        )
    items = np.arange(len(positive))
    ways = [items] if clusters is None else split_ways(clusters)
    estimate = _delong_auc(positive, negative, [(way, way) for way in ways], 0.95)
    return replace(estimate, n=len(positive))


def _delong_auc(
    positive: Floats, negative: Floats, ways: Sequence[tuple[Ints, Ints]], level: float
) -> Estimate:
    """The AUC of scores whose units are these, in one way or in two and both."""
    positive, negative = np.asarray(positive, float), np.asarray(negative, float)
    if len(positive) == 0 or len(negative) == 0:
        raise Undefined("an AUC needs scores of both kinds")
    if np.isnan(positive).any() or np.isnan(negative).any():
        raise BadInput("some scores are missing; drop these items from both")
    wins, losses = _placements(positive, negative)
    value, n = float(wins.mean()), len(positive) + len(negative)
    counts = [
        (len(np.unique(positives)), len(np.unique(negatives)))
        for positives, negatives in ways
    ]
    if value in (0.0, 1.0) or min(min(counts)) < 2:
        low, high = newcombe_interval(value, *min(counts), level)
        return Estimate(value, low, high, level, n, "AUC, Newcombe's interval")
    variances = []
    for way, sizes in zip(ways, counts, strict=True):
        sides = zip((wins, losses), sizes, strict=True)
        influences = [(x - value) / len(x) * np.sqrt(m / (m - 1)) for x, m in sides]
        codes = np.unique(np.concatenate(way), return_inverse=True)[1]
        sums = np.bincount(codes, np.concatenate(influences))
        variances.append(float((sums**2).sum()))
    se = float(np.sqrt(combine_ways(np.array(variances))))
    # On the logit scale the interval stays inside 0 and 1.
    half = float(ndtri((1 + level) / 2)) * se / (value * (1 - value))
    odds = np.log(value / (1 - value))
    low, high = (float(1 / (1 + np.exp(-end))) for end in (odds - half, odds + half))
    units = min(len(np.unique(np.concatenate(way))) for way in ways)
    method = f"AUC, DeLong over {units} units, logit interval"
    return Estimate(value, low, high, level, n, method)


def _placements(positive: Floats, negative: Floats) -> tuple[Floats, Floats]:
    """The share of the others that each score beats (or, of a negative, is beaten by).

    >>> [side.tolist() for side in _placements(np.array([1.0, 2.0]), np.array([1.0]))]
    [[0.5, 1.0], [0.75]]
    """
    everyone = _ranks(np.concatenate([positive, negative]))
    above, below = len(positive), len(negative)
    wins = (everyone[:above] - _ranks(positive)) / below
    losses = 1 - (everyone[above:] - _ranks(negative)) / above
    return wins, losses


def _ranks(values: Floats) -> Floats:
    """The rank of each from 1 on, and of equals the mean of theirs."""
    return np.asarray(pd.Series(values).rank(), np.float64)


def newcombe_interval(
    value: float, above: int, below: int, level: float
) -> tuple[float, float]:
    """The AUCs from which `value` is no further than chance allows."""
    z = float(ndtri((1 + level) / 2))
    size = (above + below) / 2 - 1

    def beyond(theta: float) -> float:
        spread = 1 + size * ((1 - theta) / (2 - theta) + theta / (1 + theta))
        variance = theta * (1 - theta) * spread / (above * below)
        return float((theta - value) ** 2 - z**2 * variance)

    low = 0.0 if value == 0 else float(brentq(beyond, 0.0, min(value, 1 - 1e-12)))
    high = 1.0 if value == 1 else float(brentq(beyond, max(value, 1e-12), 1.0))
    return low, high


def rank_correlation(
    scores: Floats,
    draws: Floats,
    order: Ints,
    n: int,
    *,
    what: str = "items",
) -> Estimate:
    """How well scores keep a known order, from -1 to 1.

    Pairs in order less pairs against it, over the pairs that the order tells apart, as
    it may hold some equal (Somers' d): 1 where every claim of the order is kept. The
    interval is over items: the explainers are these and no others.

    Args:
        scores: One an explainer; the more the better.
        draws: The same in each resample of items: resamples × explainers.
        order: How good each is known to be; the more the better.
        n: How many items.
        what: What was resampled.
    """
    value, resampled = (concordance(figures, order) for figures in (scores, draws))
    estimate = percentile_estimate(float(value), resampled, n, what)
    method = f"Somers' d of {len(order)} explainers, {estimate.method}"
    return replace(estimate, method=method)


def concordance(scores: Floats, order: Ints) -> Floats:
    """The rank correlation of each row of scores with the order.

    >>> float(concordance(np.array([3.0, 1.0, 2.0]), np.array([1, 0, 0])))
    1.0
    """
    left, right = np.triu_indices(len(order), 1)
    order_signs = np.sign(np.asarray(order)[left] - np.asarray(order)[right])
    if not order_signs.any():
        raise Undefined("the order tells no two apart, so no score can keep it")
    score_signs = np.sign(scores[..., left] - scores[..., right])
    concordant = (score_signs * order_signs).sum(axis=-1)
    return np.asarray(concordant / np.abs(order_signs).sum())


def rank_disagreements(a: Floats, b: Floats) -> list[tuple[int, int]]:
    """The pairs of places of which `a` holds the first and `b` the second to be better.

    >>> rank_disagreements(np.array([3.0, 2.0, 1.0]), np.array([1.0, 2.0, 2.0]))
    [(0, 1), (0, 2)]
    """
    a, b = np.asarray(a, float), np.asarray(b, float)
    against = (a[:, None] > a) & (b[:, None] < b)
    return [(int(i), int(j)) for i, j in np.argwhere(against)]
