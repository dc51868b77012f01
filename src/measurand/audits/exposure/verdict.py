"""From figures to words: inflated, not inflated within the margin, or undecided."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from measurand.audits.exposure.analysis import (
    Effect,
    SizeAnalysis,
    SizeEffects,
    draws_to_decide,
)
from measurand.core.errors import join_names
from measurand.core.finding import Verdict

INFLATED, NOT, UNDECIDED = "inflated", "not inflated within the margin", "undecided"
LABELS = (INFLATED, NOT, UNDECIDED)
NEVER = "at these figures more draws will not decide"


def verdict(analyses: Sequence[SizeAnalysis], margin: float) -> Verdict:
    """What the sizes let us say together."""
    return worst_verdict([size.effects for size in analyses], margin)


def worst_verdict(sizes: Sequence[SizeEffects], margin: float) -> Verdict:
    """What the effects of all sizes let us say together; the worst of them decides."""
    candidates = [size_verdict(size, margin) for size in sizes]
    for label in (INFLATED, UNDECIDED, NOT):
        worst = [candidate for candidate in candidates if candidate.label == label]
        if worst:
            reason = "; ".join(candidate.reason for candidate in worst)
            return Verdict(label, label, worst[0].stage, reason)
    raise AssertionError("a study has at least one size")


def size_verdict(size: SizeEffects, margin: float) -> Verdict:
    """What one size lets us say: of all models, unless one alone says otherwise."""
    together = effects_verdict(size.together, size.name, margin)
    if together.label == INFLATED:
        return together
    disagreement = _disagreement(size, together.label, margin)
    if not disagreement:
        return together
    reason = f"{_describe_effects(size.together, size.name)}; {disagreement}"
    return replace(together, label=UNDECIDED, region=UNDECIDED, reason=reason)


def _disagreement(size: SizeEffects, label: str, margin: float) -> str:
    """Why the models' mean is not to be trusted, or nothing.

    A gain and a loss, or biases of two signs, make a mean of nothing, which would read
    as "did nothing" or "not inflated".
    """
    verdicts = {
        lm: effects_verdict(result, lm, margin) for lm, result in size.alone.items()
    }
    inflated = [
        result.reason for result in verdicts.values() if result.label == INFLATED
    ]
    if inflated:
        mean = size.together["bias"].estimate.value
        draws = draws_to_decide(size.together, margin) if mean > margin else None
        return (
            f"but {'; '.join(inflated)}: inflated by itself; {_describe_draws(draws)}"
        )
    boosts = {lm: result["boost"].estimate for lm, result in size.alone.items()}
    helped = [lm for lm, boost in boosts.items() if boost.low > 0]
    hurt = [lm for lm, boost in boosts.items() if boost.high < 0]
    if helped and hurt:
        return (
            f"adaptation helped {join_names(helped)} and hurt {join_names(hurt)}, so "
            "their "
            "mean says little and more draws will not decide; "
            + "; ".join(_model_reason(verdicts[lm]) for lm in helped)
        )
    against = [lm for lm, result in verdicts.items() if result.label != NOT]
    clear = [lm for lm in against if lm in hurt or _has_bias(size.alone[lm])]
    if label != NOT or not clear:
        return ""
    return f"but {'; '.join(verdicts[lm].reason for lm in clear)}"


def _has_bias(effects: Mapping[str, Effect]) -> bool:
    """Whether a bias is told from zero, on either side."""
    bias = effects["bias"].estimate
    return bias.low > 0 or bias.high < 0


def _model_reason(model_verdict: Verdict) -> str:
    """What is said of one model among others."""
    return (
        f"{model_verdict.reason}: not inflated by itself"
        if model_verdict.label == NOT
        else model_verdict.reason
    )


def effects_verdict(effects: Mapping[str, Effect], name: str, margin: float) -> Verdict:
    """What a boost and a bias let us say.

    "Not inflated" needs a bias that is equivalent to zero and a boost that is not:
    where adaptation gained nothing, nothing could have been inflated.
    """
    bias, boost = effects["bias"], effects["boost"]
    stage = bias.posterior.model
    reason = _describe_effects(effects, name)
    worse = boost.estimate.high < 0
    if bias.estimate.low > margin:
        reason += "; though adaptation made answers worse than none" if worse else ""
        return Verdict(INFLATED, INFLATED, stage, reason)
    if bias.interval(0.90).within(margin) and boost.estimate.low > 0:
        return Verdict(NOT, NOT, stage, reason)
    obstacles = _obstacles(bias, boost, margin)
    parts = [reason, *obstacles, _describe_draws(draws_to_decide(effects, margin))]
    return Verdict(UNDECIDED, UNDECIDED, stage, "; ".join(parts))


def _describe_effects(effects: Mapping[str, Effect], name: str) -> str:
    """A bias and a boost, as they are said."""
    bias, boost = effects["bias"].estimate, effects["boost"].estimate
    return f"{name}: bias {bias}, boost {boost} points"


def _obstacles(bias: Effect, boost: Effect, margin: float) -> list[str]:
    """What stands in the way of a decision, beside intervals that are too wide."""
    if boost.estimate.high < 0:
        outcome = "adaptation made answers worse"
        return [outcome + _bias_aside(bias, margin, "there was no gain to inflate")]
    if boost.estimate.low <= 0 and boost.interval(0.90).within(margin):
        outcome = "adaptation did nothing on average"
        return [outcome + _bias_aside(bias, margin, "nothing could be inflated")]
    if boost.estimate.low <= 0:
        return [
            "adaptation did nothing that shows on average" + _bias_aside(bias, margin)
        ]
    if bias.estimate.value < -margin:
        return ["the test's own text helped less than other text did"]
    return []


def _bias_aside(bias: Effect, margin: float, so: str = "") -> str:
    """What follows from a missing boost, unless the bias speaks against it."""
    if bias.estimate.low > 0:
        return ", though the test's own text helped more than other text did"
    return f", so {so}" if so and bias.estimate.value <= margin else ""


def _describe_draws(draws: int | None) -> str:
    """The draws that a decision needs, as they are said."""
    if draws is None:
        return NEVER
    return f"about {draws:,} draws a task and model could decide"
