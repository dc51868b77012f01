"""measurand demo: planted faults that are found, and the whole synthetic suite."""

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from measurand.cli.app import verb
from measurand.cli.console import notice, open_with_progress, print_all, run_log
from measurand.core.setting import Setting
from measurand.settings.running import Cluster, Run

if TYPE_CHECKING:
    from measurand.core.audit import Audit
    from measurand.core.finding import Report


PLANTED = "synthetic:harbour"


@dataclass(frozen=True)
class PlantedFault:
    """A fault of the small benchmark, and how an audit is asked about it.

    Attributes:
        says: What was planted.
        verdicts: The verdicts that have found it.
        code: The clause that must be among what the verdict rests on.
        settings: What makes the audit brief.
    """

    says: str
    verdicts: tuple[str, ...]
    code: str
    settings: Mapping[str, Any]

    def found(self, report: "Report") -> bool:
        """Whether the report says it."""
        verdict = report.verdict
        codes = ("", *(clause.code for clause in verdict.clauses))
        return verdict.label in self.verdicts and self.code in codes


BRIEF = {"margin": 0.05, "brief": True}
FAULTS = {
    "leakage": PlantedFault(
        "refuted claims are longer", ("leaks",), "leak.part", {**BRIEF, "tsne": False}
    ),
    "evidence": PlantedFault(
        "the evidence decides nothing", ("not needed", "used, not needed"), "", BRIEF
    ),
    "explanations": PlantedFault(
        "explanations give the label away",
        ("leaky", "informative and leaky"),
        "leak.cue",
        # What was written once cannot be written again about changed items.
        {"explainers": ("given",), "calibrate": False, "count": 1},
    ),
}


@verb
def run_demo(
    where: Cluster,
    out: Annotated[Path, Setting("A folder for the reports.")] = Path("demo-report"),
    everything: Annotated[
        bool, Setting("Run the whole synthetic suite: minutes.", option="--all")
    ] = False,
    seed: int = Run.seed,
    workers: int | None = Run.workers,
    store: Path | None = Run.store,
    json: bool = Run.json,
) -> None:
    """Find three faults planted in a small benchmark about boats, in a minute."""
    from measurand.disk.folders import DEMO, replace_folder
    from measurand.report.reports import Reports, index_page, write_reports

    run = Run(seed=seed, workers=workers, store=store, out=out, json=json)
    demonstrate = _demonstrate_suite if everything else _demonstrate_faults
    if not everything and workers is None:
        run = replace(run, workers=1)  # to start another takes as long as the rest
    # A demo that is there already would be the same one: nobody is asked about it.
    with replace_folder(out, overwrite=True, holds=DEMO) as part:
        reports, log = demonstrate(replace(run, out=part), where)
        write_reports(Reports(reports), part, log, DEMO)
        if everything:
            (part / "index.html").write_text(index_page(part), "utf-8")
    if everything or json:
        print_all(Reports(reports), run)
    else:
        print("\n".join(_tell_faults(reports, out)))


def _demonstrate_faults(
    run: Run, where: Cluster
) -> "tuple[dict[str, Report], dict[str, Any]]":
    """The reports on the small benchmark, by audit."""
    from measurand.audits import AUDITS
    from measurand.benchmarks import BENCHMARKS
    from measurand.readers import READERS

    started = time.time()
    benchmark = BENCHMARKS.load(PLANTED, seed=run.seed)
    reports = {}
    with open_with_progress(benchmark, replace(run, out=None), where) as experiment:
        for name, fault in FAULTS.items():
            audit = AUDITS.thing(name)
            readers = {reader: READERS.load(reader) for reader in audit.readers}
            settings = audit.choose(**fault.settings)
            reports[name] = audit.run(experiment, readers, settings)
        log = run_log(started, experiment, PLANTED, run.workers)
    return reports, log


def _tell_faults(reports: "Mapping[str, Report]", out: Path) -> Iterator[str]:
    """What was planted and whether it was found, and how to go on."""
    from measurand.report.answer import answer_report

    described = next(iter(reports.values())).benchmark
    count = described["train"] + described["test"]
    yield f"{count:,} claims about boats, made for this, with three faults planted."
    for name, fault in FAULTS.items():
        answer = answer_report(reports[name])
        is_found = "yes" if fault.found(reports[name]) else "no"
        yield f"{answer.tone.sign} {answer.question} {answer.word}: {answer.sentence}"
        yield f"    planted: {fault.says}; found: {is_found}"
    yield f"Look at it: {out / 'report.html'}"
    yield "Now yours:  measurand audit FILE"


def _demonstrate_suite(
    run: Run, where: Cluster
) -> "tuple[dict[str, Report], dict[str, Any]]":
    """The reports on every planted benchmark, by audit."""
    from measurand.audits import AUDITS
    from measurand.benchmarks import SYNTHETIC

    reports = {}
    log: dict[str, Any] = {}
    for name in AUDITS:
        audit = AUDITS.thing(name)
        planted = audit.demo or {benchmark: {} for benchmark in SYNTHETIC}
        show = _demonstrate_study if audit.pooled else _demonstrate_each
        reports[name], log = show(audit, planted, run, where)
    return reports, log


def _demonstrate_each(
    audit: "Audit",
    planted: Mapping[str, Mapping[str, Any]],
    run: Run,
    where: Cluster,
) -> "tuple[Report, dict[str, Any]]":
    """The reports on each benchmark, saved, and what they say next to each other."""
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
    run: Run,
    where: Cluster,
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
