"""The verbs that audit: each a thin call of the library."""

import time
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from measurand.cli import options as o
from measurand.cli.console import (
    deliver,
    deliver_all,
    notice,
    open_with_progress,
    print_power,
    print_roles,
    run_log,
)
from measurand.cli.options import (
    EndpointOptions,
    EngineOptions,
    LadderOptions,
    RunOptions,
    SourceOptions,
    expand_groups,
)

if TYPE_CHECKING:
    from measurand.core.benchmark import Benchmark
    from measurand.core.finding import Report

# What `audit` has no options for.
HINTS = {"exposure": "; choose m and n with measurand exposure FILE --m M --n N"}
LEAST_MARGIN = 0.0001  # a smaller one asks for more items than there are texts

app = typer.Typer(
    help="Tells whether an NLP benchmark measures what it claims to.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)


@app.callback(invoke_without_command=True)
def root(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.")
    ] = False,
) -> None:
    """Tells whether an NLP benchmark measures what it claims to."""
    if version:
        from measurand import __version__

        print(__version__)
        raise typer.Exit


@app.command()
@expand_groups
def demo(
    out: Annotated[Path, typer.Option(help="A folder for the reports.")] = Path(
        "demo-report"
    ),
    seed: o.Seed = 0,
    workers: o.Workers = None,
    store: o.StoreIn = None,
    json: o.Json = False,
    *,
    where: EngineOptions,
) -> None:
    """Run the synthetic suite, whose right answers are known, and write reports."""
    from measurand.audits import AUDITS, LADDERED
    from measurand.benchmarks import EXPLAINED, SYNTHETIC
    from measurand.compare.compare import compare
    from measurand.core.files import check_writable
    from measurand.readers import READERS
    from measurand.report.saved import save_report

    check_writable(out)
    started = time.time()
    reports: dict[str, list[Report]] = {name: [] for name in LADDERED}
    # One map is enough to see what it looks like.
    mapped_name = next(iter(SYNTHETIC))
    for name in SYNTHETIC:
        benchmark = SYNTHETIC.load(name, seed=seed)
        with open_with_progress(
            benchmark, seed, workers, store, where=where
        ) as experiment:
            for audit, audit_reports in reports.items():
                extra = {"tsne": name == mapped_name} if audit == "leakage" else {}
                readers = {"tfidf": READERS.load("tfidf")}
                audit_reports.append(AUDITS.thing(audit)(experiment, readers, **extra))
                notice(f"{name}, {audit}: {audit_reports[-1].verdict.label}")
            run = run_log(started, experiment, name, workers)
        for audit, audit_reports in reports.items():
            save_report(audit_reports[-1], out / audit / name.replace(":", "-"), run)
    summaries = {
        audit: compare(audit_reports) for audit, audit_reports in reports.items()
    }
    tasks = {name: SYNTHETIC.load(name, seed=seed) for name in SYNTHETIC}
    light = {name: READERS.load(name) for name in ("pca", "idf")}
    with open_with_progress(
        tasks[mapped_name], seed, workers, store, where=where
    ) as experiment:
        exposure_report = AUDITS.thing("exposure")(
            experiment, light, tasks=tasks, repeats=20
        )
    notice(f"all three, exposure: {exposure_report.verdict.label}")
    explanation_reports: list[Report] = []
    for name in EXPLAINED:
        benchmark = EXPLAINED.load(name, seed=seed)
        with open_with_progress(
            benchmark, seed, workers, store, where=where
        ) as experiment:
            readers = {"tfidf": READERS.load("tfidf")}
            explanation_reports.append(
                AUDITS.thing("explanations")(experiment, readers)
            )
        notice(f"{name}, explanations: {explanation_reports[-1].verdict.label}")
        save_report(
            explanation_reports[-1], out / "explanations" / name.replace(":", "-"), run
        )
    summaries |= {
        "exposure": exposure_report,
        "explanations": compare(explanation_reports),
    }
    deliver_all(summaries, {}, out, run, as_json=json)


@app.command()
@expand_groups
def evidence(
    source: SourceOptions,
    run: RunOptions,
    where: EngineOptions,
    climb: LadderOptions,
    server: EndpointOptions,
    reader: o.Readers = None,
    shuffles: o.Shuffles = 20,
    shuffle: o.Shuffle = "plain",
    margin: o.Margin = 0.02,
    tune: o.Tune = False,
    dry_run: o.DryRun = False,
) -> None:
    """Do the labels depend on the evidence?"""
    check_options(run.fail_on, "evidence", shuffles=shuffles, margin=margin)
    started = time.time()
    benchmark = source.benchmark(run.seed)
    # Later than the file: whoever mistyped its name need not wait for these.
    from measurand.audits.evidence import audit as evidence_audit
    from measurand.experiment.experiment import tune_reader

    print_roles(benchmark)
    print_power(margin)
    readers = server.readers(reader)
    if dry_run:
        _print_cost(readers, benchmark, shuffles, margin, run.seed)
        return
    with open_with_progress(
        benchmark, run.seed, run.workers, run.store, run.out, where
    ) as experiment:
        if tune:
            readers = {
                name: tune_reader(experiment, recipe)
                for name, recipe in readers.items()
            }
        report = evidence_audit(
            experiment,
            readers,
            shuffles=shuffles,
            shuffle=shuffle,
            margin=margin,
            calibrate=climb.calibrate,
            strongest=climb.strongest,
            seeds=climb.seeds,
        )
        run_info = run_log(started, experiment, source.source, run.workers)
    deliver(report, run.out, run_info, as_json=run.json)
    exit_on([report], run.fail_on)


