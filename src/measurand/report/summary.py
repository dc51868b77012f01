"""A report for a terminal: the answer first, and no more than a screen of it."""

import shutil
import textwrap
from collections.abc import Iterable, Mapping, Sequence

from measurand.core.finding import Exhibit, Finding, Report
from measurand.report.answer import (
    ReportAnswer,
    answer_report,
    answer_reports,
    worst_answer,
)
from measurand.report.differences import (
    DECISIONS,
    changes_table,
    holds_changes,
    unlisted_findings,
)
from measurand.report.parts_table import narrow_parts
from measurand.report.tables import change_grids, models_grid
from measurand.wording import say_report
from measurand.wording.details import heading, list_warnings, named_roles
from measurand.wording.phrases import join_words, say_readers
from measurand.wording.text import lay_out_columns, plain_text

WIDTH, NARROW = 88, 60  # letters a line at most, and what no line is cut below
MOST_LINES = 32  # of a summary that is not verbose, up to eight of them a table
STEP_LINES = 4  # of what to do next and what the answers rest on, as a rule
CLOSING = 3  # lines that a verb may add: an empty one, and where to read on
MOST_WARNINGS = 3
JOINT_FACTS = ("because", "bound", "how sure", "try")
MOST_FINDINGS = 24  # more than this scrolls the verdict off the screen
VERDICTS = ["benchmark", "verdict", "why"]
INDENT = 12  # where what stands behind a word begins


def summary(report: Report, *, verbose: bool = False) -> str:
    """The answer and what it rests on; where `verbose`, every figure after it."""
    answer = answer_report(report)
    lines = [" of ".join(heading(report)), "", *_parts_lines([report])]
    lines += _answer_lines(answer)
    for grid in change_grids(report):
        lines += ["", *lay_out_columns([grid.header, *grid.rows])]
    warnings = [say_readers(text, report) for text in list_warnings(report)]
    if verbose:
        lines += ["", *(f"warning: {plain_text(text, 400)}" for text in warnings)]
        lines += ["", *_detail_lines(report)]
        return "\n".join(lines) + "\n"
    room = MOST_LINES - len(lines) - CLOSING
    shown = _warning_lines(warnings, room)
    lines += ["", *shown] if shown else []
    return "\n".join(lines) + "\n"


def summary_of_all(
    reports: Sequence[Report], not_run: Mapping[str, str], *, verbose: bool = False
) -> str:
    """The answers of several audits, what to do first, and what was not run."""
    missing = ["", *list_not_run(not_run)] if not_run else []
    compared = any(report.audit == "compare" for report in reports)
    if verbose or compared or len({heading(report)[1] for report in reports}) != 1:
        texts = [summary(report, verbose=verbose) for report in reports]
        return "\n\n".join([*texts, *missing[1:]])
    answers = answer_reports(reports)
    worst = worst_answer(answers)
    lines = [heading(reports[0])[1], "", *_parts_lines(reports)]
    head, most = lines, MOST_LINES - CLOSING - len(missing) - STEP_LINES
    # As many causes as a screen has room for.
    for count in range(len(answers), -1, -1):
        lines = [*head, *_joint_lines(answers, answers[:count])]
        if len(lines) <= most:
            break
    verdicts = [f"{a.verdict} ({a.audit})" for a in answers if not a.is_coded]
    room = MOST_LINES - CLOSING - len(lines) - len(missing) - 1
    steps = {"do next": " ".join(worst.steps[:2]), "verdicts": ", ".join(verdicts)}
    left = room - len(_fact_lines(steps.items()))
    facts = {"rests on": _join_bases(answers, worst, left), **steps}
    fitting = _fitting_facts(facts, ("do next", "rests on", "verdicts"), room)
    return "\n".join([*lines, "", *_fact_lines(fitting), *missing]) + "\n"


def _joint_lines(
    answers: Sequence[ReportAnswer], of_causes: Sequence[ReportAnswer]
) -> list[str]:
    """Question, answer and facts of each audit; the causes of some."""
    lines: list[str] = []
    for answer in answers:
        names = {*JOINT_FACTS} - ({"because"} if answer not in of_causes else set())
        facts = [(name, text) for name, text in answer.facts.items() if name in names]
        lines += [answer.question, *_tone_lines(answer), *_fact_lines(facts)]
    return lines


def list_not_run(not_run: Mapping[str, str]) -> list[str]:
    """The lines that say what was not run; none where all was."""
    named = ((f"{name} audit not run", why) for name, why in not_run.items())
    return lay_out_columns([(name, plain_text(why, 300)) for name, why in named])


def _join_bases(answers: Sequence[ReportAnswer], worst: ReportAnswer, room: int) -> str:
    """What each answer rests on, once where that is the same; else the first alone.

    One audit may have asked more readers than another, so that no line is of both.
    """
    first = [worst, *(answer for answer in answers if answer is not worst)]
    bases: dict[str, list[str]] = {}
    for answer in first:
        if answer.basis:
            bases.setdefault(answer.basis.removesuffix("."), []).append(answer.audit)
    if len(bases) < 2:
        return "".join(f"{basis}." for basis in bases)
    named = [f"{basis} ({join_words(audits)})" for basis, audits in bases.items()]
    joined = f"{'; '.join(named)}."
    fits = len(_fact_lines([("rests on", joined)])) <= room
    return joined if fits else f"{named[0]}."


