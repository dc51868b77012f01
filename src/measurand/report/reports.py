"""Several reports: the folder of all audits of a benchmark, and a list of any reports.

A folder of reports that are of one benchmark has one page of all; any other has a page
that leads to each. A report that cannot be read is named there.
"""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote_from_bytes

from measurand.core.errors import BadInput, MeasurandError, quote
from measurand.core.finding import SCHEMA, Report
from measurand.disk.files import check_is_path, check_no_link, read_json, write_file
from measurand.disk.folders import REPORT, replace_folder, seal_folder
from measurand.report.answer import RANKS, ReportAnswer, answer_report
from measurand.report.html import (
    notebook_frame,
    notebook_text,
    page_of_all,
    render_page,
)
from measurand.report.saved import (
    MOST_REPORT_BYTES,
    document,
    dumps,
    lies_below,
    load_below,
    load_report,
    write_report,
)
from measurand.report.schema import blame_reports
from measurand.report.summary import list_not_run, summary_of_all
from measurand.wording.details import heading
from measurand.wording.text import plain_text

Notice = Callable[[str], None]
MOST_REPORTS = 500  # that a page lists; what cannot be read takes no place
DEPTH = 3  # folders below the one that is named


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
        return summary_of_all([*self.values()], self.not_run)

    def _repr_html_(self) -> str:
        """What a notebook shows: a page each, and what was not run."""
        missing = "\n".join(list_not_run(self.not_run))
        pages = [notebook_frame(report) for report in self.values()]
        return "\n".join([*pages, *([notebook_text(missing)] if missing else [])])


def load_folder(directory: str | Path) -> Report | Reports:
    """The report in a folder, or the reports of all audits in it."""
    check_is_path("directory", directory)
    folder = Path(directory)
    if not (folder / "report.json").exists() and (folder / "audits.json").exists():
        return load_reports(folder)
    return load_report(folder)


def load_all(directory: str | Path) -> Reports:
    """The reports in a folder by audit, also where it is one alone."""
    loaded = load_folder(directory)
    return loaded if isinstance(loaded, Reports) else Reports({loaded.audit: loaded})


def load_reports(directory: str | Path) -> Reports:
    """The reports that `save_reports` wrote."""
    folder = Path(directory)
    try:
        check_no_link(folder, "audits.json")
    except BadInput as failed:
        where = plain_text(folder, 200)
        raise BadInput(f"cannot read {where}/audits.json: {failed}") from None
    contents = read_json(folder / "audits.json", MOST_REPORT_BYTES)
    index = contents if isinstance(contents, dict) else {}
    names = index.get("reports", {})
    missing = index.get("not_run", {})
    if not isinstance(names, dict) or not isinstance(missing, dict) or not names:
        where = plain_text(folder, 200)
        raise BadInput(f"{where}/audits.json names no reports; run the audit again")
    paths = [name for name in map(str, names) if lies_below(name)]
    reports = {name: load_below(folder, name) for name in paths}
    return Reports(reports, {str(name): str(why) for name, why in missing.items()})


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
    """Write several reports, and one page of all, into a folder nobody reads yet."""
    drawings = {
        name: write_report(report, directory / name, run)
        for name, report in reports.items()
    }
    text = (
        page_of_all([*reports.values()], drawings, reports.not_run)
        if are_of_one(reports.values())
        else list_page([list_entry(r, name) for name, r in reports.items()])
    )
    write_file(directory / "report.html", text.encode())
    contents = dumps(describe_reports(reports)).encode()
    write_file(directory / "audits.json", contents)
    seal_folder(directory, run, holds)


def are_of_one(reports: Iterable[Report]) -> bool:
    """Whether the reports are of one benchmark, each by another audit."""
    audits = [report.audit for report in reports]
    names = {str(report.benchmark.get("name")) for report in reports}
    return len(names) == 1 and len({*audits}) == len(audits) and "compare" not in audits


def describe_reports(reports: Reports) -> dict[str, Any]:
    """The contents of `audits.json`."""
    return {
        "schema": SCHEMA,
        "audit": "all",
        "reports": {name: document(report) for name, report in reports.items()},
        "not_run": dict(reports.not_run),
    }


@dataclass(frozen=True)
class ListEntry:
    """A report in a list: what it is called, the link to its page, what it answers."""

    kind: str
    name: str
    address: str
    answer: ReportAnswer


def list_entry(report: Report, folder: str) -> ListEntry:
    """The entry of a report in a folder below that of the page."""
    kind, name = heading(report)
    # By bytes: the name of a folder need not be text.
    address = quote_from_bytes(os.fsencode(f"{folder}/report.html"))
    return ListEntry(kind, name, address, answer_report(report))


def list_page(entries: Sequence[ListEntry], unread: Sequence[str] = ()) -> str:
    """The page of all entries, by links that need no server.

    What asks for something first comes first, then by name.
    """
    ordered = sorted(
        entries, key=lambda e: (RANKS.index(e.answer.tone.name), e.name, e.kind)
    )
    words = [entry.answer.tone.word.lower() for entry in ordered]
    view = {
        "title": f"{len(entries)} report{'' if len(entries) == 1 else 's'}",
        "entries": ordered,
        "counts": ", ".join(f"{words.count(w)} {w}" for w in dict.fromkeys(words)),
        "unread": unread,
    }
    return render_page(view, "index.html")


def index_page(folder: str | Path, notice: Notice = lambda line: None) -> str:
    """The page of all reports below a folder; `notice` gets those left out."""
    root = Path(folder)
    entries: list[ListEntry] = []
    unread: list[str] = []
    paths = report_folders(root)
    for number, path in enumerate(paths):
        if len(entries) == MOST_REPORTS:
            unread.append(
                f"folders not looked at: {len(paths) - number:,}; a page lists at most "
                f"{MOST_REPORTS} reports: give a folder further down"
            )
            notice(unread[-1])
            break
        where = path.relative_to(root).as_posix()
        try:
            with blame_reports(where):
                entries.append(list_entry(load_below(root, where), where))
        # Folders of strangers may lie here: none of them hides the others.
        except (MeasurandError, OSError, MemoryError, RuntimeError) as failed:
            why = str(failed) or type(failed).__name__
            unread.append(plain_text(f"left out {_show_path(where)}: {why}", 300))
            notice(unread[-1])
    if not entries:
        kind = "reports that can be read" if unread else "reports"
        raise BadInput(
            f"{quote(str(folder), 200)} holds no {kind} in folders below it; give the "
            "folder that they lie in"
        )
    return list_page(entries, unread)


def report_folders(root: Path) -> list[Path]:
    """The folders below one that hold a report, in order."""
    paths = [
        path
        for depth in range(1, DEPTH + 1)
        for path in root.glob("/".join(["*"] * depth) + "/report.json")
    ]
    return [path.parent for path in sorted(paths)]


def _show_path(where: str) -> str:
    """A path with � for what is no character."""
    return os.fsencode(where).decode("utf-8", "replace")
