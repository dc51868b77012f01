"""Figures whose rows are named on the left and numbered on the right.

Every field is renamed to a plain name first: a benchmark may call a column `a.b[0]:Q`,
which altair and Vega would read as a path and a type. A channel is given by its class:
to find it for a mere text, altair goes through every class it has, each time.
"""

from collections.abc import Mapping
from typing import Any, Literal

import altair as alt
import numpy as np
import pandas as pd

from measurand.report.layout import (
    extent,
    plot_columns,
    squeeze_text,
    stack_rows,
    to_number,
)
from measurand.report.terminal import plain_text

# Okabe and Ito's colours, which stay apart for colour-blind readers; the light ones are
# darkened, because labels are written in them.
COLOURS = ("#0072B2", "#D55E00", "#00855F", "#AA3377", "#8F6A00", "#5B5B5B", "#4B3F91")
INK, GREY, PALE, BAND = "#1f2933", "#66727f", "#e7ebef", "#fdebd3"
FONT = "Helvetica Neue, Helvetica, Arial, Liberation Sans, sans-serif"
WIDTH = 380  # of the plot; with the names and the numbers about 700 pixels
NAMES = 210  # what a name may take; wide letters take some more
MOST_SERIES = 20
BINS = 90

ROW = alt.Y("row:O", axis=None)
COLOUR = alt.Color("colour:N", scale=None)
SIDES: tuple[Literal["left", "right"], ...] = ("left", "right")
Settings = Mapping[str, Any]
Drawing = alt.LayerChart | alt.FacetChart


def draw_bars(table: pd.DataFrame, settings: Settings) -> Drawing | None:
    """Grouped bars with whiskers, beside a reference that reads nothing."""
    rows = plot_columns(table, ["group", "bar"], ["value", "low", "high"])
    rows = rows.dropna(subset=["value"])
    if rows.empty:
        return None
    codes = pd.factorize(rows["bar"])[0]
    rows["colour"] = [COLOURS[code % len(COLOURS)] for code in codes]
    rows, headers = stack_rows(rows.rename(columns={"bar": "text"}), "group")
    reference = to_number(settings.get("reference"))
    low, high = extent(0.0, rows[["value", "low", "high"]], reference, pad=0.02)
    x = x_axis(settings.get("x_title", "value"), (low if low < -0.05 else 0.0, high))
    layers = [
        chart_rows(rows)
        .mark_bar(size=13, opacity=0.85)
        .encode(x, x2=ZERO, y=ROW, color=COLOUR),
        chart_rows(rows)
        .mark_rule(strokeWidth=1.8, color=INK)
        .encode(x=alt.X("low:Q"), x2=alt.X2("high:Q"), y=ROW),
    ]
    if not np.isnan(reference):
        text = f"{plain_text(settings.get('reference_label', ''), 30)} {reference:z.3f}"
        layers += vertical_mark(reference, text)
    return _layer_rows(layers, rows, headers)


def draw_intervals(table: pd.DataFrame, settings: Settings) -> Drawing | None:
    """Estimates and their intervals, one a row, over the band that counts as zero."""
    short = table.assign(name=[squeeze_text(name, NAMES) for name in table["name"]])
    rows = plot_columns(short, ["group", "name", "decision"], ["value", "low", "high"])
    rows = rows.dropna(subset=["value"])
    if rows.empty:
        return None
    margin = to_number(settings.get("margin", 0.0))
    clear = (rows["low"] > margin) | (rows["high"] < -margin)
    rows["colour"] = np.where(clear, COLOURS[0], GREY)
    rows, headers = stack_rows(rows.rename(columns={"name": "text"}), "group")
    bounds = extent(rows[["value", "low", "high"]], -margin, margin)
    x = x_axis(settings.get("x_title", "estimate"), bounds)
    band = alt.Chart(alt.InlineData(values=[{"low": -margin, "high": margin}]))
    layers = [
        band.mark_rect(color=BAND).encode(x=alt.X("low:Q"), x2=alt.X2("high:Q")),
        *vertical_mark(0.0, f"± {margin:g}" if margin else ""),
        chart_rows(rows)
        .mark_rule(strokeWidth=2)
        .encode(x=alt.X("low:Q"), x2=alt.X2("high:Q"), y=ROW, color=COLOUR),
        *(
            chart_rows(rows)
            .mark_tick(size=13, thickness=2, opacity=1)
            .encode(x=alt.X(f"{end}:Q"), y=ROW, color=COLOUR)
            # Caps, because a dot hides an interval that is narrower than itself.
            for end in ("low", "high")
        ),
        chart_rows(rows).mark_circle(size=48, opacity=1).encode(x, y=ROW, color=COLOUR),
    ]
    return _layer_rows(layers, rows, headers)


