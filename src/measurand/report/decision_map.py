"""The decision map: two statistics with their intervals, over named regions.

The exhibit's settings say what the axes and the three regions are called: above the
margin, and within it to the left and to the right of a line.
"""

import math
from collections.abc import Mapping
from typing import Any

import altair as alt
import pandas as pd

from measurand.report.charts import (
    BAND,
    COLOUR,
    COLOURS,
    GREY,
    Drawing,
    chart_rows,
    label_marks,
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

MAP_NUMBERS = ["x", "x_low", "x_high", "y", "y_low", "y_high"]
RIGHT, ABOVE = "#f8d3c9", "#eef6f3"
WIDTH, HEIGHT = 580, 400
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
    frame = Frame(WIDTH, HEIGHT, x, (min(low, -margin - 0.2 * (high + margin)), high))
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
    return alt.layer(*layers).properties(width=WIDTH, height=HEIGHT)


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
