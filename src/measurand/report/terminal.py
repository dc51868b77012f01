"""A report as plain text: no escape codes, ours or anybody else's."""

import re
from collections.abc import Mapping, Sequence

from measurand.core.finding import Exhibit, Finding, Report
from measurand.report.worded import KIND, NEEDED, untold, worded

MOST_FINDINGS = 24  # more than this scrolls the verdict off the screen
DECISIONS, VERDICTS = "decisions", ["benchmark", "verdict", "why"]

ESCAPE = re.compile(
    r"\x1b\][^\x07\x1b]*(?:\x07|\x1b\\|$)"  # OSC: window titles, links
    r"|(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"  # CSI: colours, cursor
    r"|\x1b[ -/]*[0-~]"
)
BREAK = re.compile(r"[\s\x1c-\x1f\x85\u2028\u2029]+")
HIDDEN = re.compile(
    "[\x00-\x1f\x7f-\x9f"  # C0, DEL, C1
    "\u00ad\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff"  # bidi, invisible
    "\ud800-\udfff\ufffe\uffff]"  # no character at all: a file could not hold them
)


def plain(text: object, most: int = 60) -> str:
    r"""`text` on one line of at most `most` characters that all show themselves.

    >>> plain("a\x1b[31mb\n\u202ec" + "d" * 99, most=8)
    'ab cddd…'
    """
    whole = str(text)
    # What lies far behind the cut cannot show; a megabyte would only cost time.
    start = whole[: 20 * most + 200]
    line = HIDDEN.sub("", BREAK.sub(" ", ESCAPE.sub("", start))).strip()
    if len(line) <= most and len(start) == len(whole):
        return line
    return line[: most - 1] + "…"


def sentences(*parts: str) -> str:
    """The parts that are not empty, a full stop between them.

    >>> sentences("a caption", ""), sentences("a caption", "A note.")
    ('a caption', 'a caption. A note.')
    """
    first, *rest = [part for part in parts if part] or [""]
    return "".join(
        [first.rstrip(".") + "." if rest else first, *(f" {p}" for p in rest)]
    )


def heading(report: Report) -> tuple[str, str]:
    """What kind of report it is, and of what."""
    name = plain(report.benchmark.get("name", "a benchmark"), 120)
    kind = "comparison" if report.audit == "compare" else f"{report.audit} audit"
    return plain(kind), name


def summary(report: Report) -> str:
    """The verdict and what it rests on, for a terminal."""
    verdict = report.verdict
    lines = [" of ".join(heading(report)), ""]
    roles = report.benchmark.get("roles")
    if isinstance(roles, Mapping) and roles:
        lines += [*columns([(role, _role(value)) for role, value in roles.items()]), ""]
    lines += [f"{plain(verdict.label)}: {plain(verdict.reason, 400)}"]
    if verdict.provisional:
        lines += ["provisional: a stronger reader could still overturn this"]
    lines += [f"warning: {plain(warning, 400)}" for warning in report.warnings]
    lines += [line for exhibit in report.exhibits for line in _exhibit(exhibit)]
    rest = untold(report)
    lines += ["", *_findings(rest)] if rest else []
    if report.not_run:
        lines += ["", "not run:"]
        lines += columns(
            [(what, plain(why, 200)) for what, why in report.not_run.items()]
        )
    return "\n".join(lines) + "\n"


def columns(rows: Sequence[Sequence[object]]) -> list[str]:
    """The rows as lines whose cells stand under each other.

    >>> columns([("a", "b"), ("long", "c")])
    ['  a     b', '  long  c']
    """
    cells = [[plain(cell, 200) for cell in row] for row in rows]
    widths = [min(max(map(len, column)), 48) for column in zip(*cells, strict=True)]
    return ["  " + "  ".join(map(str.ljust, row, widths)).rstrip() for row in cells]


def _exhibit(exhibit: Exhibit) -> list[str]:
    """A comparison's own tables: what each report decided, and what changed."""
    table = exhibit.table
    if exhibit.name == DECISIONS and {*VERDICTS} <= {*table.columns}:
        return ["", *columns(table[VERDICTS].to_numpy(object).tolist())]
    if exhibit.kind != KIND or not {*table.columns} >= NEEDED:
        return []
    # How it was done, in short: the page and the JSON hold the whole of it.
    short = [str(how).partition(":")[0] for how in table["method"]]
    told = worded(table.assign(method=short))
    cells = [[plain(cell, 48) for cell in row] for row in told.to_numpy(object)]
    more = len(cells) - MOST_FINDINGS
    lines = columns([[*told.columns], *cells[:MOST_FINDINGS]])
    lines += [f"  and {more} more"] if more > 0 else []
    return ["", f"  {plain(exhibit.caption, 400)}", *lines]


def _role(value: object) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, Sequence):
        return ", ".join(plain(part, 40) for part in value) or "–"
    return "–" if value is None else str(value)


def _findings(findings: Sequence[Finding]) -> list[str]:
    # What carries a decision is what the verdict rests on.
    decided = [found for found in findings if found.decision]
    rest = [found for found in findings if not found.decision]
    shown = [*decided, *rest][:MOST_FINDINGS]
    head = ("statistic", "reader", "condition", "estimate", "n", "decision")
    rows = [
        (
            plain(found.statistic, 24),
            plain(found.reader, 24),
            plain(found.condition, 40),
            found.estimate,
            found.estimate.n,
            plain(found.decision or "", 48),
        )
        for found in shown
    ]
    more = len(findings) - len(shown)
    return columns([head, *rows]) + ([f"  and {more} more"] if more else [])
