"""Figures over two axes: curves, histograms, and maps without a script.

The settings of a decision map say what the axes and the three regions are called: above
the margin, and within it to the left and to the right of a line.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

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
    Settings,
    label_marks,
    vertical_mark,
    x_axis,
)
from measurand.report.layout import (
    Box,
    Frame,
    extent,
    place_labels,
    plot_columns,
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

WIDTH, HEIGHT = 560, 320
DOT = {"size": 42, "opacity": 1}
PANEL = 96  # the height of one histogram
MOST_MARKS = 3000  # more would make a figure of megabytes, one dot over another
MOST_STEPS = 2000  # points of one curve


def draw_curve(table: pd.DataFrame, settings: Settings) -> Spec | None:
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
    shape = {"interpolate": "step-after" if settings.get("step") else "linear"}
    area, line = {"opacity": 0.16, **shape}, {"strokeWidth": 2.2, **shape}
    colour = _series_colour(rows["series"])
    single = rows[~rows["series"].duplicated(keep=False)]
    low, high = number("low"), end("high")
    layers = [
        draw_mark("area", rows, area, x=x, y=low, y2=high, color=colour),
        draw_mark("line", rows, line, x=x, y=y, color=colour),
        # A series of one point is a line that cannot be seen.
        draw_mark("circle", single, DOT, x=x, y=y, color=colour),
    ]
    for name, at in vertical.items():
        layers += vertical_mark(at, name)
    for name, at in horizontal.items():
        layers += _level_mark(at, name)
    return overlay(layers, WIDTH, HEIGHT)


def draw_histogram(table: pd.DataFrame, settings: Settings) -> Spec | None:
    """What share of each series falls in each bin, one panel under the other."""
    rows = plot_columns(table, ["series"], ["value"]).dropna(subset=["value"])
    if rows.empty:
        return None
    wanted = to_number(settings.get("bins"))
    count = 30 if np.isnan(wanted) else int(np.clip(wanted, 1, 200))
    bounds = extent(rows["value"], pad=0, least=1e-9)
    series = list(dict.fromkeys(rows["series"]))[:MOST_SERIES]
    bins = pd.concat(
        [
            _histogram_bins(
                name, rows.loc[rows["series"] == name, "value"], count, bounds
            )
            for name in series
        ]
    )
    top = (0.0, 1.08 * float(bins["y"].max()))
    panel = draw_mark(
        "rect",
        bins,
        {"opacity": 0.85, "stroke": "white", "strokeWidth": 0.6},
        x=x_axis(settings.get("x_title", "value"), bounds, "left"),
        y=y_axis("share", top, ticks=3, form="~%"),
        color=names("series", scale=_colour_scale(series), legend=None),
        x2=end("right"),
        y2={"datum": 0},
    )
    header = {
        "title": None,
        "labelAnchor": "start",
        "labelFontSize": 12.5,
        "labelColor": INK,
        "labelPadding": 4,
        "labelLimit": WIDTH,
    }
    return {
        "data": panel.pop("data"),
        "facet": names("head", header=header, sort=[*bins["head"].unique()]),
        "columns": 1,
        "spacing": 14,
        "spec": {**panel, "width": WIDTH, "height": PANEL},
    }


def draw_points(table: pd.DataFrame, settings: Settings) -> Spec | None:
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
    title = plain_text(settings.get("weight_title") or "", 40)
    notes = [
        f"size: {title}" if title and heaviest > 0 else "",
        f"{len(rows):,} of {total:,} points" if len(rows) < total else "",
    ]
    text = " · ".join(note for note in notes if note)
    height = HEIGHT + 80
    points = draw_mark(
        "circle",
        rows.round({"x": 4, "y": 4}),
        {"opacity": 0.65, "aria": False},
        x=_bare_axis("x", rows["x"], settings.get("x_title")),
        y=_bare_axis("y", rows["y"], settings.get("y_title")),
        color=_series_colour(sorted({*rows["label"]}), "label"),
        size=number("size", scale=None, legend=None),
    )
    words = draw_mark(
        "text",
        [{"text": text}],
        {"align": "right", "color": GREY, "dy": -8},
        x=constant(WIDTH),
        y=constant(height),
        text=names("text"),
    )
    return overlay([points, words], WIDTH, height)


def _series_colour(series: Iterable[str], field: str = "series") -> Channel:
    """A colour for each name, and a legend where there are several."""
    known = list(dict.fromkeys(series))
    legend = {"columns": 4} if len(known) > 1 else None
    return names(field, scale=_colour_scale(known), legend=legend)


def y_axis(
    title: object, bounds: tuple[float, float], ticks: int = 6, form: str = "~r"
) -> Channel:
    """The vertical axis over `bounds`."""
    return run_axis("y", title, bounds, tickCount=ticks, format=form)


def _bare_axis(field: str, values: "pd.Series[float]", title: object) -> Channel:
    """An axis without numbers: where a projection puts things has no unit."""
    bare = {"labels": False, "ticks": False, "grid": False}
    return run_axis(field, title or "", extent(values), **bare)


CURVE_NUMBERS = ["x", "y", "low", "high"]


def _colour_scale(series: Sequence[str]) -> dict[str, Any]:
    hues = [COLOURS[code % len(COLOURS)] for code in range(len(series))]
    return {"domain": list(series), "range": hues}


def _reference_lines(settings: Settings, which: str) -> dict[str, float]:
    chosen = settings.get(which)
    positions = chosen if isinstance(chosen, Mapping) else {}
    lines = {plain_text(name, 40): to_number(at) for name, at in positions.items()}
    return {name: at for name, at in lines.items() if not np.isnan(at)}


def _level_mark(at: float, text: str) -> list[Spec]:
    rows, y = [{"at": at, "text": text}], number("at")
    words = {"color": GREY, "align": "right", "dy": -7, "dx": -4}
    right = constant(WIDTH)
    return [
        draw_mark("rule", rows, {"color": INK, "strokeDash": [4, 3]}, y=y),
        draw_mark("text", rows, words, x=right, y=y, text=names("text")),
    ]


def _thin_curves(rows: pd.DataFrame) -> pd.DataFrame:
    series = list(dict.fromkeys(rows["series"]))[:MOST_SERIES]
    parts: list[pd.DataFrame] = []
    for name in series:
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


def draw_decision_map(table: pd.DataFrame, settings: Mapping[str, Any]) -> Spec | None:
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
    headings = dict(zip(regions, corners, strict=False))
    rows = _colour_rows(rows)
    name_boxes = [_name_box(frame, *heading) for heading in headings.items()]
    layers = [
        _region_areas(frame, margin, line, settings),
        *(_region_name(text, corner) for text, corner in headings.items()),
        *_crosses(rows),
        *_reader_labels(rows, frame, name_boxes),
    ]
    return overlay(layers, MAP_WIDTH, MAP_HEIGHT)


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
) -> Spec:
    (left, right), (_, top) = frame.x, frame.y
    regions = [
        {"x": left, "x2": right, "y": margin, "y2": top, "colour": ABOVE},
        {"x": left, "x2": line, "y": -margin, "y2": margin, "colour": BAND},
        {"x": line, "x2": right, "y": -margin, "y2": margin, "colour": RIGHT},
    ]
    return draw_mark(
        "rect",
        regions,
        {},
        x=_map_axis("x", frame.x, settings.get("x_title")),
        y=_map_axis("y", frame.y, settings.get("y_title")),
        x2=end("x2"),
        y2=end("y2"),
        color=COLOUR,
    )


def _map_axis(field: str, bounds: tuple[float, float], title: object) -> Channel:
    axis = {
        "title": plain_text(title or "", 80),
        "grid": False,
        "tickCount": 7,
        "format": "~r",
        "labelFlush": False,
    }
    domain = [float(bound) for bound in bounds]
    return number(field, scale={"domain": domain, "nice": False}, axis=axis)


def _region_name(text: str, corner: tuple[float, float]) -> Spec:
    row = {"x": float(corner[0]), "y": float(corner[1]), "text": text}
    italic = {
        "align": "left",
        "dx": DX,
        "dy": DY,
        "fontStyle": "italic",
        "color": GREY,
    }
    place = {"x": number("x"), "y": number("y")}
    return draw_mark("text", [row], italic, **place, text=names("text"))


def _name_box(frame: Frame, text: str, corner: tuple[float, float]) -> Box:
    right, down = frame.pixels(*corner)
    return frame.box(text, right + DX, down + DY, leftwards=False)


def _crosses(rows: pd.DataFrame) -> list[Spec]:
    rule = {"strokeWidth": 1.5, "opacity": 0.7}
    across = {"x": number("x_low"), "x2": end("x_high"), "y": number("y")}
    up = {"x": number("x"), "y": number("y_low"), "y2": end("y_high")}
    place = {"x": number("x"), "y": number("y")}
    return [
        draw_mark("rule", rows, rule, **across, color=COLOUR),
        draw_mark("rule", rows, rule, **up, color=COLOUR),
        draw_mark("circle", rows, DOT, **place, color=COLOUR),
    ]


def _reader_labels(
    rows: pd.DataFrame, frame: Frame, name_boxes: list[Box]
) -> list[Spec]:
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
