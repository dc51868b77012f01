"""What to do about a report: files at hand, words for a data card."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from measurand.core.finding import Report
from measurand.report.answer import Answer, answer_reports
from measurand.report.terminal import heading
from measurand.wording.phrases import capitalise
from measurand.wording.text import plain_text

FILES = {  # what is saved for who repairs, by how its name begins
    "repair/kept_": "items of the repaired subset",
    "repair/removed_": "items that it leaves out",
    "repair/work_list": "items to rewrite",
    "repair/work_counts": "how many to rewrite, by cluster",
}


@dataclass(frozen=True)
class FileLink:
    """A file of the report, where it lies and what it holds."""

    name: str
    address: str
    says: str


def repair_links(
    reports: Sequence[Report], folders: Mapping[str, str]
) -> list[FileLink]:
    """The files of the reports, by their place beside the page."""
    return [
        FileLink(plain_text(name, 80), f"{folders.get(report.audit, '')}{name}", says)
        for report in reports
        for name in sorted(report.files)
        for start, says in FILES.items()
        if name.startswith(start)
    ]


def card_text(reports: Sequence[Report]) -> str:
    """A paragraph for a data card: what was asked, what was found, how surely."""
    name = heading(reports[0])[1]
    lines = [f"{name} was audited with measurand."]
    lines += [_card_sentence(answer) for answer in answer_reports(reports)]
    return " ".join(lines)


def _card_sentence(answer: Answer) -> str:
    """One answer as a data card has it."""
    label = f"{capitalise(answer.word)}:" if answer.is_coded else ""
    sentences = [answer.question, label, answer.sentence, answer.bound]
    sentences += [answer.cause, answer.certainty]
    return " ".join(dict.fromkeys(text for text in sentences if text))
