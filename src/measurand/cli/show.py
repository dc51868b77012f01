"""measurand show: a saved report, or how a benchmark would be read."""

from pathlib import Path
from typing import Annotated, Any

import typer

from measurand.cli import options as o
from measurand.cli.app import app
from measurand.cli.console import print_roles


@app.command("show")
def show_verb(
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
    from measurand.report.schema import blame_reports
    from measurand.report.terminal import plain_text, summary

    if Path(what).is_dir():
        with blame_reports(what):
            print(summary(load_report(what)))
        return
    columns: dict[str, Any] = {"query": query, "evidence": evidence, "label": label}
    folder = o.published_folder(what, data)
    benchmark = load_benchmark(what, data=folder, part=part, seed=seed, **columns)
    print_roles(benchmark)
    for ident, row in benchmark.test.table.head(3).iterrows():
        print(plain_text(ident))
        for column, value in row.items():
            print(f"  {plain_text(column)}: {plain_text(value, 200)}")
