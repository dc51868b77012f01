"""What a report shows as tables of plain text, whatever they are then written in.

The table of parts says what each part predicts alone, and what the evidence adds. It is
the first thing of a terminal and a page; audits of one benchmark share it.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from measurand.arms.logged import MODELS
from measurand.core.arrays import to_number
from measurand.core.finding import Exhibit, Report
from measurand.report.charts import plot_columns
from measurand.report.differences import (
    KIND,
    NEEDED,
    WIDEST,
    changes_table,
    difference_cells,
    headline,
    list_differences,
    say_levels,
    unlisted_findings,
)
from measurand.report.grid import TextGrid
from measurand.report.parts_table import is_parts
from measurand.report.points import trend_remark
from measurand.wording.text import plain_text, readable_text

MOST_ITEMS = 20  # a page is for reading; items.parquet holds the rest
MOST_ROWS = 40
MOST_COLUMNS = 12
MOST_CHANGES = 6  # rows of the small table of what differs
MOST_TABLE = (400, 30)  # rows and columns of an exhibit that is a table: it scrolls
MOST_TEXTS = 4
HOTTEST = 45  # percent of colour at which the number on it is still read with ease


def grids(report: Report) -> tuple[TextGrid, ...]:
    """Every table after the figures, in the order in which they are read."""
    candidates = (
        _findings_grid(report),
        _items_grid(report),
        mapping_grid("Benchmark", report.benchmark),
        mapping_grid("Settings", report.settings),
        mapping_grid("What could not run, and why", report.not_run),
    )
    return tuple(grid for grid in candidates if grid is not None)


def exhibit_grid(exhibit: Exhibit) -> TextGrid:
    """The table of an exhibit, as far as a page should go."""
    needed, summary = SUMMARIES.get(exhibit.kind, (set(), None))
    full_table = exhibit.table
    if summary and needed <= {*full_table.columns}:
        full_table = summary(full_table)
    if exhibit.settings.get("intervals"):
        full_table = join_intervals(full_table)
    most = MOST_TABLE if exhibit.kind == "table" else (MOST_ROWS, MOST_COLUMNS)
    if exhibit.kind == KIND:
        # No other table shows what this one holds: see `unlisted_findings`.
        most = len(full_table), MOST_TABLE[1]
    count = min(most[0], len(full_table))
    # A curve is listed from end to end.
    last = len(full_table) if exhibit.kind == "curve" else count
    rows = np.linspace(0, max(last - 1, 0), count).round().astype(int)
    table = full_table.iloc[rows, : most[1]]
    header = tuple(plain_text(column, 40) for column in table.columns)
    columns = [_column_cells(table.iloc[:, at]) for at in range(table.shape[1])]
    cells = tuple(zip(*columns, strict=True))
    limits = zip(most, full_table.shape, ("rows", "columns"), strict=True)
    left = [f"{m} of {total:,} {what}" for m, total, what in limits if total > m]
    omitted = f"{' and '.join(left)} shown." if left else ""
    note = " ".join(filter(None, [trend_remark(exhibit), omitted]))
    shades = _cell_shades(table, exhibit.settings.get("heat"))
    return TextGrid(plain_text(exhibit.caption, 400), header, cells, note, shades)


def join_intervals(table: pd.DataFrame, *, ends: bool = True) -> pd.DataFrame:
    """Shares in percent, each in one cell with its interval where `ends`."""
    joined = pd.DataFrame(index=table.index)
    for name in map(str, table.columns):
        low, high = f"{name}_low", f"{name}_high"
        if {low, high} <= {*table.columns}:
            rows = zip(
                *(map(to_number, table[c]) for c in (name, low, high)), strict=True
            )
            joined[name.replace("_", " ")] = [
                _percent_text(*row, ends=ends) for row in rows
            ]
        elif not name.endswith(("_low", "_high")):
            joined[name.replace("_", " ")] = table[name]
    return joined


def _percent_text(value: float, low: float, high: float, *, ends: bool) -> str:
    text, *limits = (f"{100 * figure:z.1f}" for figure in (value, low, high))
    if not math.isfinite(value):
        return "–"
    return f"{text} ({limits[0]} to {limits[1]})" if ends and low < high else text


MODELS_NOTE = (
    "Accuracy of logged answers in percent with 95 % CI; loss: what shuffled evidence "
    "costs the model, item by item, in percentage points."
)
SPARE_CONDITIONS = ("no query", "decision", "choices only", "loss")


def models_grid(reports: Sequence[Report], width: int | None = None) -> TextGrid | None:
    """The table of logged models, as far as `width` letters have room for it."""
    tables = (e for report in reports for e in report.exhibits if is_models(e))
    exhibit = next(tables, None)
    if exhibit is None:
        return None
    # With all intervals on a page; in a terminal a loss keeps its own alone.
    table = join_intervals(exhibit.table.head(MOST_ROWS))
    if width is not None and "loss" in table:
        losses = table["loss"]
        table = join_intervals(exhibit.table.head(MOST_ROWS), ends=False)
        table["loss"] = losses
    spare = [name for name in SPARE_CONDITIONS if name in table]
    while True:
        rows = [[cell_text(cell, 24) for cell in row] for row in table.to_numpy(object)]
        header = tuple(map(str, table.columns))
        columns = zip(header, *rows, strict=True)
        wide = sum(2 + max(map(len, column)) for column in columns)
        if width is None or wide <= width or not spare:
            cells = tuple(map(tuple, rows))
            return TextGrid(
                "Models whose answers were logged", header, cells, MODELS_NOTE
            )
        table = table.drop(columns=spare.pop(0))


def is_models(exhibit: Exhibit) -> bool:
    """Whether an exhibit is the table of logged models."""
    is_whole = {"model", "full"} <= {*exhibit.table.columns}
    return exhibit.name == MODELS and is_whole


def is_opening(exhibit: Exhibit) -> bool:
    """Whether an exhibit is a table that opens the report, and stands nowhere else."""
    return is_parts(exhibit) or is_models(exhibit)


def cell_text(value: object, most: int = 120) -> str:
    """One value as a reader wants to see it.

    >>> cell_text(0.123456), cell_text(None), cell_text(True), cell_text((1, "a"))
    ('0.1235', '–', 'yes', '1, a')
    """
    if value is None or value is pd.NA or value is pd.NaT:
        return "–"
    if isinstance(value, bool | np.bool_):
        return "yes" if value else "no"
    if isinstance(value, float | np.floating):
        return f"{value:z.4g}" if math.isfinite(value) else "–"
    if isinstance(value, list | tuple):
        return plain_text(", ".join(cell_text(part, 40) for part in value[:50]), most)
    return plain_text(value, most)


def _series_summary(table: pd.DataFrame) -> pd.DataFrame:
    values = pd.to_numeric(table["value"], errors="coerce")
    groups = values.groupby(table["series"].map(plain_text), sort=False)
    return groups.describe(percentiles=[0.025, 0.975]).reset_index()


def _label_summary(table: pd.DataFrame) -> pd.DataFrame:
    weights = pd.to_numeric(table["weight"], errors="coerce")
    groups = weights.groupby(table["label"].map(plain_text))
    counts = groups.size()
    columns = {"points": counts, "share": counts / max(len(table), 1)}
    return pd.DataFrame({**columns, "mean weight": groups.mean()}).reset_index()


# Kinds whose table is too long to read, the columns it takes, and what replaces it.
SUMMARIES: dict[str, tuple[set[str], Callable[[pd.DataFrame], pd.DataFrame]]] = {
    "distribution": ({"series", "value"}, _series_summary),
    "histogram": ({"series", "value"}, _series_summary),
    "map": ({"label", "weight"}, _label_summary),
    KIND: (NEEDED, changes_table),
}


def _cell_shades(table: pd.DataFrame, chosen: object) -> tuple[tuple[int, ...], ...]:
    names = chosen if isinstance(chosen, list | tuple) else ()
    warm = [column for column in table.columns if column in names]
    if not warm or not table.columns.is_unique:
        return ()
    numbers = plot_columns(table[warm], [], warm).reindex(columns=table.columns)
    low, high = numbers.min().min(), numbers.max().max()
    share = (numbers - low) / (high - low) if high > low else numbers * 0
    percents = (share * HOTTEST).fillna(0.0).round().astype(int)
    return tuple(map(tuple, percents.to_numpy().tolist()))


def _column_cells(values: "pd.Series[Any]") -> list[str]:
    if not pd.api.types.is_float_dtype(values):
        return [cell_text(value) for value in values]
    # Counts with one missing come as floats; a p-value would round to 0.
    are_counts = bool((values.dropna() % 1 == 0).all() and (values.abs() > 1).any())
    digits = 0 if are_counts else 3
    tiny = 10.0**-digits
    return [
        f"{value:z.{digits}f}" if value == 0 or abs(value) >= tiny else cell_text(value)
        for value in values
    ]


def _findings_grid(report: Report) -> TextGrid | None:
    rows = tuple(
        (
            plain_text(f.statistic, 40),
            plain_text(f.decision or "", 80),
            str(f.estimate).replace("nan", "–"),
            plain_text(f.reader, 40),
            plain_text(f.condition, 40),
            f"{f.estimate.n:,}",
            plain_text(f.estimate.method, 120),
        )
        for f in unlisted_findings(report)
    )
    # The decision first: a page shows the left of a broad table.
    header = ("statistic", "decision", "estimate", "reader", "condition", "n", "method")
    interval_levels = {f.estimate.level for f in report.findings} - {1.0}
    levels = [f"{100 * level:.4g} %" for level in sorted(interval_levels)]
    note = f"Brackets hold the {' or '.join(levels)} interval." if levels else ""
    return TextGrid("Findings", header, rows, note) if rows else None


def _items_grid(report: Report) -> TextGrid | None:
    items, highlight = report.items, report.highlight
    if highlight is None or items.get(highlight.column, items.index).dtype != bool:
        return None
    chosen = items[items[highlight.column]]
    # A colon marks what a reader answered; the texts are the benchmark's own.
    columns = map(str, items.select_dtypes(["object", "string"]).columns)
    texts = [column for column in columns if ":" not in column][:MOST_TEXTS]
    rows = tuple(
        (plain_text(name, 40), *map(_item_text, row))
        for name, *row in chosen[texts].head(MOST_ITEMS).itertuples(name=None)
    )
    note = f"{len(rows)} of {len(chosen):,} {plain_text(highlight.note, 200)}"
    header = ("id", *(plain_text(text, 40) for text in texts))
    return TextGrid(plain_text(highlight.title, 60), header, rows, note)


def _item_text(cell: object) -> str:
    """A text of an item; of what is no text, as a cell."""
    return readable_text(cell, 180) if isinstance(cell, str) else cell_text(cell, 180)


def mapping_grid(title: str, mapping: Mapping[str, object]) -> TextGrid | None:
    """Names and values under each other; None where there are none."""
    rows = tuple(_mapping_leaves(mapping))
    note = f"{MOST_ROWS} of {len(rows)} shown." if len(rows) > MOST_ROWS else ""
    return TextGrid(title, (), rows[:MOST_ROWS], note) if rows else None


def _mapping_leaves(
    mapping: Mapping[str, object], path: str = ""
) -> Iterator[tuple[str, str]]:
    for key, value in mapping.items():
        name = f"{path} · {plain_text(key, 40)}" if path else plain_text(key, 40)
        if isinstance(value, Mapping):
            yield from _mapping_leaves(value, name)
        else:
            yield name, cell_text(value, 300)


def change_grids(report: Report) -> Iterator[TextGrid]:
    """A small table of what differs most certainly, next to the headline's reports."""
    first = headline(report)
    if first is not None:
        rows = [row for row in list_differences(report) if row.names == first.names]
        names = plain_text(f"{first.names[1]} less {first.names[0]}", WIDEST)
        shown = rows[:MOST_CHANGES]
        header = (names, "old", "new", f"difference ({say_levels(shown)}; * not 0)")
        cells = tuple(difference_cells(shown))
        yield TextGrid("What differs", header, cells)
