"""What a report shows as tables, whatever they are then written in."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from measurand.core.estimate import Estimate
from measurand.core.finding import Exhibit, Report
from measurand.report.layout import plot_columns
from measurand.report.terminal import KIND, NEEDED, changes_table, unlisted_findings
from measurand.stats.paired import pearson
from measurand.wording.text import plain_text, readable_text

MOST_ITEMS = 20  # a page is for reading; items.parquet holds the rest
MOST_ROWS = 40
MOST_COLUMNS = 12
MOST_TABLE = (400, 30)  # rows and columns of an exhibit that is a table: it scrolls
MOST_TEXTS = 4
HOTTEST = 45  # percent of colour at which the number on it is still read with ease


@dataclass(frozen=True)
class TextGrid:
    """A table of plain text.

    Attributes:
        title: What stands over it.
        header: The names of the columns; none where the first column names the rows.
        rows: The cells, already on one line and short.
        note: What was left out, or why the table is here.
        shades: How strongly each cell is coloured, in percent; none where none is.
    """

    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""
    shades: tuple[tuple[int, ...], ...] = ()


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
    most = MOST_TABLE if exhibit.kind == "table" else (MOST_ROWS, MOST_COLUMNS)
    if exhibit.kind == KIND:
        # No other table shows what this one holds: see `unlisted_findings`.
        most = len(full_table), MOST_TABLE[1]
    spaced = exhibit.kind == "curve" and len(full_table) > most[0]
    rows = (
        np.linspace(0, len(full_table) - 1, most[0]).round()
        if spaced
        else range(most[0])
    )
    table = full_table.iloc[
        [int(row) for row in rows if row < len(full_table)], : most[1]
    ]
    header = tuple(plain_text(column, 40) for column in table.columns)
    columns = [
        _column_cells(table.iloc[:, position]) for position in range(table.shape[1])
    ]
    cells = tuple(zip(*columns, strict=True))
    notes = [trend_remark(exhibit), _omission_note(full_table, most)]
    note = " ".join(part for part in notes if part)
    shades = _cell_shades(table, exhibit.settings.get("heat"))
    return TextGrid(plain_text(exhibit.caption, 400), header, cells, note, shades)


def trend_remark(exhibit: Exhibit) -> str:
    """What belongs to the caption but is read off the table: how a trend holds."""
    numbers = {"x", "y"} <= {*exhibit.table.columns}
    if exhibit.kind != "scatter" or not exhibit.settings.get("trend") or not numbers:
        return ""
    points = plot_columns(exhibit.table, [], ["x", "y"]).dropna()
    x, y = points["x"].to_numpy(), points["y"].to_numpy()
    correlation = pearson(x, y, units=point_units(exhibit.settings))
    return (
        f"Pearson r = {estimate_text(correlation)}, n = {correlation.n}."
        if correlation
        else ""
    )


def point_units(settings: Mapping[str, Any]) -> int | None:
    """Of how many benchmarks the points of a scatter are; None where nobody says."""
    units = settings.get("units")
    return units if isinstance(units, int) else None


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


def estimate_text(estimate: Estimate) -> str:
    """A value and its interval.

    >>> estimate_text(Estimate(0.3, 0.28, 0.32, 0.95, 1000, "bootstrap"))
    '0.300 [0.280, 0.320]'
    """
    return str(estimate).replace("nan", "–")


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


# Kinds whose table is too long to read, the columns it takes, and what stands for it.
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
            plain_text(finding.statistic, 40),
            plain_text(finding.decision or "", 80),
            estimate_text(finding.estimate),
            plain_text(finding.reader, 40),
            plain_text(finding.condition, 40),
            f"{finding.estimate.n:,}",
            plain_text(finding.estimate.method, 120),
        )
        for finding in unlisted_findings(report)
    )
    # The decision first: a page shows the left of a broad table.
    header = ("statistic", "decision", "estimate", "reader", "condition", "n", "method")
    interval_levels = {f.estimate.level for f in report.findings} - {1.0}
    levels = [f"{100 * level:.4g} %" for level in sorted(interval_levels)]
    note = f"Brackets hold the {' or '.join(levels)} interval." if levels else ""
    return TextGrid("Findings", header, rows, note) if rows else None


def _items_grid(report: Report) -> TextGrid | None:
    items, highlight = report.items, report.highlight
    if highlight is None or highlight.column not in items:
        return None
    if items[highlight.column].dtype != bool:
        return None
    chosen_items = items[items[highlight.column]]
    # A colon marks what a reader answered; the texts are the benchmark's own.
    texts = [
        column
        for column in items.select_dtypes(["object", "string"]).columns
        if ":" not in str(column)
    ][:MOST_TEXTS]
    chosen = chosen_items[texts].head(MOST_ITEMS)
    rows = tuple(
        (plain_text(name, 40), *(_item_text(text) for text in row))
        for name, row in zip(
            chosen.index, chosen.itertuples(index=False, name=None), strict=True
        )
    )
    note = f"{len(rows)} of {len(chosen_items):,} {plain_text(highlight.note, 200)}"
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


def _omission_note(table: pd.DataFrame, limits: tuple[int, int]) -> str:
    rows, columns = table.shape
    parts: Sequence[str] = [
        f"{most} of {total:,} {what}"
        for most, total, what in (
            (limits[0], rows, "rows"),
            (limits[1], columns, "columns"),
        )
        if total > most
    ]
    return f"{' and '.join(parts)} shown." if parts else ""
