"""Figures of points: scatters, decision maps and the map of items without a script.

The settings of a decision map say what the axes and the three regions are called: above
the margin, and within it to the left and to the right of a line.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from measurand.core.arrays import to_number
from measurand.core.finding import Exhibit
from measurand.core.seeds import generator
from measurand.report.charts import (
    BAND,
    COLOUR,
    DOT,
    GREY,
    HEIGHT,
    LETTER,
    TOP,
    WIDTH,
    Channel,
    Settings,
    Spec,
    axis,
    extent,
    list_hues,
    mark,
    overlay,
    plot_columns,
    series_colour,
    x_axis,
    y_axis,
)
from measurand.stats.paired import pearson, trend_line
from measurand.wording.text import plain_text

LINE = 14  # the height of a label, in pixels
ENDS = ["x_low", "x_high", "y_low", "y_high"]
SHAPES = ("circle", "triangle-up", "square", "diamond", "cross", "triangle-down")
DOTS = 80  # obstacles along a line, around which labels find their way
SHADE, SHADES = "shade", ["#f1f3f5", "#0b4f7a"]
MOST_NAMES = 60  # beyond this names are a fog
MOST_MARKS = 3000  # more would make a figure of megabytes, one dot over another
RIGHT, ABOVE = "#f8d3c9", "#eef6f3"
DX, DY = 8, 15  # from a region's corner to its name

Box = tuple[float, float, float, float]
Ends = tuple[float, float, float, float]  # of a straight line: x, y, x, y


@dataclass(frozen=True)
class Frame:
    """A plot of `width` by `height` pixels over two ranges."""

    width: int
    height: int
    x: tuple[float, float]
    y: tuple[float, float]

    def pixels(self, x: float, y: float) -> tuple[float, float]:
        """Where a point falls, from the top left."""
        right = (x - self.x[0]) / (self.x[1] - self.x[0])
        down = (self.y[1] - y) / (self.y[1] - self.y[0])
        return right * self.width, down * self.height

    def point(self, right: float, down: float) -> tuple[float, float]:
        """The values at a pixel."""
        return (
            self.x[0] + right / self.width * (self.x[1] - self.x[0]),
            self.y[1] - down / self.height * (self.y[1] - self.y[0]),
        )

    def box(self, text: str, near: float, middle: float, leftwards: bool) -> Box:
        """The pixels a label covers whose near edge stands at `near`."""
        width = LETTER * len(text)
        left = near - width if leftwards else near
        return left, middle - LINE / 2, left + width, middle + LINE / 2

    def holds(self, box: Box) -> bool:
        """Whether the box lies inside."""
        inside = box[0] >= 0 and box[1] >= 0
        return inside and box[2] <= self.width and box[3] <= self.height


# Near places first, each on either side and above as well as below.
OFFSETS = sorted(
    (
        (dx, sign * dy)
        for dy in (11, 26, 41, 56, 71, 86, 101, 116)
        for dx in (7, -7, 24, -24, 60, -60, 110, -110)
        for sign in (-1, 1)
    ),
    key=lambda offset: math.hypot(*offset),
)


def place_labels(
    points: Sequence[tuple[float, float]],
    texts: Sequence[str],
    frame: Frame,
    lines: Sequence[Box],
    words: Sequence[Box],
) -> pd.DataFrame:
    """A free place for each label, clear of the `lines` and `words` already there.

    A label that finds none is left out. The columns are `point` (whose label), `at_x`
    and `at_y` (the middle of the near edge), `align`, and `far`: whether the eye needs
    a line back to the point.
    """
    centres = [frame.pixels(*point) for point in points]
    boxes = [*lines, *words, *((x - 5, y - 5, x + 5, y + 5) for x, y in centres)]
    labels = [*words]
    rows = []
    for index, ((x, y), text) in enumerate(zip(centres, texts, strict=True)):
        for dx, dy in OFFSETS:
            box = frame.box(text, x + dx, y + dy, leftwards=dx < 0)
            line = [(x + t * dx, y + t * dy) * 2 for t in np.linspace(0.1, 0.9, 9)]
            if not frame.holds(box) or _meets(box, boxes):
                continue
            if any(_meets(dot, labels) for dot in line):
                continue
            boxes += [box, *line]
            labels.append(box)
            align = "right" if dx < 0 else "left"
            far = abs(dy) > LINE or abs(dx) > LINE
            rows.append((index, *frame.point(x + dx, y + dy), align, far))
            break
    return pd.DataFrame(rows, columns=["point", "at_x", "at_y", "align", "far"])


def _meets(a: Box, others: Iterable[Box]) -> bool:
    """Whether a box meets any of the others."""
    return any(
        a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3] for b in others
    )


def _name_points(
    rows: pd.DataFrame, frame: Frame, lines: Sequence[Box], words: Sequence[Box] = ()
) -> list[Spec]:
    """The `text` of each row where it finds a place, with a line back where it is far.

    Where not every label finds one, they may stand over lines: better than nowhere.
    """
    points = list(zip(rows["x"], rows["y"], strict=True))
    texts = rows["text"].tolist()
    places = place_labels(
        points, texts, frame, [*_whiskers(rows, frame), *lines], words
    )
    if len(places) < len(rows):
        places = place_labels(points, texts, frame, [], words)
    named = rows.iloc[places["point"]].reset_index(drop=True).join(places)
    far = named[named["far"].astype(bool)]
    ends = {"x": "x", "y": "y", "x2": "at_x", "y2": "at_y"}
    label: dict[str, Any] = {"x": "at_x", "y": "at_y", "text": "text", "color": COLOUR}
    return [
        mark("rule", far, {"strokeWidth": 0.8}, **ends, color=COLOUR),
        *(
            mark("text", named[named["align"] == side], {"align": side}, **label)
            for side in ("left", "right")
        ),
    ]


def _whiskers(rows: pd.DataFrame, frame: Frame) -> Iterator[Box]:
    """What the whiskers of the points cover."""
    for x, y, left, right, low, high in rows[["x", "y", *ENDS]].to_numpy():
        across, down = frame.pixels(x, y)
        if not np.isnan(left + right):
            start, end = frame.pixels(left, y)[0], frame.pixels(right, y)[0]
            yield start, down - 1, end, down + 1
        if not np.isnan(low + high):
            top, bottom = frame.pixels(x, high)[1], frame.pixels(x, low)[1]
            yield across - 1, top, across + 1, bottom


def draw_decision_map(rows: pd.DataFrame, settings: Settings) -> Spec | None:
    """Where each reader stands, with whiskers; without an x it has none."""
    margin, line = to_number(settings.get("margin")), to_number(settings.get("line"))
    if math.isnan(margin + line):
        return None
    x = extent(rows[["x", "x_low", "x_high"]], line - 0.4, line + 0.2)
    low, high = extent(rows[["y", "y_low", "y_high"]], -margin, 6 * margin)
    # Room for the names of the regions: one over all points, two under the band.
    high += 0.08 * (high - low)
    low = min(low, -margin - 0.2 * (high + margin))
    frame = Frame(580, 400, x, (low, high))
    several = rows["benchmark"].nunique() > 1
    reader = rows["reader"].map(lambda name: plain_text(name, 20))
    short_names = rows["benchmark"].map(lambda name: plain_text(name, 20))
    rows = rows.assign(
        text=short_names + " · " + reader if several else reader,
        colour=list_hues(rows["benchmark" if several else "reader"]),
    )
    names = [plain_text(name, 40) for name in settings.get("regions", [])]
    corners = [(x[0], high), (x[0], -margin), (line, -margin)]
    headings = dict(zip(names, corners, strict=False))
    covered = []
    for text, corner in headings.items():
        right, down = frame.pixels(*corner)
        covered.append(frame.box(text, right + DX, down + DY, leftwards=False))
    rule = {"strokeWidth": 1.5, "opacity": 0.7}
    layers = [
        _region_areas(frame, margin, line, settings),
        *(_region_name(text, corner) for text, corner in headings.items()),
        mark("rule", rows, rule, x="x_low", x2="x_high", y="y", color=COLOUR),
        mark("rule", rows, rule, x="x", y="y_low", y2="y_high", color=COLOUR),
        mark("circle", rows, DOT, x="x", y="y", color=COLOUR),
        *_name_points(rows, frame, [], covered),
    ]
    return overlay(layers, frame.width, frame.height)


def _region_areas(frame: Frame, margin: float, line: float, settings: Settings) -> Spec:
    (left, right), (_, top) = frame.x, frame.y
    regions = [
        {"x": left, "x2": right, "y": margin, "y2": top, "colour": ABOVE},
        {"x": left, "x2": line, "y": -margin, "y2": margin, "colour": BAND},
        {"x": line, "x2": right, "y": -margin, "y2": margin, "colour": RIGHT},
    ]
    ticks = {"grid": False, "tickCount": 7, "format": "~r", "labelFlush": False}
    x = axis("x", settings.get("x_title") or "", frame.x, **ticks)
    y = axis("y", settings.get("y_title") or "", frame.y, **ticks)
    return mark("rect", regions, {}, x=x, y=y, x2="x2", y2="y2", color=COLOUR)


def _region_name(text: str, corner: tuple[float, float]) -> Spec:
    row = {"x": float(corner[0]), "y": float(corner[1]), "text": text}
    offset = {"align": "left", "dx": DX, "dy": DY}
    italic = {**offset, "fontStyle": "italic", "color": GREY}
    return mark("text", [row], italic, x="x", y="y", text="text")


def draw_scatter(rows: pd.DataFrame, settings: Settings) -> Spec:
    """The points with their whiskers and names, and the lines asked for.

    Where the settings title a `shade`, a third quantity from 0 to 1, it is the colour
    of the points, and the series differ by their shapes alone.
    """
    vertical = to_number(settings.get("vertical"))
    across = extent(rows[["x", "x_low", "x_high"]], vertical, pad=0.07)
    up = extent(rows[["y", "y_low", "y_high"]], pad=0.07)
    frame = Frame(600, 420, across, up)
    hues = GREY if settings.get(SHADE) else list_hues(rows["series"])
    texts = [plain_text(name, 24) for name in rows["name"]]
    rows = rows.assign(text=texts, colour=hues)
    lines = [*_straight_lines(rows, frame, settings)]
    crossed = [box for _, ends in lines for box in _line_boxes(ends, frame)]
    layers = [
        *(_line_mark(ends, kind) for kind, ends in lines),
        *_group_lines(rows),
        *_point_marks(rows, frame, settings),
        *_name_points(rows.head(MOST_NAMES), frame, crossed),
        *_correlation_text(rows, frame, settings),
    ]
    return overlay(layers, frame.width, frame.height)


def _straight_lines(
    rows: pd.DataFrame, frame: Frame, settings: Settings
) -> Iterator[tuple[str, Ends]]:
    (left, right), (bottom, top) = frame.x, frame.y
    low, high = max(left, bottom), min(right, top)
    if settings.get("diagonal") and low < high:
        yield "diagonal", (low, low, high, high)
    at = to_number(settings.get("vertical"))
    if not np.isnan(at):
        yield "vertical", (at, bottom, at, top)
    trend = trend_line(rows["x"].to_numpy(), rows["y"].to_numpy())
    if settings.get("trend") and trend:
        slope, height = trend
        start, end = rows["x"].min(), rows["x"].max()
        # Cut by hand where it leaves the frame: what Vega clips, it numbers again.
        crossings = [(edge - height) / slope for edge in frame.y] if slope else []
        low, high = min(crossings, default=start), max(crossings, default=end)
        start, end = max(start, low), min(end, high)
        yield "trend", (start, height + slope * start, end, height + slope * end)


def _line_mark(ends: Ends, kind: str) -> Spec:
    row = dict(zip(("x", "y", "x2", "y2"), map(float, ends), strict=True))
    dash = {"diagonal": [2, 4], "vertical": [4, 3]}.get(kind, [1, 0])
    rule = {"color": GREY, "strokeDash": dash, "opacity": 0.75}
    return mark("rule", [row], rule, x="x", y="y", x2="x2", y2="y2")


def _line_boxes(ends: Ends, frame: Frame) -> Iterator[Box]:
    (a, b), (c, d) = frame.pixels(*ends[:2]), frame.pixels(*ends[2:])
    for t in np.linspace(0, 1, DOTS):
        x, y = a + t * (c - a), b + t * (d - b)
        yield x - 1, y - 1, x + 1, y + 1


def _group_lines(rows: pd.DataFrame) -> list[Spec]:
    many = rows["group"].notna() & (rows["group"] != "")
    several = rows[many & rows["group"].duplicated(keep=False)]
    if several.empty:
        return []
    line = {"color": GREY, "strokeWidth": 1.4}
    dotted = {**line, "strokeDash": [2, 3], "strokeCap": "round"}
    ordered = several.sort_values(["group", "x", "y"])
    return [mark("line", ordered, dotted, x="x", y="y", detail="group")]


def _point_marks(rows: pd.DataFrame, frame: Frame, settings: Settings) -> list[Spec]:
    hue = series_colour(rows["series"])
    series = hue["scale"]["domain"]
    forms = [SHAPES[code % len(SHAPES)] for code in range(len(series))]
    shape = {**hue, "scale": {"domain": series, "range": forms}}
    point: dict[str, Any] = {"size": 62, "filled": True, "opacity": 1}
    line: Channel = hue
    if settings.get(SHADE):
        title, scale = plain_text(settings[SHADE], 40), {"domain": [0, 1]}
        bar = {"title": title, "gradientLength": 140}
        hue = {"field": SHADE, "type": "quantitative", "legend": bar}
        hue["scale"] = {**scale, "range": SHADES}
        point, line = {**point, "size": 110, "stroke": GREY}, {"value": GREY}
    rule = {"strokeWidth": 1.3, "opacity": 0.5}
    x = x_axis(settings.get("x_title", "x"), frame.x, "x")
    y = y_axis(settings.get("y_title", "y"), frame.y)
    return [
        mark("rule", rows, rule, x="x_low", y=y, x2="x_high", color=line),
        mark("rule", rows, rule, x=x, y="y_low", y2="y_high", color=line),
        mark("point", rows, point, x=x, y=y, color=hue, shape=shape),
    ]


def _correlation_text(
    rows: pd.DataFrame, frame: Frame, settings: Settings
) -> list[Spec]:
    row, words = {"text": _correlation(rows, settings)}, {"align": "right", "dy": -9}
    look = {**words, "color": GREY}
    end = {"value": frame.width}
    return [mark("text", [row], look, x=end, y=TOP, text="text")] if row["text"] else []


def _correlation(rows: pd.DataFrame, settings: Settings) -> str:
    """How surely the points go up or down together; empty where nobody asked."""
    units = settings.get("units")  # of how many benchmarks they are, where one says
    unit_count = units if isinstance(units, int) else None
    correlation = pearson(rows["x"].to_numpy(), rows["y"].to_numpy(), units=unit_count)
    is_asked = settings.get("trend") and correlation is not None
    return (
        f"Pearson r = {correlation}, n = {correlation.n}"
        if is_asked and correlation
        else ""
    )


def trend_remark(exhibit: Exhibit) -> str:
    """What belongs to the caption but is read off the table: how a trend holds."""
    if exhibit.kind != "scatter" or not {"x", "y"} <= {*exhibit.table.columns}:
        return ""
    rows = plot_columns(exhibit.table, [], ["x", "y"]).dropna()
    text = _correlation(rows, exhibit.settings)
    return f"{text}." if text else ""


def draw_map(rows: pd.DataFrame, settings: Settings) -> Spec:
    """The map of items, as far as one can draw it still."""
    total = len(rows)
    if total > MOST_MARKS:
        chosen = generator(0, "map").choice(total, MOST_MARKS, replace=False)
        rows = rows.iloc[np.sort(chosen)]
    heaviest = rows["weight"].max()
    share = rows["weight"].fillna(0.0).clip(lower=0.0) / (heaviest or 1.0)
    rows = rows.assign(size=(18 + 110 * share.fillna(0.0)).round())
    rows = rows.sort_values("size", kind="stable")
    title = plain_text(settings.get("weight_title") or "", 40)
    notes = [
        f"size: {title}" if title and heaviest > 0 else "",
        f"{len(rows):,} of {total:,} points" if len(rows) < total else "",
    ]
    text = [{"text": " · ".join(note for note in notes if note)}]
    height = HEIGHT + 80
    # Without numbers: where a projection puts things has no unit.
    bare = {"labels": False, "ticks": False, "grid": False}
    x, y = (
        axis(field, settings.get(f"{field}_title") or "", extent(rows[field]), **bare)
        for field in ("x", "y")
    )
    colour = series_colour(sorted({*rows["label"]}), "label")
    size = {"field": "size", "type": "quantitative", "scale": None, "legend": None}
    rounded, dot = rows.round({"x": 4, "y": 4}), {"opacity": 0.65, "aria": False}
    words = {"align": "right", "color": GREY, "dy": -8}
    corner: dict[str, Any] = {"x": {"value": WIDTH}, "y": {"value": height}}
    layers = [
        mark("circle", rounded, dot, x=x, y=y, color=colour, size=size),
        mark("text", text, words, **corner, text="text"),
    ]
    return overlay(layers, WIDTH, height)
