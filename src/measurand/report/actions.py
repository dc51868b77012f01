"""What to do about a report: files at hand, words for a data card, the command."""

import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from measurand.core.finding import Report
from measurand.core.names import ALL_ITEMS
from measurand.report.answer import Answer, answer_reports
from measurand.report.details import is_drawn
from measurand.report.terminal import heading, plain_text

FILES = {  # what is saved for who repairs, by how its name begins
    "repair/kept_": "items of the repaired subset",
    "repair/removed_": "items that it leaves out",
    "repair/work_list": "items to rewrite",
    "repair/work_counts": "how many to rewrite, by cluster",
}
OPTIONS = (
    *("query", "evidence", "label", "choices", "answers", "rationale", "group"),
    *("subject", "document"),
)
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
NEEDED_ARMS = ["base", "extra", "test"]
# What an analysis and a study take where nothing is said.
ANALYSIS = {"margin": 1.0, "model": "observation", "sampler": "laplace"}
STUDY = {"m": 50, "n": 200, "repeats": 50}
DOSES, TEXT, LABEL = [0.1], "text", "label"
RATIONALES = {
    "preset": "default",
    "changes": 3,
    "similarity": "tfidf",
    "model": None,
    "paraphraser": None,
    "items": None,
    "train_items": None,
}
BRIEF = "a brief audit leaves it out"  # why something was not run, of a brief one
OTHER_PART = re.compile(r"(?:^|, )part=(.+)$")  # of a condition, another test part
APART = "two tables"  # the split where test items are in files of their own
FOLDS = 3  # in which one file is tested where nothing is said
LADDER = ("surface", "tfidf", "cross", "minilm")  # who is asked or called unasked
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
    if verb == "exposure":
        return " ".join(["measurand", verb, *_study_words(first), *seed])
    words = ["measurand", verb, name if name.startswith("synthetic:") else "FILE"]
    roles = first.benchmark.get("roles")
    named = roles if isinstance(roles, Mapping) else {}
    if not name.startswith("synthetic:"):
        words += [*_test_words(reports, named), *_role_words(named)]
    words += [*_metadata_words(first), *_setting_words(verb, first)]
    if verb in ("evidence", "leakage"):
        words += _verb_words(verb, first)
    if verb == "explanations":
        words += _rationale_words(first)
    return " ".join([*words, *seed])


def _test_words(reports: Sequence[Report], roles: Mapping[str, object]) -> list[str]:
    """A file of test items for each part that is told of, where they were apart."""
    if roles.get("split") != APART:
        return []
    found = (OTHER_PART.search(f.condition) for r in reports for f in r.findings)
    others = {match[1] for match in found if match} - {ALL_ITEMS}
    return ["--test", "TEST_FILE"] * (1 + len(others))


def _verb_words(verb: str, report: Report) -> list[str]:
    """What only one audit takes: its readers, its folds, and whether it was brief."""
    names = _listed(report.settings.get("readers"))
    words = _repeat("reader", names) if {*names} - {*LADDER} else []
    folds = report.settings.get("folds")
    # The usual of one file; a given split has one fold in any case.
    if verb == "evidence" and folds not in (None, FOLDS) and is_drawn(report):
        words += _repeat("folds", [folds])
    brief = any(BRIEF in str(why) for why in report.not_run.values())
    return [*words, "--brief"] if brief else words


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


def _study_words(report: Report) -> list[str]:
    """The tasks of an exposure study, or the file of accuracies, and how it was run."""
    settings, tasks = report.settings, report.benchmark.get("tasks")
    if not isinstance(tasks, Mapping):
        return ["--accuracies", "FILE", *_analysis_words(settings)]
    words = [t if t.startswith("synthetic:") else "FILE" for t in map(str, tasks)]
    words += _column_words(report)
    for name, usual in STUDY.items():
        values = _listed(settings.get(name, usual))
        words += _repeat(name, values if values != [usual] else [])
    arms = [arm for arm in _listed(settings.get("arms")) if not arm.startswith("dose_")]
    names = dict.fromkeys(arm.partition("_")[0] for arm in arms)
    words += _repeat("arm", [*names] if {*names} != {*NEEDED_ARMS} else [])
    doses = _listed(settings.get("doses", DOSES))
    words += _repeat("dose", doses if doses != DOSES else [])
    words += [*_analysis_words(settings), *_repeat("reader", _given_readers(report))]
    return words + _setting_words("exposure", report)


def _column_words(report: Report) -> list[str]:
    """The columns of the tasks, where all have one name that is not the usual."""
    fields = report.benchmark.get("fields")
    texts = [_listed(value)[0] for value in _values(fields) if _listed(value)]
    labels = [str(v) for v in _values(report.benchmark.get("label_columns")) if v]
    words = []
    for option, columns, usual in (("text", texts, TEXT), ("label", labels, LABEL)):
        if len({*columns}) == 1 and columns[0] != usual:
            words += _repeat(option, columns[:1])
    return words


def _analysis_words(settings: Mapping[str, object]) -> list[str]:
    """How counts were analysed, as far as that is not the usual way."""
    words = []
    for name, usual in ANALYSIS.items():
        value = settings.get(name, usual)
        words += _repeat(name, [value] if value != usual else [])
    words += _repeat("notable", _listed(settings.get("notable_given")))
    return [*words, "--checks"] if settings.get("checks") else words


def _rationale_words(report: Report) -> list[str]:
    """Who read, explained and judged, and how, of an audit of explanations."""
    settings = report.settings
    words = _repeat("reader", _given_readers(report))
    words += _repeat("explainer", _listed(settings.get("explainers")))
    judge = settings.get("judge")
    name = judge.get("name") if isinstance(judge, Mapping) else judge
    words += _repeat("judge", [name] if name not in (None, "lexical") else [])
    for option, usual in RATIONALES.items():
        value = settings.get(option, usual)
        words += _repeat(option.replace("_", "-"), [value] if value != usual else [])
    return [*words, "--perturbed", "FILE"] if settings.get("perturbed") else words


def _given_readers(report: Report) -> list[str]:
    """The readers that were named, or are usual; who was called comes by itself."""
    called = _listed(report.settings.get("called"))
    return [n for n in _listed(report.settings.get("readers")) if n not in called]


def _values(named: object) -> list[object]:
    """What stands under the names; nothing where there are none."""
    return [*named.values()] if isinstance(named, Mapping) else []


def _listed(value: object) -> list[Any]:
    """One thing or several, as several; none of nothing."""
    if value is None:
        return []
    return [*value] if isinstance(value, Mapping | list | tuple) else [value]


def _repeat(option: str, values: Sequence[object]) -> list[str]:
    """The option before each of its values."""
    pairs = [(f"--{option}", shlex.quote(plain_text(v, 80))) for v in values]
    return [word for pair in pairs for word in pair]
