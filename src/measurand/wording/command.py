"""The command that makes a report again.

It goes by the columns and settings that a report keeps, and says those that are not
what the verb takes unasked. Where something was, who served a model and how many worked
is no part of a report, and so of no command.
"""

import ast
import re
import shlex
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from measurand.core.clause import Name
from measurand.core.finding import Report
from measurand.core.names import ALL_ITEMS
from measurand.core.setting import declarations
from measurand.experiment.ladder import LADDER
from measurand.experiment.statements import WHY_BRIEF
from measurand.settings.evidence import FOLDS, EvidenceSettings
from measurand.settings.explanations import ExplanationsSettings, SampleSizes
from measurand.settings.exposure import ExposureSettings
from measurand.settings.leakage import LeakageSettings
from measurand.settings.running import Climb
from measurand.settings.source import COLUMNS, Source
from measurand.wording.details import heading, is_drawn, named_roles
from measurand.wording.text import plain_text

SETTINGS: dict[str, tuple[Any, ...]] = {
    "evidence": (EvidenceSettings,),
    "leakage": (LeakageSettings,),
    "explanations": (ExplanationsSettings, SampleSizes),
    "exposure": (ExposureSettings,),
    "audit": (Climb,),
}
COLUMN_OPTIONS = [  # by which a column is named
    name
    for name, declaration in declarations(Source).items()
    if declaration.setting.panel in ("", COLUMNS)
    and name not in ("source", "split_by", "join", "roles")
]
UNUSUAL = "exposure"  # the audit that several hold only where it was asked for
MOST_FOLDERS = 100  # of a comparison that are written out
LONGEST = 1000  # letters of a value that a command writes
PAST_BUDGET = "past the budget"  # why something was not run
TEXT, LABEL = "text", "label"  # columns of a task that need not be named
OTHER_PART = re.compile(r"(?:^|, )part=(.+)$")  # of a condition, another test part
APART = "two tables"  # the split where test items are in files of their own
DEMO = "synthetic:harbour"  # what `measurand demo` audits, in brief


def command(reports: Sequence[Report]) -> str:
    """The command that makes this again, but for where the file lies."""
    first = reports[0]
    if first.audit == "compare":
        count = first.benchmark.get("reports")
        if not isinstance(count, int) or not 2 <= count <= MOST_FOLDERS:
            count = 2
        folders = ["REPORT"] * count
        return " ".join(["measurand", "compare", *folders])
    verb = "audit" if len(reports) > 1 else quote_word(plain_text(first.audit, 40))
    name = heading(first)[1]
    seed = ["--seed", quote_word(plain_text(first.settings.get("seed", 0), 20))]
    if name == DEMO and len(reports) > 1 and any(map(_is_brief, reports)):
        return " ".join(["measurand", "demo", *seed])
    if verb == "exposure":
        return " ".join(["measurand", verb, *_study_words(first), *seed])
    words = ["measurand", verb, _file_word(name)]
    if not name.startswith("synthetic:"):
        words += [*_test_words(reports), *_column_words(verb, first)]
    words += _setting_words(verb, _kept_settings(verb, first))
    words += ["--predictions", "LOGS"] * bool(first.settings.get("answers"))
    if verb in ("evidence", "leakage"):
        words += _repeat("reader", _asked_readers(verb, first)) + _endpoint_words(first)
    if verb == "explanations":
        words += _repeat("reader", _given_readers(first))
    if verb == "audit":
        with_readers = (r for r in reports if r.audit in ("evidence", "leakage"))
        named = (_asked_readers(report.audit, report) for report in with_readers)
        words += _repeat("reader", next(filter(None, named), []))
        words += _repeat("with", [r.audit for r in reports if r.audit == UNUSUAL])
    return " ".join([*words, *seed])


# What an option would settle, by the code of the clause that says so.
SETTLING = {"settle.group": ("group", "COLUMN"), "settle.reader": ("reader", "")}


