"""A report as Markdown, to paste in a data card."""

import re

from measurand.core.finding import Exhibit, Report
from measurand.report.cards import lines
from measurand.report.contents import Grid, exhibit_grid, grids
from measurand.report.terminal import heading, plain

# Entities, because a backslash before a bracket starts a formula in some renderers.
ENTITIES = {ord(mark): f"&#{ord(mark)};" for mark in "\\`*{}<>|~$@&"}
# Inside a word an underscore is itself, and a bracket links only before a parenthesis.
LOOSE = re.compile(r"(?<![^\W_])_|_(?![^\W_])|(?<=\])\(")


def markdown(report: Report) -> str:
    """The verdict, the tables and the captions, in Markdown."""
    verdict = report.verdict
    blocks = ["# " + " of ".join(map(escaped, heading(report)))]
    blocks += [f"**{escaped(verdict.label)}**: {escaped(verdict.reason, 600)}"]
    facts = [
        f"region: {escaped(verdict.region)}" if verdict.region else "",
        f"stage: {escaped(verdict.stage)}" if verdict.stage else "",
        "provisional: a stronger reader could still overturn this"
        if verdict.provisional
        else "",
    ]
    blocks += ["\n".join(f"- {fact}" for fact in facts if fact)]
    blocks += [f"> **Warning.** {escaped(text, 600)}" for text in report.warnings]
    blocks += [_exhibit(exhibit) for exhibit in report.exhibits]
    blocks += [_section(grid, level=2) for grid in grids(report)]
    return "\n\n".join(block for block in blocks if block) + "\n"


def escaped(text: object, most: int = 120) -> str:
    """`text` as Markdown that shows it and does nothing else.

    >>> escaped("a|b <c>"), escaped("delta_evi [x](y)")
    ('a&#124;b &#60;c&#62;', 'delta_evi [x]&#40;y)')
    """
    line = plain(text, most).translate(ENTITIES)
    return LOOSE.sub(lambda mark: f"&#{ord(mark[0])};", line)


def _exhibit(exhibit: Exhibit) -> str:
    listed = [*lines(exhibit)] if exhibit.kind == "cards" else []
    if not listed:
        return _section(exhibit_grid(exhibit), level=3)
    title = f"### {escaped(exhibit.caption, 400)}"
    return "\n".join([title, "", *(f"- {escaped(line, 800)}" for line in listed)])


def _section(grid: Grid, level: int) -> str:
    header = grid.header or ("", "")
    lines = [f"{'#' * level} {escaped(grid.title, 400)}"]
    lines += ["", escaped(grid.note, 400)] if grid.note else []
    lines += ["", _row(header), "|" + " --- |" * len(header)]
    return "\n".join([*lines, *map(_row, grid.rows)])


def _row(cells: tuple[str, ...]) -> str:
    return "| " + " | ".join(escaped(text, 400) for text in cells) + " |"
