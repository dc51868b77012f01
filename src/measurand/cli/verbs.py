"""The verbs: each a thin call of the library."""

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from measurand.cli import options as o
from measurand.cli.console import (
    announced,
    delivered,
    delivered_all,
    log,
    notice,
    opened,
)

if TYPE_CHECKING:
    from measurand.core.benchmark import Benchmark
    from measurand.core.finding import Report

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
def demo(
    out: Annotated[Path, typer.Option(help="A folder for the reports.")] = Path(
        "demo-report"
    ),
    seed: o.Seed = 0,
    workers: o.Workers = None,
    store: o.StoreIn = None,
    json: o.Json = False,
) -> None:
    """Run the synthetic suite, whose right answers are known, and write a report."""
    from measurand.audits.evidence import audit
    from measurand.benchmarks import SYNTHETIC
    from measurand.core.files import writable
    from measurand.readers import READERS
    from measurand.report.compare import compare
    from measurand.report.saved import save

    writable(out)
    started, reports = time.time(), []
    for name in SYNTHETIC:
        benchmark = SYNTHETIC.load(name, seed=seed)
        with opened(benchmark, seed, workers, store) as running:
            reports.append(audit(running, {"tfidf": READERS.load("tfidf")}))
            run = log(started, running, name, workers)
        save(reports[-1], out / name.replace(":", "-"), run)
        notice(f"{name}: {reports[-1].verdict.label}")
    delivered(compare(reports), out, run, as_json=json)


@app.command()
def evidence(
    source: o.Source,
    test: o.Test = None,
    data: o.Data = None,
    part: o.Part = None,
    query: o.Query = None,
    evidence: o.Evidence = None,
    label: o.Label = None,
    metadata: o.Metadata = None,
    rationale: o.Rationale = None,
    group: o.Group = None,
    split: o.Split = None,
    id_: o.Id = None,
    split_by: o.SplitBy = "both",
    reader: o.Readers = None,
    shuffles: o.Shuffles = 20,
    shuffle: o.Shuffle = "plain",
    margin: o.Margin = 0.02,
    calibrate: o.Calibrate = True,
    strongest: o.Strongest = "minilm",
    seeds: o.Seeds = None,
    seed: o.Seed = 0,
    workers: o.Workers = None,
    store: o.StoreIn = None,
    out: o.Out = None,
    json: o.Json = False,
    fail_on: o.FailOn = None,
    url: o.Url = None,
    shots: o.Shots = 0,
    price_in: o.PriceIn = 0.0,
    price_out: o.PriceOut = 0.0,
    cap_tokens: o.CapTokens = None,
    cap_money: o.CapMoney = None,
    dry_run: o.DryRun = False,
    config: o.Config = None,
) -> None:
    """Do the labels depend on the evidence?"""
    from measurand.benchmarks import load

    allowed(fail_on, shuffles=shuffles, margin=margin)
    started = time.time()
    columns = named(query, evidence, label, metadata, rationale, group, split, id_)
    parts: dict[str, Any] = {
        "test": test,
        "data": published(source, data),
        "part": part,
    }
    benchmark = load(source, **parts, split_by=split_by, seed=seed, **columns)
    # Later than the file: whoever mistyped its name need not wait for these.
    from measurand.audits.evidence import audit as evidence_audit
    from measurand.readers import named as reader_named

    announced(benchmark, margin)
    terms = {
        "url": url,
        "shots": shots,
        "price_in": price_in,
        "price_out": price_out,
        "cap_tokens": cap_tokens,
        "cap_money": cap_money,
    }
    readers = {name: reader_named(name, **terms) for name in reader or ["tfidf"]}
    if dry_run:
        planned(readers, benchmark, shuffles, margin, seed)
        return
    with opened(benchmark, seed, workers, store, out) as running:
        report = evidence_audit(
            running,
            readers,
            shuffles=shuffles,
            shuffle=shuffle,
            margin=margin,
            calibrate=calibrate,
            strongest=strongest,
            seeds=seeds,
        )
        run = log(started, running, source, workers)
    delivered(report, out, run, as_json=json)
    judged([report], fail_on)