def settling_command(report: Report) -> str:
    """The command that would settle an open verdict; empty where none is known."""
    settle = report.verdict.settle
    option, value = SETTLING.get(settle.code if settle else "", ("", ""))
    columns = report.benchmark.get("columns")
    is_given = isinstance(columns, Mapping) and bool(columns.get(option))
    if settle is None or not option or is_given:
        return ""
    name = settle.facts.get(option)
    if isinstance(name, Name):
        value = name.text
    words = write_option(option, value or "READER")
    if any(PAST_BUDGET in str(why) for why in report.not_run.values()):
        words += ["--budget", "none"]
    return " ".join([command([report]), *words])


def _file_word(name: str) -> str:
    """What was audited: a benchmark that the package makes, or a file."""
    return quote_word(name) if name.startswith("synthetic:") else "FILE"


def _test_words(reports: Sequence[Report]) -> list[str]:
    """A file of test items for each part that is mentioned, where they were apart."""
    if named_roles(reports[0]).get("split") != APART:
        return []
    matches = (OTHER_PART.search(f.condition) for r in reports for f in r.findings)
    others = {match[1] for match in matches if match} - {ALL_ITEMS}
    return ["--test", "TEST_FILE"] * (1 + len(others))


def _kept_settings(verb: str, report: Report) -> dict[str, object]:
    """The settings of a report in the form in which the verb takes them."""
    settings = dict(report.settings)
    if verb in ("evidence", "leakage"):
        settings["brief"] = _is_brief(report)
    # The usual of one file; a given split has one fold in any case.
    if settings.get("folds") == FOLDS or not is_drawn(report):
        settings["folds"] = None
    if verb == "explanations":
        settings["others"] = "FILE" if settings.get("perturbed") else None
        judge = settings.get("judge")
        settings["judge"] = judge.get("name") if isinstance(judge, Mapping) else judge
    if verb == "exposure":
        arms = [a for a in _listed(settings.get("arms")) if not a.startswith("dose_")]
        settings["arms"] = [*dict.fromkeys(arm.partition("_")[0] for arm in arms)]
        settings["notable"] = settings.get("notable_given")
    return settings


def _is_brief(report: Report) -> bool:
    """Whether an audit left out what takes longest."""
    return any(WHY_BRIEF in str(why) for why in report.not_run.values())


def _asked_readers(verb: str, report: Report) -> list[str]:
    """The readers that were named; none where they are those that come unasked."""
    names = _given_readers(report)
    usual = SETTINGS[verb][0].readers
    # An evidence report has those that were called among those that were named.
    climbs = verb == "evidence" and report.settings.get("calibrate", True)
    unasked = {*LADDER} if climbs else {*usual}
    is_usual = not names or {*usual} <= {*names} <= unasked
    return [] if is_usual else names


def _endpoint_words(report: Report) -> list[str]:
    """How models behind a server were asked, as far as that is not the usual way."""
    words = []
    for recipe in _values(report.settings.get("readers")):
        if not isinstance(recipe, Mapping) or "endpoint" not in recipe:
            continue
        endpoint = recipe["endpoint"]
        heat = endpoint.get("temperature") if isinstance(endpoint, Mapping) else None
        prompting = (
            ("shots", recipe.get("shots"), 0),
            ("orders", recipe.get("orders"), 1),
        )
        for option, value, usual in (*prompting, ("temperature", heat, 0.0)):
            words += _repeat(option, [value] if value not in (None, usual) else [])
        words += ["--prompt", "PROMPT_FILE"] if recipe.get("form") else []
        break  # a verb asks all of them alike
    return words


