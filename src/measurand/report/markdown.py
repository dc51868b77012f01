"""A report as Markdown, to paste in a data card."""

import re
from collections.abc import Mapping, Sequence

from measurand.core.finding import Exhibit, Report
from measurand.report.answer import ReportAnswer, answer_report
from measurand.report.grid import TextGrid
from measurand.report.map import card_lines
from measurand.report.parts_table import parts_grid
from measurand.report.tables import (
    change_grids,
    exhibit_grid,
    grids,
    is_opening,
    models_grid,
)
from measurand.wording import say_report, say_settle
from measurand.wording.details import heading, list_warnings
from measurand.wording.phrases import say_readers
from measurand.wording.text import plain_text

# Entities, because a backslash before a bracket starts a formula in some renderers.
ENTITIES = {ord(mark): f"&#{ord(mark)};" for mark in "\\`*{}<>|~$&"}
# Inside a word an underscore is itself, and a bracket links only before a parenthesis.
# GitHub makes links of bare addresses, and calls whom `@name` names. An entity does not
# keep it from that, as it looks at the text between tags; so these signs stand in one.
ADDRESS = re.compile(r"@|:(?=//)|(?<=\bwww)\.", re.IGNORECASE)
LOOSE = re.compile(r"(?<![^\W_])_|_(?![^\W_])|(?<=\])\(")


def markdown(report: Report) -> str:
    """The verdict, the tables and the captions, in Markdown."""
    verdict, answer = report.verdict, answer_report(report)
    blocks = ["# " + " of ".join(map(escape_markdown, heading(report)))]
    blocks += _parts_markdown([report])
    reason = say_report(report)
    blocks += [f"**{escape_markdown(verdict.label)}**: {escape_markdown(reason, 1600)}"]
    facts = [
        escape_markdown(answer.bound, 400),
        escape_markdown(say_settle(verdict), 400),
        f"try: {escape_markdown(answer.command, 400)}" if answer.command else "",
        f"region: {escape_markdown(verdict.region)}" if verdict.region else "",
        f"stage: {escape_markdown(say_readers(verdict.stage, report))}"
        if verdict.stage
        else "",
        "provisional: a stronger reader could still overturn this"
        if verdict.provisional
        else "",
    ]
    blocks += ["\n".join(f"- {fact}" for fact in facts if fact)]
    blocks += [
        f"> **Warning.** {escape_markdown(say_readers(str(text), report), 600)}"
        for text in list_warnings(report)
    ]
    blocks += [_exhibit_markdown(e) for e in report.exhibits if not is_opening(e)]
    blocks += [_section_markdown(grid, level=2) for grid in grids(report)]
    return "\n\n".join(block for block in blocks if block) + "\n"


MOST_WARNINGS = 3  # of a report that is shown in brief


def brief_markdown(reports: Sequence[Report], not_run: Mapping[str, str]) -> str:
    """The answer of each report and what it rests on; of a comparison a small table."""
    blocks = []
    for report in reports:
        blocks += ["# " + " of ".join(map(escape_markdown, heading(report)))]
        blocks += _parts_markdown([report])
        blocks += [_answer_markdown(answer_report(report))]
        blocks += [_section_markdown(grid, level=2) for grid in change_grids(report)]
        blocks += [
            f"> **Warning.** {escape_markdown(say_readers(str(text), report), 400)}"
            for text in list_warnings(report)[:MOST_WARNINGS]
        ]
    blocks += [
        f"Not run: {escape_markdown(name)}, since {escape_markdown(why, 300)}"
        for name, why in not_run.items()
    ]
    return "\n\n".join(blocks) + "\n"


def _parts_markdown(reports: Sequence[Report]) -> list[str]:
    """The tables of parts and of logged models, where there are any."""
    tables = parts_grid(reports), models_grid(reports)
    return [_section_markdown(grid, level=2) for grid in tables if grid]


def _answer_markdown(answer: ReportAnswer) -> str:
    """The question, the answer with its tone, and what stands behind it."""
    facts = {**answer.facts, "verdict": "" if answer.is_coded else answer.verdict}
    tone = f"{answer.tone.sign} {answer.word}"
    lines = [f"{escape_markdown(answer.question)} **{tone}.**"]
    lines[0] += f" {escape_markdown(answer.sentence, 800)}"
    rows = [f"- {n}: {escape_markdown(text, 400)}" for n, text in facts.items() if text]
    return "\n".join([*lines, "", *rows])


def escape_markdown(text: object, most: int = 120) -> str:
    """`text` as Markdown that shows it and does nothing else.

    >>> escape_markdown("a|b <c>"), escape_markdown("delta_evi [x](y)")
    ('a&#124;b &#60;c&#62;', 'delta_evi [x]&#40;y)')
    >>> escape_markdown("http://a.b")
    'http<span>:</span>//a.b'
    """
    line = plain_text(text, most).translate(ENTITIES)
    line = LOOSE.sub(lambda mark: f"&#{ord(mark[0])};", line)
    return ADDRESS.sub(lambda mark: f"<span>{mark[0]}</span>", line)


def _exhibit_markdown(exhibit: Exhibit) -> str:
    listed = [*card_lines(exhibit)] if exhibit.kind == "cards" else []
    if not listed:
        return _section_markdown(exhibit_grid(exhibit), level=3)
    title = f"### {escape_markdown(exhibit.caption, 400)}"
    return "\n".join(
        [title, "", *(f"- {escape_markdown(line, 800)}" for line in listed)]
    )


def _section_markdown(grid: TextGrid, level: int) -> str:
    header = grid.header or ("", "")
    lines = [f"{'#' * level} {escape_markdown(grid.title, 400)}"]
    lines += ["", escape_markdown(grid.note, 400)] if grid.note else []
    lines += ["", _row_markdown(header), "|" + " --- |" * len(header)]
    return "\n".join([*lines, *map(_row_markdown, grid.rows)])


def _row_markdown(cells: tuple[str, ...]) -> str:
    return "| " + " | ".join(escape_markdown(text, 400) for text in cells) + " |"
