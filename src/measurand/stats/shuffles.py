"""The effect of giving every item another item's text.

With K shuffles, item i has `right_i` (1 if answered right with its own text) and
`a_i`, its mean correctness over shuffles. The effect is the mean of `right_i - a_i`.
Resampling these differences is not enough: item i's text was also judged on other
items, and with skewed labels an interval that forgets this covers too rarely. So the
interval rests on

    psi_i = right_i - a_i - (b_i - mean b),

where `b_i` is the mean correctness of the items that received i's text; psi is summed
over clusters of items that share a text or a group. Where queries and evidence cross,
the variances over both ways are added, less that over items that share both. Each
answer on another's text is in two of the psi, its item's and its giver's: what that
counts too much, the variance of a mean of all these answers, is taken off, down to a
third of the variance of the differences themselves: with half, or were answers of other
shuffles on one pair of texts held independent, intervals over ten texts cover 0.975.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import gammaincinv, stdtrit

from measurand.core.arrays import Floats
from measurand.core.clusters import count_clusters, rank_numbers, split_ways
from measurand.core.errors import Undefined
from measurand.core.estimate import Estimate
from measurand.stats.decisions import ONE_TRAINING, two_source_quantile
from measurand.stats.paired import score_bounds
from measurand.stats.uncertainty import (
    GIVERS,
    ITEMS,
    ONE_OF_MANY,
    SHARED,
    TRAINING_ITEMS,
    TRAININGS,
    UncertaintyBudget,
    item_variance,
    uneven_variance,
)

LEAST = 1 / 3  # of the variance of the differences, which that of the effect may be


@dataclass(frozen=True, eq=False)
class ShuffleEffect:
    """How much is lost on the wrong texts.

    Attributes:
        value: Mean over items of right minus mean over shuffles.
        se: Its standard error over clusters of items.
        n: How many items.
        clusters: How many clusters; of two ways, the fewer.
        freedom: The degrees of freedom of `se`; fewer where a few clusters make it.
        sigma: The population sd of accuracy over shuffles, with its interval.
        discordant: Share of (item, shuffle) pairs whose correctness changed.
        seeds: How many trainings were averaged; 0 where training leaves no choice.
        seed_se: The part of `se` that is the spread between them.
        sources: The variance of each source: items, shared texts, givers.
        moved: The shares of items that most of the wrong texts help, and harm.
    """

    value: float
    se: float
    n: int
    clusters: int
    freedom: float
    sigma: Estimate
    discordant: float
    seeds: int = 0
    seed_se: float = 0.0
    sources: Mapping[str, float] = field(default_factory=dict)
    moved: tuple[float, float] = (0.0, 0.0)

    def quantile(self, level: float) -> float:
        """How many standard errors an interval of that level reaches."""
        if self.seed_se == 0:
            return float(stdtrit(self.freedom, (1 + level) / 2))
        variances = self.se**2 - self.seed_se**2, self.seed_se**2
        freedoms = self.freedom, self.seeds - 1
        return two_source_quantile(level, variances, freedoms)

    def interval(self, level: float) -> Estimate:
        """The effect with an interval of that level."""
        low, high = score_bounds(
            self.value,
            self.se,
            self.discordant,
            self.units,
            self.quantile(level),
            level=level,
            seed_se=self.seed_se,
            moved=self.moved,
        )
        seeds_note = f" and {self.seeds} seeds" if self.seeds > 1 else ""
        method = f"donor-adjusted t over {self.clusters} clusters{seeds_note}"
        if self.discordant == 0:
            # No answer ever changed, so the variance is seen as 0. The truth may still
            # be the most that shows nothing in so many clusters: the rule of three.
            half = 1 - ((1 - level) / 2) ** (1 / self.clusters)
            low, high = self.value - half, self.value + half
            method = (
                f"no answer changed; exact binomial bound over {self.clusters} clusters"
            )
        if self.seeds == 1:
            method += f"; {ONE_TRAINING}"
        return Estimate(self.value, max(low, -1), min(high, 1), level, self.n, method)

    @property
    def units(self) -> float:
        """How many independent items are worth as much as these."""
        shared = self.se**2 - self.seed_se**2
        alone = self.sources.get(ITEMS, 0.0) + self.sources.get(GIVERS, 0.0)
        if shared <= 0 or alone <= 0:
            return float(self.clusters)
        return min(float(self.n), self.n * alone / shared)

    @property
    def budget(self) -> UncertaintyBudget:
        """What the interval holds, by source, and what it does not."""
        trained = {TRAININGS: self.seed_se**2} if self.seeds > 1 else {}
        note = f"; {ONE_OF_MANY}" if self.seeds == 1 else ""
        return UncertaintyBudget({**self.sources, **trained}, TRAINING_ITEMS + note)


def shuffle_effect(
    right: Floats,
    wrong: Floats,
    donors: NDArray[np.int32],
    clusters: NDArray[np.int64],
) -> ShuffleEffect:
    """The effect of the shuffle.

    Args:
        right: Whether (or, over several seeds, how often) each item was answered
            right with its own text.
        wrong: The same under each shuffle: shuffles × items.
        donors: Whose text each item received: shuffles × items.
        clusters: Items with one number share a text or a group; items × 2 for two ways.
    """
    right, wrong = np.asarray(right, float), np.asarray(wrong, float)
    shuffles, n = wrong.shape
    if n < 2 or count_clusters(clusters) < 2:
        raise Undefined("a shuffle effect needs at least two clusters of items")
    received = wrong.mean(axis=0)
    donated = np.zeros(n)
    for correct, giver in zip(wrong, donors, strict=True):
        donated += np.bincount(giver, correct - received.mean(), minlength=n)
    psi = right - received - donated / shuffles
    value = float((right - received).mean())
    losses = right - received
    spread, freedom = uneven_variance(psi, clusters, value)
    variance = max(
        spread - _counted_twice(wrong, donors, clusters),
        LEAST * uneven_variance(losses, clusters)[0],
    )
    alone, single = item_variance(losses), np.arange(n)
    with_givers = item_variance(psi) - _counted_twice(wrong, donors, single)
    discordant = float(np.abs(wrong - right).mean())
    return ShuffleEffect(
        value=value,
        se=float(np.sqrt(variance)),
        n=n,
        clusters=count_clusters(clusters),
        freedom=freedom,
        sigma=sigma_shuf(wrong.mean(axis=1)),
        discordant=discordant,
        sources={
            ITEMS: alone,
            GIVERS: with_givers - alone,
            SHARED: variance - with_givers,
        },
        moved=(float((losses <= -0.5).mean()), float((losses >= 0.5).mean())),
    )


def _counted_twice(
    wrong: Floats, donors: NDArray[np.int32], clusters: NDArray[np.int64]
) -> float:
    """What the variance of psi counts twice: that of a mean of all shuffled answers.

    An answer on another's text is in the mean of its item and in that of the giver, but
    in the effect once. Items of one cluster that were given a text of one other hang
    together, in one shuffle and in several. What a cluster has of its own, as it
    answers and as it gives, is in both means at its full size, however texts are dealt:
    of it only what chance deals beyond what sizes make expected is counted twice.
    """
    way = rank_numbers(split_ways(clusters)[-1])
    away, sizes = wrong - wrong.mean(), np.bincount(way)
    count, answers = len(sizes), len(wrong) * sizes
    answering = np.bincount(way, away.sum(axis=0)) / answers
    givers = way[donors]
    giving = np.bincount(givers.ravel(), away.ravel(), count) / answers
    codes, pairs = pd.factorize((way * count + givers).ravel())
    answerer, giver = pairs // count, pairs % count
    expected = answers[answerer] * sizes[giver] / len(way)
    sums = np.bincount(codes, away.ravel())
    sums = sums - expected * (answering[answerer] + giving[giver])
    return float((sums**2).sum()) / wrong.size**2


def add_seed_variance(effect: ShuffleEffect, effects: Floats) -> ShuffleEffect:
    """The effect averaged over trainings; its error holds the spread between them."""
    count = len(effects)
    if count < 2:
        return replace(effect, seeds=count)
    variance = float(np.var(effects, ddof=1)) / count
    se = float(np.sqrt(effect.se**2 + variance))
    return replace(effect, se=se, seeds=count, seed_se=float(np.sqrt(variance)))


def sigma_shuf(accuracies: Floats) -> Estimate:
    """The population sd over shuffles; it is no standard error of the effect."""
    k = len(accuracies)
    sd = float(np.std(accuracies))
    if k < 2:
        return Estimate(0.0, 0.0, float("inf"), 0.95, k, "one shuffle has no spread")
    # Twice a quantile of the gamma distribution is one of chi-square.
    quantiles = 2 * gammaincinv((k - 1) / 2, np.array([0.975, 0.025]))
    low, high = np.sqrt(k * sd**2 / quantiles).tolist()
    return Estimate(
        sd, low, high, 0.95, k, "population sd over shuffles, chi-square interval"
    )
