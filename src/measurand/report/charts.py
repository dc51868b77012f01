"""Figures whose rows are named on the left and numbered on the right.

Every field is renamed to a plain name first: a benchmark may call a column `a.b[0]`,
which Vega would read as a path.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from measurand.report.layout import (
    extent,
    plot_columns,
    squeeze_text,
    stack_rows,
    to_number,
)
from measurand.report.vega import (
    Channel,
    Spec,
    constant,
    draw_mark,
    end,
    names,
    number,
    overlay,
    run_axis,
)
from measurand.wording.text import plain_text

# Okabe and Ito's colours, which stay apart for colour-blind readers; the light ones are
# darkened, because labels are written in them.
COLOURS = ("#0072B2", "#D55E00", "#00855F", "#AA3377", "#8F6A00", "#5B5B5B", "#4B3F91")
INK, GREY, PALE, BAND = "#1f2933", "#66727f", "#e7ebef", "#fdebd3"
FONT = "Helvetica Neue, Helvetica, Arial, Liberation Sans, sans-serif"
WIDTH = 380  # of the plot; with the names and the numbers about 700 pixels
NAMES = 210  # what a name may take; wide letters take some more
MOST_SERIES = 20
BINS = 90

ROW: Channel = {"field": "row", "type": "ordinal", "axis": None}
COLOUR = names("colour", scale=None)
ZERO: Channel = {"datum": 0}
TOP = constant(0)
Settings = Mapping[str, Any]


def draw_bars(table: pd.DataFrame, settings: Settings) -> Spec | None:
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
        draw_mark(
            "bar",
            rows,
            {"size": 13, "opacity": 0.85},
            x=x,
            x2=ZERO,
            y=ROW,
            color=COLOUR,
        ),
        draw_mark(
            "rule",
            rows,
            {"strokeWidth": 1.8, "color": INK},
            x=number("low"),
            x2=end("high"),
            y=ROW,
        ),
    ]
    if not np.isnan(reference):
        text = f"{plain_text(settings.get('reference_label', ''), 30)} {reference:z.3f}"
        layers += vertical_mark(reference, text)
    return _layer_rows(layers, rows, headers)


def draw_intervals(table: pd.DataFrame, settings: Settings) -> Spec | None:
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
    band = [{"low": -margin, "high": margin}]
    cap = {"size": 13, "thickness": 2, "opacity": 1}
    in_row = {"y": ROW, "color": COLOUR}
    low, high = number("low"), end("high")
    layers = [
        draw_mark("rect", band, {"color": BAND}, x=low, x2=high),
        *vertical_mark(0.0, f"± {margin:g}" if margin else ""),
        draw_mark("rule", rows, {"strokeWidth": 2}, x=low, x2=high, **in_row),
        # Caps, because a dot hides an interval that is narrower than itself.
        draw_mark("tick", rows, cap, x=low, **in_row),
        draw_mark("tick", rows, cap, x=number("high"), **in_row),
        draw_mark("circle", rows, {"size": 48, "opacity": 1}, x=x, **in_row),
    ]
    return _layer_rows(layers, rows, headers)


def draw_distribution(table: pd.DataFrame, settings: Settings) -> Spec | None:
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
    series = list(dict.fromkeys(rows["series"]))[:MOST_SERIES]
    values = {
        name: rows.loc[rows["series"] == name, "value"].to_numpy() for name in series
    }
    bounds = extent(*values.values(), *marks.values())
    bins = pd.concat(
        [_ridge_bins(values[name], bounds, row) for row, name in enumerate(series)]
    )
    centre = pd.DataFrame(
        {
            "row": range(len(series)),
            "text": series,
            "numbers": [
                f"mean {v.mean():z.3f}, K = {len(v):,}" for v in values.values()
            ],
            "low": [np.quantile(v, 0.025) for v in values.values()],
            "high": [np.quantile(v, 0.975) for v in values.values()],
            "mark": [marks.get(name, np.nan) for name in series],
        }
    )
    centre["note"] = [
        f"{plain_text(settings.get('mark_label', 'full'), 20)} {m:z.3f}"
        for m in centre["mark"]
    ]
    in_series = centre.dropna(subset=["mark"])
    scale = {"domain": [len(series) - 0.6, -0.75]}
    y = number("row", axis=None, scale=scale)
    x = x_axis(settings.get("x_title", "value"), bounds, "left")
    mark = number("mark")
    tick = {"color": COLOURS[1], "thickness": 2.5, "size": 34, "yOffset": -10}
    layers = [
        draw_mark(
            "rect",
            bins,
            {"color": COLOURS[0], "opacity": 0.85},
            x=x,
            x2=end("right"),
            y=y,
            y2=end("top"),
        ),
        draw_mark(
            "rule",
            centre,
            {"strokeWidth": 2.5, "color": INK, "yOffset": 6},
            x=number("low"),
            x2=end("high"),
            y=y,
        ),
        draw_mark("tick", in_series, tick, x=mark, y=y),
        draw_mark(
            "text",
            in_series,
            {"color": COLOURS[1], "dy": -42},
            x=mark,
            y=y,
            text=names("note"),
        ),
    ]
    for name, at in marks.items():
        if name not in series:
            layers += vertical_mark(at, f"{name} {at:z.3f}")
    return overlay([*layers, *_row_texts(centre, y)], WIDTH, 64 * len(series))


def x_axis(title: object, bounds: tuple[float, float], field: str = "value") -> Channel:
    """The horizontal axis over `bounds`."""
    return run_axis(field, title, bounds, tickCount=6, format="~r", labelFlush=False)


def vertical_mark(at: float, text: str) -> list[Spec]:
    """A vertical line and the words over it."""
    rows, x = [{"at": float(at), "text": text}], number("at")
    words = {"color": GREY, "dy": -9}
    return [
        draw_mark("rule", rows, {"color": INK, "strokeDash": [4, 3]}, x=x),
        draw_mark("text", rows, words, x=x, y=TOP, text=names("text")),
    ]


def _row_texts(rows: pd.DataFrame, y: Channel) -> list[Spec]:
    """The names of the rows left of the plot and their numbers right of it."""
    left = {"align": "right", "dx": -10, "limit": 1.1 * NAMES}
    right = {"align": "left", "dx": 10, "color": GREY, "limit": 170}
    return [
        draw_mark("text", rows, left, x=constant(0), y=y, text=names("text")),
        draw_mark("text", rows, right, x=constant(WIDTH), y=y, text=names("numbers")),
    ]


def label_marks(
    rows: pd.DataFrame, label_places: pd.DataFrame, x: str, y: str
) -> list[Spec]:
    """The `text` of each row where `place_labels` found a place, with a line back."""
    words = rows.iloc[label_places["point"]].reset_index(drop=True).join(label_places)
    leader = {
        "x": number(x),
        "y": number(y),
        "x2": end("at_x"),
        "y2": end("at_y"),
        "color": COLOUR,
    }
    label = {
        "x": number("at_x"),
        "y": number("at_y"),
        "text": names("text"),
        "color": COLOUR,
    }
    far = words[words["far"].astype(bool)]
    return [
        draw_mark("rule", far, {"strokeWidth": 0.8}, **leader),
        *(
            draw_mark("text", words[words["align"] == side], {"align": side}, **label)
            for side in ("left", "right")
        ),
    ]


def _layer_rows(layers: list[Spec], rows: pd.DataFrame, headers: pd.DataFrame) -> Spec:
    """The layers with every row named, its numbers written out, groups headed."""
    rows = rows.assign(
        numbers=[
            _interval_text(*row) for row in rows[["value", "low", "high"]].to_numpy()
        ]
    )
    bold = {"align": "right", "dx": -10, "fontWeight": "bold", "limit": 1.1 * NAMES}
    heads = draw_mark("text", headers, bold, x=constant(0), y=ROW, text=names("text"))
    height = 23 * (len(rows) + len(headers))
    return overlay([*layers, *_row_texts(rows, ROW), heads], WIDTH, height)


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
