"""From figures to words: inflated, not inflated within the margin, or undecided."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from measurand.audits.exposure.analysis import Size
from measurand.audits.exposure.effects import Effect, draws_beyond, draws_within
from measurand.core.errors import listed
from measurand.core.finding import Verdict

INFLATED, NOT, UNDECIDED = "inflated", "not inflated within the margin", "undecided"
LABELS = (INFLATED, NOT, UNDECIDED)


def verdict(found: Sequence[Size], margin: float) -> Verdict:
    """What the sizes let us say together; the worst of them decides."""
    each = [single(size, margin) for size in found]
    for label in (INFLATED, UNDECIDED, NOT):
        chosen = [one for one in each if one.label == label]
        if chosen:
            reason = "; ".join(one.reason for one in chosen)
            return Verdict(label, label, chosen[0].stage, reason)
    raise AssertionError("a study has at least one size")


def single(size: Size, margin: float) -> Verdict:
    """What one size lets us say: of all models, unless one alone says worse."""
    together = judged(size.contrasts, size.name, margin)
    alone = {lm: judged(one, lm, margin) for lm, one in size.alone.items()}
    worse = [one.reason for one in alone.values() if one.label == INFLATED]
    if worse and together.label != INFLATED:
        reason = f"{together.reason}; but {'; '.join(worse)}: inflated by itself"
        return replace(together, label=UNDECIDED, region=UNDECIDED, reason=reason)
    boosts = {lm: one["boost"].estimate for lm, one in size.alone.items()}
    helped = [lm for lm, boost in boosts.items() if boost.low > 0]
    hurt = [lm for lm, boost in boosts.items() if boost.high < 0]
    if together.label != UNDECIDED or not (helped and hurt):
        return together
    # A gain and a loss make a mean of nothing, which would read as "did nothing".
    reason = (
        f"{figures(size.contrasts, size.name)}; adaptation helped {listed(helped)} and "
        f"hurt {listed(hurt)}, so their mean says little; "
        + "; ".join(by_itself(alone[lm]) for lm in helped)
    )
    return replace(together, reason=reason)


def by_itself(one: Verdict) -> str:
    """What is said of one model among others."""
    return f"{one.reason}: not inflated by itself" if one.label == NOT else one.reason


def judged(effects: Mapping[str, Effect], name: str, margin: float) -> Verdict:
    """What a boost and a bias let us say.

    "Not inflated" needs a bias that is equivalent to zero and a boost that is not:
    where adaptation gained nothing, nothing could have been inflated.
    """
    bias, boost = effects["bias"], effects["boost"]
    stage = bias.posterior.model
    told = figures(effects, name)
    worse = boost.estimate.high < 0
    if bias.estimate.low > margin:
        told += "; though adaptation made answers worse than none" if worse else ""
        return Verdict(INFLATED, INFLATED, stage, told)
    if bias.interval(0.90).within(margin) and boost.estimate.low > 0:
        return Verdict(NOT, NOT, stage, told)
    why = lacking(bias, margin) if boost.estimate.low > 0 else without(boost, margin)
    return Verdict(UNDECIDED, UNDECIDED, stage, f"{told}; {why}")


def figures(effects: Mapping[str, Effect], name: str) -> str:
    """A bias and a boost, as they are said."""
    bias, boost = effects["bias"].estimate, effects["boost"].estimate
    return f"{name}: bias {bias}, boost {boost} points"


def lacking(bias: Effect, margin: float) -> str:
    """What it takes to decide on a bias."""
    value = bias.estimate.value
    if value < -margin:
        return "the test's own text helped less than other text did"
    enough = (
        draws_beyond(bias, margin) if value > margin else draws_within(bias, margin)
    )
    return f"about {enough:,} draws a task and model could decide"


def without(boost: Effect, margin: float) -> str:
    """What a study without a clear boost leaves to say."""
    if boost.estimate.high < 0:
        return "adaptation made answers worse, so there was no gain to inflate"
    if boost.interval(0.90).within(margin):
        return "adaptation did nothing on average, so nothing could be inflated"
    if boost.estimate.value <= 0:
        return "adaptation did nothing that shows on average"
    enough = f"about {draws_beyond(boost, 0.0):,} draws a task and model"
    return f"adaptation did nothing that shows on average; {enough} could show it"
