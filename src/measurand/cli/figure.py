"""measurand figure: one figure of a report, in the size of a paper's column."""

from pathlib import Path
from typing import Annotated

import typer

from measurand.cli import options as o
from measurand.cli.app import app


@app.command("figure")
def figure_verb(
    report: Annotated[Path, typer.Argument(help="A report's folder.")],
    name: Annotated[
        str | None, typer.Argument(help="The figure; without one, all are listed.")
    ] = None,
    to: Annotated[str, typer.Option(help="svg, pdf or png.")] = "pdf",
    width: Annotated[
        str, typer.Option(help="How wide it is, such as 3.3in, 84mm or 240pt.")
    ] = "3.3in",
    out: Annotated[
        Path | None, typer.Option(help="A file; else NAME.svg, NAME.pdf or NAME.png.")
    ] = None,
    overwrite: o.OverwriteFile = False,
) -> None:
    """Draw one figure of a saved report for a paper."""
    from measurand.core.files import check_new_file, write_file
    from measurand.report.paper import draw_for_paper, list_figures, to_inches
    from measurand.report.saved import load_report
    from measurand.report.schema import blame_reports

    inches = to_inches(width)
    with blame_reports(report):
        stated = load_report(report)
        if name is None:
            print(*list_figures(stated), sep="\n")
            return
        content = draw_for_paper(stated, name, to, inches)
    path = out or Path(f"{name}.{to}")
    check_new_file(path, overwrite=overwrite, inputs=report.rglob("*"))
    write_file(path, content, overwrite=overwrite)
    print(path)
