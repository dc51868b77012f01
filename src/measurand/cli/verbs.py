"""The verbs that audit: each a thin call of the library."""

import time
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from measurand.cli import options as o
from measurand.cli.console import (
    announced,
    delivered,
    delivered_all,
    foreseen,
    log,
    notice,
    opened,
)
from measurand.cli.groups import Climb, Run, Server, Source, Where, grouped

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
@grouped
def demo(
    out: Annotated[Path, typer.Option(help="A folder for the reports.")] = Path(
        "demo-report"
    ),
    seed: o.Seed = 0,
    workers: o.Workers = None,
    store: o.StoreIn = None,
    json: o.Json = False,
    *,
    where: Where,
) -> None:
    """Run the synthetic suite, whose right answers are known, and write reports."""
    from measurand.audits import AUDITS, LADDERED
    from measurand.benchmarks import EXPLAINED, SYNTHETIC
    from measurand.core.files import writable
    from measurand.readers import READERS
    from measurand.report.comparing.compare import compare
    from measurand.report.saved import save

    writable(out)
    started = time.time()
    reports: dict[str, list[Report]] = {name: [] for name in LADDERED}
    # One map is enough to see what it looks like.
    drawn = next(iter(SYNTHETIC))
    for name in SYNTHETIC:
        benchmark = SYNTHETIC.load(name, seed=seed)
        with opened(benchmark, seed, workers, store, where=where) as running:
            for audit, made in reports.items():
                more = {"tsne": name == drawn} if audit == "leakage" else {}
                readers = {"tfidf": READERS.load("tfidf")}
                made.append(AUDITS.thing(audit)(running, readers, **more))
                notice(f"{name}, {audit}: {made[-1].verdict.label}")
            run = log(started, running, name, workers)
        for audit, made in reports.items():
            save(made[-1], out / audit / name.replace(":", "-"), run)
    whole = {audit: compare(made) for audit, made in reports.items()}
    tasks = {name: SYNTHETIC.load(name, seed=seed) for name in SYNTHETIC}
    light = {name: READERS.load(name) for name in ("pca", "idf")}
    with opened(tasks[drawn], seed, workers, store, where=where) as running:
        exposed = AUDITS.thing("exposure")(running, light, tasks=tasks, repeats=20)
    notice(f"all three, exposure: {exposed.verdict.label}")
    explained: list[Report] = []
    for name in EXPLAINED:
        benchmark = EXPLAINED.load(name, seed=seed)
        with opened(benchmark, seed, workers, store, where=where) as running:
            readers = {"tfidf": READERS.load("tfidf")}
            explained.append(AUDITS.thing("explanations")(running, readers))
        notice(f"{name}, explanations: {explained[-1].verdict.label}")
        save(explained[-1], out / "explanations" / name.replace(":", "-"), run)
    whole |= {"exposure": exposed, "explanations": compare(explained)}
    delivered_all(whole, {}, out, run, as_json=json)


@app.command()
@grouped
def evidence(
    source: Source,
    run: Run,
    where: Where,
    climb: Climb,
    server: Server,
    reader: o.Readers = None,
    shuffles: o.Shuffles = 20,
    shuffle: o.Shuffle = "plain",
    margin: o.Margin = 0.02,
    tune: o.Tune = False,
    dry_run: o.DryRun = False,
) -> None:
    """Do the labels depend on the evidence?"""
    allowed(run.fail_on, "evidence", shuffles=shuffles, margin=margin)
    started = time.time()
    benchmark = source.benchmark(run.seed)
    # Later than the file: whoever mistyped its name need not wait for these.
    from measurand.audits.evidence import audit as evidence_audit
    from measurand.experiment.answers import tuned

    announced(benchmark)
    foreseen(margin)
    readers = server.readers(reader)
    if dry_run:
        planned(readers, benchmark, shuffles, margin, run.seed)
        return
    with opened(benchmark, run.seed, run.workers, run.store, run.out, where) as running:
        if tune:
            readers = {name: tuned(running, one) for name, one in readers.items()}
        report = evidence_audit(
            running,
            readers,
            shuffles=shuffles,
            shuffle=shuffle,
            margin=margin,
            calibrate=climb.calibrate,
            strongest=climb.strongest,
            seeds=climb.seeds,
        )
        about = log(started, running, source.source, run.workers)
    delivered(report, run.out, about, as_json=run.json)
    judged([report], run.fail_on)


