"""A page that leads to several reports: what each answers, and where it lies."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import quote_from_bytes

from measurand.core.finding import Report
from measurand.report.answer import RANKS, Answer, answer_report
from measurand.report.html import render_page
from measurand.wording.details import heading


@dataclass(frozen=True)
class ListEntry:
    """A report in a list: what it is called, the link to its page, what it answers."""

    kind: str
    name: str
    address: str
    answer: Answer


@dataclass(frozen=True)
class ListView:
    """The page: entries, those that ask for something first; folders that failed."""

    title: str
    entries: Sequence[ListEntry]
    counts: str
    unread: Sequence[str]
    scripts: Sequence[str] = ()


def list_entry(report: Report, folder: str) -> ListEntry:
    """The entry of a report in a folder below that of the page."""
    kind, name = heading(report)
    # By bytes: the name of a folder need not be text.
    address = quote_from_bytes(os.fsencode(f"{folder}/report.html"))
    return ListEntry(kind, name, address, answer_report(report))


def list_page(entries: Sequence[ListEntry], unread: Sequence[str] = ()) -> str:
    """The page of all entries, by links that need no server."""
    title = f"{len(entries)} report{'' if len(entries) == 1 else 's'}"
    view = ListView(title, _order(entries), _count_tones(entries), unread)
    return render_page(view, "index.html")


def _order(entries: Sequence[ListEntry]) -> list[ListEntry]:
    """What asks for something first, then by name."""
    return sorted(
        entries, key=lambda e: (RANKS.index(e.answer.tone.name), e.name, e.kind)
    )


def _count_tones(entries: Sequence[ListEntry]) -> str:
    """How many of each tone, in words."""
    words = [entry.answer.tone.word.lower() for entry in _order(entries)]
    return ", ".join(f"{words.count(w)} {w}" for w in dict.fromkeys(words))
