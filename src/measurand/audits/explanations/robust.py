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

from measurand.audits.explanations.thresholds import OTHERS
from measurand.audits.explanations.writing import Written
from measurand.core.judge import Judge, Likeness, Pairs
from measurand.core.reader import Floats
from measurand.core.seeds import generator
from measurand.experiment.answers import Experiment
from measurand.experiment.judged import judge_likeness, judge_similarity

Measure = Callable[[Pairs], Floats]


@dataclass(frozen=True, eq=False)
class Robust:
    """How robust one explainer's rationales are, an item at a time.

    Attributes:
        robustness: R of each test item; nan where nothing was compared.
        baseline: Its similarity to other items' rationales; nan where it has none.
        surface: BERTScore and ROUGE-L in R's place.
    """

    robustness: Floats
    baseline: Floats
    surface: Mapping[str, Floats]


def robust(
    experiment: Experiment,
    made: Mapping[str, Written],
    judge: Judge,
    surfaces: Mapping[str, Likeness],
) -> dict[str, Robust]:
    """How robust each explainer is."""
    judged = partial(judge_similarity, experiment, judge)
    found = {}
    for name, one in made.items():
        baseline = between(experiment.seed, one.test, judged)
        whole = compared(one, judged)
        # An item without a rationale gets what any two items' rationales would get.
        none = np.array([not text.strip() for text in one.test])
        if not one.unstable and np.isfinite(baseline).any():
            whole = np.where(none, np.nanmean(baseline), whole)
        likes = {
            kind: compared(one, partial(judge_likeness, experiment, recipe))
            for kind, recipe in surfaces.items()
        }
        found[name] = Robust(whole, baseline, likes)
    return found


def compared(one: Written, measure: Measure) -> Floats:
    """The mean likeness of each item's rationale to what was written again."""
    places: list[tuple[int, int]] = []
    pairs: list[tuple[str, str]] = []
    for number, (texts, asked) in enumerate(zip(one.again, one.asked, strict=True)):
        for row, (first, text, was) in enumerate(
            zip(one.first, texts, asked, strict=True)
        ):
            if was and first.strip():
                places.append((number, row))
                pairs.append((first, text))
    sums, counts = np.zeros((2, len(one.test)))
    if pairs:
        rows = np.array([row for _, row in places])
        sums += np.bincount(rows, measure(pairs), len(one.test))
        counts += np.bincount(rows, minlength=len(one.test))
    nothing = np.full(len(one.test), np.nan)
    return np.asarray(np.divide(sums, counts, out=nothing, where=counts > 0))


def between(seed: int, texts: Sequence[str], measure: Measure) -> Floats:
    """The mean likeness of each item's rationale to those of a few other items.

    Two texts without words would be one and the same: only rationales are compared.
    """
    told = [row for row, text in enumerate(texts) if text.strip()]
    size, found = len(told), np.full(len(texts), np.nan)
    if size < 2:
        return found
    rng = generator(seed, "other items")
    steps = rng.integers(1, size, (size, min(OTHERS, size - 1)))
    donors = (np.arange(size)[:, None] + steps) % size
    pairs = [
        (texts[told[i]], texts[told[j]]) for i, row in enumerate(donors) for j in row
    ]
    found[told] = measure(pairs).reshape(donors.shape).mean(axis=1)
    return found