@app.command()
@grouped
def leakage(
    source: Source,
    run: Run,
    where: Where,
    climb: Climb,
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
    allowed(run.fail_on, "leakage", margin=margin)
    started = time.time()
    benchmark = source.benchmark(run.seed, tuple(field or ()))
    from measurand.audits.leakage import audit as leakage_audit
    from measurand.experiment.answers import tuned

    announced(benchmark)
    readers = Server().readers(reader)
    with opened(benchmark, run.seed, run.workers, run.store, run.out, where) as running:
        if tune:
            readers = {name: tuned(running, one) for name, one in readers.items()}
        report = leakage_audit(
            running,
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
        about = log(started, running, source.source, run.workers)
    delivered(report, run.out, about, as_json=run.json)
    if run.out is not None:
        from measurand.audits.leakage.statement import exported
        from measurand.core.files import write

        for name, content in exported(report.items).items():
            write(run.out / "repair" / name, content)
    judged([report], run.fail_on)


@app.command()
@grouped
def audit(
    source: Source, run: Run, where: Where, climb: Climb, also: o.With = None
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

    known = {name: AUDITS.thing(name) for name in (*USUAL, *(also or []))}
    allowed(run.fail_on, *known)
    started = time.time()
    benchmark = source.benchmark(run.seed)
    announced(benchmark)
    reports, not_run, faults = {}, {}, []
    with opened(benchmark, run.seed, run.workers, run.store, run.out, where) as running:
        for name, run_audit in known.items():
            chosen = ("pca", "idf") if name == "exposure" else ("tfidf",)
            readers = {each: READERS.load(each) for each in chosen}
            options = vars(climb) if name in LADDERED else {}
            try:
                reports[name] = run_audit(running, readers, **options)
            except NotApplicable as reason:
                not_run[name] = str(reason)
            except (BadInput, CannotIntervene, Undefined) as fault:
                faults.append(fault)
                not_run[name] = f"{fault}{HINTS.get(name, '')}"
        about = log(started, running, source.source, run.workers)
    if faults and not reports:
        raise faults[0]  # nothing is lost by it, and the whole file is at fault
    delivered_all(reports, not_run, run.out, about, as_json=run.json)
    judged(list(reports.values()), run.fail_on)


def planned(
    readers: dict[str, Any],
    benchmark: "Benchmark",
    shuffles: int,
    margin: float,
    seed: int,
) -> None:
    """Print what the readers behind a server would cost."""
    from measurand.audits.evidence.cost import plan
    from measurand.core.recipe import traits_of

    for name, reader in readers.items():
        if traits_of(reader).remote:
            print(f"{name}: {plan(reader, benchmark, shuffles, margin, seed=seed)}")
        else:
            print(f"{name}: runs here and costs nothing")


def allowed(
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
        known = [each for name in audits for each in labels(name)]
        if label not in known:
            raise BadOption(
                f"--fail-on is {label!r}; the verdicts are "
                f"{', '.join(dict.fromkeys(known))}"
            )


def labels(audit: str) -> tuple[str, ...]:
    """The verdicts that an audit may give."""
    found: tuple[str, ...] = import_module(f"measurand.audits.{audit}.verdict").LABELS
    return found


def judged(reports: "list[Report]", fail_on: list[str] | None) -> None:
    """Exit with 3 where a verdict is one that must not be."""
    if any(report.verdict.label in (fail_on or []) for report in reports):
        raise typer.Exit(3)