def draw_distribution(table: pd.DataFrame, settings: Settings) -> Drawing | None:
    """How often each value came out, a row a series, against the marks.

    A mark named like a series stands in its row; any other crosses them all.
    """
    rows = plot_columns(table, ["series"], ["value"]).dropna(subset=["value"])
    if rows.empty:
        return None
    marks = {
        plain_text(name): to_number(at)
        for name, at in settings.get("marks", {}).items()
    }
    names = list(dict.fromkeys(rows["series"]))[:MOST_SERIES]
    values = {
        name: rows.loc[rows["series"] == name, "value"].to_numpy() for name in names
    }
    bounds = extent(*values.values(), *marks.values())
    bins = pd.concat(
        [_ridge_bins(values[name], bounds, row) for row, name in enumerate(names)]
    )
    centre = pd.DataFrame(
        {
            "row": range(len(names)),
            "text": names,
            "numbers": [
                f"mean {v.mean():z.3f}, K = {len(v):,}" for v in values.values()
            ],
            "low": [np.quantile(v, 0.025) for v in values.values()],
            "high": [np.quantile(v, 0.975) for v in values.values()],
            "mark": [marks.get(name, np.nan) for name in names],
        }
    )
    centre["note"] = [
        f"{plain_text(settings.get('mark_label', 'full'), 20)} {m:z.3f}"
        for m in centre["mark"]
    ]
    series_marks = chart_rows(centre.dropna(subset=["mark"]))
    y = alt.Y("row:Q", axis=None, scale=alt.Scale(domain=[len(names) - 0.6, -0.75]))
    layers = [
        chart_rows(bins)
        .mark_rect(color=COLOURS[0], opacity=0.85)
        .encode(
            x_axis(settings.get("x_title", "value"), bounds, "left"),
            x2=alt.X2("right"),
            y=y,
            y2=alt.Y2("top"),
        ),
        chart_rows(centre)
        .mark_rule(strokeWidth=2.5, color=INK, yOffset=6)
        .encode(x=alt.X("low:Q"), x2=alt.X2("high:Q"), y=y),
        series_marks.mark_tick(
            color=COLOURS[1], thickness=2.5, size=34, yOffset=-10
        ).encode(x=alt.X("mark:Q"), y=y),
        series_marks.mark_text(color=COLOURS[1], dy=-42).encode(
            x=alt.X("mark:Q"), y=y, text=alt.Text("note:N")
        ),
    ]
    for name in marks.keys() - set(names):
        layers += vertical_mark(marks[name], f"{name} {marks[name]:z.3f}")
    texts = _row_texts(centre, y)
    return alt.layer(*layers, *texts, width=WIDTH, height=64 * len(names))


def chart_rows(table: pd.DataFrame) -> alt.Chart:
    """A chart of the table's rows; inline values have no limit of 5,000."""
    names = [str(name) for name in table.columns]
    # Column by column: to turn a whole table into objects takes pandas much longer.
    columns = [_cells(table.iloc[:, place]) for place in range(len(names))]
    rows = [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]
    # A tuple, since altair copies every cell of a list each time a chart is changed.
    return alt.Chart(alt.InlineData(values=tuple(rows)))


def _cells(column: "pd.Series[Any]") -> list[Any]:
    """The cells of a column, with nothing where one is missing."""
    cells: list[Any] = column.tolist()
    missing = column.isna().to_numpy()
    if missing.any():
        return [None if gone else c for c, gone in zip(cells, missing, strict=True)]
    return cells


