"""measurand audit: every audit that the columns permit."""

import time
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from measurand.cli import options as o
from measurand.cli.app import app
from measurand.cli.console import (
    deliver_all,
    notice,
    open_with_progress,
    print_roles,
    run_log,
)
from measurand.cli.groups import (
    EndpointOptions,
    EngineOptions,
    LadderOptions,
    RunOptions,
    SourceOptions,
    expand_groups,
)
from measurand.cli.run import (
    check_fail_on,
    check_ready,
    check_run_out,
    check_store,
    exit_on_verdict,
)

if TYPE_CHECKING:
    from measurand.core.audit import Audit
    from measurand.core.benchmark import Benchmark

FIRST_ITEMS = 1_000  # items of which a first answer is given


@app.command("audit")
@expand_groups
def audit_verb(
    source: SourceOptions,
    run: RunOptions,
    where: EngineOptions,
    climb: LadderOptions,
    reader: o.Readers = None,
    also: o.With = None,
) -> None:
    """Run every audit that the columns permit."""
    from measurand.core.errors import (
        BadInput,
        CannotIntervene,
        NotApplicable,
        Undefined,
    )
    from measurand.experiment.experiment import renew_budget
    from measurand.readers import READERS
    from measurand.report.saved import Reports

    if also or run.fail_on or climb != LadderOptions():
        # What is not allowed is said before anything is read.
        chosen = _choose_audits(also).values()
        check_fail_on(run.fail_on, list(chosen))
        for audit in chosen:
            _choose_rungs(audit, climb)
        _tell_usual(also)
    named = _choose_readers(reader)
    check_run_out(run, source.files)
    check_store(run)
    started = time.time()
    benchmark = source.benchmark(run.seed)
    print_roles(benchmark)
    _tell_first(benchmark, run.seed)
    audits = _choose_audits(also)
    settings = {name: _choose_rungs(audit, climb) for name, audit in audits.items()}
    reports, not_run, faults = {}, {}, []
    with open_with_progress(benchmark, run, where) as experiment:
        for name, audit in audits.items():
            usual = {name: READERS.load(name) for name in audit.readers}
            readers = (audit.usual and named) or usual
            try:
                audit.check_applies(benchmark)
                renewed = renew_budget(experiment)
                reports[name] = audit.run(renewed, readers, settings[name])
            except NotApplicable as reason:
                not_run[name] = str(reason)
            except (BadInput, CannotIntervene, Undefined) as fault:
                faults.append(fault)
                not_run[name] = f"{fault}{_advice(audit)}"
        log = run_log(started, experiment, source.source, run.workers)
    if faults and not reports:
        raise faults[0]  # nothing is lost by it, and the whole file is at fault
    deliver_all(Reports(reports, not_run), run, log)
    exit_on_verdict(list(reports.values()), run.fail_on)


def _choose_audits(also: list[str] | None) -> "dict[str, Audit]":
    """The usual audits by name, and those that are asked for beside them."""
    from measurand.audits import AUDITS

    extra = also or []
    records = {name: AUDITS.thing(name) for name in dict.fromkeys([*AUDITS, *extra])}
    return {n: a for n, a in records.items() if a.usual or n in extra}


def _choose_readers(names: list[str] | None) -> dict[str, Any]:
    """The readers that are named; a run of several audits says no price beforehand."""
    from measurand.core.errors import BadOption
    from measurand.core.recipe import traits_of

    readers = EndpointOptions().readers(names, ())
    for name, chosen in readers.items():
        if traits_of(chosen).remote:
            raise BadOption(
                f"--reader {name} asks a server, whose cost is said for one audit at a "
                f"time; run measurand evidence FILE --reader {name} --dry-run"
            )
    check_ready(readers)
    return readers


def _tell_usual(also: list[str] | None) -> None:
    """Say which audits are asked for that are run anyway."""
    from measurand.audits import AUDITS

    unusual = [name for name in AUDITS if not AUDITS.thing(name).usual]
    for name in dict.fromkeys(also or []):
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
    some = {side: max(2, size * FIRST_ITEMS // count) for side, size in sizes.items()}
    sample = sample_benchmark(benchmark, **some, seed=seed)
    try:
        with open_experiment(sample, workers=1, seed=seed) as experiment:
            clauses = look_first(experiment, open_pool(sample))
    except MeasurandError:
        return  # what the whole has to say of it, it says itself
    for clause in clauses:
        notice(
            f"first answer, from {sum(some.values()):,} of {count:,} items: "
            f"{say_clause(clause)}"
        )


def _choose_rungs(audit: "Audit", climb: LadderOptions) -> Any:
    """The settings of an audit, of which the command line chooses the ladder."""
    return audit.choose(**{n: v for n, v in asdict(climb).items() if audit.takes(n)})


def _advice(audit: "Audit") -> str:
    """How to choose what `measurand audit` has no options for."""
    if not audit.adjustable:
        return ""
    options = " ".join(f"--{name} {name.upper()}" for name in audit.adjustable)
    names = " and ".join(audit.adjustable)
    return f"; choose {names} with measurand {audit.name} FILE {options}"
