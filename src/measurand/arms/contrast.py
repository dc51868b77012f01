"""Contrasts: what is stated about arms, each with its interval.

All are paired by item, and intervals resample families. Cross-fitted scores vary more
than their items say, since folds share what they learn from; how much more is seen on
blanks, where nothing is to be found, and every interval of a channel is widened by it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd

from measurand.arms.answers import ArmAnswers
from measurand.arms.families import Family
from measurand.core.arrays import Floats, Ints
from measurand.core.estimate import Estimate
from measurand.stats.paired import mean_share_difference
from measurand.stats.shuffles import ShuffleEffect, shuffle_effect
from measurand.stats.uncertainty import cluster_variance, mean_interval, uneven_interval


def mean_difference(
    scores: Floats, base: Floats, family: Family, level: float = 0.95
) -> Estimate:
    """The mean of paired differences of scores from 0 to 1."""
    # As one score: a base that is a mean over draws is no chance that is known.
    return mean_share_difference(
        [pd.Series(scores - base, dtype=float)],
        pd.Series(np.zeros(len(scores))),
        clusters=family.numbers,
        level=level,
    )


def is_halved(left: Floats, before: Floats, family: Family) -> bool:
    """Whether surely less than half of an effect is left, item by item."""
    return mean_interval(left - before / 2, family.numbers, 0.95).high < 0


def shuffle_loss(full: ArmAnswers, moved: ArmAnswers, family: Family) -> ShuffleEffect:
    """What is lost on another item's text, of the first draw."""
    assert moved.shuffled is not None, "an arm that was rearranged"  # noqa: S101
    assert moved.donors is not None, "donors come with it"  # noqa: S101
    return shuffle_effect(
        full.right[0].astype(float),
        moved.shuffled.astype(float),
        moved.donors,
        family.numbers,
    )


@dataclass(frozen=True, eq=False)
class OverBlank:
    """What a part predicts beyond permuted labels, in accuracy or in bits.

    Attributes:
        scores: Of each item, with its own label, over draws.
        base: Of each item, over blanks.
        family: Whose families the interval resamples.
        widening: How much wider than its items say the interval must be.
        share: Whether scores are from 0 to 1.
    """

    scores: Floats
    base: Floats
    family: Family
    widening: float
    share: bool

    @property
    def value(self) -> float:
        """The mean difference."""
        return float(self.scores.mean() - self.base.mean())

    def interval(self, level: float) -> Estimate:
        """The difference with an interval of that level."""
        if self.share:
            plain = mean_difference(self.scores, self.base, self.family, level)
        else:
            values = self.scores - self.base
            plain = uneven_interval(values, self.family.numbers, level)
        return widen(plain, self.widening)


def widen(estimate: Estimate, factor: float) -> Estimate:
    """The estimate with an interval so much wider."""
    low = estimate.value - factor * (estimate.value - estimate.low)
    high = estimate.value + factor * (estimate.high - estimate.value)
    return replace(estimate, low=low, high=high)


LEAST_WIDENING = 1.25  # of accuracies: what blanks showed at 300 items, 1.07 to 1.36


def blank_widening(
    blanks: Sequence[tuple[Family, Sequence[Floats]]], least: float = 1.0
) -> float:
    """How much more means over blanks spread than families say; at least `least`.

    Args:
        blanks: For each channel, its families and blanks: a score for every item.
        least: The least that is taken, as few blanks may happen to be alike.
    """
    ratios = []
    for family, deals in blanks:
        expected = np.mean([cluster_variance(d, family.numbers) for d in deals])
        if len(deals) > 1 and expected > 1e-12:
            means = np.array([float(np.mean(deal)) for deal in deals])
            ratios.append(float(means.var(ddof=1) / expected))
    return max(least, float(np.mean(ratios)) ** 0.5) if ratios else least


@dataclass(frozen=True)
class Gain:
    """What the best reader with the evidence has over the best without it.

    Attributes:
        value: The difference for the reader and rival that decide.
        low: Below this it is not, whichever rival is the best.
        high: Above this it is not, whichever reader is the best.
        reader: The reader whose low end is the highest.
        rival: The best without the evidence.
        room: The most that is left by the best without the evidence.
        by_reader: By reader, its own gain, at its share of the error.
    """

    value: float
    low: float
    high: float
    reader: str
    rival: str
    room: float
    by_reader: Mapping[str, Estimate] = field(default_factory=dict)

    @property
    def estimate(self) -> Estimate | None:
        """The gain of the reader that decides."""
        return self.by_reader.get(self.reader)


def best_gain(
    readers: Mapping[str, Floats],
    rivals: Mapping[str, Floats],
    family: Family,
    error: float = 0.05,
    looks: int = 1,
) -> Gain:
    """The gain over the best rival, whichever that is.

    The low end of a reader is the least over rivals, and readers share the error; the
    high end is the least over rivals, which share it too. A bootstrap of the maximum
    would be too sure: 28 % false at four rivals.

    Args:
        readers: By name, how often each item is right with the evidence.
        rivals: The same without it.
        family: The families that intervals resample.
        error: Of each end.
        looks: In how many sets of items a low end above zero would decide: these
            share the error of low ends.
    """
    low_level = 1 - 2 * error / len(readers) / looks
    high_level = 1 - 2 * error / len(rivals)
    gains = {
        name: rival_gain(scores, rivals, family, (low_level, high_level), 1 - 2 * error)
        for name, scores in readers.items()
    }
    reader = max(gains, key=lambda name: gains[name].low)
    best = max(rivals, key=lambda rival: float(rivals[rival].mean()))
    return Gain(
        value=gains[reader].value,
        low=gains[reader].low,
        high=max(estimate.high for estimate in gains.values()),
        reader=reader,
        rival=best,
        room=_room(rivals, family, error),
        by_reader=gains,
    )


def rival_gain(
    scores: Floats,
    rivals: Mapping[str, Floats],
    family: Family,
    levels: tuple[float, float],
    stated: float,
) -> Estimate:
    """What one reader has over the best without the evidence, whichever that is.

    Args:
        scores: How often it is right about each item.
        rivals: The same of those without the evidence.
        family: The families that the interval resamples.
        levels: Of the intervals whose least low and least high ends are taken.
        stated: The level of both ends together.
    """
    lows, highs = (
        [mean_difference(scores, base, family, level) for base in rivals.values()]
        for level in levels
    )
    low, high = min(e.low for e in lows), min(e.high for e in highs)
    method = f"{lows[0].method}; least over {len(rivals)} baselines without evidence"
    value = min(e.value for e in lows)
    return Estimate(value, low, high, stated, len(scores), method)


def _room(rivals: Mapping[str, Floats], family: Family, error: float) -> float:
    """The largest share of labels that the best rival surely leaves open, at most."""
    level = 1 - 2 * error / len(rivals)
    ones = np.ones(len(family.numbers))
    return min(
        -mean_difference(scores, ones, family, level).low for scores in rivals.values()
    )


def exact_bound(texts: Sequence[str], gold: Ints) -> float:
    """The best accuracy that any model of these texts alone can have.

    >>> exact_bound(["a", "a", "b"], np.array([0, 1, 1]))
    0.6666666666666666
    """
    table = pd.crosstab(pd.factorize(pd.Series(list(texts)))[0], gold)
    return float(table.max(axis=1).sum() / len(gold))
