"""From figures to words: inflated, not inflated within the margin, or undecided."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from measurand.audits.exposure.analysis import Size
from measurand.audits.exposure.effects import Effect, Effects, draws_to_decide
from measurand.core.errors import join_names
from measurand.core.finding import Verdict

INFLATED, NOT, UNDECIDED = "inflated", "not inflated within the margin", "undecided"
LABELS = (INFLATED, NOT, UNDECIDED)
NEVER = "at these figures more draws will not decide"


def verdict(found: Sequence[Size], margin: float) -> Verdict:
    """What the sizes let us say together."""
    return judgement([size.effects for size in found], margin)


def judgement(found: Sequence[Effects], margin: float) -> Verdict:
    """What the effects of all sizes let us say together; the worst of them decides."""
    each = [single(size, margin) for size in found]
    for label in (INFLATED, UNDECIDED, NOT):
        chosen = [one for one in each if one.label == label]
        if chosen:
            reason = "; ".join(one.reason for one in chosen)
            return Verdict(label, label, chosen[0].stage, reason)
    raise AssertionError("a study has at least one size")


def single(size: Effects, margin: float) -> Verdict:
    """What one size lets us say: of all models, unless one alone says otherwise."""
    together = judged(size.together, size.name, margin)
    if together.label == INFLATED:
        return together
    why = unlike(size, together.label, margin)
    if not why:
        return together
    reason = f"{figures(size.together, size.name)}; {why}"
    return replace(together, label=UNDECIDED, region=UNDECIDED, reason=reason)


def unlike(size: Effects, label: str, margin: float) -> str:
    """Why the models' mean is not to be trusted, or nothing.

    A gain and a loss, or biases of two signs, make a mean of nothing, which would read
    as "did nothing" or "not inflated".
    """
    alone = {lm: judged(one, lm, margin) for lm, one in size.alone.items()}
    inflated = [one.reason for one in alone.values() if one.label == INFLATED]
    if inflated:
        mean = size.together["bias"].estimate.value
        needed = draws_to_decide(size.together, margin) if mean > margin else None
        return f"but {'; '.join(inflated)}: inflated by itself; {decision(needed)}"
    boosts = {lm: one["boost"].estimate for lm, one in size.alone.items()}
    helped = [lm for lm, boost in boosts.items() if boost.low > 0]
    hurt = [lm for lm, boost in boosts.items() if boost.high < 0]
    if helped and hurt:
        return (
            f"adaptation helped {join_names(helped)} and hurt {join_names(hurt)}, so their "
            "mean says little and more draws will not decide; "
            + "; ".join(by_itself(alone[lm]) for lm in helped)
        )
    against = [lm for lm, one in alone.items() if one.label != NOT]
    clear = [lm for lm in against if lm in hurt or biased(size.alone[lm])]
    if label != NOT or not clear:
        return ""
    return f"but {'; '.join(alone[lm].reason for lm in clear)}"


def biased(effects: Mapping[str, Effect]) -> bool:
    """Whether a bias is told from zero, on either side."""
    bias = effects["bias"].estimate
    return bias.low > 0 or bias.high < 0


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
    why = lacking(bias, boost, margin)
    parts = [told, *why, decision(draws_to_decide(effects, margin))]
    return Verdict(UNDECIDED, UNDECIDED, stage, "; ".join(parts))


def figures(effects: Mapping[str, Effect], name: str) -> str:
    """A bias and a boost, as they are said."""
    bias, boost = effects["bias"].estimate, effects["boost"].estimate
    return f"{name}: bias {bias}, boost {boost} points"


def lacking(bias: Effect, boost: Effect, margin: float) -> list[str]:
    """What stands in the way of a decision, beside intervals that are too wide."""
    if boost.estimate.high < 0:
        said = "adaptation made answers worse"
        return [said + aside(bias, margin, "there was no gain to inflate")]
    if boost.estimate.low <= 0 and boost.interval(0.90).within(margin):
        said = "adaptation did nothing on average"
        return [said + aside(bias, margin, "nothing could be inflated")]
    if boost.estimate.low <= 0:
        return ["adaptation did nothing that shows on average" + aside(bias, margin)]
    if bias.estimate.value < -margin:
        return ["the test's own text helped less than other text did"]
    return []


def aside(bias: Effect, margin: float, so: str = "") -> str:
    """What follows from a missing boost, unless the bias speaks against it."""
    if bias.estimate.low > 0:
        return ", though the test's own text helped more than other text did"
    return f", so {so}" if so and bias.estimate.value <= margin else ""


def decision(needed: int | None) -> str:
    """The draws that a decision needs, as they are said."""
    if needed is None:
        return NEVER
    return f"about {needed:,} draws a task and model could decide"
