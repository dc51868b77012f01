"""The corpus: what was written and measured before any reader is asked."""

from collections.abc import Mapping
from dataclasses import dataclass

import pandas as pd

from measurand.audits.explanations.fields import rationale_input_fields
from measurand.audits.explanations.perturbations import Perturbations, perturb_items
from measurand.audits.explanations.rationales import (
    GIVEN,
    Rationales,
    collect_rationales,
    default_explainers,
)
from measurand.audits.explanations.robustness import (
    Robustness,
    measure_robustness,
    surface_measures,
)
from measurand.audits.explanations.settings import ExplanationsSettings
from measurand.audits.explanations.specificity import (
    Contrasts,
    Specificity,
    specificity_by_explainer,
)
from measurand.audits.explanations.templates import leaking_templates
from measurand.core.arrays import Ints
from measurand.experiment.experiment import Experiment
from measurand.judges import load_judge


@dataclass(frozen=True, eq=False)
class Corpus:
    """Rationales of every explainer, and what needs no reader to be known of them.

    Attributes:
        rationales: What each explainer wrote; the given ones, or else the first, are
            those that the verdict is on.
        perturbations: The changed test items.
        robustness: What becomes of rationales when the input is said otherwise.
        specificity: How well each rationale fits its own input.
        contrasts: Against what it was held.
        leaks: Words and templates that tell the label.
        fields: The input that readers read.
        also: The fields of another input, beside which given rationales are read too.
        clusters: The cluster of each test item.
    """

    rationales: Mapping[str, Rationales]
    perturbations: Perturbations
    robustness: Mapping[str, Robustness]
    specificity: Mapping[str, Specificity]
    contrasts: Contrasts
    leaks: pd.DataFrame
    fields: tuple[str, ...]
    also: tuple[str, ...]
    clusters: Ints

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
    )
    rationales = collect_rationales(
        experiment, names, perturbations, settings.others, settings.model
    )
    surface = surface_measures(settings.judge)
    robustness = measure_robustness(experiment, rationales, judge, surface)
    contrasts, specificity = specificity_by_explainer(
        experiment, rationales, settings.preset, settings.similarity
    )
    fields, also = rationale_input_fields(benchmark)
    return Corpus(
        rationales,
        perturbations,
        robustness,
        specificity,
        contrasts,
        leaking_templates(benchmark, rationales[names[0]]),
        fields,
        also,
        benchmark.clusters(benchmark.test),
    )
