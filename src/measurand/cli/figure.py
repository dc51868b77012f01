"""measurand figure: one figure of a report, in the size of a paper's column."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from measurand.cli.app import verb
from measurand.core.setting import Setting
from measurand.settings.running import OverwriteFile

if TYPE_CHECKING:
    from measurand.core.finding import Report
    from measurand.report.reports import Reports


@verb
def run_figure(
    report: Annotated[
        Path, Setting("A report's folder, or that of an audit.", option="REPORT")
    ],
    name: Annotated[
        str | None, Setting("The figure; without one, all are listed.", option="NAME")
    ] = None,
    to: Annotated[str, Setting("svg, pdf or png.")] = "pdf",
    width: Annotated[
        str, Setting("How wide it is, such as 3.3in, 84mm or 240pt.")
    ] = "3.3in",
    out: Annotated[
        Path | None, Setting("A file; else NAME.svg, NAME.pdf or NAME.png.")
    ] = None,
    overwrite: OverwriteFile = False,
) -> None:
    """Draw one figure of a saved report for a paper."""
    from measurand.disk.files import check_new_file, write_file
    from measurand.report.figures import draw_for_paper, to_inches
    from measurand.report.reports import load_all
    from measurand.report.schema import blame_reports

    inches = to_inches(width)
    with blame_reports(report):
        figures = _list_all(load_all(report))
        if name is None:
            print(*figures, sep="\n")
            return
        stated, figure = _choose_figure(figures, name)
        content = draw_for_paper(stated, figure, to, inches)
    path = out or Path(f"{figure}.{to}")
    check_new_file(path, overwrite=overwrite, inputs=report.rglob("*"))
    write_file(path, content, overwrite=overwrite)
    print(path)


def _list_all(reports: "Reports") -> "dict[str, tuple[Report, str]]":
    """Every figure with its report; of several audits it is called AUDIT/FIGURE."""
    from measurand.report.figures import list_figures

    return {
        figure if len(reports) == 1 else f"{audit}/{figure}": (report, figure)
        for audit, report in reports.items()
        for figure in list_figures(report)
    }


def _choose_figure(
    figures: "dict[str, tuple[Report, str]]", name: str
) -> "tuple[Report, str]":
    """The figure of that name; its audit need not be named where only one has it."""
    from measurand.core.errors import UnknownName

    names = [full for full in figures if name in (full, full.rpartition("/")[2])]
    if len(names) != 1:
        raise UnknownName("figure", name, names or [*figures])
    return figures[names[0]]
