"""A table of changes as people read it: each value beside its interval."""

import pandas as pd

from measurand.core.finding import Finding, Report

KIND = "changes"
SUFFIX = "_difference"  # what the name of a difference ends with
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
    return [
        finding for finding in report.findings if finding.statistic not in listed_names
    ]


def _cell_interval(value: float, low: float, high: float) -> str:
    return f"{value:z.3f} [{low:z.3f}, {high:z.3f}]" if value == value else "–"
