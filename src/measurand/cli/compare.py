"""measurand compare: reports of one audit side by side."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from measurand.cli.app import verb
from measurand.cli.console import deliver, deliver_all, notice
from measurand.cli.run import check_run_out, exit_on_verdict
from measurand.core.setting import Setting
from measurand.settings.running import RUN, Run

if TYPE_CHECKING:
    from measurand.compare.versions import Match
    from measurand.core.finding import Report


@verb
def run_compare(
    reports: Annotated[
        tuple[Path, ...],
        Setting(
            "Folders of reports of one audit, or folders with reports of several: "
            "these are paired by audit and benchmark.",
            option="REPORTS",
        ),
    ],
    out: Path | None = Run.out,
    overwrite: bool = Run.overwrite,
    json: bool = Run.json,
    verbose: bool = Run.verbose,
    fail_on: Annotated[
        tuple[str, ...],
        Setting(
            "worse: the exit code is 3 where a verdict, or a headline beyond its "
            "interval, is worse than in the first report.",
            allowed=("worse",),
            panel=RUN,
        ),
    ] = (),
) -> None:
    """Lay reports side by side; paired where they share items."""
    from measurand.compare.compare import compare
    from measurand.compare.versions import match_reports
    from measurand.compare.worsening import check_can_be_worse
    from measurand.core.errors import BadInput
    from measurand.core.names import file_stems
    from measurand.report.reports import Reports
    from measurand.report.schema import blame_reports

    run = Run(out=out, overwrite=overwrite, json=json, verbose=verbose)
    check_run_out(run, reports)
    with blame_reports(*reports):
        folders = [_load_folder(path) for path in reports]
        matches, left = match_reports(folders)
        if not matches:
            raise BadInput(
                "no two of these folders hold reports of one audit of one benchmark; "
                "give the reports to compare themselves"
            )
        if fail_on:
            check_can_be_worse(folders, matches)
        compared = {match: compare(match.reports) for match in matches}
        if len(matches) > 1 or left:
            _tell_matches(matches, left)
        if len(compared) == 1:
            deliver(next(iter(compared.values())), run, {})
        else:
            stems = file_stems([match.title for match in matches])
            named = dict(zip(stems, compared.values(), strict=True))
            deliver_all(Reports(named), run, {})
    exit_on_verdict([*compared.values()], fail_on)


def _load_folder(folder: Path) -> "dict[str, Report]":
    """The reports in a folder by where they lie: one, or all below it."""
    from measurand.core.errors import BadInput
    from measurand.report.reports import MOST_REPORTS, report_folders
    from measurand.report.saved import load_below, load_report

    if (folder / "report.json").exists() or not (below := report_folders(folder)):
        return {str(folder): load_report(folder)}
    if len(below) > MOST_REPORTS:
        raise BadInput(
            f"{folder} holds {len(below):,} reports; at most {MOST_REPORTS} are "
            "compared: give a folder further down"
        )
    return {str(p): load_below(folder, p.relative_to(folder)) for p in below}


def _tell_matches(matches: "Sequence[Match]", left: Sequence[str]) -> None:
    """Say what stands next to what, and what was left alone."""
    for match in matches:
        notice(f"compared ({match.audit}): {' with '.join(match.places)}")
    for folder in left:
        notice(
            f"left alone: {folder}, which no report of its audit and benchmark meets"
        )