def _fitting_facts(
    facts: Mapping[str, str], by_weight: Sequence[str], room: int
) -> list[tuple[str, str]]:
    """The facts that a narrow terminal has lines for, and always the weightiest."""
    chosen: set[str] = set()
    for name in by_weight:
        lines = len(_fact_lines([(name, facts[name])]))
        if lines <= room or not chosen:
            chosen.add(name)
            room -= lines
    return [(name, text) for name, text in facts.items() if name in chosen]


def _answer_lines(answer: ReportAnswer) -> list[str]:
    """The question, the answer, and what stands behind it."""
    facts = {**answer.facts, "verdict": "" if answer.is_coded else answer.verdict}
    return [answer.question, *_tone_lines(answer), *_fact_lines(facts.items())]


def _parts_lines(reports: Sequence[Report]) -> list[str]:
    """The table of parts, where there is one, with as many columns as have room."""
    grid = narrow_parts(reports, _line_width())
    lines = [*lay_out_columns([grid.header, *grid.rows]), ""] if grid else []
    models = models_grid(reports, _line_width())
    if models is None:
        return lines
    return [*lines, *lay_out_columns([models.header, *models.rows]), ""]


def _tone_lines(answer: ReportAnswer) -> list[str]:
    """The answer, as a sign and a word."""
    line = f"{answer.tone.sign} {answer.word.upper()}  {answer.sentence}"
    return textwrap.wrap(line, _line_width(), subsequent_indent="  ")


def _line_width() -> int:
    """As many letters as the terminal has room for, where it is narrow."""
    return max(NARROW, min(WIDTH, shutil.get_terminal_size((WIDTH, 0)).columns))


def _fact_lines(facts: Iterable[tuple[str, str]]) -> list[str]:
    """Facts under each other, long ones on several lines."""
    lines = []
    for name, text in facts:
        if text:
            start = f"  {name}".ljust(INDENT)
            rest = " " * INDENT
            lines += textwrap.wrap(
                text, _line_width(), initial_indent=start, subsequent_indent=rest
            )
    return lines


def _warning_lines(warnings: Sequence[str], room: int) -> list[str]:
    """The first warnings, as far as there is room, and how many more there are."""
    lines = []
    for text in warnings[:MOST_WARNINGS]:
        line = f"warning: {plain_text(text, 400)}"
        lines += textwrap.wrap(line, _line_width(), subsequent_indent="  ")
    hidden = len(warnings) - MOST_WARNINGS
    rest = "warning" if hidden == 1 else "warnings"
    lines += [f"and {hidden} more {rest}"] if hidden > 0 else []
    return lines[: max(room, 0)]


def _detail_lines(report: Report) -> list[str]:
    """Everything that a report says in figures: roles, reason, findings, gaps."""
    verdict = report.verdict
    lines = []
    if roles := named_roles(report):
        rows = [(role, _role_text(value)) for role, value in roles.items()]
        lines += [*lay_out_columns(rows), ""]
    reason = say_report(report)
    lines += [f"{plain_text(verdict.label)}: {plain_text(reason, 800)}"]
    if verdict.provisional:
        lines += ["provisional: a stronger reader could still overturn this"]
    lines += [line for exhibit in report.exhibits for line in _exhibit_lines(exhibit)]
    rest = unlisted_findings(report)
    lines += ["", *_finding_lines(rest)] if rest else []
    if report.not_run:
        rows = [(what, plain_text(why, 200)) for what, why in report.not_run.items()]
        lines += ["", "not run:", *lay_out_columns(rows)]
    return lines


def _exhibit_lines(exhibit: Exhibit) -> list[str]:
    """A comparison's own tables: what each report decided, and what changed."""
    table = exhibit.table
    if exhibit.name == DECISIONS and {*VERDICTS} <= {*table.columns}:
        return ["", *lay_out_columns(table[VERDICTS].to_numpy(object).tolist())]
    if not holds_changes(exhibit):
        return []
    # How it was done, in short: the page and the JSON hold the whole of it.
    short = [str(how).partition(":")[0] for how in table["method"]]
    changes = changes_table(table.assign(method=short))
    cells = [[plain_text(cell, 48) for cell in row] for row in changes.to_numpy(object)]
    lines = _first_lines([*changes.columns], cells)
    return ["", f"  {plain_text(exhibit.caption, 400)}", *lines]


def _role_text(value: object) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, Sequence):
        return ", ".join(plain_text(part, 40) for part in value) or "–"
    return "–" if value is None else str(value)


def _finding_lines(findings: Sequence[Finding]) -> list[str]:
    # What carries a decision is what the verdict rests on.
    ordered = sorted(findings, key=lambda f: not f.decision)
    rows: list[tuple[object, ...]] = [
        (
            plain_text(f.statistic, 24),
            plain_text(f.reader, 24),
            plain_text(f.condition, 40),
            f.estimate,
            f.estimate.n,
            plain_text(f.decision or "", 48),
        )
        for f in ordered
    ]
    head = ("statistic", "reader", "condition", "estimate", "n", "decision")
    return _first_lines(head, rows)


def _first_lines(head: Sequence[object], rows: Sequence[Sequence[object]]) -> list[str]:
    """The first rows under their heads, and how many more there are."""
    hidden = len(rows) - MOST_FINDINGS
    rest = [f"  and {hidden} more"] if hidden > 0 else []
    return [*lay_out_columns([head, *rows[:MOST_FINDINGS]]), *rest]
