"""An index page for a folder of reports: what each answers, and where it lies."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from measurand.core.errors import BadInput, MeasurandError, quote
from measurand.core.finding import Report
from measurand.report.answer import RANKS, Answer, answer_report
from measurand.report.html import render_page
from measurand.report.saved import load_report
from measurand.report.terminal import heading, plain_text

MOST_REPORTS = 500
DEPTH = 3  # folders below the one that is named


@dataclass(frozen=True)
class IndexEntry:
    """A report in an index: what it is called, where its page lies, what it answers."""

    kind: str
    name: str
    address: str
    answer: Answer


@dataclass(frozen=True)
class IndexView:
    """The page: entries, those that ask for something first; folders that failed."""

    title: str
    entries: Sequence[IndexEntry]
    counts: str
    unread: Sequence[str]
    scripts: Sequence[str] = ()


def index_page(folder: str | Path) -> str:
    """The page of all reports below a folder, by links that need no server."""
    root = Path(folder)
    entries, unread = [], []
    for path in report_folders(root):
        where = path.relative_to(root).as_posix()
        try:
            entries.append(_index_entry(load_report(path), where))
        except MeasurandError as failed:
            unread.append(plain_text(f"{where}: {failed}", 300))
    if not entries:
        raise BadInput(
            f"{quote(str(folder), 200)} holds no reports in folders below it; give the "
            "folder that they lie in"
        )
    title = f"{len(entries)} report{'' if len(entries) == 1 else 's'}"
    view = IndexView(title, _order(entries), _count_tones(entries), unread)
    return render_page(view, "index.html")


def report_folders(root: Path) -> list[Path]:
    """The folders below one that hold a report, in order."""
    paths = [
        path
        for depth in range(1, DEPTH + 1)
        for path in root.glob("/".join(["*"] * depth) + "/report.json")
    ]
    return [path.parent for path in sorted(paths)[:MOST_REPORTS]]


def _index_entry(report: Report, where: str) -> IndexEntry:
    kind, name = heading(report)
    return IndexEntry(kind, name, f"{where}/report.html", answer_report(report))


def _order(entries: Sequence[IndexEntry]) -> list[IndexEntry]:
    """What asks for something first, then by name."""
    return sorted(
        entries, key=lambda e: (RANKS.index(e.answer.tone.name), e.name, e.kind)
    )


def _count_tones(entries: Sequence[IndexEntry]) -> str:
    """How many of each tone, in words."""
    words = [entry.answer.tone.word.lower() for entry in _order(entries)]
    return ", ".join(f"{words.count(w)} {w}" for w in dict.fromkeys(words))
