"""What a report shows as tables of plain text, whatever they are then written in.

The table of parts says what each part predicts alone, and what the evidence adds. It is
the first thing of a terminal and a page; audits of one benchmark share it.
"""

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from measurand.arms.logged import MODELS
from measurand.arms.table import ESTIMATES, PARTS
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
from measurand.report.points import trend_remark
from measurand.wording.render import FORMS
from measurand.wording.terms import reader_words
from measurand.wording.text import plain_text, readable_text

MOST_ITEMS = 20  # a page is for reading; items.parquet holds the rest
MOST_ROWS = 40
MOST_COLUMNS = 12
MOST_CHANGES = 6  # rows of the small table of what differs
MOST_TABLE = (400, 30)  # rows and columns of an exhibit that is a table: it scrolls
MOST_TEXTS = 4
HOTTEST = 45  # percent of colour at which the number on it is still read with ease
NUMERIC = {"estimate", "n", "value", "low", "high", "p"}
# A number, alone or with its interval behind it, or none.
NUMBER = re.compile(r"[-−+]?[\d.,]+(e[-+]?\d+)?%?( \[[-\d., ]+\])?$|–$")
BROAD = 8  # columns beyond which the first one stays in sight
TALL = 20  # rows beyond which a table scrolls in its own box
LONG = 24  # a cell of more letters would otherwise be squeezed into a tall one


@dataclass(frozen=True)
class Cell:
    """A cell: its text, whether it heads its row, its kind, how strongly shaded."""

    text: str
    heads: bool = False
    kind: str = ""
    shade: int = 0


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

    @property
    def shape(self) -> str:
        """The classes of the table in a page."""
        tall, broad = len(self.rows) > TALL, len(self.header) > BROAD
        return " tall" * tall + " broad" * broad

    @property
    def cells(self) -> Iterator[list[Cell]]:
        """The rows as a page shows them."""
        for number, (first, *others) in enumerate(self.rows):
            if not self.header:
                yield [Cell(first, heads=True), *map(Cell, others)]
                continue
            texts = [first, *others]
            shades = self.shades[number] if self.shades else (0,) * len(texts)
            cells = zip(self.header, texts, shades, strict=True)
            yield [
                Cell(text, False, _column_kind(name, text), s)
                for name, text, s in cells
            ]


def _column_kind(name: str, text: str) -> str:
    """The class of a cell under a head."""
    if name == "statistic":
        return "term"
    is_number = name in NUMERIC or NUMBER.match(text)
    return "number" if is_number else "long" if len(text) > LONG else ""


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
        if grid is None or _width(grid) <= width:
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


def _width(grid: TextGrid) -> int:
    """The letters that a line of the table takes in a terminal."""
    columns = zip(grid.header, *grid.rows, strict=True)
    return sum(2 + max(map(len, column)) for column in columns)
