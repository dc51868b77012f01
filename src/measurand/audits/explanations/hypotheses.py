"""The five hypotheses of the proposal, each with an interval and a decision.

h1  Vacuous rationales are robust (1 - R within the margin) and tell nothing: the
    estimate is their LC-IG, in nats.
h2  Masking takes from label-leaking rationales what they gave away: rationale-only
    accuracy before less after.
h3  Reasoning in steps informs more and is less robust than a concise rationale: the
    difference in R; the one in LC-IG must be above 0.
h4  Drift drops the entailment judge more than likeness on the surface: the difference
    of the drops, against whichever surface measure drops most.
h5  VARIF agrees with the known order of explainers: its rank correlation is above 0.
    Where given, the best of that order, has no VARIF, the rest of it is what agrees.
"""

import math
from collections.abc import Callable, Mapping

from measurand.audits.explanations.scored import Scores
from measurand.core.finding import Estimate, Finding
from measurand.core.reader import Floats
from measurand.core.seeds import generator
from measurand.stats.draws import from_draws, mean_draws
from measurand.stats.paired import Clusters

SUPPORTED, REFUTED, UNDECIDED = "supported", "not supported", "undecided"
ABOVE, BELOW, NEAR = "above", "below", "near zero"
MARGIN = 0.05  # of R, of an accuracy and of nats: less is as good as nothing
ROBUSTNESS, INFORMATION = "robustness", "lcig"
BEFORE, AFTER = "rationale_only", "residual_leakage"
ENTAILMENT, SURFACE = "entailment", ("bertscore", "rouge_l")
REASONED = (("steps", "concise"), ("steps-unlabeled", "concise-unlabeled"))

Interval = Callable[[float], Estimate]
Outcome = Finding | str  # a finding, or why there is none


def hypotheses(
    scores: Scores,
    drops: Mapping[str, Floats],
    order: Estimate | None,
    *,
    seed: int,
    whole: bool = True,
) -> tuple[list[Finding], dict[str, str]]:
    """The answers, and under their names the reasons where there are none.

    Args:
        scores: The scores of rationales: robustness and lcig of items; rationale_only
            and residual_leakage, whether the detector was right on each item before
            and after the mask.
        drops: How far each item's similarity falls from the rationale beside itself to
            the rationale beside its drifted form: by entailment, bertscore, rouge_l.
        order: The rank correlation of VARIF with the known order.
        seed: Where the resamples come from.
        whole: Whether given rationales are among what was ranked.
    """
    answers: dict[str, Outcome] = {
        "h1": vacuous_are_stable_and_empty(scores, seed),
        "h2": the_mask_takes_the_label(scores, seed),
        "h3": steps_trade_robustness(scores, seed),
        "h4": drift_fools_the_surface(drops, scores.clusters, seed),
        "h5": varif_agrees_with_the_order(order, whole),
    }
    found = [one for one in answers.values() if isinstance(one, Finding)]
    missing = {name: one for name, one in answers.items() if isinstance(one, str)}
    return found, missing


def vacuous_are_stable_and_empty(scores: Scores, seed: int) -> Outcome:
    """H1: R near 1, LC-IG near 0."""
    stable, told = (
        column(scores, metric, "vacuous") for metric in (ROBUSTNESS, INFORMATION)
    )
    if stable is None or told is None:
        return "vacuous rationales have no robustness or no lcig"
    lost = averaged(scores, 1 - stable[0], stable[1], seed, "h1", ROBUSTNESS)
    spread = scores.spread.get((INFORMATION, "vacuous"), 0.0)
    gain = averaged(scores, *told, seed, "h1", INFORMATION, spread=spread)
    if lost(0.90).within(MARGIN) and gain(0.90).within(MARGIN):
        decision = SUPPORTED
    elif outside(lost(0.95)) or outside(gain(0.95)):
        decision = REFUTED
    else:
        decision = UNDECIDED
    return Finding("h1", INFORMATION, "vacuous", gain(0.95), decision)


def the_mask_takes_the_label(scores: Scores, seed: int) -> Outcome:
    """H2: rationale-only accuracy falls when leaking rationales are masked."""
    leaking = "label-leaking"
    drop = difference(scores, (BEFORE, leaking), (AFTER, leaking), seed, "h2")
    if drop is None:
        return "label-leaking rationales were not read before and after the mask"
    return Finding("h2", BEFORE, leaking, drop(0.95), decided(sign(drop), ABOVE))