def _column_words(verb: str, report: Report) -> list[str]:
    """The columns of the parts, what a seeded split went by, and how cells are read."""
    roles, words = named_roles(report), []
    columns = report.benchmark.get("columns")
    columns_by_part = columns if isinstance(columns, Mapping) else {}
    named = {part: _listed(names) for part, names in columns_by_part.items()}
    if roles.get("split") == APART:
        named.pop("split", None)  # it distinguished nothing
    for role in COLUMN_OPTIONS:
        words += _repeat(role, named.get(role, []))
    if verb == "leakage":
        words += _repeat("field", named.get("fields", []))
    by = named.get("split_by", [])
    words += _repeat("split-by", by if by != [Source.split_by] else [])
    words += _repeat("join", _read_join(str(roles.get("join"))))
    return words


def _read_join(written: str) -> list[str]:
    """What parts are joined by, as `repr` wrote it; none where it is no text."""
    # A report may come from anywhere, and what is long or deep fails otherwise.
    with suppress(ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        join = ast.literal_eval(written[:LONGEST])
        return [join] if isinstance(join, str) else []
    return []


def _setting_words(
    verb: str, settings: Mapping[str, object], names: Sequence[str] = ()
) -> list[str]:
    """The settings that are not what the verb takes unasked, as options.

    A report keeps each under its name in Python or under that of its option. Where
    `names` are given, only of these; the budget is kept where it is not the usual one.
    """
    words = []
    groups = map(declarations, SETTINGS.get(verb, ()))
    for name, d in (pair for declared in groups for pair in declared.items()):
        if d.setting.option is None or (names and name not in names):
            continue
        option = d.words[0].removeprefix("--")
        value = settings.get(name, settings.get(option.replace("-", "_"), d.default))
        values, usual = _listed(value), _listed(d.default)
        if values == usual:
            continue
        if d.part is bool:
            words.append(d.words[0] if value else d.words[-1])
        else:
            words += _repeat(option, values)
    words += ["--tune"] * bool(settings.get("tune") and not names)
    budget = settings.get("budget")
    return words + _repeat("budget", [budget] if isinstance(budget, str) else [])


def _study_words(report: Report) -> list[str]:
    """The tasks of an exposure study, or the file of accuracies, and how it was run."""
    settings, tasks = _kept_settings("exposure", report), report.benchmark.get("tasks")
    if not isinstance(tasks, Mapping):
        analysis = ExposureSettings.analysis
        return ["--accuracies", "FILE", *_setting_words("exposure", settings, analysis)]
    words = [_file_word(str(task)) for task in tasks] + _task_words(report)
    words += _setting_words("exposure", settings)
    return words + _repeat("reader", _given_readers(report))


def _task_words(report: Report) -> list[str]:
    """The columns of the tasks, where all have one name that is not the usual."""
    fields = report.benchmark.get("fields")
    texts = [_listed(value)[0] for value in _values(fields) if _listed(value)]
    labels = [str(v) for v in _values(report.benchmark.get("label_columns")) if v]
    words = []
    for option, columns, usual in (("text", texts, TEXT), ("label", labels, LABEL)):
        if len({*columns}) == 1 and columns[0] != usual:
            words += _repeat(option, columns[:1])
    return words


def _given_readers(report: Report) -> list[str]:
    """The readers that were named, or are usual; who was called comes by itself."""
    called = {str(name) for name in _listed(report.settings.get("called"))}
    names = _listed(report.settings.get("readers"))
    return [name for name in names if str(name) not in called]


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
    return [word for v in values for word in write_option(option, str(v))]


def write_option(option: str, value: str) -> list[str]:
    """One option as a shell reads it, whatever signs are in its value."""
    written = quote_word(value)
    # What begins with a line is read as an option where it stands by itself.
    is_dashed = value.startswith("-")
    return [f"--{option}={written}"] if is_dashed else [f"--{option}", written]


def quote_word(value: str) -> str:
    """A word as a shell reads it: a report may come from anywhere."""
    text = value[:LONGEST]
    if text.isprintable():
        return shlex.quote(text)
    signs = [s if s.isprintable() and s not in "\\'" else _escape(s) for s in text]
    return f"$'{''.join(signs)}'"


def _escape(sign: str) -> str:
    """A sign that does not show itself, as a shell writes it."""
    return f"\\U{ord(sign):08x}"
