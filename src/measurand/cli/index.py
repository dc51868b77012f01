"""measurand index: one page that leads to all reports of a folder."""

from pathlib import Path
from typing import Annotated

from measurand.cli.app import verb
from measurand.cli.console import notice
from measurand.core.setting import Setting
from measurand.settings.running import OverwriteFile


@verb
def run_index(
    folder: Annotated[
        Path, Setting("A folder with reports below it.", option="FOLDER")
    ],
    out: Annotated[
        Path | None, Setting("A file beside them; else FOLDER/index.html.")
    ] = None,
    overwrite: OverwriteFile = False,
) -> None:
    """Write a page that lists all reports of a folder by what they answer."""
    from measurand.disk.files import check_new_file, write_file
    from measurand.report.reports import index_page

    path = out or folder / "index.html"
    check_new_file(path, overwrite=overwrite, inputs=[])
    text = index_page(folder, notice)
    write_file(path, text.encode(), overwrite=overwrite)
    print(path)