@app.command()
@expand_groups
def leakage(
    source: SourceOptions,
    run: RunOptions,
    where: EngineOptions,
    climb: LadderOptions,
    field: o.Fields = None,
    reader: o.Readers = None,
    margin: o.MarginOver = 0.02,
    k: o.Clusters = None,
    components: o.Components = None,
    folds: o.Folds = 5,
    fold_seeds: o.FoldSeeds = 5,
    reference: o.Reference = None,
    tsne: o.Map = None,
    tune: o.Tune = False,
) -> None:
    """Can one part alone give the label away, and where?"""
    check_options(run.fail_on, "leakage", margin=margin)
    started = time.time()
    benchmark = source.benchmark(run.seed, tuple(field or ()))
    from measurand.audits.leakage import audit as leakage_audit
    from measurand.experiment.experiment import tune_reader

    print_roles(benchmark)
    readers = EndpointOptions().readers(reader)
    with open_with_progress(
        benchmark, run.seed, run.workers, run.store, run.out, where
    ) as experiment:
        if tune:
            readers = {
                name: tune_reader(experiment, recipe)
                for name, recipe in readers.items()
            }
        report = leakage_audit(
            experiment,
            readers,
            margin=margin,
            calibrate=climb.calibrate,
            strongest=climb.strongest,
            seeds=climb.seeds,
            k=k,
            components=components,
            folds=folds,
            draws=fold_seeds,
            reference=reference,
            tsne=tsne,
        )
        run_info = run_log(started, experiment, source.source, run.workers)
    deliver(report, run.out, run_info, as_json=run.json)
    if run.out is not None:
        from measurand.audits.leakage.statement import export_repair
        from measurand.core.files import write_file

        for name, content in export_repair(report.items).items():
            write_file(run.out / "repair" / name, content)
    exit_on([report], run.fail_on)


@app.command()
@expand_groups
def audit(
    source: SourceOptions,
    run: RunOptions,
    where: EngineOptions,
    climb: LadderOptions,
    also: o.With = None,
) -> None:
    """Run every audit that the columns permit."""
    from measurand.audits import AUDITS, LADDERED, USUAL
    from measurand.core.errors import (
        BadInput,
        CannotIntervene,
        NotApplicable,
        Undefined,
    )
    from measurand.readers import READERS

    audits = {name: AUDITS.thing(name) for name in (*USUAL, *(also or []))}
    check_options(run.fail_on, *audits)
    started = time.time()
    benchmark = source.benchmark(run.seed)
    print_roles(benchmark)
    reports, not_run, faults = {}, {}, []
    with open_with_progress(
        benchmark, run.seed, run.workers, run.store, run.out, where
    ) as experiment:
        for name, run_audit in audits.items():
            chosen = ("pca", "idf") if name == "exposure" else ("tfidf",)
            readers = {reader: READERS.load(reader) for reader in chosen}
            options = vars(climb) if name in LADDERED else {}
            try:
                reports[name] = run_audit(experiment, readers, **options)
            except NotApplicable as reason:
                not_run[name] = str(reason)
            except (BadInput, CannotIntervene, Undefined) as fault:
                faults.append(fault)
                not_run[name] = f"{fault}{HINTS.get(name, '')}"
        run_info = run_log(started, experiment, source.source, run.workers)
    if faults and not reports:
        raise faults[0]  # nothing is lost by it, and the whole file is at fault
    deliver_all(reports, not_run, run.out, run_info, as_json=run.json)
    exit_on(list(reports.values()), run.fail_on)


def _print_cost(
    readers: dict[str, Any],
    benchmark: "Benchmark",
    shuffles: int,
    margin: float,
    seed: int,
) -> None:
    """Print what the readers behind a server would cost."""
    from measurand.audits.evidence.cost import evidence_cost
    from measurand.core.recipe import traits_of

    for name, reader in readers.items():
        if traits_of(reader).remote:
            cost = evidence_cost(reader, benchmark, shuffles, margin, seed=seed)
            print(f"{name}: {cost}")
        else:
            print(f"{name}: runs here and costs nothing")


def check_options(
    fail_on: list[str] | None,
    *audits: str,
    shuffles: int = 1,
    margin: float = 0.5,
) -> None:
    """Nothing, where the options can be followed: refused before any work is done."""
    from measurand.core.errors import BadOption

    if shuffles < 1:
        raise BadOption(f"--shuffles is {shuffles}; allowed are 1 or more")
    if not LEAST_MARGIN <= margin < 1:
        raise BadOption(f"--margin is {margin}; allowed are {LEAST_MARGIN} to below 1")
    for label in fail_on or []:
        choices = [choice for name in audits for choice in _verdict_labels(name)]
        if label not in choices:
            raise BadOption(
                f"--fail-on is {label!r}; the verdicts are "
                f"{', '.join(dict.fromkeys(choices))}"
            )


def _verdict_labels(audit: str) -> tuple[str, ...]:
    """The verdicts that an audit may give."""
    verdicts: tuple[str, ...] = import_module(
        f"measurand.audits.{audit}.verdict"
    ).LABELS
    return verdicts


def exit_on(reports: "list[Report]", fail_on: list[str] | None) -> None:
    """Exit with 3 where a verdict is one that must not be."""
    if any(report.verdict.label in (fail_on or []) for report in reports):
        raise typer.Exit(3)
