"""The exposure audit itself: run the study, or take somebody else's accuracies."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd

from measurand.audits.exposure.analysis import analyse_sizes
from measurand.audits.exposure.checks import (
    exhibit_checks,
    replay_sizes,
    replay_warnings,
)
from measurand.audits.exposure.columns import (
    check_arm_columns,
    check_model_names,
    items_of_draws,
    unread_columns,
)
from measurand.audits.exposure.conclude import NOT, conclude
from measurand.audits.exposure.control import control_effects, control_findings
from measurand.audits.exposure.exhibits import exhibit_lengths, exhibits
from measurand.audits.exposure.facts import NO_LABELS, NO_ROWS, Trained
from measurand.audits.exposure.findings import (
    bias_trend,
    chain_warnings,
    chance_warnings,
    exposure_findings,
    skew_warnings,
    slice_warnings,
    transfer_findings,
)
from measurand.audits.exposure.overlaps import check_distinct_rows, overlap_warnings
from measurand.audits.exposure.plan import (
    StudyPlan,
    add_plans,
    affordable_readers,
    plan_study,
)
from measurand.audits.exposure.settings import designs_of, method_of
from measurand.audits.exposure.single import is_single, single_report
from measurand.audits.exposure.statement import (
    CAVEATS,
    add_overtraining,
    analysis_settings,
    describe_tasks,
    study_warnings,
)
from measurand.audits.exposure.statistics.counts import fill_defaults, study_counts
from measurand.audits.exposure.study import (
    Study,
    StudyProgress,
    join_studies,
    pool_rows,
    pool_tasks,
    run_study,
)
from measurand.core.benchmark import Benchmark
from measurand.core.errors import join_names
from measurand.core.finding import Report
from measurand.core.reader import Reader
from measurand.core.recipe import describe_recipe, traits_of
from measurand.core.task import Task
from measurand.experiment.budget import budget_settings
from measurand.experiment.experiment import Experiment, lift_budget
from measurand.experiment.ladder import higher_rungs, names_above
from measurand.settings.exposure import ExposureSettings

CALLED = ("minilm",)  # the rung that a near zero of bags of words calls
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
        progress: Called with each task and reader, and how many draws are done.
    """
    benchmarks = tasks or {experiment.benchmark.name: experiment.benchmark}
    source = _Source(experiment, benchmarks, settings, about, progress)
    readers, refused = source.affordable(readers)
    report = source.report(readers)
    called = _called_readers(report, readers, settings)
    if called:
        allowed, past = source.affordable(called, needed=False)
        refused |= past
        if allowed:
            readers = {**readers, **allowed}
            report = source.report(readers)
    missing = _missing_rung(report, readers, settings, {**refused})
    return replace(report, not_run={**refused, **missing, **report.not_run})


@dataclass(frozen=True, eq=False)
class _Source:
    """What a study is run from, whichever readers are asked."""

    experiment: Experiment
    benchmarks: Mapping[str, Benchmark]
    settings: ExposureSettings
    about: Mapping[str, Task] | None
    progress: StudyProgress

    def affordable(
        self, readers: Mapping[str, Reader], *, needed: bool = True
    ) -> tuple[dict[str, Reader], dict[str, str]]:
        """The readers that the budget allows, and why not the others."""
        return affordable_readers(
            self.experiment,
            self.benchmarks,
            readers,
            designs_of(self.settings),
            self.about,
            needed=needed,
        )

    def report(self, readers: Mapping[str, Reader]) -> Report:
        """Run the study, or read it from the store, and report it."""
        for design in designs_of(self.settings):
            pool_tasks(self.benchmarks, design)
        run = join_studies(
            [
                run_study(
                    lift_budget(self.experiment),
                    self.benchmarks,
                    readers,
                    design,
                    about=self.about,
                    progress=self.progress,
                )
                for design in designs_of(self.settings)
            ]
        )
        return _study_report(self, readers, run)


def _called_readers(
    report: Report, readers: Mapping[str, Reader], settings: ExposureSettings
) -> dict[str, Reader]:
    """The encoder that a near zero of bags of words calls, where it is installed."""
    if not settings.calibrate or report.verdict.label != NOT:
        return {}
    return dict(higher_rungs(readers, CALLED[-1], rungs=CALLED))


def _are_light(readers: Mapping[str, Reader]) -> bool:
    """Whether no model was pretrained, so that a near zero is of these alone."""
    return not any(traits_of(reader).near_zero_stands for reader in readers.values())


def _missing_rung(
    report: Report,
    readers: Mapping[str, Reader],
    settings: ExposureSettings,
    refused: Mapping[str, str],
) -> dict[str, str]:
    """Why no encoder tested the near zero of light models, where none did."""
    if report.verdict.label != NOT or not _are_light(readers):
        return {}
    names = names_above(readers, CALLED[-1], rungs=CALLED)
    why = "not installed; pip install 'measurand[torch]' and add 'minilm' to `readers`"
    why = why if settings.calibrate else "no stronger reader was to be called"
    return {name: why for name in names if name not in refused}


