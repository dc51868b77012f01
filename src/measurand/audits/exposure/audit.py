"""The exposure audit itself: run the study, or take somebody else's accuracies."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pandas as pd

from measurand.audits.exposure.analysis import (
    SizeAnalysis,
    analyse_sizes,
    wide_prior_effects,
)
from measurand.audits.exposure.checks import exhibit_checks as method_checked
from measurand.audits.exposure.exhibits import (
    exhibit_losses,
    exhibit_overtraining,
    exhibits,
)
from measurand.audits.exposure.findings import (
    chain_warnings,
    chance_warnings,
    exposure_findings,
    loss_findings,
    overtraining_findings,
)
from measurand.audits.exposure.plan import StudyPlan, affordable_readers, plan_study
from measurand.audits.exposure.settings import (
    CLASSES,
    MUCH,
    SHOWN,
    ExposureSettings,
    Method,
)
from measurand.audits.exposure.study import Study, StudyProgress, run_study
from measurand.audits.exposure.verdict import size_verdict, verdict, worst_verdict
from measurand.core.benchmark import Benchmark
from measurand.core.errors import join_names
from measurand.core.finding import Report
from measurand.core.reader import Reader
from measurand.core.recipe import describe_recipe
from measurand.core.task import Task
from measurand.experiment.experiment import Experiment, lift_budget
from measurand.stats.exposure.studies import study_counts

CAVEATS = (
    "boost and bias share acc_extra: a lucky extra arm raises one and lowers the other",
    "a boost can itself mislead about generality: it is of this text, not of the model",
    "a model that already saw these texts in its own pretraining dilutes both",
)


USUAL = ExposureSettings()


def audit(
    experiment: Experiment,
    readers: Mapping[str, Reader],
    settings: ExposureSettings = USUAL,
    *,
    tasks: Mapping[str, Benchmark] | None = None,
    about: Mapping[str, Task] | None = None,
    progress: StudyProgress = lambda task, reader, done, of: None,
) -> Report:
    """Draw, train in every arm, and say whether the test's own text inflates scores.

    Args:
        experiment: How questions are answered; its benchmark is the only task where
            no others are given.
        readers: Named readers that can adapt to unlabeled text.
        settings: What is chosen before the run.
        tasks: The benchmarks to draw from, by name.
        about: Per task, how it is learned and put to prompted readers; where a task
            is not there, readers stay as they are.
        progress: Told of every task and reader how many draws are done.
    """
    benchmarks = tasks or {experiment.benchmark.name: experiment.benchmark}
    design, method, seed = settings.design, settings.method, experiment.seed
    readers, refused = affordable_readers(
        experiment, benchmarks, readers, design, about
    )
    run = run_study(
        lift_budget(experiment),
        benchmarks,
        readers,
        design,
        about=about,
        progress=progress,
    )
    choices = {
        "m": design.m,
        "n": design.n,
        "repeats": design.repeats,
        "arms": list(design.arms),
        "readers": {name: describe_recipe(reader) for name, reader in readers.items()},
        "tasks": {name: describe_recipe(task) for name, task in (about or {}).items()},
        "margin": settings.margin,
        "seed": seed,
    }
    counts = study_counts(run.counts)
    analyses = analyse_sizes(counts, method, seed)
    commonest = {task: notes["commonest"] for task, notes in run.notes.items()}
    warnings = [*_study_warnings(run), *chance_warnings(counts, commonest)]
    description = _describe_tasks(benchmarks, run)
    report = _exposure_report(
        analyses, run.counts, description, choices, method, warnings
    )
    report = replace(report, not_run={**refused, **report.not_run})
    return _add_overtraining(report, analyses, run, settings.margin, method, seed)


def _describe_tasks(
    benchmarks: Mapping[str, Benchmark], run: Study
) -> dict[str, object]:
    """The tasks as a report states them: never a path."""
    sides = {name: benchmark.train for name, benchmark in benchmarks.items()}
    return {
        "name": ", ".join(benchmarks),
        "tasks": {name: dict(notes) for name, notes in run.notes.items()},
        "fields": {name: list(side.fields) for name, side in sides.items()},
        "digest": {name: side.digest for name, side in sides.items()},
    }


def plan_exposure(
    experiment: Experiment,
    readers: Mapping[str, Reader],
    settings: ExposureSettings = USUAL,
    *,
    tasks: Mapping[str, Benchmark] | None = None,
    about: Mapping[str, Task] | None = None,
) -> StudyPlan:
    """What `audit` will take beside what is stored, from a few trials run first."""
    benchmarks = tasks or {experiment.benchmark.name: experiment.benchmark}
    return plan_study(experiment, benchmarks, readers, settings.design, about)


def _add_overtraining(
    report: Report,
    ordinary: list[SizeAnalysis],
    run: Study,
    margin: float,
    method: Method,
    seed: int,
) -> Report:
    """The report with what overtraining did, where there was any."""
    table = run.overtrained_counts
    if table is None:
        return report
    overtrained_analyses = analyse_sizes(study_counts(table), method, seed)
    findings = [
        *overtraining_findings(overtrained_analyses),
        *loss_findings(run.counts, seed),
    ]
    figures = (
        exhibit_overtraining(ordinary, overtrained_analyses, margin),
        exhibit_losses(run.counts),
    )
    return replace(
        report,
        findings=(*report.findings, *findings),
        exhibits=(*report.exhibits, *figures),
    )


def analyse_accuracies(
    table: pd.DataFrame,
    *,
    name: str,
    settings: ExposureSettings = USUAL,
    seed: int = 0,
) -> Report:
    """The analysis of somebody else's accuracies or counts."""
    counts = study_counts(table)
    description = {"name": name, "rows": len(counts)}
    analyses = analyse_sizes(counts, settings.method, seed)
    choices = {"margin": settings.margin, "seed": seed}
    return _exposure_report(analyses, table, description, choices, settings.method, [])


