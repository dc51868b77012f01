"""One quantity against another: a named point each, groups joined, a trend."""

from collections.abc import Iterator

import altair as alt
import numpy as np
import pandas as pd

from measurand.report.charts import (
    COLOURS,
    GREY,
    Drawing,
    Settings,
    chart_rows,
    label_marks,
    x_axis,
    x_pixel,
    y_pixel,
)
from measurand.report.curves import y_axis
from measurand.report.layout import (
    Box,
    Frame,
    extent,
    place_labels,
    plot_columns,
    to_number,
)
from measurand.report.terminal import plain_text
from measurand.stats.paired import pearson, trend_line

WIDTH, HEIGHT = 600, 420
ENDS = ["x_low", "x_high", "y_low", "y_high"]
SHAPES = ("circle", "triangle-up", "square", "diamond", "cross", "triangle-down")
DOTS = 80  # obstacles along a line, around which labels find their way
SHADE, SHADES = "shade", ("#f1f3f5", "#0b4f7a")
MOST_NAMES = 60  # beyond this names are a fog

# A straight line by its two ends: x, y, x, y.
Ends = tuple[float, float, float, float]


def draw_scatter(table: pd.DataFrame, settings: Settings) -> Drawing | None:
    """The points with their whiskers and names, and the lines asked for.

    Where the settings title a `shade`, a third quantity from 0 to 1, it is the colour
    of the points, and the series are told by their shapes alone.
    """
    rows = plot_columns(table, ["name", "series", "group"], ["x", "y"])
    ends = [end for end in (*ENDS, SHADE) if end in table]
    rows = rows.join(plot_columns(table, [], ends)).reindex(
        columns=["name", "series", "group", "x", "y", *ENDS, SHADE]
    )
    rows = rows.dropna(subset=["x", "y"]).reset_index(drop=True)
    if rows.empty:
        return None
    across = extent(
        rows[["x", "x_low", "x_high"]], _vertical_position(settings), pad=0.07
    )
    up = extent(rows[["y", "y_low", "y_high"]], pad=0.07)
    frame = Frame(WIDTH, HEIGHT, across, up)
    names = list(dict.fromkeys(rows["series"]))
    hues = [COLOURS[code % len(COLOURS)] for code in range(len(names))]
    rows["colour"] = rows["series"].map(dict(zip(names, hues, strict=True)))
    if settings.get(SHADE):
        rows["colour"] = GREY
    lines = [*_scatter_lines(rows, frame, settings)]
    layers = [
        *(_line_mark(ends, kind) for kind, ends in lines),
        *_group_lines(rows),
        *_point_marks(rows, names, hues, frame, settings),
        *_point_names(rows, frame, [_line_boxes(ends, frame) for _, ends in lines]),
        *_correlation_text(rows, settings),
    ]
    return alt.layer(*layers, width=WIDTH, height=HEIGHT)


def _scatter_lines(
    rows: pd.DataFrame, frame: Frame, settings: Settings
) -> Iterator[tuple[str, Ends]]:
    (left, right), (bottom, top) = frame.x, frame.y
    low, high = max(left, bottom), min(right, top)
    if settings.get("diagonal") and low < high:
        yield "diagonal", (low, low, high, high)
    at = _vertical_position(settings)
    if not np.isnan(at):
        yield "vertical", (at, bottom, at, top)
    trend = trend_line(rows["x"].to_numpy(), rows["y"].to_numpy())
    if settings.get("trend") and trend:
        slope, height = trend
        start, end = rows["x"].min(), rows["x"].max()
        # Cut by hand where it leaves the frame: what Vega clips, it numbers anew.
        crossings = [(edge - height) / slope for edge in frame.y] if slope else []
        low, high = min(crossings, default=start), max(crossings, default=end)
        start, end = max(start, low), min(end, high)
        yield "trend", (start, height + slope * start, end, height + slope * end)


def _vertical_position(settings: Settings) -> float:
    return to_number(settings.get("vertical"))


def _line_mark(ends: Ends, kind: str) -> alt.Chart:
    row = dict(zip(("x", "y", "x2", "y2"), ends, strict=True))
    chart = alt.Chart(alt.InlineData(values=[row]))
    dash = {"diagonal": [2, 4], "vertical": [4, 3]}.get(kind, [1, 0])
    rule = chart.mark_rule(color=GREY, strokeDash=dash, opacity=0.75)
    drawing: alt.Chart = rule.encode(
        x=alt.X("x:Q"), y=alt.Y("y:Q"), x2=alt.X2("x2"), y2=alt.Y2("y2")
    )
    return drawing


