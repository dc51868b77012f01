"""measurand compare: reports of one audit beside each other."""

from pathlib import Path
from typing import Annotated

import typer

from measurand.cli import options as o
from measurand.cli.app import app
from measurand.cli.console import deliver


@app.command("compare")
def compare_verb(
    reports: Annotated[
        list[Path], typer.Argument(help="Folders of reports of one kind of audit.")
    ],
    out: o.Out = None,
    json: o.Json = False,
) -> None:
    """Lay reports beside each other; paired where they share items."""
    from measurand.compare.compare import compare
    from measurand.report.saved import load_report

    deliver(compare([load_report(path) for path in reports]), out, {}, as_json=json)
