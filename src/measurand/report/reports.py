"""The reports of several audits of one benchmark."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from measurand.core.files import write_file
from measurand.core.finding import SCHEMA, Report
from measurand.report.html import notebook_frame, notebook_text
from measurand.report.saved import document, dumps, save_report
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

    def save(self, directory: str | Path) -> Path:
        """The folder, with a folder for each report and audits.json in it."""
        directory = Path(directory)
        for name, report in self.items():
            save_report(report, directory / name, {})
        contents = {
            "schema": SCHEMA,
            "audit": "all",
            "reports": {name: document(report) for name, report in self.items()},
            "not_run": dict(self.not_run),
        }
        write_file(directory / "audits.json", dumps(contents).encode())
        return directory

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
