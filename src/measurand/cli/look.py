"""The verbs that only look: names, benchmarks and saved reports."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from measurand.cli import options as o
from measurand.cli.console import deliver, print_roles
from measurand.cli.options import published_folder
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
    from measurand.report.terminal import lay_out_columns

    catalogues_by_kind = _catalogues()
    if kind is not None and kind not in catalogues_by_kind:
        raise UnknownName("kind of thing", kind, list(catalogues_by_kind))
    for name, catalogue in catalogues_by_kind.items():
        if kind in (None, name):
            rows = [
                (f"  {entry_name}", entry.about)
                for entry_name, entry in catalogue.entries.items()
            ]
            print(name, *lay_out_columns(rows), sep="\n")


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
    from measurand.benchmarks.load import load_benchmark
    from measurand.report.saved import load_report as load_report
    from measurand.report.terminal import plain_text, summary

    if Path(what).is_dir():
        print(summary(load_report(what)))
        return
    columns: dict[str, Any] = {"query": query, "evidence": evidence, "label": label}
    folder = published_folder(what, data)
    benchmark = load_benchmark(what, data=folder, part=part, seed=seed, **columns)
    print_roles(benchmark)
    for ident, row in benchmark.test.table.head(3).iterrows():
        print(plain_text(ident))
        for column, value in row.items():
            print(f"  {plain_text(column)}: {plain_text(value, 200)}")


@app.command()
def render(
    report: Annotated[Path, typer.Argument(help="A report's folder.")],
    out: Annotated[
        Path | None, typer.Option(help="A file; else it is printed.")
    ] = None,
) -> None:
    """Write a saved report as Markdown, for a data card."""
    from measurand.core.files import write_file
    from measurand.report.markdown import markdown
    from measurand.report.saved import load_report

    text = markdown(load_report(report))
    if out is None:
        print(text)
    else:
        write_file(out, text.encode())


@app.command()
def compare(
    reports: Annotated[
        list[Path], typer.Argument(help="Folders of reports of one kind of audit.")
    ],
    out: o.Out = None,
    json: o.Json = False,
) -> None:
    """Lay reports beside each other; paired where they share items."""
    from measurand.compare.compare import compare as compared
    from measurand.report.saved import load_report

    deliver(compared([load_report(path) for path in reports]), out, {}, as_json=json)


def _catalogues() -> "dict[str, Catalogue]":
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
