"""The table of what each part alone predicts, its figures in percent."""

import math
from collections.abc import Mapping, Sequence

import pandas as pd

from measurand.arms.table import ESTIMATES, PARTS
from measurand.core.arrays import to_number
from measurand.core.finding import Exhibit, Report
from measurand.report.grid import TextGrid, text_width
from measurand.wording.render import FORMS
from measurand.wording.terms import reader_words
from measurand.wording.text import plain_text

MOST_PARTS = 12  # rows; a benchmark has three or four parts
BASELINE = "majority class"  # what the baseline is called where a table does not say
PERCENT, BITS, COUNT = "percent", "bits", "count"
FIGURES = {  # what stands over a column, and how its figures are said
    "accuracy": ("accuracy", PERCENT),
    "baseline": ("", PERCENT),
    "over": ("over permuted", PERCENT),
    "bits": ("bits", BITS),
    "gain": ("gain", PERCENT),
    "loss": ("loss if shuffled", PERCENT),
    "bound": ("bound", PERCENT),
    "families": ("families", COUNT),
}
# What a narrow terminal does without, the first before the others.
SPARE = ("families", "bits", "bound", "reader", "over", "baseline", "accuracy")
NOTE = (
    "Percent and percentage points, with 95 % CI, of a gain 90 %; over permuted: "
    "accuracy less that with permuted labels; bound: the largest effect that models "
    "tried leave open. A CI is of one model; verdicts share their error among all."
)


def parts_grid(
    reports: Sequence[Report], *, without: Sequence[str] = (), intervals: bool = True
) -> TextGrid | None:
    """The table of all reports; None where none has one.

    Args:
        reports: Of one benchmark.
        without: Columns that are left out.
        intervals: Whether accuracies stand with their intervals too.
    """
    tables = [e for report in reports for e in report.exhibits if is_parts(e)]
    # A model and its figures are of one table: of that which holds them against blanks.
    tables.sort(key=lambda e: not ("over" in e.table and e.table["over"].notna().any()))
    rows = list(_merge_rows(tables).values())[:MOST_PARTS]
    if not rows:
        return None
    baseline = plain_text(tables[0].settings.get("baseline", BASELINE), 30)
    columns = [
        name
        for name in ("reader", *FIGURES)
        if name not in without and any(_cell(row, name) for row in rows)
    ]
    heads = {"reader": "model", "baseline": baseline}
    header = ("part", *(heads.get(n) or FIGURES[n][0] for n in columns))
    cells = [
        (
            plain_text(row["part"], 40),
            *(_cell(row, n, intervals=intervals or n != "accuracy") for n in columns),
        )
        for row in rows
    ]
    return TextGrid("What each part predicts", header, tuple(cells), NOTE)


def narrow_parts(reports: Sequence[Report], width: int) -> TextGrid | None:
    """The table with as many of its columns as have room in a terminal."""
    grid = parts_grid(reports)
    for count in range(len(SPARE) + 1):
        if grid is None or text_width(grid) <= width:
            break
        grid = parts_grid(reports, without=SPARE[:count], intervals=False)
    return grid


def is_parts(exhibit: Exhibit) -> bool:
    """Whether an exhibit is such a table."""
    return exhibit.kind == PARTS and {"part", "reader"} <= {*exhibit.table.columns}


def _merge_rows(tables: Sequence[Exhibit]) -> dict[str, dict[str, object]]:
    """The rows by part, each cell of the first table that has it."""
    merged: dict[str, dict[str, object]] = {}
    for exhibit in tables:
        for record in exhibit.table.to_dict("records"):
            part = plain_text(record["part"], 200)
            row = merged.setdefault(part, {"part": part})
            for name, value in record.items():
                if pd.api.types.is_scalar(value) and not pd.isna(value):
                    row.setdefault(str(name), value)
    return merged


def _cell(row: Mapping[str, object], name: str, *, intervals: bool = True) -> str:
    """What a column says of a row; empty where nobody asked."""
    if name == "reader":
        return reader_words(plain_text(row.get(name, ""), 40))
    form = FIGURES[name][1]
    value = to_number(row.get(name))
    if math.isnan(value):
        return ""
    if name == "bound":  # rounded as its sentence is
        return FORMS["upper"](value).partition(" ")[0]
    text = _table_figure(value, form)
    low, high = (to_number(row.get(f"{name}_{end}")) for end in ("low", "high"))
    if name in ESTIMATES and intervals and low < high:
        text += f" ({_table_figure(low, form)} to {_table_figure(high, form)})"
    return text


def _table_figure(value: float, form: str) -> str:
    """A figure in its unit, without the unit: that stands under the table."""
    if form == COUNT:
        return f"{value:,.0f}"
    return f"{value:z.2f}" if form == BITS else f"{100 * value:z.1f}"
