"""measurand render: a saved report as Markdown."""

from pathlib import Path
from typing import Annotated

import typer

from measurand.cli.app import app


@app.command("render")
def render_verb(
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
