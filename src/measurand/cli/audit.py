"""measurand audit: every audit that the columns permit."""

import time
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

from measurand.cli.app import verb
from measurand.cli.console import (
    deliver_all,
    notice,
    open_with_progress,
    print_roles,
    run_log,
)
from measurand.cli.run import (
    check_fail_on,
    check_ready,
    check_run_out,
    check_store,
    exit_on_verdict,
    load_sources,
    make_readers,
)
from measurand.core.setting import Setting
from measurand.settings.running import Climb, Cluster, Predictions, Readers, Run
from measurand.settings.source import Source

if TYPE_CHECKING:
    from measurand.core.audit import Audit
    from measurand.core.benchmark import Benchmark

FIRST_ITEMS = 1_000  # items of which a first answer is given


@verb
def run_audit(
    source: Source,
    climb: Climb,
    run: Run,
    where: Cluster,
    readers: Readers = (),
    predictions: Predictions = (),
    also: Annotated[
        tuple[str, ...],
        Setting("An audit to run beside the usual ones: exposure.", option="--with"),
    ] = (),
) -> None:
    """Run every audit that the columns permit."""
    from measurand.api.auditing import run_audits
    from measurand.readers import READERS

    if also or run.fail_on or climb != Climb():
        # What is not allowed is said before anything is read.
        chosen = _usual_audits(also).values()
        check_fail_on(run.fail_on, list(chosen))
        for audit in chosen:
            audit.choose_known(asdict(climb))
        _tell_usual(also)
    named = _choose_readers(readers)
    check_run_out(run, source.files)
    check_store(run)
    started = time.time()
    benchmark, logs = load_sources(source, run.seed, predictions)
    print_roles(benchmark)
    _tell_first(benchmark, run.seed)
    calls = {}
    for name, audit in _usual_audits(also).items():
        usual = {reader: READERS.load(reader) for reader in audit.readers}
        audit_readers = (audit.usual and named) or usual
        calls[name] = (audit, audit_readers, audit.choose_known(asdict(climb)))
    with open_with_progress(benchmark, run, where) as experiment:
        reports = run_audits(experiment, calls, _advice, logs)
        log = run_log(started, experiment, source.source, run.workers)
    deliver_all(reports, run, log)
    exit_on_verdict([*reports.values()], run.fail_on)


def _usual_audits(also: Sequence[str]) -> "dict[str, Audit]":
    """The usual audits by name, and those that are asked for besides them."""
    from measurand.audits import AUDITS

    records = {name: AUDITS.thing(name) for name in dict.fromkeys([*AUDITS, *also])}
    return {n: a for n, a in records.items() if a.usual or n in also}


def _choose_readers(names: Sequence[str]) -> dict[str, Any]:
    """The readers that are named; a run of several audits says no price beforehand."""
    from measurand.core.errors import BadOption
    from measurand.core.recipe import traits_of

    readers = make_readers(names, ())
    for name, chosen in readers.items():
        if traits_of(chosen).remote:
            raise BadOption(
                f"--reader {name} asks a server, whose cost is said for one audit at a "
                f"time; run measurand evidence FILE --reader {name} --dry-run"
            )
    check_ready(readers)
    return readers


def _tell_usual(also: Sequence[str]) -> None:
    """Say which audits are asked for that are run anyway."""
    from measurand.audits import AUDITS

    unusual = [name for name in AUDITS if not AUDITS.thing(name).usual]
    for name in dict.fromkeys(also):
        if name not in unusual:
            notice(
                f"--with {name} adds nothing: it is run anyway, where the columns "
                f"permit; what --with can add is {', '.join(unusual)}"
            )


def _tell_first(benchmark: "Benchmark", seed: int) -> None:
    """A first answer from some of many items, while the whole takes its time."""
    from measurand.arms.first import look_first
    from measurand.arms.pool import open_pool
    from measurand.benchmarks.assemble import sample_benchmark
    from measurand.core.errors import MeasurandError
    from measurand.experiment.experiment import open_experiment
    from measurand.wording import say_clause

    sizes = {"train": len(benchmark.train), "test": len(benchmark.test)}
    count = sum(sizes.values())
    if count <= 2 * FIRST_ITEMS:
        return
    sample_sizes = {
        side: max(2, size * FIRST_ITEMS // count) for side, size in sizes.items()
    }
    sample = sample_benchmark(benchmark, **sample_sizes, seed=seed)
    try:
        with open_experiment(sample, workers=1, seed=seed) as experiment:
            clauses = look_first(experiment, open_pool(sample))
    except MeasurandError:
        return  # what the whole has to say of it, it says itself
    for clause in clauses:
        notice(
            f"first answer, from {sum(sample_sizes.values()):,} of {count:,} items: "
            f"{say_clause(clause)}"
        )


def _advice(audit: "Audit") -> str:
    """How to choose what `measurand audit` has no options for."""
    if not audit.adjustable:
        return ""
    options = " ".join(f"--{name} {name.upper()}" for name in audit.adjustable)
    names = " and ".join(audit.adjustable)
    return f"; choose {names} with measurand {audit.name} FILE {options}"
