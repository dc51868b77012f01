"""Whether the metrics are any good: how they tell the suite from given rationales.

`docs/explanations.md` defines the statistics. Sentences drawn at random, drift and
swapped labels have no place in the known order: what they are worth depends on the
item.

A run in which VARIF does not tell every type of the suite from given rationales states
no frontier: its own controls say that it could not. A drift is judged by what can see
it: the judge, or a reader that was fitted on rationales as they are.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
import pandas as pd

from measurand.audits.explanations.hypotheses import (
    decide_hypotheses,
    judge_drops_drift,
)
from measurand.audits.explanations.levels import Levels, Scores, metric_levels
from measurand.audits.explanations.settings import SEPARATED
from measurand.core.arrays import Floats
from measurand.core.estimate import Estimate
from measurand.core.finding import Finding
from measurand.explainers import SUITE
from measurand.stats.resampling import MEAN_RESAMPLES
from measurand.stats.separation import paired_auc, rank_correlation, rank_disagreements

GIVEN = "given"
ORDER = {
    GIVEN: 3,
    **dict.fromkeys(("tfidf-1", "tfidf-2"), 2),
    **dict.fromkeys(("concise", "steps", "concise-unlabeled", "steps-unlabeled"), 2),
    "pseudo-specific": 1,
    **dict.fromkeys(("vacuous", "circular", "label-leaking", "copy-cipher"), 0),
}
DRIFT = "drift"  # which readers that are refitted learn to read
PARTS = ("left_open", "lcig_over_input")  # what others are made of, or held against
LEAST = 3  # levels of the order that must be there to speak of an order
SURE = 0.975  # of resamples that put one explainer above another
COLUMNS = [
    *("metric", "other", "preferred", "rival"),
    *("difference", "other_difference", "item"),
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
        compared: Whether VARIF was held against any type of the suite.
        unlike: The types that it does not surely tell from given rationales.
        drops: Whether the judge surely takes what drifts for something else; None
            where it was not asked.
    """

    findings: tuple[Finding, ...]
    disagreements: pd.DataFrame
    not_run: Mapping[str, str]
    compared: bool = True
    unlike: tuple[str, ...] = ()
    drops: bool | None = None


def evaluate_metrics(
    scores: Scores,
    drift_likeness: Mapping[str, Floats],
    *,
    seed: int,
    word_judge: bool = False,
    resamples: int = MEAN_RESAMPLES,
) -> MetaEvaluation:
    """Every statement about the metrics."""
    all_levels = metric_levels(scores, seed=seed, resamples=resamples)
    figures = {name: figure for name, figure in all_levels.items() if name not in PARTS}
    auc_findings, not_separated = _separation_findings(scores)
    correlations, not_ranked = _order_correlations(figures)
    ranked = figures["varif"].among(ORDER) if "varif" in figures else None
    hypothesis_findings, not_answered = decide_hypotheses(
        scores,
        drift_likeness,
        correlations.get("varif"),
        ranked,
        seed=seed,
        word_judge=word_judge,
    )
    rank_findings = [
        Finding("rank_correlation", metric, "all", figure)
        for metric, figure in correlations.items()
    ]
    return MetaEvaluation(
        (*auc_findings, *rank_findings, *hypothesis_findings),
        _metric_disagreements(scores, figures),
        {**not_separated, **not_ranked, **not_answered},
        any(f.reader == "varif" for f in auc_findings),
        unseparated_types(auc_findings),
        judge_drops_drift(scores, drift_likeness, seed=seed),
    )


def unseparated_types(findings: Sequence[Finding]) -> tuple[str, ...]:
    """The types of the suite that VARIF does not surely tell from given rationales."""
    aucs = {f.condition: f.estimate for f in findings if f.reader == "varif"}
    return tuple(name for name, auc in aucs.items() if auc.low <= SEPARATED)


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
    """One line per reason, with the metrics it holds of, unless of `every` one.

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
