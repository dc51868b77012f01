"""The corpus: what is written and measured before any reader is asked.

Robustness R is the mean over changes of Sim(e, e') = (p(e => e') + p(e' => e)) / 2 by a
judge of entailment. A constant text has R = 1, so R stands next to a baseline: the
similarity of an item's rationale to those of other items. BERTScore and ROUGE-L take
the judge's place as baselines of the metric itself.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np
import pandas as pd

from measurand.audits.explanations.copying import near_copies
from measurand.audits.explanations.fields import rationale_input_fields
from measurand.audits.explanations.perturbations import Perturbations, perturb_items
from measurand.audits.explanations.rationales import (
    GIVEN,
    Rationales,
    collect_rationales,
    default_explainers,
    leaking_templates,
)
from measurand.audits.explanations.settings import OTHERS
from measurand.audits.explanations.specificity import (
    Contrasts,
    Specificity,
    specificity_by_explainer,
)
from measurand.core.arrays import Bools, Floats, Ints
from measurand.core.benchmark import Benchmark
from measurand.core.explainer import Judge, Likeness, Pairs
from measurand.core.seeds import generator
from measurand.experiment.experiment import Experiment
from measurand.experiment.rationales import judge_likeness, judge_similarity
from measurand.judges import LIKENESSES, load_judge
from measurand.settings.explanations import ExplanationsSettings

Measure = Callable[[Pairs], Floats]


@dataclass(frozen=True, eq=False)
class Robustness:
    """How robust one explainer's rationales are, an item at a time.

    Attributes:
        robustness: R of each test item; nan where nothing was compared.
        baseline: Its similarity to other items' rationales; nan where it has none.
        surface: BERTScore and ROUGE-L in R's place.
        agreement: How like it is to what others wrote of the same input: no robustness,
            since no input was changed; nan where nobody did.
    """

    robustness: Floats
    baseline: Floats
    surface: Mapping[str, Floats]
    agreement: Floats


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
        rewrites = rationales.test, rationales.again, rationales.has_change
        item_robustness = rewrite_likeness(*rewrites, judge_measure)
        # An item without a rationale gets what any two items' rationales would get.
        is_empty = np.array([not text.strip() for text in rationales.test])
        if not rationales.unstable and np.isfinite(baseline).any():
            item_robustness = np.where(is_empty, np.nanmean(baseline), item_robustness)
        likenesses = {
            kind: rewrite_likeness(
                *rewrites, partial(judge_likeness, experiment, recipe)
            )
            for kind, recipe in surfaces.items()
        }
        has_text = [[bool(t.strip()) for t in column] for column in rationales.written]
        agreement = rewrite_likeness(
            rationales.test, rationales.written, has_text, judge_measure
        )
        robustness[name] = Robustness(item_robustness, baseline, likenesses, agreement)
    return robustness


def measure_drift(
    experiment: Experiment,
    drift: Rationales | None,
    judge: Judge,
    surfaces: Mapping[str, Likeness],
) -> dict[str, Floats]:
    """How like drifts are to what they were made of: by entailment, by the surface."""
    if drift is None:
        return {}
    measures: dict[str, Measure] = {
        "entailment": partial(judge_similarity, experiment, judge)
    }
    for kind, recipe in surfaces.items():
        measures[kind] = partial(judge_likeness, experiment, recipe)
    always = [[True] * len(drift.test)]
    return {
        kind: rewrite_likeness(drift.origin, [drift.test], always, measure)
        for kind, measure in measures.items()
    }


def rewrite_likeness(
    test: Sequence[str],
    again: Sequence[Sequence[str]],
    has_change: Sequence[Sequence[bool]],
    measure: Measure,
) -> Floats:
    """The mean likeness of each item's rationale to what was written again."""
    rows: list[int] = []
    pairs: list[tuple[str, str]] = []
    for texts, is_changed in zip(again, has_change, strict=True):
        for row, (first, text) in enumerate(zip(test, texts, strict=True)):
            if is_changed[row] and first.strip():
                rows.append(row)
                pairs.append((first, text))
    sums, counts = np.zeros((2, len(test)))
    if pairs:
        sums += np.bincount(rows, measure(pairs), len(test))
        counts += np.bincount(rows, minlength=len(test))
    nothing = np.full(len(test), np.nan)
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


