"""The reports of several audits of one benchmark."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from measurand.core.files import write_file
from measurand.core.finding import SCHEMA, Report
from measurand.core.folders import REPORT, replace_folder, seal_folder
from measurand.report.html import notebook_frame, notebook_text
from measurand.report.saved import document, dumps, write_report
from measurand.report.terminal import lay_out_columns, plain_text, summary


@dataclass(frozen=True, eq=False)
class Reports(Mapping[str, Report]):
    """Reports by the name of their audit.

    Attributes:
        reports: The reports themselves.
        not_run: The audits that could not be run, and why.
    """

    reports: Mapping[str, Report]
    not_run: Mapping[str, str] = field(default_factory=dict)

    def __getitem__(self, audit: str) -> Report:
        """The report of one audit."""
        return self.reports[audit]

    def __iter__(self) -> Iterator[str]:
        """The audits that were run."""
        return iter(self.reports)

    def __len__(self) -> int:
        """How many audits were run."""
        return len(self.reports)

    def save(self, directory: str | Path, *, overwrite: bool = False) -> Path:
        """The folder, with a folder for each report and audits.json in it.

        Reports that are there already are replaced where `overwrite` says so; whatever
        else is there is refused.
        """
        return save_reports(self, directory, {}, overwrite=overwrite)

    def __str__(self) -> str:
        """What the terminal shows: every report, and what was not run."""
        return "\n\n".join([*map(summary, self.values()), *self._reasons()])

    def _repr_html_(self) -> str:
        """What a notebook shows: a page each, and what was not run."""
        pages = [notebook_frame(report) for report in self.values()]
        return "\n".join([*pages, *map(notebook_text, self._reasons())])

    def _reasons(self) -> list[str]:
        """The lines that say what was not run; none where all was."""
        rows = [
            (f"{name} audit not run", plain_text(why, 300))
            for name, why in self.not_run.items()
        ]
        return ["\n".join(lay_out_columns(rows))] if rows else []


def save_reports(
    reports: Reports,
    directory: str | Path,
    run: Mapping[str, Any],
    *,
    overwrite: bool = False,
) -> Path:
    """The folder, once every report is in it; `run` goes to each `run.json` alone."""
    with replace_folder(directory, overwrite=overwrite) as part:
        write_reports(reports, part, run)
    return Path(directory)


def write_reports(
    reports: Reports, directory: Path, run: Mapping[str, Any], holds: str = REPORT
) -> None:
    """Write several reports into a folder that nobody reads yet."""
    for name, report in reports.items():
        write_report(report, directory / name, run)
    contents = dumps(describe_reports(reports)).encode()
    write_file(directory / "audits.json", contents)
    seal_folder(directory, run, holds)


def describe_reports(reports: Reports) -> dict[str, Any]:
    """The contents of `audits.json`."""
    return {
        "schema": SCHEMA,
        "audit": "all",
        "reports": {name: document(report) for name, report in reports.items()},
        "not_run": dict(reports.not_run),
    }
