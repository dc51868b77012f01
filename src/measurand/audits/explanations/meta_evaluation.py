"""Whether the metrics are any good: the meta-evaluation and hypotheses.

auc_<type>
    How well each metric (named as the reader) tells given rationales from those of one
    suite type, on the same items; ties one half.
rank_correlation
    How well each metric keeps what is known: given rationales are better than extracted
    or generated ones, these than pseudo-specific ones, these than vacuous, circular and
    label-leaking ones. Sentences drawn at random, drift and swapped labels have no
    place in it: what they are worth depends on the item.
h1 to h5
    The hypotheses of the proposal.

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
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
import pandas as pd

from measurand.audits.explanations.estimates import Levels, Scores, metric_levels
from measurand.core.arrays import Clusters, Floats
from measurand.core.finding import Estimate, Finding
from measurand.core.seeds import generator
from measurand.explainers import SUITE
from measurand.stats.resampling import (
    MEAN_RESAMPLES,
    percentile_estimate,
    resample_means,
)
from measurand.stats.separation import paired_auc, rank_correlation, rank_disagreements

GIVEN = "given"
ORDER = {
    GIVEN: 3,
    **dict.fromkeys(("tfidf-1", "tfidf-2"), 2),
    **dict.fromkeys(("concise", "steps", "concise-unlabeled", "steps-unlabeled"), 2),
    "pseudo-specific": 1,
    **dict.fromkeys(("vacuous", "circular", "label-leaking"), 0),
}
PARTS = ("left_open",)  # what others are made of: the same for every explainer
LEAST = 3  # levels of the order that must be there to speak of an order
SURE = 0.975  # of resamples that put one explainer above another
COLUMNS = [
    "metric",
    "other",
    "preferred",
    "rival",
    "difference",
    "other_difference",
    "item",
]


@dataclass(frozen=True, eq=False)
class MetaEvaluation:
    """What the meta-evaluation states.

    Attributes:
        findings: auc_<type>, rank_correlation, h1 to h5.
        disagreements: Pairs of explainers that two metrics surely order differently:
            `metric` puts `preferred` above `rival`, `other` the other way round; `item`
            is the row of the item that shows it best, missing where none does.
        not_run: What could not be said, and why.
    """

    findings: tuple[Finding, ...]
    disagreements: pd.DataFrame
    not_run: Mapping[str, str]


def evaluate_metrics(
    scores: Scores,
    drops: Mapping[str, Floats],
    *,
    seed: int,
    resamples: int = MEAN_RESAMPLES,
) -> MetaEvaluation:
    """Every statement about the metrics.

    Args:
        scores: What every metric says of every explainer's rationales.
        drops: How far similarity falls from a rationale to its drifted form, item by
            item: by "entailment", "bertscore" and "rouge_l".
        seed: Where the resamples come from.
        resamples: How many.
    """
    all_levels = metric_levels(scores, seed=seed, resamples=resamples)
    figures = {name: figure for name, figure in all_levels.items() if name not in PARTS}
    auc_findings, not_separated = _separation_findings(scores)
    correlations, not_ranked = _order_correlations(figures)
    with_given = "varif" in figures and GIVEN in figures["varif"].explainers
    hypothesis_findings, not_answered = decide_hypotheses(
        scores, drops, correlations.get("varif"), seed=seed, with_given=with_given
    )
    rank_findings = [
        Finding("rank_correlation", metric, "all", figure)
        for metric, figure in correlations.items()
    ]
    return MetaEvaluation(
        (*auc_findings, *rank_findings, *hypothesis_findings),
        _metric_disagreements(scores, figures),
        {**not_separated, **not_ranked, **not_answered},
    )


def _separation_findings(scores: Scores) -> tuple[list[Finding], dict[str, str]]:
    """The AUC of given rationales against each type, metric by metric."""
    findings, missing = [], {}
    metrics = [name for name in scores.metrics if name not in PARTS]
    if not any(GIVEN in by_explainer for by_explainer in scores.items.values()):
        return [], {"auc": "given was not asked for, so nothing is told from it"}
    for metric in metrics:
        if GIVEN not in scores.items.get(metric, {}):
            missing[metric] = "given rationales have no such item scores"
            continue
        for name in SUITE:
            paired = scores.paired_columns((metric, GIVEN), (metric, name))
            if paired is not None:
                (given_scores, type_scores), clusters = paired[0].T, paired[1]
                estimate = paired_auc(given_scores, type_scores, clusters=clusters)
                findings.append(Finding(f"auc_{name}", metric, name, estimate))
    return findings, _missing_reasons("auc", missing, len(metrics))


def _order_correlations(
    figures: Mapping[str, Levels],
) -> tuple[dict[str, Estimate], dict[str, str]]:
    """The rank correlation of each metric with the known order."""
    correlations, missing = {}, {}
    for metric, explainer_levels in figures.items():
        ordered = explainer_levels.among(ORDER)
        order = np.array(
            [ORDER[explainer] for explainer in ordered.explainers], np.int64
        )
        if len(set(order)) < LEAST:
            missing[metric] = (
                f"only {len(set(order))} of the 4 levels of the known order were scored"
            )
            continue
        correlation = rank_correlation(
            ordered.values, ordered.draws, order, ordered.n, what=ordered.what
        )
        if GIVEN not in ordered.explainers:
            correlation = replace(
                correlation, method=f"{correlation.method}; without given"
            )
        correlations[metric] = correlation
    return correlations, _missing_reasons("rank_correlation", missing, len(figures))


def _missing_reasons(
    statistic: str, missing: Mapping[str, str], every: int
) -> dict[str, str]:
    """One line a reason, with the metrics it holds of, unless of `every` one.

    >>> _missing_reasons("auc", {"a": "no items", "b": "no items"}, 3)
    {'auc of a, b': 'no items'}
    """
    lines = {}
    for why in dict.fromkeys(missing.values()):
        metrics = [metric for metric, reason in missing.items() if reason == why]
        of = "" if len(metrics) == every else f" of {', '.join(metrics)}"
        lines[f"{statistic}{of}"] = why
    return lines


def _metric_disagreements(
    scores: Scores, figures: Mapping[str, Levels]
) -> pd.DataFrame:
    """Pairs of explainers that two metrics surely order differently."""
    rows = []
    for (metric, first), (other_metric, second) in combinations(figures.items(), 2):
        a, b = first.among(second.explainers), second.among(first.explainers)
        positions = [b.explainers.index(name) for name in a.explainers]
        values, draws = b.values[positions], b.draws[:, positions]
        for i, j in rank_disagreements(a.values, values):
            first_gap, second_gap = (
                a.draws[:, i] - a.draws[:, j],
                draws[:, j] - draws[:, i],
            )
            sure = min((first_gap > 0).mean(), (second_gap > 0).mean())
            if sure >= SURE:
                pair = a.explainers[i], a.explainers[j]
                gaps = float(a.values[i] - a.values[j]), float(values[i] - values[j])
                item = _clearest_disagreement(scores, metric, other_metric, *pair)
                rows.append((metric, other_metric, *pair, *gaps, item))
    return pd.DataFrame(rows, columns=COLUMNS).astype({"item": "Int64"})


def _clearest_disagreement(
    scores: Scores, metric: str, other_metric: str, preferred: str, rival: str
) -> int | None:
    """The row of the item on which the two metrics disagree most, if on any."""
    wanted = [(m, e) for m in (metric, other_metric) for e in (preferred, rival)]
    if any(explainer not in scores.items.get(name, {}) for name, explainer in wanted):
        return None
    above, below, under, over = (
        scores.items[name][explainer] for name, explainer in wanted
    )
    gaps = np.column_stack([above - below, over - under])
    # In units of their own spread: metrics have scales of their own.
    spread = np.nanstd(gaps, axis=0) if np.isfinite(gaps).any(axis=0).all() else 1.0
    least = (gaps / np.where(spread > 0, spread, 1.0)).min(axis=1)
    least = np.where(np.isfinite(least), least, -np.inf)
    row = int(least.argmax())
    return row if least[row] > 0 else None


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
