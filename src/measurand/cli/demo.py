"""measurand demo: the synthetic suite, whose right answers are known."""

import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from measurand.cli import options as o
from measurand.cli.app import app
from measurand.cli.console import (
    notice,
    open_with_progress,
    print_all,
    run_log,
)

if TYPE_CHECKING:
    from measurand.core.audit import Audit
    from measurand.core.finding import Report


@app.command("demo")
@o.expand_groups
def demo_verb(
    where: o.EngineOptions,
    out: Annotated[Path, typer.Option(help="A folder for the reports.")] = Path(
        "demo-report"
    ),
    seed: o.Seed = 0,
    workers: o.Workers = None,
    store: o.StoreIn = None,
    json: o.Json = False,
) -> None:
    """Run the synthetic suite, whose right answers are known, and write reports."""
    from measurand.audits import AUDITS
    from measurand.benchmarks import SYNTHETIC
    from measurand.core.folders import DEMO, replace_folder
    from measurand.report.saved import Reports, write_reports

    run = o.RunOptions(seed=seed, workers=workers, store=store, out=out, json=json)
    reports = {}
    log: dict[str, Any] = {}
    # A demo that is there already would be the same one: nobody is asked about it.
    with replace_folder(out, overwrite=True, holds=DEMO) as part:
        for name in AUDITS:
            audit = AUDITS.thing(name)
            planted = audit.demo or {benchmark: {} for benchmark in SYNTHETIC}
            show = _demonstrate_study if audit.pooled else _demonstrate_each
            reports[name], log = show(audit, planted, replace(run, out=part), where)
        write_reports(Reports(reports), part, log, DEMO)
    print_all(Reports(reports), run)


def _demonstrate_each(
    audit: "Audit",
    planted: Mapping[str, Mapping[str, Any]],
    run: o.RunOptions,
    where: o.EngineOptions,
) -> "tuple[Report, dict[str, Any]]":
    """The reports on each benchmark, saved, and what they say beside each other."""
    from measurand.benchmarks import BENCHMARKS
    from measurand.compare.compare import compare
    from measurand.core.names import file_stems
    from measurand.readers import READERS
    from measurand.report.saved import write_report

    assert run.out is not None  # noqa: S101
    reports = []
    folders = file_stems(list(planted), "benchmark")
    for folder, (name, chosen) in zip(folders, planted.items(), strict=True):
        started = time.time()
        benchmark = BENCHMARKS.load(name, seed=run.seed)
        readers = {reader: READERS.load(reader) for reader in audit.readers}
        with open_with_progress(benchmark, replace(run, out=None), where) as experiment:
            reports.append(audit.run(experiment, readers, audit.choose(**chosen)))
            log = run_log(started, experiment, name, run.workers)
        notice(f"{name}, {audit.name}: {reports[-1].verdict.label}")
        write_report(reports[-1], run.out / audit.name / folder, log)
    return compare(reports) if len(reports) > 1 else reports[0], log


def _demonstrate_study(
    audit: "Audit",
    planted: Mapping[str, Mapping[str, Any]],
    run: o.RunOptions,
    where: o.EngineOptions,
) -> "tuple[Report, dict[str, Any]]":
    """The report of one study of which the benchmarks are the tasks."""
    from measurand.benchmarks import BENCHMARKS
    from measurand.readers import READERS

    started = time.time()
    tasks = {name: BENCHMARKS.load(name, seed=run.seed) for name in planted}
    first, chosen = next(iter(tasks.values())), next(iter(planted.values()))
    readers = {reader: READERS.load(reader) for reader in audit.readers}
    with open_with_progress(first, replace(run, out=None), where) as experiment:
        settings = audit.choose(**chosen)
        report = audit.run(experiment, readers, settings, tasks=tasks)
        log = run_log(started, experiment, ", ".join(tasks), run.workers)
    notice(f"all of them, {audit.name}: {report.verdict.label}")
    return report, log
