"""Effect: one contrast of one study, fitted; and what it would take to decide on it."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from measurand.core.finding import Estimate
from measurand.core.reader import Floats
from measurand.stats.exposure.counts import ArmPairs
from measurand.stats.exposure.hierarchical import Posterior, estimate_from_draws

LEAST_ROOM = 0.05  # points: what is nearer than this to a bound is not told from it


@dataclass(frozen=True, eq=False)
class Effect:
    """What pairs of arms differ by.

    Attributes:
        pairs: Its counts.
        posterior: What the model makes of them.
        predictive: Draws of the mean difference of repeated studies, in points.
    """

    pairs: ArmPairs
    posterior: Posterior
    predictive: Floats

    @property
    def estimate(self) -> Estimate:
        """The mean difference, posterior predictive, with a 95 % interval."""
        return self.interval(0.95)

    def interval(self, level: float) -> Estimate:
        """The same at another level."""
        method = f"posterior predictive, model {self.posterior.model}"
        return estimate_from_draws(self.predictive, len(self.pairs), method, level)


@dataclass(frozen=True, eq=False)
class SizeEffects:
    """What a verdict on one size rests on, under whichever priors.

    Attributes:
        name: The size, as reports call it.
        together: Boost and bias of all models together.
        alone: The same of each model by itself, where there are several.
    """

    name: str
    together: Mapping[str, Effect]
    alone: Mapping[str, Mapping[str, Effect]] = field(default_factory=dict)


def draws_to_decide(effects: Mapping[str, Effect], margin: float) -> int | None:
    """About how many draws a task and model could decide; None where none would.

    Inflation needs a bias beyond the margin. Its absence needs a bias within and a
    gain, so the one that takes more draws counts. Where the estimates themselves lie
    on the wrong side, more draws only make that clearer.
    """
    bias, boost = effects["bias"], effects["boost"]
    if bias.estimate.value > margin:
        return draws_beyond(bias, margin)
    if bias.estimate.value < -margin or boost.estimate.value <= 0:
        return None
    clear, small = boost.estimate.low > 0, bias.interval(0.90).within(margin)
    return max(
        0 if clear else draws_beyond(boost, 0.0),
        0 if small else draws_within(bias, margin),
    )


def draws_beyond(effect: Effect, bound: float) -> int:
    """About how many draws a task and model would set the 95 % interval above it."""
    return _draws_for_room(effect, effect.estimate, effect.estimate.value - bound)


def draws_within(effect: Effect, margin: float) -> int:
    """About how many draws a task and model would set the 90 % interval inside."""
    return _draws_for_room(
        effect, effect.interval(0.90), margin - abs(effect.estimate.value)
    )


def _draws_for_room(effect: Effect, interval: Estimate, room: float) -> int:
    """How many draws shrink half of the interval to this room: it falls as their root.

    As many again as there are, at least: those that there are did not decide.
    """
    current_draws = effect.pairs.table.groupby(["lm", "task"]).size().max()
    times = ((interval.high - interval.low) / 2 / max(room, LEAST_ROOM)) ** 2
    return math.ceil(float(current_draws) * max(2.0, times))
