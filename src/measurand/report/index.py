"""An index page for a folder of reports; one that cannot be read is named there."""

import os
from collections.abc import Callable
from pathlib import Path

from measurand.core.errors import BadInput, MeasurandError, quote
from measurand.report.listing import ListEntry, list_entry, list_page
from measurand.report.saved import load_below
from measurand.report.schema import blame_reports
from measurand.wording.text import plain_text

Notice = Callable[[str], None]
MOST_REPORTS = 500  # that a page lists; what cannot be read takes no place
DEPTH = 3  # folders below the one that is named


def index_page(folder: str | Path, notice: Notice = lambda line: None) -> str:
    """The page of all reports below a folder; `notice` is told which are left out."""
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
