"""The verbs that only look: names, benchmarks and saved reports."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from measurand.cli import options as o
from measurand.cli.console import announced, delivered
from measurand.cli.groups import published
from measurand.cli.verbs import app

if TYPE_CHECKING:
    from measurand.core.catalogue import Catalogue


@app.command("list")
def list_(
    kind: Annotated[
        str | None,
        typer.Argument(
            help="audits, benchmarks, readers, interventions, selections, explainers "
            "or judges."
        ),
    ] = None,
) -> None:
    """List the audits, benchmarks, readers and other things that have a name."""
    from measurand.core.errors import UnknownName
    from measurand.report.terminal import columns

    known = catalogues()
    if kind is not None and kind not in known:
        raise UnknownName("kind of thing", kind, list(known))
    for name, catalogue in known.items():
        if kind in (None, name):
            rows = [
                (f"  {each}", entry.about) for each, entry in catalogue.entries.items()
            ]
            print(name, *columns(rows), sep="\n")


@app.command()
def show(
    what: Annotated[
        str, typer.Argument(help="A report's folder, or a benchmark's file or name.")
    ],
    data: o.Data = None,
    part: Annotated[str | None, typer.Option(help="A test part of it.")] = None,
    query: o.Query = None,
    evidence: o.Evidence = None,
    label: o.Label = None,
    seed: o.Seed = 0,
) -> None:
    """Show a saved report, or how a benchmark would be read."""
    from measurand.benchmarks import load
    from measurand.report.saved import load as load_report
    from measurand.report.terminal import plain, summary

    if Path(what).is_dir():
        print(summary(load_report(what)))
        return
    columns: dict[str, Any] = {"query": query, "evidence": evidence, "label": label}
    place = published(what, data)
    benchmark = load(what, data=place, part=part, seed=seed, **columns)
    announced(benchmark)
    for ident, row in benchmark.test.table.head(3).iterrows():
        print(plain(ident))
        for column, value in row.items():
            print(f"  {plain(column)}: {plain(value, 200)}")


@app.command()
def render(
    report: Annotated[Path, typer.Argument(help="A report's folder.")],
    out: Annotated[
        Path | None, typer.Option(help="A file; else it is printed.")
    ] = None,
) -> None:
    """Write a saved report as Markdown, for a data card."""
    from measurand.core.files import write
    from measurand.report.markdown import markdown
    from measurand.report.saved import load

    text = markdown(load(report))
    if out is None:
        print(text)
    else:
        write(out, text.encode())


@app.command()
def compare(
    reports: Annotated[
        list[Path], typer.Argument(help="Folders of reports of one kind of audit.")
    ],
    out: o.Out = None,
    json: o.Json = False,
) -> None:
    """Lay reports beside each other; paired where they share items."""
    from measurand.report.comparing.compare import compare as compared
    from measurand.report.saved import load

    delivered(compared([load(path) for path in reports]), out, {}, as_json=json)


def catalogues() -> "dict[str, Catalogue]":
    """Everything that has a name."""
    from measurand.audits import AUDITS
    from measurand.benchmarks import BENCHMARKS
    from measurand.explainers import EXPLAINERS
    from measurand.interventions import INTERVENTIONS
    from measurand.judges import JUDGES
    from measurand.readers import READERS
    from measurand.selections import SELECTIONS

    return {
        "audits": AUDITS,
        "benchmarks": BENCHMARKS,
        "readers": READERS,
        "interventions": INTERVENTIONS,
        "selections": SELECTIONS,
        "explainers": EXPLAINERS,
        "judges": JUDGES,
    }
