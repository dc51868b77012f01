"""What one reader finds of every explainer's rationales."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from measurand.audits.explanations import estimates
from measurand.audits.explanations.fields import ask_arms, restrict_fields, seed_readers
from measurand.audits.explanations.frontier import (
    ExplainerFrontier,
    explainer_frontier,
    score_explainers,
)
from measurand.audits.explanations.information import (
    RATIONALE,
    Information,
    measure_information,
)
from measurand.audits.explanations.meta_evaluation import (
    MetaEvaluation,
    evaluate_metrics,
)
from measurand.audits.explanations.metrics import Levels, Scores, metric_levels
from measurand.audits.explanations.rationales import ANNOTATED, GIVEN, Rationales
from measurand.audits.explanations.robustness import Robustness
from measurand.audits.explanations.specificity import Specificity
from measurand.audits.explanations.thresholds import COLLAPSED
from measurand.audits.explanations.verdict import RationaleStage
from measurand.core.arrays import Clusters, Floats
from measurand.core.errors import Undefined
from measurand.core.finding import Estimate, Finding
from measurand.core.reader import Reader
from measurand.core.recipe import traits_of
from measurand.core.seeds import generator
from measurand.experiment.experiment import Experiment, reopen_experiment
from measurand.explainers import SUITE
from measurand.explainers.replies import drop_answer
from measurand.stats.paired import mean_score

SETTLED = 1e-6  # nats that an input leaves open where it tells every label
READERLESS = ("robustness", "specificity", "bertscore", "rouge_l", "length", "overlap")
NOTHING_COMPARED = "no item has both a rationale and another to compare it with"


@dataclass(frozen=True, eq=False)
class RationaleReading:
    """Everything that one reader lets us say.

    Attributes:
        name: The reader's name.
        information: What each explainer's rationales tell.
        scores: Every metric, item by item.
        figures: Every metric, an explainer at a time.
        frontier: The frontier; None where no explainer has both axes.
        meta: Whether the metrics are any good.
        findings: Every estimate that this reader gave.
        not_run: What could not be done, and why.
        stage: What the verdict rests on.
    """

    name: str
    information: Mapping[str, Information]
    scores: Scores
    figures: Mapping[str, Levels]
    frontier: ExplainerFrontier | None
    meta: MetaEvaluation
    findings: Sequence[Finding]
    not_run: Mapping[str, str]
    stage: RationaleStage


def read_rationales(
    experiment: Experiment,
    name: str,
    reader: Reader,
    by_explainer: Mapping[str, Rationales],
    robustness: Mapping[str, Robustness],
    specificity: Mapping[str, Specificity],
    leaks: pd.DataFrame,
    *,
    fields: tuple[str, ...],
    also: tuple[str, ...],
    judge: str,
    seeds: int | None,
    preset: str,
    clusters: Clusters,
) -> RationaleReading:
    """Read every explainer's rationales with one reader, and say what it finds.

    `also` are the fields of another input: the given rationales are read beside it too.
    """
    benchmark = experiment.benchmark

    def read_beside(rationales: Rationales, beside: tuple[str, ...]) -> Information:
        texts = (rationales.train, rationales.test)
        terms: dict[str, Any] = {"seeds": seeds, "preset": preset}
        return measure_information(
            experiment, benchmark, *texts, beside, reader, **terms
        )

    information = {
        explainer: read_beside(rationales, fields)
        for explainer, rationales in by_explainer.items()
    }
    if (
        min(-information.log_p0.mean() for information in information.values())
        < SETTLED
    ):
        raise Undefined(
            f"the input alone tells {name} every label, so nothing is left for a "
            "rationale to tell; leave this reader out"
        )
    table = score_explainers(
        benchmark.test, by_explainer, robustness, information, specificity, clusters
    )
    figures = metric_levels(table, seed=experiment.seed)
    drops = _drift_drops(robustness)
    meta_evaluation = evaluate_metrics(table, drops, seed=experiment.seed)
    frontier = explainer_frontier(
        figures, [method for method in by_explainer if method not in SUITE]
    )
    findings = [
        *_varif_findings(figures, name),
        *(
            finding
            for explainer, information in information.items()
            for finding in _explainer_findings(information, name, explainer, clusters)
        ),
        *_findings_without_answer(
            experiment, name, reader, by_explainer, seeds, clusters
        ),
    ]
    if also and GIVEN in by_explainer:
        estimate = estimates.lcig(
            read_beside(by_explainer[GIVEN], also), clusters=clusters
        )
        findings.append(Finding("lcig", f"{name}, with evidence", GIVEN, estimate))
    if frontier is not None:
        findings.append(Finding("hypervolume", name, "all", frontier.hypervolume))
    stage = _verdict_stage(
        name,
        reader,
        by_explainer,
        robustness,
        information,
        figures,
        frontier,
        leaks,
        clusters,
    )
    not_run = {
        f"robustness of {explainer}": rationales.unstable or NOTHING_COMPARED
        for explainer, rationales in by_explainer.items()
        if np.isnan(robustness[explainer].robustness).all()
    }
    return RationaleReading(
        name,
        information,
        table,
        figures,
        frontier,
        meta_evaluation,
        findings,
        {**not_run, **meta_evaluation.not_run},
        stage,
    )


def _drift_drops(robustness: Mapping[str, Robustness]) -> dict[str, Floats]:
    """How far similarity falls when a rationale drifts, by each measure."""
    if "drift" not in robustness:
        return {}
    drift = robustness["drift"]
    likenesses = {"entailment": drift.robustness, **drift.surface}
    return {name: 1 - values for name, values in likenesses.items()}


def readerless_findings(figures: Mapping[str, Levels], judge: str) -> list[Finding]:
    """The findings that no reader has a part in, over the same resamples of items."""
    return [
        Finding(metric, judge if metric == "robustness" else "words", name, estimate)
        for metric in READERLESS
        for name, estimate in _metric_estimates(figures, metric)
    ]


def _varif_findings(figures: Mapping[str, Levels], reader: str) -> list[Finding]:
    """VARIF of every explainer, by this reader."""
    varifs = _metric_estimates(figures, "varif")
    return [Finding("varif", reader, name, estimate) for name, estimate in varifs]


def _metric_estimates(
    figures: Mapping[str, Levels], metric: str
) -> Iterator[tuple[str, Estimate]]:
    """One metric's figure of every explainer, with its interval."""
    if metric in figures:
        explainer_levels = figures[metric]
        for name in explainer_levels.explainers:
            yield name, explainer_levels.of(name)


