"""measurand compare: reports of one audit beside each other."""

from pathlib import Path
from typing import Annotated

import typer

from measurand.cli import options as o
from measurand.cli.app import app
from measurand.cli.console import deliver
from measurand.cli.run import check_run_out


@app.command("compare")
def compare_verb(
    reports: Annotated[
        list[Path], typer.Argument(help="Folders of reports of one kind of audit.")
    ],
    out: o.Out = None,
    overwrite: o.Overwrite = False,
    json: o.Json = False,
    verbose: o.Verbose = False,
) -> None:
    """Lay reports beside each other; paired where they share items."""
    from measurand.compare.compare import compare
    from measurand.report.saved import load_report
    from measurand.report.schema import blame_reports

    run = o.RunOptions(out=out, overwrite=overwrite, json=json, verbose=verbose)
    check_run_out(run, reports)
    with blame_reports(*reports):
        deliver(compare([load_report(path) for path in reports]), run, {})
