"""The hypotheses of the proposal, each worded as there and able to fail.

`docs/explanations.md` words them. Estimates are: of h1 the LC-IG of vacuous rationales,
in nats; of h2 what the mask takes off that of label-leaking ones; of h3 the difference
in R; of h4 the lowest likeness less the entailment; of h5 the rank correlation.
"""

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from measurand.audits.explanations.levels import Levels, Scores
from measurand.core.arrays import Clusters, Floats
from measurand.core.estimate import Estimate
from measurand.core.finding import Finding
from measurand.core.seeds import generator
from measurand.stats.resampling import percentile_estimate, resample_means

GIVEN, LEAKING = "given", "label-leaking"
SUPPORTED, REFUTED, UNDECIDED = "supported", "not supported", "undecided"
ABOVE, BELOW, NEAR = "above", "below", "near zero"
MARGIN = 0.05  # of R, of an accuracy and of nats: less is as good as nothing
HIGH = 0.7  # likeness on the surface that counts as high under a drift
EQUIVALENT = 0.5  # entailment both ways below which two texts do not say the same
FIRST = 0.95  # of resamples in which given rationales must stand first, or must not
ROBUSTNESS, INFORMATION = "robustness", "lcig"
NAIVE = ("rationale_only", "rev", "lcig_raw")  # metrics that know no leak
MASKED = "lcig_over_input"  # LC-IG over the input alone, as `lcig_raw` is
ENTAILMENT, SURFACE = "entailment", ("bertscore", "rouge_l")
REASONED = (("steps", "concise"), ("steps-unlabeled", "concise-unlabeled"))
WORDS_DENY = (
    "the judge counts words and takes any negation for the opposite, by rule; name an "
    "entailment classifier with `judge`"
)

Interval = Callable[[float], Estimate]
Outcome = Finding | str  # a finding, or why there is none


