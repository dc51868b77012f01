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

from measurand.audits.explanations.metrics import Scores
from measurand.core.arrays import Clusters, Floats
from measurand.core.finding import Estimate, Finding
from measurand.core.seeds import generator
from measurand.stats.resampling import percentile_estimate, resample_means

SUPPORTED, REFUTED, UNDECIDED = "supported", "not supported", "undecided"
ABOVE, BELOW, NEAR = "above", "below", "near zero"
MARGIN = 0.05  # of R, of an accuracy and of nats: less is as good as nothing
ROBUSTNESS, INFORMATION = "robustness", "lcig"
BEFORE, AFTER = "rationale_only", "residual_leakage"
ENTAILMENT, SURFACE = "entailment", ("bertscore", "rouge_l")
REASONED = (("steps", "concise"), ("steps-unlabeled", "concise-unlabeled"))

Interval = Callable[[float], Estimate]
Outcome = Finding | str  # a finding, or why there is none


def decide_hypotheses(
    scores: Scores,
    drops: Mapping[str, Floats],
    order: Estimate | None,
    *,
    seed: int,
    with_given: bool = True,
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
        with_given: Whether given rationales are among what was ranked.
    """
    answers: dict[str, Outcome] = {
        "h1": _vacuous_hypothesis(scores, seed),
        "h2": _mask_hypothesis(scores, seed),
        "h3": _steps_hypothesis(scores, seed),
        "h4": _drift_hypothesis(drops, scores.clusters, seed),
        "h5": _order_hypothesis(order, with_given),
    }
    findings = [outcome for outcome in answers.values() if isinstance(outcome, Finding)]
    missing = {
        name: outcome for name, outcome in answers.items() if isinstance(outcome, str)
    }
    return findings, missing


def _vacuous_hypothesis(scores: Scores, seed: int) -> Outcome:
    """H1: R near 1, LC-IG near 0."""
    robustness, information = (
        _item_scores(scores, metric, "vacuous") for metric in (ROBUSTNESS, INFORMATION)
    )
    if robustness is None or information is None:
        return "vacuous rationales have no robustness or no lcig"
    instability = _mean_interval(
        scores, 1 - robustness[0], robustness[1], seed, "h1", ROBUSTNESS
    )
    spread = scores.spread.get((INFORMATION, "vacuous"), 0.0)
    gain = _mean_interval(scores, *information, seed, "h1", INFORMATION, spread=spread)
    if instability(0.90).within(MARGIN) and gain(0.90).within(MARGIN):
        decision = SUPPORTED
    elif _is_beyond_margin(instability(0.95)) or _is_beyond_margin(gain(0.95)):
        decision = REFUTED
    else:
        decision = UNDECIDED
    return Finding("h1", INFORMATION, "vacuous", gain(0.95), decision)


def _mask_hypothesis(scores: Scores, seed: int) -> Outcome:
    """H2: rationale-only accuracy falls when leaking rationales are masked."""
    leaking = "label-leaking"
    drop = _column_difference(scores, (BEFORE, leaking), (AFTER, leaking), seed, "h2")
    if drop is None:
        return "label-leaking rationales were not read before and after the mask"
    return Finding(
        "h2", BEFORE, leaking, drop(0.95), _sign_decision(_interval_sign(drop), ABOVE)
    )


def _steps_hypothesis(scores: Scores, seed: int) -> Outcome:
    """H3: steps inform more and are less robust than concise rationales."""
    for steps, concise in REASONED:
        robustness, information = (
            _column_difference(
                scores, (metric, steps), (metric, concise), seed, f"h3 {metric}"
            )
            for metric in (ROBUSTNESS, INFORMATION)
        )
        if robustness is not None and information is not None:
            decisions = (
                _sign_decision(_interval_sign(robustness), BELOW),
                _sign_decision(_interval_sign(information), ABOVE),
            )
            decision = SUPPORTED if set(decisions) == {SUPPORTED} else UNDECIDED
            decision = REFUTED if REFUTED in decisions else decision
            return Finding("h3", ROBUSTNESS, steps, robustness(0.95), decision)
    return "step-by-step and concise rationales were not both scored"


def _drift_hypothesis(
    drops: Mapping[str, Floats], clusters: Clusters, seed: int
) -> Outcome:
    """H4: entailment drops more than the surface measure that drops most."""
    drop_scores = Scores(
        {name: {"drift": entry} for name, entry in drops.items()}, {}, clusters
    )
    entails = (ENTAILMENT, "drift")
    gaps = {
        name: _column_difference(
            drop_scores, entails, (name, "drift"), seed, f"h4 {name}"
        )
        for name in SURFACE
    }
    known_gaps = {name: gap for name, gap in gaps.items() if gap is not None}
    if not known_gaps:
        return "drifting rationales were not judged by entailment and by their surface"
    name, gap = min(known_gaps.items(), key=lambda entry: entry[1](0.95).value)
    return Finding(
        "h4", name, "drift", gap(0.95), _sign_decision(_interval_sign(gap), ABOVE)
    )


def _order_hypothesis(order: Estimate | None, with_given: bool) -> Outcome:
    """H5: the rank correlation of VARIF with the known order is above 0."""
    if order is None:
        return "too few explainers of the known order have a VARIF"
    decision = REFUTED if order.high <= 0 else UNDECIDED
    if order.low > 0:
        decision = SUPPORTED if with_given else f"{SUPPORTED} without given"
    return Finding("h5", "varif", "all", order, decision)


def _item_scores(
    scores: Scores, metric: str, explainer: str
) -> tuple[Floats, Clusters] | None:
    """One explainer's item scores where it has them."""
    paired = scores.paired_columns((metric, explainer))
    return None if paired is None else (paired[0][:, 0], paired[1])


def _column_difference(
    scores: Scores,
    minuend: tuple[str, str],
    subtrahend: tuple[str, str],
    seed: int,
    stream: str,
) -> Interval | None:
    """The mean of one column less another, over the items that have both."""
    paired = scores.paired_columns(minuend, subtrahend)
    if paired is None:
        return None
    rows, clusters = paired
    spread = math.hypot(*(scores.spread.get(key, 0.0) for key in (minuend, subtrahend)))
    differences = rows[:, 0] - rows[:, 1]
    return _mean_interval(scores, differences, clusters, seed, stream, spread=spread)


def _mean_interval(
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
    draws = resample_means(values[:, None], rng=rng, clusters=clusters)[:, 0]
    if spread:
        draws = draws + spread * rng.standard_normal(len(draws))
    mean, n = float(values.mean()), len(values)
    unit = scores.resampling_units(n, clusters, trained=spread > 0)
    return lambda level: percentile_estimate(mean, draws, n, unit, level)


def _interval_sign(interval: Interval) -> str:
    """Surely above 0, surely below, as good as 0, or undecided."""
    estimate = interval(0.95)
    if estimate.low > 0:
        return ABOVE
    if estimate.high < 0:
        return BELOW
    return NEAR if interval(0.90).within(MARGIN) else UNDECIDED


def _sign_decision(observed: str, claimed: str) -> str:
    """What a sign says of the claim that it is another."""
    if observed == UNDECIDED:
        return UNDECIDED
    return SUPPORTED if observed == claimed else REFUTED


def _is_beyond_margin(estimate: Estimate) -> bool:
    """Whether the whole interval lies beyond the margin."""
    return estimate.low > MARGIN or estimate.high < -MARGIN
