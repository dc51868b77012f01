"""measurand index: one page that leads to all reports of a folder."""

from pathlib import Path
from typing import Annotated

import typer

from measurand.cli import options as o
from measurand.cli.app import app
from measurand.cli.console import notice


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

    path = out or folder / "index.html"
    check_new_file(path, overwrite=overwrite, inputs=[])
    text = index_page(folder, notice)
    write_file(path, text.encode(), overwrite=overwrite)
    print(path)