def _line_boxes(ends: Ends, frame: Frame) -> list[Box]:
    (a, b), (c, d) = frame.pixels(*ends[:2]), frame.pixels(*ends[2:])
    steps = np.linspace(0, 1, DOTS)
    points = [(a + t * (c - a), b + t * (d - b)) for t in steps]
    return [(x - 1, y - 1, x + 1, y + 1) for x, y in points]


def _group_lines(rows: pd.DataFrame) -> list[alt.Chart]:
    many = rows["group"].notna() & (rows["group"] != "")
    several = rows[many & rows["group"].duplicated(keep=False)]
    if several.empty:
        return []
    dotted = chart_rows(several.sort_values(["group", "x", "y"])).mark_line(
        color=GREY, strokeDash=[2, 3], strokeWidth=1.4, strokeCap="round"
    )
    return [dotted.encode(x=alt.X("x:Q"), y=alt.Y("y:Q"), detail=alt.Detail("group:N"))]


def _point_marks(
    rows: pd.DataFrame,
    names: list[str],
    hues: list[str],
    frame: Frame,
    settings: Settings,
) -> list[alt.Chart]:
    x = x_axis(settings.get("x_title", "x"), frame.x, "x")
    y = y_axis(settings.get("y_title", "y"), frame.y)
    legend = alt.Legend(columns=4) if len(names) > 1 else None
    forms = [SHAPES[code % len(SHAPES)] for code in range(len(names))]
    colour = alt.Color(
        "series:N", scale=alt.Scale(domain=names, range=hues), legend=legend
    )
    shape = alt.Shape(
        "series:N", scale=alt.Scale(domain=names, range=forms), legend=legend
    )
    points = chart_rows(rows)
    rule = points.mark_rule(strokeWidth=1.3, opacity=0.5)
    if settings.get(SHADE):
        shade = alt.Color(
            f"{SHADE}:Q",
            scale=alt.Scale(domain=[0, 1], range=SHADES),
            legend=alt.Legend(
                title=plain_text(settings[SHADE], 40), gradientLength=140
            ),
        )
        ring = points.mark_point(size=110, filled=True, opacity=1, stroke=GREY)
        grey = alt.ColorValue(GREY)
        return [
            rule.encode(alt.X("x_low:Q"), y, x2=alt.X2("x_high"), color=grey),
            rule.encode(x, alt.Y("y_low:Q"), y2=alt.Y2("y_high"), color=grey),
            ring.encode(x, y, shade, shape),
        ]
    return [
        rule.encode(alt.X("x_low:Q"), y, colour, x2=alt.X2("x_high")),
        rule.encode(x, alt.Y("y_low:Q"), colour, y2=alt.Y2("y_high")),
        points.mark_point(size=62, filled=True, opacity=1).encode(x, y, colour, shape),
    ]


def _point_names(
    rows: pd.DataFrame, frame: Frame, lines: list[list[Box]]
) -> list[alt.Chart]:
    rows = rows.head(MOST_NAMES)
    points = list(zip(rows["x"], rows["y"], strict=True))
    texts = [plain_text(name, 24) for name in rows["name"]]
    crossed = [dot for line in lines for dot in line]
    label_places = place_labels(
        points, texts, frame, [*_whisker_boxes(rows, frame), *crossed], []
    )
    if len(label_places) < len(rows):
        # Better over a line than nowhere.
        label_places = place_labels(points, texts, frame, [], [])
    return label_marks(rows.assign(text=texts), label_places, "x", "y")


def _whisker_boxes(rows: pd.DataFrame, frame: Frame) -> list[Box]:
    boxes = []
    for x, y, left, right, low, high in rows[["x", "y", *ENDS]].to_numpy():
        across, down = frame.pixels(x, y)
        if not np.isnan(left + right):
            start, end = frame.pixels(left, y)[0], frame.pixels(right, y)[0]
            boxes.append((start, down - 1, end, down + 1))
        if not np.isnan(low + high):
            top, bottom = frame.pixels(x, high)[1], frame.pixels(x, low)[1]
            boxes.append((across - 1, top, across + 1, bottom))
    return boxes


def _correlation_text(rows: pd.DataFrame, settings: Settings) -> list[alt.Chart]:
    correlation = pearson(rows["x"].to_numpy(), rows["y"].to_numpy())
    if not settings.get("trend") or correlation is None:
        return []
    text = f"Pearson r = {correlation}, n = {correlation.n}"
    chart = alt.Chart(alt.InlineData(values=[{"text": text}]))
    words = chart.mark_text(align="right", color=GREY, dy=-9)
    return [words.encode(x=x_pixel(WIDTH), y=y_pixel(0), text=alt.Text("text:N"))]