@dataclass(frozen=True, eq=False)
class Corpus:
    """Rationales of every explainer, and what needs no reader to be known of them.

    Attributes:
        rationales: What each explainer wrote; the given ones, or else the first, are
            those that the verdict is on.
        perturbations: The changed test items.
        robustness: What becomes of rationales when the input is said otherwise.
        drift_likeness: How like drifts are to what they were made of, by measure.
        specificity: How well each rationale fits its own input.
        contrasts: Against what each was held.
        copied: Whether each rationale is nearly a field of its input.
        leaks: Words and templates that predict the label.
        further: Other columns of rationales than the judged one.
        fields: The input that readers read.
        also: The fields of another input, next to which given rationales are read too.
        clusters: The cluster of each test item.
        not_run: Explainers of the suite that could not write, and why.
    """

    rationales: Mapping[str, Rationales]
    perturbations: Perturbations
    robustness: Mapping[str, Robustness]
    drift_likeness: Mapping[str, Floats]
    specificity: Mapping[str, Specificity]
    contrasts: Mapping[str, Contrasts]
    copied: Mapping[str, Bools]
    leaks: pd.DataFrame
    further: tuple[str, ...]
    fields: tuple[str, ...]
    also: tuple[str, ...]
    clusters: Ints
    not_run: Mapping[str, str] = field(default_factory=dict)

    @property
    def explainer(self) -> str:
        """The explainer that the verdict is on."""
        return GIVEN if GIVEN in self.rationales else next(iter(self.rationales))


def collect_corpus(experiment: Experiment, settings: ExplanationsSettings) -> Corpus:
    """Change the items, let every explainer write, and measure what was written."""
    benchmark = experiment.benchmark
    # The given rationales first: the verdict is on them, and the first are browsed.
    chosen = sorted(dict.fromkeys(settings.explainers), key=lambda name: name != GIVEN)
    names = tuple(chosen) or default_explainers(benchmark)
    judge = load_judge(settings.judge)
    perturbations = perturb_items(
        experiment,
        benchmark.test,
        benchmark.query,
        benchmark.evidence,
        judge,
        paraphraser=settings.paraphraser,
        count=settings.count,
        preset=settings.preset,
    )
    rationales, not_run = collect_rationales(
        experiment, names, perturbations, settings.others, settings.model
    )
    surface = surface_measures(settings.judge)
    robustness = measure_robustness(experiment, rationales, judge, surface)
    fields, also = rationale_input_fields(benchmark)
    contrasts, specificity = specificity_by_explainer(
        experiment, rationales, fields, settings.preset, settings.similarity
    )
    clusters = benchmark.clusters(benchmark.test)
    first = next(iter(rationales.values()))  # the given ones, if there are any
    return Corpus(
        rationales=rationales,
        perturbations=perturbations,
        robustness=robustness,
        drift_likeness=measure_drift(
            experiment, rationales.get("drift"), judge, surface
        ),
        specificity=specificity,
        contrasts=contrasts,
        copied={
            name: near_copies(part.test, benchmark.test, fields)
            for name, part in rationales.items()
        },
        leaks=leaking_templates(benchmark, first),
        further=_further_columns(benchmark, rationales),
        fields=fields,
        also=also,
        clusters=clusters,
        not_run=not_run,
    )


def _further_columns(
    benchmark: Benchmark, rationales: Mapping[str, Rationales]
) -> tuple[str, ...]:
    """The given columns besides the first that say anything."""
    if GIVEN not in rationales:
        return ()
    return tuple(
        column
        for column in benchmark.rationales[1:]
        if benchmark.test.column(column).str.strip().any()
    )