@app.command()
def audit(
    source: o.Source,
    test: o.Test = None,
    data: o.Data = None,
    part: o.Part = None,
    query: o.Query = None,
    evidence: o.Evidence = None,
    label: o.Label = None,
    metadata: o.Metadata = None,
    rationale: o.Rationale = None,
    group: o.Group = None,
    split: o.Split = None,
    id_: o.Id = None,
    split_by: o.SplitBy = "both",
    calibrate: o.Calibrate = True,
    strongest: o.Strongest = "minilm",
    seeds: o.Seeds = None,
    seed: o.Seed = 0,
    workers: o.Workers = None,
    store: o.StoreIn = None,
    out: o.Out = None,
    json: o.Json = False,
    fail_on: o.FailOn = None,
    config: o.Config = None,
) -> None:
    """Run every audit that the columns permit."""
    from measurand.audits import AUDITS
    from measurand.benchmarks import load
    from measurand.core.errors import NotApplicable
    from measurand.readers import READERS

    allowed(fail_on)
    started = time.time()
    columns = named(query, evidence, label, metadata, rationale, group, split, id_)
    parts: dict[str, Any] = {
        "test": test,
        "data": published(source, data),
        "part": part,
    }
    benchmark = load(source, **parts, split_by=split_by, seed=seed, **columns)
    announced(benchmark, 0.02)
    reports, not_run = {}, {}
    with opened(benchmark, seed, workers, store, out) as running:
        for name in AUDITS:
            try:
                run_audit = AUDITS.thing(name)
                reports[name] = run_audit(
                    running,
                    {"tfidf": READERS.load("tfidf")},
                    calibrate=calibrate,
                    strongest=strongest,
                    seeds=seeds,
                )
            except NotApplicable as reason:
                not_run[name] = str(reason)
        run = log(started, running, source, workers)
    delivered_all(reports, not_run, out, run, as_json=json)
    judged(list(reports.values()), fail_on)


def published(source: str, data: str | None) -> str | None:
    """The folder of published benchmarks, where `source` is one of their names."""
    from measurand.benchmarks import BENCHMARKS, SYNTHETIC

    return data if source in BENCHMARKS.entries.keys() - set(SYNTHETIC) else None


def planned(
    readers: dict[str, Any],
    benchmark: "Benchmark",
    shuffles: int,
    margin: float,
    seed: int,
) -> None:
    """Print what the readers behind a server would cost."""
    from measurand.audits.evidence.cost import plan
    from measurand.core.reader import Remote

    for name, reader in readers.items():
        if isinstance(reader, Remote):
            print(f"{name}: {plan(reader, benchmark, shuffles, margin, seed=seed)}")  # type: ignore[arg-type]
        else:
            print(f"{name}: runs here and costs nothing")


def named(
    query: str | None,
    evidence: str | None,
    label: str | None,
    metadata: list[str] | None,
    rationale: str | None,
    group: str | None,
    split: str | None,
    id_: str | None,
) -> dict[str, Any]:
    """The column options as `load` takes them."""
    single = {
        "query": query,
        "evidence": evidence,
        "label": label,
        "rationale": rationale,
    }
    return {
        **single,
        "group": group,
        "split": split,
        "id": id_,
        "metadata": tuple(metadata or ()),
    }


def allowed(
    fail_on: list[str] | None, *, shuffles: int = 1, margin: float = 0.5
) -> None:
    """Nothing, where the options can be followed: refused before any work is done."""
    from measurand.core.errors import BadOption

    if shuffles < 1:
        raise BadOption(f"--shuffles is {shuffles}; allowed are 1 or more")
    if not LEAST_MARGIN <= margin < 1:
        raise BadOption(f"--margin is {margin}; allowed are {LEAST_MARGIN} to below 1")
    if fail_on:
        from measurand.audits.evidence.verdict import LABELS

        for label in fail_on:
            if label not in LABELS:
                raise BadOption(
                    f"--fail-on is {label!r}; the verdicts are {', '.join(LABELS)}"
                )


def judged(reports: "list[Report]", fail_on: list[str] | None) -> None:
    """Exit with 3 where a verdict is one that must not be."""
    if any(report.verdict.label in (fail_on or []) for report in reports):
        raise typer.Exit(3)
