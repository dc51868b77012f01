"""The explanations audit itself: write, change, write again, read, compare."""

from collections.abc import Mapping, Sequence
from typing import Any

from measurand.audits.explanations.exhibits import exhibits
from measurand.audits.explanations.masking import preset_masking
from measurand.audits.explanations.perturbations import COUNT, perturb_items
from measurand.audits.explanations.rationales import (
    GIVEN,
    check_explainer_model,
    collect_rationales,
    default_explainers,
)
from measurand.audits.explanations.reading import (
    RationaleReading,
    read_rationales,
    readerless_findings,
)
from measurand.audits.explanations.robustness import measure_robustness
from measurand.audits.explanations.statement import (
    describe_rationale_benchmark,
    explanation_settings,
    explanation_warnings,
    judge_agreement,
    leaking_templates,
    majority_label_finding,
    model_title,
    paraphrase_acceptance,
    put_axes_first,
    rationale_clusters,
    rationale_input_fields,
    rationale_table,
    robustness_baselines,
    specificity_by_explainer,
    specificity_over_copy,
    surface_measures,
)
from measurand.audits.explanations.verdict import verdict
from measurand.core.benchmark import Benchmark
from measurand.core.errors import NotApplicable, Undefined
from measurand.core.finding import Report
from measurand.core.reader import Reader
from measurand.experiment.experiment import Experiment
from measurand.experiment.ladder import (
    check_teachable,
    higher_rungs,
    order_by_strength,
)
from measurand.judges import load_judge as judge_named

STRONGER_READER = "cross"  # sees how the input and the rationale meet, and needs no GPU


def audit(
    experiment: Experiment,
    readers: Mapping[str, Reader],
    *,
    judge: str = "lexical",
    explainers: Sequence[str] = (),
    model: str | None = None,
    count: int = COUNT,
    paraphraser: str | None = None,
    preset: str = "default",
    seeds: int | None = None,
    others: Mapping[str, Sequence[str]] | None = None,
    similarity: str = "tfidf",
    calibrate: bool = True,
) -> Report:
    """Ask whether rationales are robust, informative and specific, or empty or leaky.

    Args:
        experiment: The benchmark, and how questions about it are answered.
        readers: Named readers; they run from weak to strong.
        judge: "lexical", or the directory or hub id of an entailment classifier.
        explainers: The explainers; all that need no LLM where none is named.
        model: The LLM that prompted explainers ask and cannot do without; where it is
            named, drift asks it too.
        count: Changes an item: all but one are paraphrases of the query.
        paraphraser: A seq2seq model or LLM that rewords queries; None takes rules.
        preset: "default", or "paper" for the proposal's own mask and specificity.
        seeds: How often a trained encoder is trained anew; None takes three.
        others: By item id, rationales given for changed inputs.
        similarity: What specificity compares texts by: "tfidf", or an encoder.
        calibrate: Whether `cross` is called where a reader that sees the fields apart
            does not find that rationales inform.
    """
    benchmark = experiment.benchmark
    _check_rationale_options(benchmark, readers, preset)
    check_explainer_model(explainers, model)
    # The given rationales first: the verdict is on them, and the first are browsed.
    ordered = sorted(dict.fromkeys(explainers), key=lambda name: name != GIVEN)
    names = tuple(ordered) or default_explainers(benchmark)
    judge_recipe = judge_named(judge)
    perturbations = perturb_items(
        experiment,
        benchmark.test,
        benchmark.query,
        benchmark.evidence,
        judge_recipe,
        paraphraser=paraphraser,
        count=count,
    )
    by_explainer = collect_rationales(
        experiment, names, perturbations, others or {}, model
    )
    robustness = measure_robustness(
        experiment, by_explainer, judge_recipe, surface_measures(judge)
    )
    clusters = rationale_clusters(benchmark.test, benchmark)
    contrasts, specificity = specificity_by_explainer(
        experiment, by_explainer, preset, similarity
    )
    leaks = leaking_templates(benchmark, by_explainer[names[0]])
    fields, also = rationale_input_fields(benchmark)
    terms: dict[str, Any] = {
        "fields": fields,
        "also": also,
        "judge": model_title(judge),
        "seeds": seeds,
        "preset": preset,
        "clusters": clusters,
    }
    readings: list[RationaleReading] = []
    not_called: dict[str, str] = {}
    for name, reader in order_by_strength(readers).items():
        arguments = (
            experiment,
            name,
            reader,
            by_explainer,
            robustness,
            specificity,
            leaks,
        )
        readings.append(read_rationales(*arguments, **terms))
    rungs = higher_rungs(readers, STRONGER_READER, rungs=(STRONGER_READER,))
    while (
        calibrate
        and _needs_stronger_reader(readings, planted=benchmark.planted)
        and (rung := next(rungs, None))
    ):
        name, reader = rung
        arguments = (
            experiment,
            name,
            reader,
            by_explainer,
            robustness,
            specificity,
            leaks,
        )
        try:
            readings.append(read_rationales(*arguments, **terms))
        except Undefined as reason:
            not_called[name] = str(reason)
    judgement = verdict(
        [reading.stage for reading in readings], planted=benchmark.planted
    )
    findings = [
        *paraphrase_acceptance(perturbations),
        majority_label_finding(benchmark.test),
        *robustness_baselines(
            experiment.seed, by_explainer, robustness, benchmark.test, judge, clusters
        ),
        *specificity_over_copy(
            experiment.seed, specificity, contrasts, benchmark, clusters
        ),
        *judge_agreement(experiment, by_explainer, robustness, judge),
        *readerless_findings(readings[0].figures, model_title(judge)),
        *(finding for reading in readings for finding in reading.findings),
        # Metrics are judged by the strongest reader: their names stand for readers.
        *readings[-1].meta.findings,
    ]
    options = {
        "judge": model_title(judge),
        "explainers": list(names),
        "model": model and model_title(model),
        "changes": count,
        "paraphraser": paraphraser and model_title(paraphraser),
        "preset": preset,
        "similarity": similarity,
        "calibrate": calibrate,
        "seed": experiment.seed,
    }
    return Report(
        "explanations",
        describe_rationale_benchmark(benchmark, fields),
        judgement,
        put_axes_first(findings),
        explanation_settings(readers, options, readings),
        not_called
        | {w: why for reading in readings for w, why in reading.not_run.items()},
        tuple(explanation_warnings(benchmark, by_explainer, perturbations, readings)),
        exhibits(benchmark, by_explainer, readings, leaks, findings),
        rationale_table(
            benchmark,
            by_explainer,
            robustness,
            specificity,
            perturbations,
            readings[-1],
        ),
    )


def _check_rationale_options(
    benchmark: Benchmark, readers: Mapping[str, Reader], preset: str
) -> None:
    """Nothing, where the options can be followed."""
    if benchmark.rationale is None:
        raise NotApplicable(
            f"{benchmark.name} names no rationale; name its column with `rationale`"
        )
    preset_masking(preset)
    check_teachable(readers, "to read rationales")
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
    stage = readings[-1].stage
    return not (planted or stage.strong or stage.informs)
