"""measurand render: a saved report as Markdown."""

from pathlib import Path
from typing import Annotated

from measurand.cli.app import verb
from measurand.core.setting import Setting
from measurand.settings.running import OverwriteFile


@verb
def run_render(
    report: Annotated[
        Path, Setting("A report's folder, or that of an audit.", option="REPORT")
    ],
    out: Annotated[Path | None, Setting("A file; else it is printed.")] = None,
    overwrite: OverwriteFile = False,
    brief: Annotated[
        bool, Setting("The answer and what it rests on, and no more.")
    ] = False,
) -> None:
    """Write a saved report as Markdown, for a data card."""
    from measurand.disk.files import check_new_file, write_file
    from measurand.report.markdown import brief_markdown, markdown
    from measurand.report.reports import load_all
    from measurand.report.schema import blame_reports

    if out is not None:
        check_new_file(out, overwrite=overwrite, inputs=report.rglob("*"))
    with blame_reports(report):
        reports = load_all(report)
        text = "\n".join(map(markdown, reports.values()))
        if brief:
            text = brief_markdown([*reports.values()], reports.not_run)
    if out is None:
        print(text)
    else:
        write_file(out, text.encode(), overwrite=overwrite)
