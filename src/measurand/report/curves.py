"""Figures over two axes: curves, histograms, and maps without a script.

The settings of a decision map say what the axes and the three regions are called: above
the margin, and within it to the left and to the right of a line.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

import altair as alt
import numpy as np
import pandas as pd

from measurand.core.seeds import generator
from measurand.report.charts import (
    BAND,
    COLOUR,
    COLOURS,
    GREY,
    INK,
    MOST_SERIES,
    Drawing,
    Settings,
    chart_rows,
    label_marks,
    vertical_mark,
    x_axis,
    x_pixel,
    y_pixel,
)
from measurand.report.layout import (
    Box,
    Frame,
    extent,
    place_labels,
    plot_columns,
    to_number,
)
from measurand.report.terminal import plain_text

WIDTH, HEIGHT = 560, 320
Shape = Literal["step-after", "linear"]
PANEL = 96  # the height of one histogram
MOST_MARKS = 3000  # more would make a figure of megabytes, one dot over another
MOST_STEPS = 2000  # points of one curve


def draw_curve(table: pd.DataFrame, settings: Settings) -> Drawing | None:
    """A line or a staircase a series, with a band where there is one."""
    band = ["low", "high"] if {"low", "high"} <= {*table.columns} else []
    rows = plot_columns(table, ["series"], ["x", "y", *band])
    rows = rows.dropna(subset=["x", "y"]).reindex(columns=["series", *CURVE_NUMBERS])
    if rows.empty:
        return None
    rows = _thin_curves(rows)
    vertical, horizontal = (
        _reference_lines(settings, "vertical"),
        _reference_lines(settings, "horizontal"),
    )
    x = x_axis(
        settings.get("x_title", "x"), extent(rows["x"], *vertical.values(), pad=0), "x"
    )
    bounds = extent(rows[["y", "low", "high"]], *horizontal.values())
    y = y_axis(settings.get("y_title", "y"), bounds)
    shape: Shape = "step-after" if settings.get("step") else "linear"
    drawing, colour = chart_rows(rows), _series_colour(rows["series"])
    lines = drawing.mark_line(strokeWidth=2.2, interpolate=shape).encode(x, y, colour)
    layers = [
        drawing.mark_area(opacity=0.16, interpolate=shape).encode(
            x, alt.Y("low:Q"), colour, y2=alt.Y2("high")
        ),
        lines,
        # A series of one point is a line that cannot be seen.
        chart_rows(rows[~rows["series"].duplicated(keep=False)])
        .mark_circle(size=42, opacity=1)
        .encode(x, y, colour),
    ]
    for name, at in vertical.items():
        layers += vertical_mark(at, name)
    for name, at in horizontal.items():
        layers += _level_mark(at, name)
    return alt.layer(*layers, width=WIDTH, height=HEIGHT)


def draw_histogram(table: pd.DataFrame, settings: Settings) -> Drawing | None:
    """What share of each series falls in each bin, one panel under the other."""
    rows = plot_columns(table, ["series"], ["value"]).dropna(subset=["value"])
    if rows.empty:
        return None
    wanted = to_number(settings.get("bins"))
    count = 30 if np.isnan(wanted) else int(np.clip(wanted, 1, 200))
    bounds = extent(rows["value"], pad=0, least=1e-9)
    names = list(dict.fromkeys(rows["series"]))[:MOST_SERIES]
    bins = pd.concat(
        [
            _histogram_bins(
                name, rows.loc[rows["series"] == name, "value"], count, bounds
            )
            for name in names
        ]
    )
    top = (0.0, 1.08 * float(bins["y"].max()))
    panel = (
        chart_rows(bins)
        .mark_rect(opacity=0.85, stroke="white", strokeWidth=0.6)
        .encode(
            x_axis(settings.get("x_title", "value"), bounds, "left"),
            y_axis("share", top, ticks=3, form="~%"),
            alt.Color("series:N", scale=_colour_scale(names), legend=None),
            x2=alt.X2("right"),
            y2=alt.Y2Datum(0),
        )
        .properties(width=WIDTH, height=PANEL)
    )
    header = alt.Header(
        title=None,
        labelAnchor="start",
        labelFontSize=12.5,
        labelColor=INK,
        labelPadding=4,
        labelLimit=WIDTH,
    )
    facet = alt.Facet("head:N", header=header, sort=[*bins["head"].unique()])
    drawing: alt.FacetChart = panel.facet(facet, columns=1, spacing=14)
    return drawing


def draw_points(table: pd.DataFrame, settings: Settings) -> Drawing | None:
    """The map, as far as one can draw it still."""
    rows = plot_columns(table, ["label"], ["x", "y", "weight"]).dropna(
        subset=["x", "y"]
    )
    if rows.empty:
        return None
    total = len(rows)
    if total > MOST_MARKS:
        chosen = generator(0, "map").choice(total, MOST_MARKS, replace=False)
        rows = rows.iloc[np.sort(chosen)]
    heaviest = rows["weight"].max()
    share = rows["weight"].fillna(0.0).clip(lower=0.0) / (heaviest or 1.0)
    rows["size"] = (18 + 110 * share.fillna(0.0)).round()
    rows = rows.sort_values("size", kind="stable")
    axes = [
        alt.X("x:Q", **_bare_axis(rows["x"], settings.get("x_title"))),
        alt.Y("y:Q", **_bare_axis(rows["y"], settings.get("y_title"))),
    ]
    marks = chart_rows(rows.round({"x": 4, "y": 4})).mark_circle(
        opacity=0.65, aria=False
    )
    names = sorted({*rows["label"]})
    colour = _series_colour(names, "label")
    size = alt.Size("size:Q", scale=None, legend=None)
    title = plain_text(settings.get("weight_title") or "", 40)
    notes = [
        f"size: {title}" if title and heaviest > 0 else "",
        f"{len(rows):,} of {total:,} points" if len(rows) < total else "",
    ]
    text = " · ".join(note for note in notes if note)
    note_chart = alt.Chart(alt.InlineData(values=[{"text": text}]))
    words = note_chart.mark_text(align="right", color=GREY, dy=-8)
    return alt.layer(
        marks.encode(*axes, colour, size),
        words.encode(x=x_pixel(WIDTH), y=y_pixel(HEIGHT + 80), text=alt.Text("text:N")),
        width=WIDTH,
        height=HEIGHT + 80,
    )


def _series_colour(series: Iterable[str], field: str = "series") -> alt.Color:
    """A colour for each name, and a legend where there are several."""
    names = list(dict.fromkeys(series))
    legend = alt.Legend(columns=4) if len(names) > 1 else None
    return alt.Color(f"{field}:N", scale=_colour_scale(names), legend=legend)


def y_axis(
    title: object, bounds: tuple[float, float], ticks: int = 6, form: str = "~r"
) -> alt.Y:
    """The vertical axis over `bounds`."""
    scale = alt.Scale(domain=bounds, nice=False, zero=False)
    marks = alt.Axis(title=plain_text(title), tickCount=ticks, format=form)
    return alt.Y("y:Q", scale=scale, axis=marks)


def _bare_axis(values: "pd.Series[float]", title: object) -> dict[str, Any]:
    """An axis without numbers: where a projection puts things has no unit."""
    scale = alt.Scale(domain=extent(values), nice=False, zero=False)
    name = plain_text(title or "")
    ticks = alt.Axis(title=name, labels=False, ticks=False, grid=False)
    return {"scale": scale, "axis": ticks}


CURVE_NUMBERS = ["x", "y", "low", "high"]


def _colour_scale(names: Sequence[str]) -> alt.Scale:
    hues = [COLOURS[code % len(COLOURS)] for code in range(len(names))]
    return alt.Scale(domain=list(names), range=hues)


def _reference_lines(settings: Settings, which: str) -> dict[str, float]:
    chosen = settings.get(which)
    positions = chosen if isinstance(chosen, Mapping) else {}
    lines = {plain_text(name, 40): to_number(at) for name, at in positions.items()}
    return {name: at for name, at in lines.items() if not np.isnan(at)}


def _level_mark(at: float, text: str) -> list[alt.Chart]:
    chart = alt.Chart(alt.InlineData(values=[{"at": at, "text": text}]))
    words = chart.mark_text(color=GREY, align="right", dy=-7, dx=-4)
    return [
        chart.mark_rule(color=INK, strokeDash=[4, 3]).encode(y=alt.Y("at:Q")),
        words.encode(x=x_pixel(WIDTH), y=alt.Y("at:Q"), text=alt.Text("text:N")),
    ]


def _thin_curves(rows: pd.DataFrame) -> pd.DataFrame:
    names = list(dict.fromkeys(rows["series"]))[:MOST_SERIES]
    parts: list[pd.DataFrame] = []
    for name in names:
        part = rows[rows["series"] == name].sort_values("x", kind="stable")
        wanted = np.linspace(0, len(part) - 1, min(len(part), MOST_STEPS))
        parts.append(part.iloc[wanted.round().astype(int)])
    return pd.concat(parts, ignore_index=True)


def _histogram_bins(
    name: str, values: "pd.Series[float]", count: int, bounds: tuple[float, float]
) -> pd.DataFrame:
    counts, edges = np.histogram(values, count, bounds)
    head = f"{name} (n = {len(values):,}, mean {values.mean():z.3f})"
    share = counts / len(values)
    bins = pd.DataFrame({"left": edges[:-1], "right": edges[1:], "y": share})
    return bins[counts > 0].assign(series=name, head=head)


MAP_NUMBERS = ["x", "x_low", "x_high", "y", "y_low", "y_high"]
RIGHT, ABOVE = "#f8d3c9", "#eef6f3"
MAP_WIDTH, MAP_HEIGHT = 580, 400
DX, DY = 8, 15  # from a region's corner to its name


def draw_decision_map(
    table: pd.DataFrame, settings: Mapping[str, Any]
) -> Drawing | None:
    """Where each reader stands, with whiskers; without an x it has none."""
    rows = plot_columns(table, ["benchmark", "reader"], MAP_NUMBERS)
    rows = rows.dropna(subset=["x", "y"]).reset_index(drop=True)
    margin, line = to_number(settings.get("margin")), to_number(settings.get("line"))
    if rows.empty or math.isnan(margin + line):
        return None
    x = extent(rows[MAP_NUMBERS[:3]], line - 0.4, line + 0.2)
    low, high = extent(rows[MAP_NUMBERS[3:]], -margin, 6 * margin)
    # Room for the names of the regions: one over all points, two under the band.
    high += 0.08 * (high - low)
    frame = Frame(
        MAP_WIDTH, MAP_HEIGHT, x, (min(low, -margin - 0.2 * (high + margin)), high)
    )
    corners = [(x[0], high), (x[0], -margin), (line, -margin)]
    regions = [plain_text(name, 40) for name in settings.get("regions", [])]
    names = dict(zip(regions, corners, strict=False))
    rows = _colour_rows(rows)
    name_boxes = [_name_box(frame, *name) for name in names.items()]
    layers = [
        *_region_areas(frame, margin, line, settings),
        *(_region_name(text, corner) for text, corner in names.items()),
        *_crosses(rows),
        *_reader_labels(rows, frame, name_boxes),
    ]
    return alt.layer(*layers, width=MAP_WIDTH, height=MAP_HEIGHT)


def _colour_rows(rows: pd.DataFrame) -> pd.DataFrame:
    several = rows["benchmark"].nunique() > 1
    text = rows["reader"].map(lambda name: plain_text(name, 20))
    if several:
        text = rows["benchmark"].map(lambda name: plain_text(name, 20)) + " · " + text
    codes = pd.factorize(rows["benchmark"] if several else rows["reader"])[0]
    colour = [COLOURS[code % len(COLOURS)] for code in codes]
    return rows.assign(text=text, colour=colour)


def _region_areas(
    frame: Frame, margin: float, line: float, settings: Mapping[str, Any]
) -> list[alt.Chart]:
    (left, right), (_, top) = frame.x, frame.y
    regions = [
        {"x": left, "x2": right, "y": margin, "y2": top, "colour": ABOVE},
        {"x": left, "x2": line, "y": -margin, "y2": margin, "colour": BAND},
        {"x": line, "x2": right, "y": -margin, "y2": margin, "colour": RIGHT},
    ]
    area = alt.Chart(alt.InlineData(values=regions)).mark_rect()
    across, up = (_map_axis(settings.get(f"{side}_title")) for side in "xy")
    return [
        area.encode(
            alt.X(
                "x:Q",
                scale=alt.Scale(domain=frame.x, nice=False),
                axis=across,
            ),
            alt.Y(
                "y:Q",
                scale=alt.Scale(domain=frame.y, nice=False),
                axis=up,
            ),
            x2=alt.X2("x2"),
            y2=alt.Y2("y2"),
            color=COLOUR,
        )
    ]


def _map_axis(title: object) -> alt.Axis:
    text = plain_text(title or "", 80)
    return alt.Axis(title=text, grid=False, tickCount=7, format="~r", labelFlush=False)


def _region_name(text: str, corner: tuple[float, float]) -> alt.Chart:
    row = {"x": corner[0], "y": corner[1], "text": text}
    italic = alt.MarkDef(
        "text", align="left", dx=DX, dy=DY, fontStyle="italic", color=GREY
    )
    chart = alt.Chart(alt.InlineData(values=[row])).properties(mark=italic)
    return chart.encode(x=alt.X("x:Q"), y=alt.Y("y:Q"), text=alt.Text("text:N"))


def _name_box(frame: Frame, text: str, corner: tuple[float, float]) -> Box:
    right, down = frame.pixels(*corner)
    return frame.box(text, right + DX, down + DY, leftwards=False)


def _crosses(rows: pd.DataFrame) -> list[alt.Chart]:
    points = chart_rows(rows).encode(color=COLOUR)
    rule = points.mark_rule(strokeWidth=1.5, opacity=0.7)
    return [
        rule.encode(x=alt.X("x_low:Q"), x2=alt.X2("x_high"), y=alt.Y("y:Q")),
        rule.encode(x=alt.X("x:Q"), y=alt.Y("y_low:Q"), y2=alt.Y2("y_high")),
        points.mark_circle(size=42, opacity=1).encode(x=alt.X("x:Q"), y=alt.Y("y:Q")),
    ]


def _reader_labels(
    rows: pd.DataFrame, frame: Frame, name_boxes: list[Box]
) -> list[alt.Chart]:
    points = list(zip(rows["x"], rows["y"], strict=True))
    texts, lines = rows["text"].tolist(), _cross_boxes(rows, frame)
    label_places = place_labels(points, texts, frame, lines, name_boxes)
    return label_marks(rows, label_places, "x", "y")


def _cross_boxes(rows: pd.DataFrame, frame: Frame) -> list[Box]:
    boxes = []
    for x, left, right, y, low, high in rows[MAP_NUMBERS].to_numpy():
        across, down = frame.pixels(x, y)
        start, top = frame.pixels(left, high)
        end, bottom = frame.pixels(right, low)
        boxes += [(start, down - 1, end, down + 1)]
        boxes += [(across - 1, top, across + 1, bottom)]
    return boxes
