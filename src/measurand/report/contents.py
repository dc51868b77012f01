"""What a report shows as tables, whatever they are then written in."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from measurand.core.finding import Estimate, Exhibit, Report
from measurand.report.correlation import pearson
from measurand.report.layout import readable
from measurand.report.terminal import plain
from measurand.report.worded import KIND, NEEDED, untold, worded

MOST_ITEMS = 20  # a page is for reading; items.parquet holds the rest
MOST_ROWS = 40
MOST_COLUMNS = 12
MOST_TABLE = (400, 30)  # rows and columns of an exhibit that is a table: it scrolls
MOST_TEXTS = 4
HOTTEST = 45  # percent of colour at which the number on it is still read with ease


@dataclass(frozen=True)
class Grid:
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


def grids(report: Report) -> tuple[Grid, ...]:
    """Every table after the figures, in the order in which they are read."""
    built = (
        _findings(report),
        _telling(report),
        _pairs("Benchmark", report.benchmark),
        _pairs("Settings", report.settings),
        _pairs("What could not run, and why", report.not_run),
    )
    return tuple(grid for grid in built if grid is not None)


def exhibit_grid(exhibit: Exhibit) -> Grid:
    """The table of an exhibit, as far as a page should go."""
    needed, summary = SUMMARIES.get(exhibit.kind, (set(), None))
    whole = exhibit.table
    if summary and needed <= {*whole.columns}:
        whole = summary(whole)
    most = MOST_TABLE if exhibit.kind == "table" else (MOST_ROWS, MOST_COLUMNS)
    if exhibit.kind == KIND:
        # No other table shows what this one holds: see `untold`.
        most = len(whole), MOST_TABLE[1]
    spaced = exhibit.kind == "curve" and len(whole) > most[0]
    rows = np.linspace(0, len(whole) - 1, most[0]).round() if spaced else range(most[0])
    table = whole.iloc[[int(row) for row in rows if row < len(whole)], : most[1]]
    header = tuple(plain(column, 40) for column in table.columns)
    columns = [_column(table.iloc[:, place]) for place in range(table.shape[1])]
    cells = tuple(zip(*columns, strict=True))
    notes = [remark(exhibit), _left_out(whole, most)]
    note = " ".join(part for part in notes if part)
    shades = _shades(table, exhibit.settings.get("heat"))
    return Grid(plain(exhibit.caption, 400), header, cells, note, shades)


def remark(exhibit: Exhibit) -> str:
    """What belongs to the caption but is read off the table: how a trend holds."""
    numbers = {"x", "y"} <= {*exhibit.table.columns}
    if exhibit.kind != "scatter" or not exhibit.settings.get("trend") or not numbers:
        return ""
    places = readable(exhibit.table, [], ["x", "y"]).dropna()
    found = pearson(places["x"].to_numpy(), places["y"].to_numpy())
    return f"Pearson r = {shown(found)}, n = {found.n}." if found else ""


def cell(value: object, most: int = 120) -> str:
    """One value as a reader wants to see it.

    >>> cell(0.123456), cell(None), cell(True), cell((1, "a"))
    ('0.1235', '–', 'yes', '1, a')
    """
    if value is None or value is pd.NA or value is pd.NaT:
        return "–"
    if isinstance(value, bool | np.bool_):
        return "yes" if value else "no"
    if isinstance(value, float | np.floating):
        return f"{value:z.4g}" if math.isfinite(value) else "–"
    if isinstance(value, list | tuple):
        return plain(", ".join(cell(part, 40) for part in value[:50]), most)
    return plain(value, most)


def shown(estimate: Estimate) -> str:
    """A value and its interval.

    >>> shown(Estimate(0.3, 0.28, 0.32, 0.95, 1000, "bootstrap"))
    '0.300 [0.280, 0.320]'
    """
    return str(estimate).replace("nan", "–")


def _spread(table: pd.DataFrame) -> pd.DataFrame:
    values = pd.to_numeric(table["value"], errors="coerce")
    found = values.groupby(table["series"].map(plain), sort=False)
    return found.describe(percentiles=[0.025, 0.975]).reset_index()


def _labels(table: pd.DataFrame) -> pd.DataFrame:
    weights = pd.to_numeric(table["weight"], errors="coerce")
    found = weights.groupby(table["label"].map(plain))
    counts = found.size()
    counted = {"points": counts, "share": counts / max(len(table), 1)}
    return pd.DataFrame({**counted, "mean weight": found.mean()}).reset_index()


# Kinds whose table is too long to read, the columns it takes, and what stands for it.
SUMMARIES: dict[str, tuple[set[str], Callable[[pd.DataFrame], pd.DataFrame]]] = {
    "distribution": ({"series", "value"}, _spread),
    "histogram": ({"series", "value"}, _spread),
    "map": ({"label", "weight"}, _labels),
    KIND: (NEEDED, worded),
}


def _shades(table: pd.DataFrame, chosen: object) -> tuple[tuple[int, ...], ...]:
    names = chosen if isinstance(chosen, list | tuple) else ()
    warm = [column for column in table.columns if column in names]
    if not warm or not table.columns.is_unique:
        return ()
    numbers = readable(table[warm], [], warm).reindex(columns=table.columns)
    low, high = numbers.min().min(), numbers.max().max()
    share = (numbers - low) / (high - low) if high > low else numbers * 0
    percents = (share * HOTTEST).fillna(0.0).round().astype(int)
    return tuple(map(tuple, percents.to_numpy().tolist()))


def _column(values: "pd.Series[Any]") -> list[str]:
    if not pd.api.types.is_float_dtype(values):
        return [cell(value) for value in values]
    # Counts with one missing come as floats; a p-value would round to 0.
    whole = bool((values.dropna() % 1 == 0).all() and (values.abs() > 1).any())
    digits = 0 if whole else 3
    tiny = 10.0**-digits
    return [
        f"{value:z.{digits}f}" if value == 0 or abs(value) >= tiny else cell(value)
        for value in values
    ]


def _findings(report: Report) -> Grid | None:
    rows = tuple(
        (
            plain(found.statistic, 40),
            plain(found.reader, 40),
            plain(found.condition, 40),
            shown(found.estimate),
            f"{found.estimate.n:,}",
            plain(found.estimate.method, 120),
            plain(found.decision or "", 80),
        )
        for found in untold(report)
    )
    header = ("statistic", "reader", "condition", "estimate", "n", "method", "decision")
    known = {f.estimate.level for f in report.findings} - {1.0}
    levels = [f"{100 * level:.4g} %" for level in sorted(known)]
    note = f"Brackets hold the {' or '.join(levels)} interval." if levels else ""
    return Grid("Findings", header, rows, note) if rows else None


def _telling(report: Report) -> Grid | None:
    items = report.items
    if "without_evidence" not in items or items["without_evidence"].dtype != bool:
        return None
    found = items[items["without_evidence"]]
    # A colon marks what a reader answered; the texts are the benchmark's own.
    texts = [
        column
        for column in items.select_dtypes(["object", "string"]).columns
        if ":" not in str(column)
    ][:MOST_TEXTS]
    chosen = found[texts].head(MOST_ITEMS)
    rows = tuple(
        (plain(name, 40), *(cell(text, 180) for text in row))
        for name, row in zip(
            chosen.index, chosen.itertuples(index=False, name=None), strict=True
        )
    )
    note = (
        f"{len(rows)} of {len(found):,} items answered right with no evidence to read."
    )
    header = ("id", *(plain(text, 40) for text in texts))
    return Grid("Items answered without the evidence", header, rows, note)


def _pairs(title: str, mapping: Mapping[str, object]) -> Grid | None:
    rows = tuple(_leaves(mapping))
    note = f"{MOST_ROWS} of {len(rows)} shown." if len(rows) > MOST_ROWS else ""
    return Grid(title, (), rows[:MOST_ROWS], note) if rows else None


def _leaves(mapping: Mapping[str, object], path: str = "") -> Iterator[tuple[str, str]]:
    for key, value in mapping.items():
        name = f"{path} · {plain(key, 40)}" if path else plain(key, 40)
        if isinstance(value, Mapping):
            yield from _leaves(value, name)
        else:
            yield name, cell(value, 300)


def _left_out(table: pd.DataFrame, shown: tuple[int, int]) -> str:
    rows, columns = table.shape
    parts: Sequence[str] = [
        f"{most} of {there:,} {what}"
        for most, there, what in (
            (shown[0], rows, "rows"),
            (shown[1], columns, "columns"),
        )
        if there > most
    ]
    return f"{' and '.join(parts)} shown." if parts else ""
