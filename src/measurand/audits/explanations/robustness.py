"""Robustness: how far rationales say the same when the input is said otherwise.

R is the mean over changes of Sim(e, e') = (p(e => e') + p(e' => e)) / 2 by a judge of
entailment. A constant text has R = 1, so R stands beside a baseline: the similarity of
an item's rationale to those of other items. BERTScore and ROUGE-L take the judge's
place as baselines of the metric itself.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from measurand.audits.explanations.rationales import Rationales
from measurand.audits.explanations.settings import OTHERS
from measurand.core.arrays import Floats
from measurand.core.explainer import Judge, Likeness, Pairs
from measurand.core.seeds import generator
from measurand.experiment.experiment import Experiment
from measurand.experiment.rationales import judge_likeness, judge_similarity
from measurand.judges import LIKENESSES

Measure = Callable[[Pairs], Floats]


@dataclass(frozen=True, eq=False)
class Robustness:
    """How robust one explainer's rationales are, an item at a time.

    Attributes:
        robustness: R of each test item; nan where nothing was compared.
        baseline: Its similarity to other items' rationales; nan where it has none.
        surface: BERTScore and ROUGE-L in R's place.
    """

    robustness: Floats
    baseline: Floats
    surface: Mapping[str, Floats]


def measure_robustness(
    experiment: Experiment,
    by_explainer: Mapping[str, Rationales],
    judge: Judge,
    surfaces: Mapping[str, Likeness],
) -> dict[str, Robustness]:
    """How robust each explainer is."""
    judge_measure = partial(judge_similarity, experiment, judge)
    robustness = {}
    for name, rationales in by_explainer.items():
        baseline = other_item_likeness(experiment.seed, rationales.test, judge_measure)
        item_robustness = rewrite_likeness(rationales, judge_measure)
        # An item without a rationale gets what any two items' rationales would get.
        is_empty = np.array([not text.strip() for text in rationales.test])
        if not rationales.unstable and np.isfinite(baseline).any():
            item_robustness = np.where(is_empty, np.nanmean(baseline), item_robustness)
        likenesses = {
            kind: rewrite_likeness(
                rationales, partial(judge_likeness, experiment, recipe)
            )
            for kind, recipe in surfaces.items()
        }
        robustness[name] = Robustness(item_robustness, baseline, likenesses)
    return robustness


def rewrite_likeness(rationales: Rationales, measure: Measure) -> Floats:
    """The mean likeness of each item's rationale to what was written again."""
    positions: list[tuple[int, int]] = []
    pairs: list[tuple[str, str]] = []
    for number, (texts, has_change) in enumerate(
        zip(rationales.again, rationales.has_change, strict=True)
    ):
        for row, (first, text, is_changed) in enumerate(
            zip(rationales.first, texts, has_change, strict=True)
        ):
            if is_changed and first.strip():
                positions.append((number, row))
                pairs.append((first, text))
    sums, counts = np.zeros((2, len(rationales.test)))
    if pairs:
        rows = np.array([row for _, row in positions])
        sums += np.bincount(rows, measure(pairs), len(rationales.test))
        counts += np.bincount(rows, minlength=len(rationales.test))
    nothing = np.full(len(rationales.test), np.nan)
    return np.asarray(np.divide(sums, counts, out=nothing, where=counts > 0))


def other_item_likeness(seed: int, texts: Sequence[str], measure: Measure) -> Floats:
    """The mean likeness of each item's rationale to those of a few other items.

    Two texts without words would be one and the same: only rationales are compared.
    """
    filled = [row for row, text in enumerate(texts) if text.strip()]
    size, likenesses = len(filled), np.full(len(texts), np.nan)
    if size < 2:
        return likenesses
    rng = generator(seed, "other items")
    steps = rng.integers(1, size, (size, min(OTHERS, size - 1)))
    donors = (np.arange(size)[:, None] + steps) % size
    pairs = [
        (texts[filled[i]], texts[filled[j]])
        for i, row in enumerate(donors)
        for j in row
    ]
    likenesses[filled] = measure(pairs).reshape(donors.shape).mean(axis=1)
    return likenesses


def surface_measures(judge: str) -> dict[str, Likeness]:
    """The surface measures: an encoder's too where the judge is a model anyway."""
    kinds = ("rouge_l",) if judge == "lexical" else ("bertscore", "rouge_l")
    return {kind: LIKENESSES.load(kind) for kind in kinds}