def steps_trade_robustness(scores: Scores, seed: int) -> Outcome:
    """H3: steps inform more and are less robust than concise rationales."""
    for steps, concise in REASONED:
        stable, told = (
            difference(scores, (metric, steps), (metric, concise), seed, f"h3 {metric}")
            for metric in (ROBUSTNESS, INFORMATION)
        )
        if stable is not None and told is not None:
            each = decided(sign(stable), BELOW), decided(sign(told), ABOVE)
            decision = SUPPORTED if set(each) == {SUPPORTED} else UNDECIDED
            decision = REFUTED if REFUTED in each else decision
            return Finding("h3", ROBUSTNESS, steps, stable(0.95), decision)
    return "step-by-step and concise rationales were not both scored"


def drift_fools_the_surface(
    drops: Mapping[str, Floats], clusters: Clusters, seed: int
) -> Outcome:
    """H4: entailment drops more than the surface measure that drops most."""
    seen = Scores({name: {"drift": one} for name, one in drops.items()}, {}, clusters)
    entails = (ENTAILMENT, "drift")
    gaps = {
        name: difference(seen, entails, (name, "drift"), seed, f"h4 {name}")
        for name in SURFACE
    }
    known = {name: gap for name, gap in gaps.items() if gap is not None}
    if not known:
        return "drifting rationales were not judged by entailment and by their surface"
    name, gap = min(known.items(), key=lambda one: one[1](0.95).value)
    return Finding("h4", name, "drift", gap(0.95), decided(sign(gap), ABOVE))


def varif_agrees_with_the_order(order: Estimate | None, whole: bool) -> Outcome:
    """H5: the rank correlation of VARIF with the known order is above 0."""
    if order is None:
        return "too few explainers of the known order have a VARIF"
    decision = REFUTED if order.high <= 0 else UNDECIDED
    if order.low > 0:
        decision = SUPPORTED if whole else f"{SUPPORTED} without given"
    return Finding("h5", "varif", "all", order, decision)


def column(
    scores: Scores, metric: str, explainer: str
) -> tuple[Floats, Clusters] | None:
    """One explainer's item scores where it has them."""
    found = scores.paired((metric, explainer))
    return None if found is None else (found[0][:, 0], found[1])


def difference(
    scores: Scores, one: tuple[str, str], less: tuple[str, str], seed: int, stream: str
) -> Interval | None:
    """The mean of one column less another, over the items that have both."""
    found = scores.paired(one, less)
    if found is None:
        return None
    rows, clusters = found
    spread = math.hypot(*(scores.spread.get(key, 0.0) for key in (one, less)))
    apart = rows[:, 0] - rows[:, 1]
    return averaged(scores, apart, clusters, seed, stream, spread=spread)


def averaged(
    scores: Scores,
    values: Floats,
    clusters: Clusters,
    seed: int,
    *stream: str,
    spread: float = 0.0,
) -> Interval:
    """The mean over items with an interval of any level, all from the same draws.

    The spread is the standard error that trainings leave in the mean.
    """
    rng = generator(seed, *stream)
    drawn = mean_draws(values[:, None], rng=rng, clusters=clusters)[:, 0]
    if spread:
        drawn = drawn + spread * rng.standard_normal(len(drawn))
    mean, n = float(values.mean()), len(values)
    over = scores.resampled(n, clusters, trained=spread > 0)
    return lambda level: from_draws(mean, drawn, n, over, level)


def sign(interval: Interval) -> str:
    """Surely above 0, surely below, as good as 0, or undecided."""
    whole = interval(0.95)
    if whole.low > 0:
        return ABOVE
    if whole.high < 0:
        return BELOW
    return NEAR if interval(0.90).within(MARGIN) else UNDECIDED


def decided(seen: str, claimed: str) -> str:
    """What a sign says of the claim that it is another."""
    if seen == UNDECIDED:
        return UNDECIDED
    return SUPPORTED if seen == claimed else REFUTED


def outside(estimate: Estimate) -> bool:
    """Whether the whole interval lies beyond the margin."""
    return estimate.low > MARGIN or estimate.high < -MARGIN