def x_axis(title: object, bounds: tuple[float, float], field: str = "value") -> alt.X:
    """The horizontal axis over `bounds`."""
    scale = alt.Scale(domain=bounds, nice=False, zero=False)
    ticks = alt.Axis(
        title=plain_text(title), tickCount=6, format="~r", labelFlush=False
    )
    return alt.X(f"{field}:Q", scale=scale, axis=ticks)


def x_pixel(at: float) -> alt.XValue:
    """A place across, in pixels from the left."""
    return alt.XValue(at)  # type: ignore[no-untyped-call]


def y_pixel(at: float) -> alt.YValue:
    """A place down, in pixels from the top."""
    return alt.YValue(at)  # type: ignore[no-untyped-call]


def vertical_mark(at: float, text: str) -> list[alt.Chart]:
    """A vertical line and the words over it."""
    chart = alt.Chart(alt.InlineData(values=[{"at": at, "text": text}]))
    line = chart.mark_rule(color=INK, strokeDash=[4, 3]).encode(x=alt.X("at:Q"))
    words = chart.mark_text(color=GREY, dy=-9).encode(
        x=alt.X("at:Q"), y=TOP, text=alt.Text("text:N")
    )
    return [line, words]


def _row_texts(rows: pd.DataFrame, y: alt.Y) -> list[alt.Chart]:
    """The names of the rows left of the plot and their numbers right of it."""
    left = chart_rows(rows).mark_text(align="right", dx=-10, limit=1.1 * NAMES)
    right = chart_rows(rows).mark_text(align="left", dx=10, color=GREY, limit=170)
    return [
        left.encode(x=x_pixel(0), y=y, text=alt.Text("text:N")),
        right.encode(x=x_pixel(WIDTH), y=y, text=alt.Text("numbers:N")),
    ]


def label_marks(
    rows: pd.DataFrame, label_places: pd.DataFrame, x: str, y: str
) -> list[alt.Chart]:
    """The `text` of each row where `place_labels` found a place, with a line back."""
    words = rows.iloc[label_places["point"]].reset_index(drop=True).join(label_places)
    leaders = chart_rows(words[words["far"].astype(bool)]).mark_rule(strokeWidth=0.8)
    return [
        leaders.encode(
            x=alt.X(f"{x}:Q"),
            y=alt.Y(f"{y}:Q"),
            x2=alt.X2("at_x"),
            y2=alt.Y2("at_y"),
            color=COLOUR,
        ),
        *(
            chart_rows(words[words["align"] == side])
            .mark_text(align=side)
            .encode(
                x=alt.X("at_x:Q"),
                y=alt.Y("at_y:Q"),
                text=alt.Text("text:N"),
                color=COLOUR,
            )
            for side in SIDES
        ),
    ]


def _layer_rows(
    layers: list[alt.Chart], rows: pd.DataFrame, headers: pd.DataFrame
) -> Drawing:
    """The layers with every row named, its numbers written out, groups headed."""
    rows = rows.assign(
        numbers=[
            _interval_text(*row) for row in rows[["value", "low", "high"]].to_numpy()
        ]
    )
    heads = chart_rows(headers).mark_text(
        align="right", dx=-10, fontWeight="bold", limit=1.1 * NAMES
    )
    heads = heads.encode(x=x_pixel(0), y=ROW, text=alt.Text("text:N"))
    height = 23 * (len(rows) + len(headers))
    texts = [*_row_texts(rows, ROW), heads]
    # Given at once, since altair copies every layer to change a property of a chart.
    return alt.layer(*layers, *texts, width=WIDTH, height=height)


def _interval_text(value: float, low: float, high: float) -> str:
    whisker = "" if np.isnan(low) or np.isnan(high) else f"  [{low:z.3f}, {high:z.3f}]"
    return f"{value:z.3f}{whisker}"


def _ridge_bins(
    values: "np.ndarray[Any, Any]", bounds: tuple[float, float], row: int
) -> pd.DataFrame:
    counts, edges = np.histogram(values, BINS, bounds)
    top = row - 0.5 * counts / counts.max()
    bins = pd.DataFrame(
        {"row": row, "left": edges[:-1], "right": edges[1:], "top": top}
    )
    return bins[counts > 0]


ZERO, TOP = alt.X2Datum(0), y_pixel(0)
