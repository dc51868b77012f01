"""Whether the metrics themselves are any good: the meta-evaluation.

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
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
import pandas as pd

from measurand.audits.explanations.hypotheses import hypotheses
from measurand.audits.explanations.scored import Levels, Scores, levels
from measurand.core.finding import Estimate, Finding
from measurand.core.reader import Floats
from measurand.explainers import SUITE
from measurand.stats.draws import RESAMPLES
from measurand.stats.separation import disagreements, paired_auc, rank_correlation

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
class Meta:
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


def meta(
    scores: Scores,
    drops: Mapping[str, Floats],
    *,
    seed: int,
    resamples: int = RESAMPLES,
) -> Meta:
    """Every statement about the metrics.

    Args:
        scores: What every metric says of every explainer's rationales.
        drops: How far similarity falls from a rationale to its drifted form, item by
            item: by "entailment", "bertscore" and "rouge_l".
        seed: Where the resamples come from.
        resamples: How many.
    """
    every = levels(scores, seed=seed, resamples=resamples)
    figures = {name: one for name, one in every.items() if name not in PARTS}
    apart, not_told = separations(scores)
    kept, not_ranked = rankings(figures)
    whole = "varif" in figures and GIVEN in figures["varif"].explainers
    answered, not_answered = hypotheses(
        scores, drops, kept.get("varif"), seed=seed, whole=whole
    )
    ranked = [
        Finding("rank_correlation", metric, "all", one) for metric, one in kept.items()
    ]
    return Meta(
        (*apart, *ranked, *answered),
        disagreeing(scores, figures),
        {**not_told, **not_ranked, **not_answered},
    )


def separations(scores: Scores) -> tuple[list[Finding], dict[str, str]]:
    """The AUC of given rationales against each type, metric by metric."""
    found, missing = [], {}
    metrics = [name for name in scores.metrics if name not in PARTS]
    if not any(GIVEN in one for one in scores.items.values()):
        return [], {"auc": "given was not asked for, so nothing is told from it"}
    for metric in metrics:
        if GIVEN not in scores.items.get(metric, {}):
            missing[metric] = "given rationales have no such item scores"
            continue
        for name in SUITE:
            both = scores.paired((metric, GIVEN), (metric, name))
            if both is not None:
                (given, other), clusters = both[0].T, both[1]
                estimate = paired_auc(given, other, clusters=clusters)
                found.append(Finding(f"auc_{name}", metric, name, estimate))
    return found, reasons("auc", missing, len(metrics))


def rankings(
    figures: Mapping[str, Levels],
) -> tuple[dict[str, Estimate], dict[str, str]]:
    """The rank correlation of each metric with the known order."""
    found, missing = {}, {}
    for metric, every in figures.items():
        placed = every.among(ORDER)
        order = np.array([ORDER[one] for one in placed.explainers], np.int64)
        if len(set(order)) < LEAST:
            missing[metric] = (
                f"only {len(set(order))} of the 4 levels of the known order were scored"
            )
            continue
        kept = rank_correlation(
            placed.values, placed.draws, order, placed.n, what=placed.what
        )
        if GIVEN not in placed.explainers:
            kept = replace(kept, method=f"{kept.method}; without given")
        found[metric] = kept
    return found, reasons("rank_correlation", missing, len(figures))


def reasons(statistic: str, missing: Mapping[str, str], every: int) -> dict[str, str]:
    """One line a reason, with the metrics it holds of, unless of `every` one.

    >>> reasons("auc", {"a": "no items", "b": "no items"}, 3)
    {'auc of a, b': 'no items'}
    """
    lines = {}
    for why in dict.fromkeys(missing.values()):
        metrics = [metric for metric, reason in missing.items() if reason == why]
        of = "" if len(metrics) == every else f" of {', '.join(metrics)}"
        lines[f"{statistic}{of}"] = why
    return lines


def disagreeing(scores: Scores, figures: Mapping[str, Levels]) -> pd.DataFrame:
    """Pairs of explainers that two metrics surely order differently."""
    rows = []
    for (metric, one), (other, two) in combinations(figures.items(), 2):
        a, b = one.among(two.explainers), two.among(one.explainers)
        places = [b.explainers.index(name) for name in a.explainers]
        values, draws = b.values[places], b.draws[:, places]
        for i, j in disagreements(a.values, values):
            here, there = a.draws[:, i] - a.draws[:, j], draws[:, j] - draws[:, i]
            sure = min((here > 0).mean(), (there > 0).mean())
            if sure >= SURE:
                pair = a.explainers[i], a.explainers[j]
                gaps = float(a.values[i] - a.values[j]), float(values[i] - values[j])
                item = example(scores, metric, other, *pair)
                rows.append((metric, other, *pair, *gaps, item))
    return pd.DataFrame(rows, columns=COLUMNS).astype({"item": "Int64"})


def example(
    scores: Scores, metric: str, other: str, preferred: str, rival: str
) -> int | None:
    """The row of the item on which the two metrics disagree most, if on any."""
    wanted = [(m, e) for m in (metric, other) for e in (preferred, rival)]
    if any(one not in scores.items.get(name, {}) for name, one in wanted):
        return None
    above, below, under, over = (scores.items[name][one] for name, one in wanted)
    gaps = np.column_stack([above - below, over - under])
    # In units of their own spread: metrics have scales of their own.
    spread = np.nanstd(gaps, axis=0) if np.isfinite(gaps).any(axis=0).all() else 1.0
    least = (gaps / np.where(spread > 0, spread, 1.0)).min(axis=1)
    least = np.where(np.isfinite(least), least, -np.inf)
    row = int(least.argmax())
    return row if least[row] > 0 else None
