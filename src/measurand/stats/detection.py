"""What a spike shows of an instrument: its recovery, and its limit of detection.

A dose d is the share of items in which a known dependence was planted. At the doses
tried it added E(d) to the effect that is tested; between them E is taken as linear and
never falling. Without a spike the effect, of n items in m clusters, has the standard
error se. What is planted adds to the variance that of the items that change, all of
which were wrong,

    v(d) = E(d) (1 - E(d) - 2 q) / n,

where q is the effect and how often such an item was right under the shuffles.
The limit of detection is the least dose with

    E(d) >= (t[0.975, m - 1] + z[power]) sqrt(se^2 + v(d)):

there a two-sided test at 5 % tells the effect from zero so often. Below the least dose
tried, and above the largest, the effect is taken to be in proportion to the dose; the
method says so, since a reader that met fewer spikes may have learned less of them.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.optimize import brentq
from scipy.special import ndtri, stdtrit

from measurand.core.arrays import Clusters, Floats
from measurand.core.errors import BadInput, Undefined
from measurand.core.estimate import Estimate
from measurand.stats.decisions import POWER
from measurand.stats.resampling import bootstrap
from measurand.stats.scores import bound_constant_ratio
from measurand.stats.shuffles import ShuffleEffect

LEAST_ROOM = 10  # spiked items that were wrong before; of fewer, any share is chance


def recovery(
    before: "pd.Series[float]",
    after: "pd.Series[float]",
    *,
    rng: np.random.Generator,
    clusters: Clusters = None,
) -> Estimate:
    """The accuracy gained on spiked items over the room that was left, 1 - before.

    The interval resamples items or their clusters, keeping before and after together;
    where all are right after, or none changed, it is by the rule of three.

    >>> before, after = pd.Series([1.0, 0, 0, 0] * 25), pd.Series([1.0, 1, 1, 0] * 25)
    >>> print(recovery(before, after, rng=np.random.default_rng(0)))
    0.667 [0.557, 0.773]
    """
    if not before.index.equals(after.index):
        raise BadInput("these scores are of different items; compare the same ids")
    rows = np.column_stack([after - before, 1 - before])
    if rows[:, 1].sum() < LEAST_ROOM:
        raise Undefined(
            f"of {len(rows)} spiked items only {rows[:, 1].sum():.0f} were wrong "
            f"before; at least {LEAST_ROOM} are needed to say what was gained"
        )
    with np.errstate(divide="ignore", invalid="ignore"):
        estimate = bootstrap(
            lambda s: s[..., 0] / s[..., 1], rows, rng=rng, clusters=clusters
        )
    ends = np.asarray(after, float), np.ones(len(rows)), np.asarray(before, float)
    return bound_constant_ratio(estimate, *ends, clusters)


@dataclass(frozen=True)
class Noise:
    """How uncertain the effect is without any spike.

    Attributes:
        se: Its standard error.
        mended: How often, on average and with the effect added, the wrong text makes a
            wrong answer right.
        n: How many items.
        clusters: How many clusters of items.
    """

    se: float
    mended: float
    n: int
    clusters: int


def shuffle_noise(effect: ShuffleEffect, right: Floats, wrong: Floats) -> Noise:
    """How uncertain the effect of a shuffle is, by the answers that it rests on.

    Args:
        effect: The effect.
        right: Whether each item was answered right with its own text.
        wrong: The same under each shuffle: shuffles × items.
    """
    room = 1 - np.asarray(right, float)
    mended = float(np.average(wrong.mean(axis=0), weights=room)) if room.any() else 0.0
    return Noise(effect.se, mended + effect.value, effect.n, effect.clusters)


def detection_limit(
    doses: Sequence[float],
    effects: Sequence[Estimate],
    noise: Noise,
    *,
    power: float = POWER,
) -> Estimate:
    """The least dose whose effect would be told from zero with that power.

    The ends are the limits by the ends of the effects; a high end that no dose reaches
    is infinite. Where no dose at all would be told from zero, it has no value.

    Args:
        doses: Those that were tried.
        effects: What each added to the effect that is tested.
        noise: How uncertain that effect is.
        power: How often the limit would be found.
    """
    order = np.argsort(doses)
    tried = np.array(doses, float)[order]
    ends = [
        _least_dose(
            tried, np.array([getattr(effects[i], e) for i in order]), noise, power
        )
        for e in ("value", "high", "low")
    ]
    value, low, high = ends
    if not np.isfinite(value):
        raise Undefined("no dose, up to all items, would be told from zero")
    method = f"dose of {100 * power:.0f} % power at 5 %, {_span(tried, value)}"
    level = effects[0].level
    return Estimate(value, min(low, value), max(high, value), level, noise.n, method)


def mean_of_draws(
    values: Floats, n: int, what: str, *, level: float = 0.95
) -> Estimate:
    """The mean of what independent draws gave, with a t interval over the draws.

    >>> print(mean_of_draws(np.array([0.0, 0.1, 0.2]), 50, "deals"))
    0.100 [-0.148, 0.348]
    """
    if len(values) < 2:
        raise Undefined(f"one of the {what} alone has no spread; draw more")
    value = float(np.mean(values))
    error = float(np.std(values, ddof=1) / np.sqrt(len(values)))
    half = float(stdtrit(len(values) - 1, (1 + level) / 2)) * error
    method = f"t over {len(values)} {what}"
    return Estimate(value, value - half, value + half, level, n, method)


def _least_dose(doses: Floats, effects: Floats, noise: Noise, power: float) -> float:
    """The limit for these effects; infinite where no dose up to 1 reaches it."""
    certain = float(stdtrit(noise.clusters - 1, 0.975))
    often = float(ndtri(power))
    monotone = np.maximum.accumulate(np.clip(effects, 0, None))

    def effect(dose: float) -> float:
        if dose > doses[-1]:
            return min(1.0, float(monotone[-1] * dose / doses[-1]))
        return float(np.interp(dose, [0, *doses], [0, *monotone]))

    def excess(dose: float) -> float:
        planted = effect(dose)
        added = planted * (1 - planted - 2 * noise.mended) / noise.n
        error = float(np.sqrt(max(noise.se**2 + added, 0.0)))
        return planted - (certain + often) * error

    grid = np.linspace(0, 1, 1001)[1:]
    reached = [excess(dose) >= 0 for dose in grid.tolist()]
    if not any(reached):
        return float("inf")
    first = int(np.argmax(reached))
    below = float(grid[first - 1]) if first else 0.0
    return float(brentq(excess, below, grid[first])) if excess(below) < 0 else below


def _span(doses: Floats, limit: float) -> str:
    """From which doses the limit was taken."""
    tried = ", ".join(f"{dose:g}" for dose in doses)
    if doses[0] <= limit <= doses[-1]:
        return f"between the doses {tried}"
    noun = "doses" if len(doses) > 1 else "dose"
    return f"extrapolated in proportion from the {noun} {tried}"
