"""measurand explanations: robust and informative, or vacuous, or leaky?"""

import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from measurand.cli.app import verb
from measurand.cli.console import (
    deliver,
    notice,
    open_with_progress,
    print_roles,
    run_log,
)
from measurand.cli.run import (
    check_ready,
    check_run_out,
    check_store,
    exit_on_verdict,
    load_audit,
    load_source,
    make_readers,
)
from measurand.core.setting import Setting
from measurand.settings.explanations import ExplanationsSettings, SampleSizes
from measurand.settings.running import Cluster, Readers, Run
from measurand.settings.source import Source

if TYPE_CHECKING:
    from measurand.core.benchmark import Benchmark


@verb
def run_explanations(
    source: Source,
    settings: ExplanationsSettings,
    sample: SampleSizes,
    run: Run,
    where: Cluster,
    readers: Readers = ExplanationsSettings.readers,
    plan: Annotated[bool, Setting("Say what the run would take, and stop.")] = False,
) -> None:
    """Audit the rationales, or say what that would take."""
    from measurand.benchmarks.assemble import sample_benchmark

    inputs = [sample.others] if sample.others else []
    if not plan:
        check_run_out(run, [*source.files, *inputs])
    check_store(run)
    started = time.time()
    audit = load_audit("explanations", run)
    audit_readers = make_readers(readers, audit.readers)
    check_ready(audit_readers)
    benchmark = sample_benchmark(
        load_source(source, run.seed),
        train=sample.train_items,
        test=sample.items,
        seed=run.seed,
    )
    settings = replace(settings, others=_read_others(sample.others, benchmark))
    print_roles(benchmark)
    with open_with_progress(benchmark, run, where, bar=not plan) as experiment:
        if plan:
            from measurand.audits.explanations import plan_explanations

            notice(str(plan_explanations(experiment, audit_readers, settings)))
            return
        report = audit.run(experiment, audit_readers, settings)
        log = run_log(started, experiment, source.source, run.workers)
    chosen = {
        "items": sample.items,
        "train_items": sample.train_items,
        "perturbed": sample.others is not None,
    }
    report = replace(report, settings={**report.settings, **chosen})
    deliver(report, run, log)
    exit_on_verdict([report], run.fail_on)


def _read_others(path: Path | None, benchmark: "Benchmark") -> dict[str, list[str]]:
    """The rationales that were given for changed inputs, by item."""
    from measurand.audits.explanations.rationales import rationales_from_table
    from measurand.benchmarks.files import read_table_file

    if path is None:
        return {}
    return rationales_from_table(read_table_file(str(path)), benchmark)
