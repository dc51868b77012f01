"""measurand index: one page that leads to all reports of a folder."""

from pathlib import Path
from typing import Annotated

import typer

from measurand.cli import options as o
from measurand.cli.app import app


@app.command("index")
def index_verb(
    folder: Annotated[Path, typer.Argument(help="A folder with reports below it.")],
    out: Annotated[
        Path | None, typer.Option(help="A file beside them; else FOLDER/index.html.")
    ] = None,
    overwrite: o.OverwriteFile = False,
) -> None:
    """Write a page that lists all reports of a folder by what they answer."""
    from measurand.core.files import check_new_file, write_file
    from measurand.report.index import index_page
    from measurand.report.schema import blame_reports

    path = out or folder / "index.html"
    check_new_file(path, overwrite=overwrite, inputs=[])
    with blame_reports(folder):
        text = index_page(folder)
    write_file(path, text.encode(), overwrite=overwrite)
    print(path)
