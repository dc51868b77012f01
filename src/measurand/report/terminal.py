"""A report as plain text: no escape codes, ours or anybody else's."""

from collections.abc import Iterable, Mapping, Sequence

import pandas as pd

from measurand.core.finding import Exhibit, Finding, Report
from measurand.wording import say_report
from measurand.wording.text import plain_text

KIND = "changes"
SUFFIX = "_difference"  # what the name of a difference ends with
CERTAIN = ("differs", "higher", "lower")  # what is decided of what is clear of zero
STATED = {
    "first": ("first_value", "first_low", "first_high"),
    "second": ("second_value", "second_low", "second_high"),
    "difference": ("difference", "low", "high"),
}
DECIDED = {side: f"{side}_decision" for side in ("first", "second")}
NUMBERS = [*(column for columns in STATED.values() for column in columns), "n"]
TEXTS = ["condition", "statistic", "reader", "decision", "method"]
# What differs before what it differs between: a page shows the left of a broad table.
ORDER = [
    *("condition", "statistic", "reader", "difference", "decision"),
    *("first", "second", "n", "method"),
]
NEEDED = {*NUMBERS, *TEXTS, *DECIDED, *DECIDED.values()}


def certainty_rank(statistic: str, decision: str | None) -> int:
    """Where a finding of a comparison stands: first what differs for certain.

    What is no difference stands last, however sure it is.

    >>> certainty_rank("bias_difference", "lower"), certainty_rank("mpds", "lower")
    (0, 2)
    """
    if not statistic.endswith(SUFFIX):
        return 2
    return 0 if decision in CERTAIN else 1


def order_findings(findings: Iterable[Finding]) -> list[Finding]:
    """The findings of a comparison by how certain they are, else as they are."""
    return sorted(findings, key=lambda f: certainty_rank(f.statistic, f.decision))


def changes_table(table: pd.DataFrame) -> pd.DataFrame:
    """Both values and the difference in one cell each, under the reports' names.

    What a report itself decided of a value stands behind it.
    """
    numbers = table[NUMBERS].apply(pd.to_numeric, errors="coerce")
    texts = table[TEXTS]
    cells = {
        name: [_cell_interval(*row) for row in numbers[[*columns]].to_numpy(float)]
        for name, columns in STATED.items()
    }
    for side, column in DECIDED.items():
        pairs = zip(cells[side], table[column], strict=True)
        cells[side] = [f"{stated} {decision}".rstrip() for stated, decision in pairs]
    counts = {"n": [f"{n:.0f}" if n == n else "–" for n in numbers["n"]]}
    full_table = pd.DataFrame({**texts, **cells, **counts}, table.index)[ORDER]
    names = {
        which: str(table[which].iloc[0]) for which in ("first", "second") if len(table)
    }
    return full_table.rename(columns=names)


def unlisted_findings(report: Report) -> list[Finding]:
    """The findings that no table of changes holds already."""
    listed_names = {
        f"{statistic}{SUFFIX}"
        for exhibit in report.exhibits
        if exhibit.kind == KIND and {*exhibit.table.columns} >= NEEDED
        for statistic in exhibit.table["statistic"]
    }
    return order_findings(
        finding for finding in report.findings if finding.statistic not in listed_names
    )


def _cell_interval(value: float, low: float, high: float) -> str:
    return f"{value:z.3f} [{low:z.3f}, {high:z.3f}]" if value == value else "–"


MOST_FINDINGS = 24  # more than this scrolls the verdict off the screen
DECISIONS, VERDICTS = "decisions", ["benchmark", "verdict", "why"]


def heading(report: Report) -> tuple[str, str]:
    """What kind of report it is, and of what."""
    name = plain_text(report.benchmark.get("name", "a benchmark"), 120)
    kind = f"{report.audit} audit"
    if report.audit == "compare":
        kind = f"{report.settings.get('audit', '')} comparison".lstrip()
    return plain_text(kind), name


def detail_lines(report: Report) -> list[str]:
    """Everything that a report says in figures: roles, reason, findings, gaps."""
    verdict = report.verdict
    lines = []
    roles = report.benchmark.get("roles")
    if isinstance(roles, Mapping) and roles:
        lines += [
            *lay_out_columns(
                [(role, _role_text(value)) for role, value in roles.items()]
            ),
            "",
        ]
    reason = say_report(report)
    lines += [f"{plain_text(verdict.label)}: {plain_text(reason, 800)}"]
    if verdict.provisional:
        lines += ["provisional: a stronger reader could still overturn this"]
    lines += [line for exhibit in report.exhibits for line in _exhibit_lines(exhibit)]
    rest = unlisted_findings(report)
    lines += ["", *_finding_lines(rest)] if rest else []
    if report.not_run:
        lines += ["", "not run:"]
        lines += lay_out_columns(
            [(what, plain_text(why, 200)) for what, why in report.not_run.items()]
        )
    return lines


def lay_out_columns(rows: Sequence[Sequence[object]]) -> list[str]:
    """The rows as lines whose cells stand under each other.

    >>> lay_out_columns([("a", "b"), ("long", "c")])
    ['  a     b', '  long  c']
    """
    cells = [[plain_text(cell, 200) for cell in row] for row in rows]
    widths = [min(max(map(len, column)), 48) for column in zip(*cells, strict=True)]
    return ["  " + "  ".join(map(str.ljust, row, widths)).rstrip() for row in cells]


def _exhibit_lines(exhibit: Exhibit) -> list[str]:
    """A comparison's own tables: what each report decided, and what changed."""
    table = exhibit.table
    if exhibit.name == DECISIONS and {*VERDICTS} <= {*table.columns}:
        return ["", *lay_out_columns(table[VERDICTS].to_numpy(object).tolist())]
    if exhibit.kind != KIND or not {*table.columns} >= NEEDED:
        return []
    # How it was done, in short: the page and the JSON hold the whole of it.
    short = [str(how).partition(":")[0] for how in table["method"]]
    changes = changes_table(table.assign(method=short))
    cells = [[plain_text(cell, 48) for cell in row] for row in changes.to_numpy(object)]
    hidden_count = len(cells) - MOST_FINDINGS
    lines = lay_out_columns([[*changes.columns], *cells[:MOST_FINDINGS]])
    lines += [f"  and {hidden_count} more"] if hidden_count > 0 else []
    return ["", f"  {plain_text(exhibit.caption, 400)}", *lines]


def _role_text(value: object) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, Sequence):
        return ", ".join(plain_text(part, 40) for part in value) or "–"
    return "–" if value is None else str(value)


def _finding_lines(findings: Sequence[Finding]) -> list[str]:
    # What carries a decision is what the verdict rests on.
    decided = [finding for finding in findings if finding.decision]
    rest = [finding for finding in findings if not finding.decision]
    visible = [*decided, *rest][:MOST_FINDINGS]
    head = ("statistic", "reader", "condition", "estimate", "n", "decision")
    rows = [
        (
            plain_text(finding.statistic, 24),
            plain_text(finding.reader, 24),
            plain_text(finding.condition, 40),
            finding.estimate,
            finding.estimate.n,
            plain_text(finding.decision or "", 48),
        )
        for finding in visible
    ]
    hidden_count = len(findings) - len(visible)
    return lay_out_columns([head, *rows]) + (
        [f"  and {hidden_count} more"] if hidden_count else []
    )
