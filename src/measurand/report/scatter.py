"""One quantity against another: a named point each, groups joined, a trend."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

from measurand.report.charts import (
    COLOURS,
    GREY,
    TOP,
    Settings,
    label_marks,
    x_axis,
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
from measurand.report.tables import point_units
from measurand.report.vega import (
    Spec,
    constant,
    draw_mark,
    end,
    names,
    number,
    overlay,
)
from measurand.stats.paired import pearson, trend_line
from measurand.wording.text import plain_text

WIDTH, HEIGHT = 600, 420
ENDS = ["x_low", "x_high", "y_low", "y_high"]
SHAPES = ("circle", "triangle-up", "square", "diamond", "cross", "triangle-down")
DOTS = 80  # obstacles along a line, around which labels find their way
SHADE, SHADES = "shade", ["#f1f3f5", "#0b4f7a"]
MOST_NAMES = 60  # beyond this names are a fog

# A straight line by its two ends: x, y, x, y.
Ends = tuple[float, float, float, float]


def draw_scatter(table: pd.DataFrame, settings: Settings) -> Spec | None:
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
    series = list(dict.fromkeys(rows["series"]))
    hues = [COLOURS[code % len(COLOURS)] for code in range(len(series))]
    rows["colour"] = rows["series"].map(dict(zip(series, hues, strict=True)))
    if settings.get(SHADE):
        rows["colour"] = GREY
    lines = [*_scatter_lines(rows, frame, settings)]
    layers = [
        *(_line_mark(ends, kind) for kind, ends in lines),
        *_group_lines(rows),
        *_point_marks(rows, series, hues, frame, settings),
        *_point_names(rows, frame, [_line_boxes(ends, frame) for _, ends in lines]),
        *_correlation_text(rows, settings),
    ]
    return overlay(layers, WIDTH, HEIGHT)


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


def _line_mark(ends: Ends, kind: str) -> Spec:
    row = dict(zip(("x", "y", "x2", "y2"), map(float, ends), strict=True))
    dash = {"diagonal": [2, 4], "vertical": [4, 3]}.get(kind, [1, 0])
    rule = {"color": GREY, "strokeDash": dash, "opacity": 0.75}
    start = {"x": number("x"), "y": number("y")}
    return draw_mark("rule", [row], rule, **start, x2=end("x2"), y2=end("y2"))


def _line_boxes(ends: Ends, frame: Frame) -> list[Box]:
    (a, b), (c, d) = frame.pixels(*ends[:2]), frame.pixels(*ends[2:])
    steps = np.linspace(0, 1, DOTS)
    points = [(a + t * (c - a), b + t * (d - b)) for t in steps]
    return [(x - 1, y - 1, x + 1, y + 1) for x, y in points]


def _group_lines(rows: pd.DataFrame) -> list[Spec]:
    many = rows["group"].notna() & (rows["group"] != "")
    several = rows[many & rows["group"].duplicated(keep=False)]
    if several.empty:
        return []
    dotted = {
        "color": GREY,
        "strokeDash": [2, 3],
        "strokeWidth": 1.4,
        "strokeCap": "round",
    }
    ordered = several.sort_values(["group", "x", "y"])
    place = {"x": number("x"), "y": number("y")}
    return [draw_mark("line", ordered, dotted, **place, detail=names("group"))]


def _point_marks(
    rows: pd.DataFrame,
    series: list[str],
    hues: list[str],
    frame: Frame,
    settings: Settings,
) -> list[Spec]:
    legend = {"columns": 4} if len(series) > 1 else None
    forms = [SHAPES[code % len(SHAPES)] for code in range(len(series))]
    hue = names("series", scale={"domain": series, "range": hues}, legend=legend)
    shape = names("series", scale={"domain": series, "range": forms}, legend=legend)
    point: dict[str, Any] = {"size": 62, "filled": True, "opacity": 1}
    line = hue
    if settings.get(SHADE):
        title = plain_text(settings[SHADE], 40)
        hue = number(
            SHADE,
            scale={"domain": [0, 1], "range": SHADES},
            legend={"title": title, "gradientLength": 140},
        )
        point, line = {**point, "size": 110, "stroke": GREY}, constant(GREY)
    rule = {"strokeWidth": 1.3, "opacity": 0.5}
    x = x_axis(settings.get("x_title", "x"), frame.x, "x")
    y = y_axis(settings.get("y_title", "y"), frame.y)
    across = {"x": number("x_low"), "y": y, "x2": end("x_high")}
    up = {"x": x, "y": number("y_low"), "y2": end("y_high")}
    return [
        draw_mark("rule", rows, rule, **across, color=line),
        draw_mark("rule", rows, rule, **up, color=line),
        draw_mark("point", rows, point, x=x, y=y, color=hue, shape=shape),
    ]


def _point_names(
    rows: pd.DataFrame, frame: Frame, lines: list[list[Box]]
) -> list[Spec]:
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


def _correlation_text(rows: pd.DataFrame, settings: Settings) -> list[Spec]:
    x, y = rows["x"].to_numpy(), rows["y"].to_numpy()
    correlation = pearson(x, y, units=point_units(settings))
    if not settings.get("trend") or correlation is None:
        return []
    text = f"Pearson r = {correlation}, n = {correlation.n}"
    words = {"align": "right", "color": GREY, "dy": -9}
    place = {"x": constant(WIDTH), "y": TOP}
    return [draw_mark("text", [{"text": text}], words, **place, text=names("text"))]
