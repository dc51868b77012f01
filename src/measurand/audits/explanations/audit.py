"""The explanations audit itself: write, change, write again, read, compare."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from measurand.audits.explanations.conclude import conclude
from measurand.audits.explanations.corpus import Corpus, collect_corpus
from measurand.audits.explanations.exhibits import exhibits
from measurand.audits.explanations.facts import RationaleFacts
from measurand.audits.explanations.instrument import (
    judge_warnings,
    minimal_pair_findings,
    model_title,
)
from measurand.audits.explanations.parts import (
    Judged,
    add_readings,
    measure_facts,
    open_judged,
    part_exhibits,
    part_findings,
)
from measurand.audits.explanations.rationales import GIVEN
from measurand.audits.explanations.reading import (
    RationaleReading,
    read_rationales,
    readerless_findings,
)
from measurand.audits.explanations.statement import (
    drift_likeness_findings,
    explanation_settings,
    explanation_warnings,
    judge_agreement,
    majority_label_finding,
    paraphrase_acceptance,
    put_axes_first,
    rationale_table,
    robustness_baselines,
    specificity_over_copy,
)
from measurand.core.benchmark import Benchmark
from measurand.core.errors import NotApplicable, PastBudget, Undefined
from measurand.core.finding import Finding, Report, merge_findings, merge_not_run
from measurand.core.reader import Reader
from measurand.core.recipe import Strength
from measurand.experiment.budget import budget_settings
from measurand.experiment.experiment import Experiment
from measurand.experiment.ladder import (
    check_any_run,
    check_teachable,
    higher_rungs,
    order_by_strength,
    way_to_run,
)
from measurand.judges import load_judge
from measurand.settings.explanations import ExplanationsSettings

STRONGER_READER = "cross"  # sees how the input and the rationale meet, and needs no GPU
USUAL = ExplanationsSettings()


def audit(
    experiment: Experiment,
    readers: Mapping[str, Reader],
    settings: ExplanationsSettings = USUAL,
) -> Report:
    """Ask whether rationales are robust, informative and specific, or empty or leaky.

    Args:
        experiment: The benchmark, and how questions about it are answered.
        readers: Named readers; they run from weak to strong.
        settings: What is chosen before the run.
    """
    benchmark = experiment.benchmark
    _check_rationales(benchmark)
    check_teachable(readers, "to read rationales")
    corpus = collect_corpus(experiment, settings)
    judged, facts = _measure_judged(experiment, corpus, readers)
    readings, not_called = _climb_rationale_ladder(
        experiment, readers, corpus, settings
    )
    judge = load_judge(settings.judge), model_title(settings.judge)
    pair_findings = minimal_pair_findings(experiment, *judge, settings.preset)
    facts = add_readings(facts, judged, readings, readers, corpus.explainer)
    facts = replace(facts, axes=readings[-1].axes)
    findings = [
        *part_findings(facts, corpus.explainer),
        *_corpus_findings(experiment, corpus, settings.judge),
        *pair_findings,
        *readerless_findings(readings[0].figures, corpus, model_title(settings.judge)),
        *merge_findings(readings),
        # Metrics are judged by the strongest reader: their names represent readers.
        *readings[-1].meta.findings,
    ]
    return Report(
        audit="explanations",
        benchmark=benchmark.describe() | {"input": ", ".join(corpus.fields)},
        verdict=conclude(facts),
        findings=put_axes_first(findings),
        settings=explanation_settings(
            experiment.seed, readers, readings, [*corpus.rationales], settings
        )
        | budget_settings(experiment.budget),
        not_run=not_called | {**corpus.not_run} | merge_not_run(readings),
        warnings=(
            *explanation_warnings(
                benchmark, corpus.rationales, corpus.perturbations, readings
            ),
            *judge_warnings(pair_findings),
        ),
        exhibits=(
            *part_exhibits(judged, facts),
            *exhibits(benchmark, corpus.rationales, readings, corpus.leaks, findings),
        ),
        items=rationale_table(
            benchmark,
            corpus.rationales,
            corpus.robustness,
            corpus.specificity,
            corpus.copied,
            corpus.perturbations,
            readings[-1],
        ),
    )


def _climb_rationale_ladder(
    experiment: Experiment,
    readers: Mapping[str, Reader],
    corpus: Corpus,
    settings: ExplanationsSettings,
) -> tuple[list[RationaleReading], dict[str, str]]:
    """What the readers asked for found, and one that is called where they doubt."""
    readings: list[RationaleReading] = []
    not_called: dict[str, str] = {}
    for name, reader in order_by_strength(readers).items():
        try:
            readings.append(read_rationales(experiment, name, reader, corpus, settings))
        except PastBudget as reason:
            not_called[name] = way_to_run("explanations", reason)
    check_any_run(readings, not_called)
    rungs = higher_rungs(readers, STRONGER_READER, rungs=(STRONGER_READER,))
    planted = experiment.benchmark.planted
    while (
        settings.calibrate
        and _needs_stronger_reader(readings, planted=planted)
        and (rung := next(rungs, None))
    ):
        try:
            readings.append(read_rationales(experiment, *rung, corpus, settings))
        except Undefined as reason:
            not_called[rung[0]] = str(reason)
    return readings, not_called


def _corpus_findings(
    experiment: Experiment, corpus: Corpus, judge: str
) -> list[Finding]:
    """What is known of the rationales before a reader reads them."""
    benchmark, seed, clusters = experiment.benchmark, experiment.seed, corpus.clusters
    written, robustness = corpus.rationales, corpus.robustness
    return [
        *paraphrase_acceptance(corpus.perturbations),
        majority_label_finding(benchmark.test),
        *robustness_baselines(
            seed, written, robustness, benchmark.test, judge, clusters
        ),
        *specificity_over_copy(
            seed, corpus.specificity, corpus.contrasts, benchmark, clusters
        ),
        *judge_agreement(experiment, written, robustness, judge),
        *drift_likeness_findings(seed, corpus.drift_likeness, judge, clusters),
    ]


def _measure_judged(
    experiment: Experiment, corpus: Corpus, readers: Mapping[str, Reader]
) -> tuple[Judged, RationaleFacts]:
    """The judged rationales as a part of their items, and what they show there."""
    benchmark, explainer = experiment.benchmark, corpus.explainer
    texts = corpus.rationales[explainer]
    column = str(benchmark.rationale) if explainer == GIVEN else explainer
    sides = texts.train, texts.test
    judged = open_judged(benchmark, corpus.fields, column, sides)
    return judged, measure_facts(experiment, judged, corpus.further, readers)


def _check_rationales(benchmark: Benchmark) -> None:
    """Raise where there is nothing that could explain."""
    if benchmark.rationale is None:
        left_out = benchmark.roles.get("left out")
        raise NotApplicable(
            f"{benchmark.name} names no rationale; name its column with `rationale`"
            + (f": {left_out}" if left_out else "")
        )
    rationales = benchmark.test.column(benchmark.rationale)
    if (rationales == benchmark.test.column(benchmark.query)).all():
        raise NotApplicable(
            f"column {benchmark.rationale!r} repeats the query on every item, so it "
            "explains nothing; name another with `rationale`"
        )
    if not rationales.str.strip().any():
        raise NotApplicable(
            f"column {benchmark.rationale!r} is empty on every test item; name another "
            "with `rationale`"
        )


def _needs_stronger_reader(
    readings: Sequence[RationaleReading], *, planted: bool
) -> bool:
    """Whether what was not found could be found by a reader of fields together."""
    last = readings[-1]
    return not (planted or last.strength >= Strength.PRETRAINED or last.informs)