def decide_hypotheses(
    scores: Scores,
    drift_likeness: Mapping[str, Floats],
    order: Estimate | None,
    ranked: Levels | None,
    *,
    seed: int,
    word_judge: bool = False,
) -> tuple[list[Finding], dict[str, str]]:
    """The answers, and under their names the reasons where there are none."""
    likeness = Scores(
        {name: {"drift": entry} for name, entry in drift_likeness.items()},
        {},
        scores.clusters,
    )
    answers: dict[str, Outcome] = {
        "h1": _vacuous_hypothesis(scores, seed),
        "h2": _leak_hypothesis(scores, seed),
        "h3": _steps_hypothesis(scores, seed),
        "h4": WORDS_DENY if word_judge else _drift_hypothesis(likeness, seed),
        "h5": _order_hypothesis(order, ranked),
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
    columns = [(INFORMATION, "vacuous")]
    gain = _mean_interval(
        scores, *information, seed, "h1", INFORMATION, columns=columns
    )
    if instability(0.90).within(MARGIN) and gain(0.90).within(MARGIN):
        decision = SUPPORTED
    elif _is_beyond_margin(instability(0.95)) or _is_beyond_margin(gain(0.95)):
        decision = REFUTED
    else:
        decision = UNDECIDED
    return Finding("h1", INFORMATION, "vacuous", gain(0.95), decision)


def _leak_hypothesis(scores: Scores, seed: int) -> Outcome:
    """H2: naive metrics prefer what leaks, and the mask takes it back."""
    taken = _column_difference(
        scores, ("lcig_raw", LEAKING), (MASKED, LEAKING), seed, "h2"
    )
    inflated = {
        metric: _column_difference(
            scores, (metric, LEAKING), (metric, GIVEN), seed, f"h2 {metric}"
        )
        for metric in NAIVE
    }
    gaps = [gap for gap in inflated.values() if gap is not None]
    if taken is None or not gaps:
        return "label-leaking and given rationales were not both read"
    claims = [_sign_decision(_interval_sign(gap), ABOVE) for gap in (taken, *gaps)]
    return Finding("h2", INFORMATION, LEAKING, taken(0.95), _join_claims(claims))


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
            claims = [
                _sign_decision(_interval_sign(robustness), BELOW),
                _sign_decision(_interval_sign(information), ABOVE),
            ]
            decision = _join_claims(claims)
            return Finding("h3", ROBUSTNESS, steps, robustness(0.95), decision)
    return "step-by-step and concise rationales were not both scored"


def _drift_hypothesis(likeness: Scores, seed: int) -> Outcome:
    """H4: the surface stays high and entailment drops."""
    entailed = _item_scores(likeness, ENTAILMENT, "drift")
    surfaces = {
        name: found
        for name in SURFACE
        if (found := _item_scores(likeness, name, "drift")) is not None
    }
    if entailed is None or not surfaces:
        return "drifting rationales were not judged by entailment and by their surface"
    dropped = _mean_interval(likeness, *entailed, seed, "h4", ENTAILMENT)(0.95)
    kept = {
        name: _mean_interval(likeness, *found, seed, "h4", name)(0.95)
        for name, found in surfaces.items()
    }
    claims = [
        _bound_decision(dropped.high <= EQUIVALENT, dropped.low > EQUIVALENT),
        *(_bound_decision(e.low >= HIGH, e.high < HIGH) for e in kept.values()),
    ]
    name = min(kept, key=lambda surface: kept[surface].value)
    gap = _column_difference(
        likeness, (name, "drift"), (ENTAILMENT, "drift"), seed, "h4 gap"
    )
    if gap is None:
        return "no item was judged by entailment and by its surface"
    return Finding("h4", name, "drift", gap(0.95), _join_claims(claims))


def judge_drops_drift(
    scores: Scores, drift_likeness: Mapping[str, Floats], *, seed: int
) -> bool | None:
    """Whether drifts surely say something else by the judge; None if not asked."""
    columns = {name: {"drift": entry} for name, entry in drift_likeness.items()}
    likeness = Scores(columns, {}, scores.clusters)
    entailed = _item_scores(likeness, ENTAILMENT, "drift")
    if entailed is None:
        return None
    dropped = _mean_interval(likeness, *entailed, seed, "h4", ENTAILMENT)(0.95)
    return dropped.high <= EQUIVALENT


def _order_hypothesis(order: Estimate | None, ranked: Levels | None) -> Outcome:
    """H5: VARIF keeps the known order, with the given rationales first."""
    if order is None or ranked is None or GIVEN not in ranked.explainers:
        return "given rationales, or too few others of the known order, have a VARIF"
    at = ranked.explainers.index(GIVEN)
    others = np.delete(ranked.draws, at, axis=1).max(axis=1)
    first = float((ranked.draws[:, at] > others).mean())
    if order.high <= 0 or first <= 1 - FIRST:
        decision = REFUTED
    else:
        decision = SUPPORTED if order.low > 0 and first >= FIRST else UNDECIDED
    return Finding("h5", "varif", "all", order, decision)


def _join_claims(decisions: Sequence[str]) -> str:
    """What several claims say that must all hold.

    >>> _join_claims(["supported", "undecided"]), _join_claims(["not supported"])
    ('undecided', 'not supported')
    """
    if REFUTED in decisions:
        return REFUTED
    return SUPPORTED if {*decisions} == {SUPPORTED} else UNDECIDED


def _bound_decision(holds: bool, fails: bool) -> str:
    """What an interval says of a bound."""
    return SUPPORTED if holds else REFUTED if fails else UNDECIDED


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
    differences = rows[:, 0] - rows[:, 1]
    columns = minuend, subtrahend
    return _mean_interval(scores, differences, clusters, seed, stream, columns=columns)


def _mean_interval(
    scores: Scores,
    values: Floats,
    clusters: Clusters,
    seed: int,
    *stream: str,
    columns: Sequence[tuple[str, str]] = (),
) -> Interval:
    """The mean over items with an interval of any level, all from the same draws.

    What trainings and deals leave open in the means of the columns is drawn too.
    """
    rng = generator(seed, *stream)
    draws = resample_means(values[:, None], rng=rng, clusters=clusters)[:, 0]
    for column in columns:
        draws = draws + scores.spread_draws(column, rng, len(draws))
    mean, n = float(values.mean()), len(values)
    trained = any(column in scores.spread for column in columns)
    unit = scores.resampling_units(n, clusters, trained=trained)
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
