"""What to do about a report: files at hand, words for a data card, the command."""

import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from measurand.core.finding import Report
from measurand.report.answer import Answer, answer_reports
from measurand.report.terminal import heading, plain_text

FILES = {  # what is saved for who repairs, by how its name begins
    "repair/kept_": "items of the repaired subset",
    "repair/removed_": "items that it leaves out",
    "repair/work_list": "items to rewrite",
    "repair/work_counts": "how many to rewrite, by cluster",
}
OPTIONS = ("query", "evidence", "label", "choices", "answers", "rationale", "group")
# What a verb takes where nothing is said, of the settings that a report keeps.
CLIMBING = {"strongest": "minilm"}
USUAL = {
    "shuffles": 20,
    "shuffle": "plain",
    "margin": 0.02,
    "controls": "quick",
    **CLIMBING,
}
AS_GIVEN = "as given"  # what the schema says of metadata that were named
UNCALIBRATED = "--no-calibrate"
DEMO = "synthetic:harbour"  # what `measurand demo` audits, and without controls


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
    sentences = [answer.question, answer.sentence, answer.cause, answer.certainty]
    return " ".join(dict.fromkeys(text for text in sentences if text))


def command(reports: Sequence[Report]) -> str:
    """The command that makes this again, but for where the file lies."""
    first = reports[0]
    if first.audit == "compare":
        count = first.benchmark.get("reports", 2)
        folders = ["REPORT"] * (count if isinstance(count, int) else 2)
        return " ".join(["measurand", "compare", *folders])
    verb = "audit" if len(reports) > 1 else plain_text(first.audit, 40)
    name = heading(first)[1]
    seed = ["--seed", plain_text(first.settings.get("seed", 0), 20)]
    unchecked = [report.settings.get("controls") == "none" for report in reports]
    if name == DEMO and len(reports) > 1 and any(unchecked):
        return " ".join(["measurand", "demo", *seed])
    words = ["measurand", verb, name if name.startswith("synthetic:") else "FILE"]
    roles = first.benchmark.get("roles")
    named = roles if isinstance(roles, Mapping) else {}
    if not name.startswith("synthetic:"):
        words += _role_words(named)
    words += [*_metadata_words(first), *_setting_words(verb, first), *seed]
    return " ".join(words)


def _role_words(roles: Mapping[str, object]) -> list[str]:
    """The columns of the parts, and what a seeded split went by."""
    words = []
    for role in OPTIONS:
        column = roles.get(role)
        if not isinstance(column, str) or not column:
            continue
        if "choices" in roles and role in ("choices", "label") and " (" in column:
            # How many choices there are, or how the right one is named, stands behind.
            column = column.rpartition(" (")[0]
        for one in column.split(", ") if role == "choices" else [column]:
            words += [f"--{role}", shlex.quote(plain_text(one, 80))]
    split = re.search(r"\bby (query|evidence|group)(?:,|;|$)", str(roles.get("split")))
    # Without evidence, by the query is what both would be.
    if split and (split[1] != "query" or "evidence" in roles):
        words += ["--split-by", split[1]]
    return words


def _metadata_words(report: Report) -> list[str]:
    """The metadata that were named; none where they were derived."""
    schema = report.settings.get("metadata_schema")
    named = schema if isinstance(schema, Mapping) else {}
    given = [str(column) for column, meaning in named.items() if meaning == AS_GIVEN]
    options = [("--metadata", shlex.quote(plain_text(column, 80))) for column in given]
    return [word for option in options for word in option]


def _setting_words(verb: str, report: Report) -> list[str]:
    """The settings that are not the usual ones, as the verb takes them."""
    words = []
    takes = USUAL if verb in ("evidence", "leakage") else CLIMBING
    for name, usual in takes.items():
        value = report.settings.get(name, usual)
        if value != usual:
            words += [f"--{name}", plain_text(value, 20)]
    if not report.settings.get("calibrate", True):
        words.append(UNCALIBRATED)
    budget = report.settings.get("budget")  # kept where it is not the usual one
    if isinstance(budget, str):
        words += ["--budget", shlex.quote(plain_text(budget, 20))]
    return words