def _exposure_report(
    analyses: list[SizeAnalysis],
    table: pd.DataFrame,
    description: Mapping[str, Any],
    choices: Mapping[str, Any],
    method: Method,
    warnings: list[str],
) -> Report:
    """The report of a study's rows."""
    margin = choices["margin"]
    findings, not_run = exposure_findings(analyses)
    conclusion = verdict(analyses, margin)
    settings = {
        **choices,
        "model": method.model,
        "sampler": method.sampler,
        "checks": method.checks,
        "thresholds": SHOWN | {"margin": margin},
        "tasks_with_positive_bias": {
            size.name: size.contrasts["bias"].tasks.positive for size in analyses
        },
        "tasks_with_negative_boost": {
            size.name: size.contrasts["boost"].tasks.negative for size in analyses
        },
    }
    return Report(
        "exposure",
        description,
        conclusion,
        tuple(findings),
        settings,
        not_run,
        (
            *warnings,
            *chain_warnings(analyses),
            wide_prior_warning(analyses, margin, choices["seed"]),
            *CAVEATS,
        ),
        (
            *exhibits(analyses, margin),
            *method_checked(analyses, method, choices["seed"]),
        ),
        table,
    )


def wide_prior_warning(analyses: list[SizeAnalysis], margin: float, seed: int) -> str:
    """Whether the same judgement says something else under wide default priors."""
    before, refits = (
        verdict(analyses, margin),
        [wide_prior_effects(size, seed) for size in analyses],
    )
    after = worst_verdict(refits, margin)
    if before.label != after.label:
        return (
            "under wide default priors the verdict changes from "
            f"{before.label!r} to {after.label!r}"
        )
    changed_sizes = [
        size.name
        for size, refit in zip(analyses, refits, strict=True)
        if size_verdict(size.effects, margin).label != size_verdict(refit, margin).label
    ]
    # The worst of several sizes decides, so one can change without the verdict.
    exception = (
        f", though that of {join_names(changed_sizes)} changes" if changed_sizes else ""
    )
    return f"under wide default priors the verdict stays {after.label!r}{exception}"


def _study_warnings(run: Study) -> list[str]:
    """What a reader of the report should know of the tasks and the models."""
    warnings = []
    for task, notes in run.notes.items():
        if notes["classes"] > CLASSES:
            warnings.append(
                f"{task} has {notes['classes']:.0f} classes; m holds few of each"
            )
        if notes["duplicates"] > MUCH:
            share = 100 * notes["duplicates"]
            warnings.append(
                f"{share:.0f} % of the test texts of {task} are extra texts too"
            )
    for name, remarks in run.remarks.items():
        if remarks.get("truncated", 0.0) > MUCH:
            share = 100 * remarks["truncated"]
            warnings.append(
                f"{name} cut up to {share:.0f} % of the test texts of a draw"
            )
    return warnings
