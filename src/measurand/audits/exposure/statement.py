"""What an exposure report states besides its findings: tasks, settings, warnings."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from measurand.audits.exposure.analysis import SizeAnalysis
from measurand.audits.exposure.exhibits import exhibit_losses, exhibit_overtraining
from measurand.audits.exposure.findings import loss_findings, overtraining_findings
from measurand.audits.exposure.settings import CLASSES, MUCH, POOL, SHOWN, method_of
from measurand.audits.exposure.study import LOSS, Study
from measurand.core.benchmark import Benchmark
from measurand.core.finding import Report
from measurand.settings.exposure import ExposureSettings

CAVEATS = (
    "this audit does not tell whether your model saw the test set before",
    "boost and bias share acc_extra: a lucky extra arm raises one and lowers the other",
    "a boost can itself mislead about generality: it is of this text, not of the model",
    "a model that already saw these texts in its own pretraining dilutes both",
)


def describe_tasks(
    benchmarks: Mapping[str, Benchmark], run: Study
) -> dict[str, object]:
    """The tasks as a report states them: never a path."""
    sides = {name: benchmark.train for name, benchmark in benchmarks.items()}
    return {
        "name": ", ".join(benchmarks),
        "tasks": {name: dict(notes) for name, notes in run.notes.items()},
        "fields": {name: list(side.fields) for name, side in sides.items()},
        "label_columns": {
            name: benchmark.roles.get("label") for name, benchmark in benchmarks.items()
        },
        "digest": {name: side.digest for name, side in sides.items()},
    }


def analysis_settings(
    analyses: Sequence[SizeAnalysis], settings: ExposureSettings, seed: int
) -> dict[str, Any]:
    """How rows were analysed, and what was counted on the way."""
    method = method_of(settings)
    return {
        "margin": settings.margin,
        "seed": seed,
        "model": method.model,
        "sampler": method.sampler,
        "checks": method.checks,
        "notable": {
            f"{name}, {size.name}": contrast.slices.notable
            for size in analyses
            for name, contrast in size.contrasts.items()
            if contrast.slices is not None
        },
        **({} if method.notable is None else {"notable_given": method.notable}),
        "thresholds": SHOWN | {"margin": settings.margin},
        "tasks_with_positive_bias": {
            size.name: size.contrasts["bias"].tasks.positive for size in analyses
        },
        "tasks_with_negative_boost": {
            size.name: size.contrasts["boost"].tasks.negative
            for size in analyses
            if "boost" in size.contrasts
        },
    }


def add_overtraining(
    report: Report,
    ordinary: Sequence[SizeAnalysis],
    overtrained: Sequence[SizeAnalysis],
    run: Study,
    margin: float,
    seed: int,
) -> Report:
    """The report with what overtraining did, where there was any."""
    if not overtrained:
        return report
    findings = [*overtraining_findings(overtrained)]
    figures = [exhibit_overtraining(ordinary, overtrained, margin)]
    if f"{LOSS}_test" in run.counts:
        findings += loss_findings(run.counts, seed)
        figures.append(exhibit_losses(run.counts))
    return replace(
        report,
        findings=(*report.findings, *findings),
        exhibits=(*report.exhibits, *figures),
    )


def study_warnings(run: Study) -> list[str]:
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
        if notes["pool_share"] > POOL:
            warnings.append(
                f"a draw takes m + 2n = {notes['pool_share'] * notes['rows']:.0f} of "
                f"the {notes['rows']:.0f} rows of {task}: draws share items, which "
                "widens the intervals, and rows to learn from, which does not; more "
                "rows tell more than more draws"
            )
    for name, remarks in run.remarks.items():
        if remarks.get("truncated", 0.0) > MUCH:
            share = 100 * remarks["truncated"]
            warnings.append(
                f"{name} cut up to {share:.0f} % of the test texts of a draw"
            )
    return warnings