def _explainer_findings(
    information: Information, reader: str, explainer: str, clusters: Clusters
) -> list[Finding]:
    """What a reader says of one explainer's rationales."""
    statistics: dict[str, Estimate | None] = {
        "rationale_only": estimates.rationale_only(information, clusters=clusters),
        "residual_leakage": estimates.residual_leakage(information, clusters=clusters),
        "lcig": estimates.lcig(information, clusters=clusters),
        "informativeness": estimates.informativeness(information, clusters=clusters),
        "simulatability": estimates.simulatability(information, clusters=clusters),
    }
    cells = estimates.las(information, clusters=clusters)
    statistics |= {
        "las": cells.overall,
        "las_leaking": cells.leaking,
        "las_nonleaking": cells.nonleaking,
    }
    findings = [
        Finding(
            statistic,
            reader,
            explainer,
            estimate,
            _leakage_decision(statistic, information),
        )
        for statistic, estimate in statistics.items()
        if estimate is not None
    ]
    return findings + [
        Finding(
            "rev",
            f"{reader}, {b}",
            explainer,
            estimates.rev(information, b, clusters=clusters),
        )
        for b in information.rev
    ]


def _leakage_decision(statistic: str, information: Information) -> str | None:
    """What is said beside a figure: that no mask brought the detector down."""
    return (
        "target not met"
        if statistic == "residual_leakage" and information.leaky
        else None
    )


def _findings_without_answer(
    experiment: Experiment,
    name: str,
    reader: Reader,
    by_explainer: Mapping[str, Rationales],
    seeds: int | None,
    clusters: Clusters,
) -> list[Finding]:
    """Rationale-only accuracy of step-by-step rationales without their last line."""
    findings = []
    benchmark = experiment.benchmark
    for explainer, rationales in by_explainer.items():
        if not explainer.startswith("steps"):
            continue
        sides = [
            {RATIONALE: [drop_answer(text) for text in texts]}
            for texts in (rationales.train, rationales.test)
        ]
        plain = restrict_fields(benchmark, (), sides, {RATIONALE: RATIONALE})
        members = seed_readers(reader, seeds)
        with reopen_experiment(experiment, plain) as sub_experiment:
            probabilities = ask_arms(
                sub_experiment, members, {RATIONALE: (RATIONALE,)}
            )[RATIONALE]
        right = (
            probabilities.argmax(axis=2) == benchmark.test.gold(benchmark.classes)
        ).mean(0)
        column = pd.Series(right, index=benchmark.test.ids)
        rng = generator(experiment.seed, "without answer", explainer)
        estimate = mean_score(column, rng=rng, clusters=clusters)
        reader_name = f"{name}, no final answer"
        findings.append(Finding("rationale_only", reader_name, explainer, estimate))
    return findings


def _verdict_stage(
    name: str,
    reader: Reader,
    by_explainer: Mapping[str, Rationales],
    robustness: Mapping[str, Robustness],
    information: Mapping[str, Information],
    figures: Mapping[str, Levels],
    frontier: ExplainerFrontier | None,
    leaks: pd.DataFrame,
    clusters: Clusters,
) -> RationaleStage:
    """What the verdict on the given rationales, or else the first ones, rests on."""
    explainer = GIVEN if GIVEN in by_explainer else next(iter(by_explainer))
    explainer_information = information[explainer]
    return RationaleStage(
        name,
        traits_of(reader).near_zero_stands,
        _has_constant_answer(explainer_information),
        explainer,
        _explainer_level(figures, "robustness", explainer),
        estimates.informativeness(explainer_information, clusters=clusters),
        estimates.rationale_only(explainer_information, clusters=clusters),
        explainer_information.majority,
        not explainer_information.leaky,
        _explainer_specificity(figures, explainer),
        None if frontier is None else frontier.chance.get(explainer),
        () if frontier is None else frontier.better.get(explainer, ()),
        tuple(leaks["template"].head(2)),
        by_explainer[explainer].how == ANNOTATED,
    )


def _explainer_level(
    figures: Mapping[str, Levels], metric: str, explainer: str
) -> Estimate | None:
    """One explainer's figure with its interval; None where it has none."""
    explainer_levels = figures.get(metric)
    if explainer_levels is None or explainer not in explainer_levels.explainers:
        return None
    return explainer_levels.of(explainer)


def _explainer_specificity(figures: Mapping[str, Levels], explainer: str) -> Estimate:
    """S of one explainer."""
    estimate = _explainer_level(figures, "specificity", explainer)
    if estimate is None:
        raise Undefined(f"the rationales of {explainer} have no specificity")
    return estimate


def _has_constant_answer(information: Information) -> bool:
    """Whether the reader answers one class whatever it reads."""
    return information.one_class >= COLLAPSED