def _study_report(source: _Source, readers: Mapping[str, Reader], run: Study) -> Report:
    """The report of a study that was run."""
    settings, seed = source.settings, source.experiment.seed
    choices = {
        "m": settings.m,
        "n": settings.n,
        "repeats": settings.repeats,
        "arms": list(designs_of(settings)[0].arms),
        "doses": list(settings.doses),
        "readers": {name: describe_recipe(reader) for name, reader in readers.items()},
        "tasks": {
            name: describe_recipe(task) for name, task in (source.about or {}).items()
        },
        "calibrate": settings.calibrate,
        **budget_settings(source.experiment.budget),
        "trained": {
            str(lm): sorted(part.unique())
            for lm, part in run.counts.groupby("lm")["trained"]
        },
    }
    counts = study_counts(run.counts)
    commonest = {task: notes["commonest"] for task, notes in run.notes.items()}
    pools = {
        task: pool_rows(benchmark_part)
        for task, benchmark_part in source.benchmarks.items()
    }
    warnings = [
        *overlap_warnings(pools),
        *study_warnings(run),
        *chance_warnings(counts, commonest),
    ]
    unlabelled = [
        name for name, reader in readers.items() if not traits_of(reader).learns_labels
    ]
    report = _exposure_report(
        run,
        describe_tasks(source.benchmarks, run),
        choices,
        settings,
        seed,
        Trained(
            NO_LABELS if len(unlabelled) == len(readers) else "",
            unlabelled,
            light=_are_light(readers),
        ),
    )
    lengths = exhibit_lengths(report.benchmark)
    return replace(
        report,
        warnings=(*warnings, *report.warnings),
        exhibits=(*report.exhibits, lengths),
    )


def plan_exposure(
    experiment: Experiment,
    readers: Mapping[str, Reader],
    settings: ExposureSettings = USUAL,
    *,
    tasks: Mapping[str, Benchmark] | None = None,
    about: Mapping[str, Task] | None = None,
) -> StudyPlan:
    """What `audit` will take besides what is stored, from a few trials run first."""
    benchmarks = tasks or {experiment.benchmark.name: experiment.benchmark}
    return add_plans(
        [
            plan_study(experiment, benchmarks, readers, design, about)
            for design in designs_of(settings)
        ]
    )


def analyse_accuracies(
    table: pd.DataFrame, *, name: str, settings: ExposureSettings = USUAL, seed: int = 0
) -> Report:
    """The analysis of somebody else's accuracies or counts.

    The rows that an audit keeps have its control, overtrained and transfer arms too.
    """
    counts = study_counts(table)
    check_arm_columns(table)
    check_model_names(counts)
    check_distinct_rows(counts)
    description = {"name": name, "rows": len(counts)}
    trained = Trained(NO_ROWS, items=items_of_draws(fill_defaults(table)))
    if is_single(counts):
        report = single_report(counts, description, trained, settings.margin, seed)
    else:
        run = Study(fill_defaults(table), {}, {})
        report = _exposure_report(run, description, {}, settings, seed, trained)
    unread = unread_columns(table)
    named = [f"columns that are not read: {join_names(unread)}"] if unread else []
    return replace(report, warnings=(*named, *report.warnings))


def _exposure_report(
    run: Study,
    description: Mapping[str, Any],
    choices: Mapping[str, Any],
    settings: ExposureSettings,
    seed: int,
    trained: Trained,
) -> Report:
    """The report of a study's rows."""
    method, margin = method_of(settings), settings.margin
    analyses = analyse_sizes(study_counts(run.counts), method, seed, run.answers)
    controls = control_effects(run.counts, seed)
    over = run.overtrained_counts
    overtrained = (
        [] if over is None else analyse_sizes(study_counts(over), method, seed)
    )
    facts = trained.study_facts(
        analyses, overtrained, controls, margin, bias_trend(analyses)
    )
    findings, not_run = exposure_findings(analyses, facts.sizes)
    for size in facts.sizes:
        findings += control_findings(size.name, size.controls, size.detectable[0])
    findings += transfer_findings(run.counts)
    replays = replay_sizes(analyses, method, margin, seed)
    report = Report(
        audit="exposure",
        benchmark=description,
        verdict=conclude(facts),
        findings=tuple(findings),
        settings={**choices, **analysis_settings(analyses, settings, seed)},
        not_run=not_run,
        warnings=(
            *chain_warnings(analyses),
            *slice_warnings(analyses),
            *skew_warnings(analyses, margin),
            *replay_warnings(replays),
            *CAVEATS,
        ),
        exhibits=(
            *exhibits(analyses, margin),
            *exhibit_checks(analyses, replays, method, seed),
        ),
        items=run.counts,
    )
    return add_overtraining(report, analyses, overtrained, run, margin, seed)
