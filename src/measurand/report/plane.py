"""Figures over two axes: curves, histograms, and the map where no script runs."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

import altair as alt
import numpy as np
import pandas as pd

from measurand.core.seeds import generator
from measurand.report.charts import (
    COLOURS,
    GREY,
    INK,
    MOST_SERIES,
    Drawing,
    Settings,
    axis,
    drawn,
    marked,
)
from measurand.report.layout import extent, number, readable
from measurand.report.terminal import plain

WIDTH, HEIGHT = 560, 320
Shape = Literal["step-after", "linear"]
PANEL = 96  # the height of one histogram
MOST_MARKS = 3000  # more would make a figure of megabytes, one dot over another
MOST_STEPS = 2000  # points of one curve


def curve(table: pd.DataFrame, settings: Settings) -> Drawing | None:
    """A line or a staircase a series, with a band where there is one."""
    band = ["low", "high"] if {"low", "high"} <= {*table.columns} else []
    rows = readable(table, ["series"], ["x", "y", *band])
    rows = rows.dropna(subset=["x", "y"]).reindex(columns=["series", *PLACES])
    if rows.empty:
        return None
    rows = _thin(rows)
    vertical, horizontal = _lines(settings, "vertical"), _lines(settings, "horizontal")
    x = axis(
        settings.get("x_title", "x"), extent(rows["x"], *vertical.values(), pad=0), "x"
    )
    bounds = extent(rows[["y", "low", "high"]], *horizontal.values())
    y = upright(settings.get("y_title", "y"), bounds)
    shape: Shape = "step-after" if settings.get("step") else "linear"
    drawing, colour = drawn(rows), coloured(rows["series"])
    lines = drawing.mark_line(strokeWidth=2.2, interpolate=shape).encode(x, y, colour)
    layers = [
        drawing.mark_area(opacity=0.16, interpolate=shape).encode(
            x, alt.Y("low:Q"), colour, y2="high"
        ),
        lines,
        # A series of one point is a line that cannot be seen.
        drawn(rows[~rows["series"].duplicated(keep=False)])
        .mark_circle(size=42, opacity=1)
        .encode(x, y, colour),
    ]
    for name, at in vertical.items():
        layers += marked(at, name)
    for name, at in horizontal.items():
        layers += _level(at, name)
    return alt.layer(*layers).properties(width=WIDTH, height=HEIGHT)


def histogram(table: pd.DataFrame, settings: Settings) -> Drawing | None:
    """What share of each series falls in each bin, one panel under the other."""
    rows = readable(table, ["series"], ["value"]).dropna(subset=["value"])
    if rows.empty:
        return None
    wanted = number(settings.get("bins"))
    count = 30 if np.isnan(wanted) else int(np.clip(wanted, 1, 200))
    bounds = extent(rows["value"], pad=0, least=1e-9)
    names = list(dict.fromkeys(rows["series"]))[:MOST_SERIES]
    bins = pd.concat(
        [
            _bins(name, rows.loc[rows["series"] == name, "value"], count, bounds)
            for name in names
        ]
    )
    top = (0.0, 1.08 * float(bins["y"].max()))
    panel = (
        drawn(bins)
        .mark_rect(opacity=0.85, stroke="white", strokeWidth=0.6)
        .encode(
            axis(settings.get("x_title", "value"), bounds, "left"),
            upright("share", top, ticks=3, form="~%"),
            alt.Color("series:N", scale=_scale(names), legend=None),
            x2="right",
            y2=alt.datum(0),
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


def points(table: pd.DataFrame, settings: Settings) -> Drawing | None:
    """The map, as far as one can draw it still."""
    rows = readable(table, ["label"], ["x", "y", "weight"]).dropna(subset=["x", "y"])
    if rows.empty:
        return None
    whole = len(rows)
    if whole > MOST_MARKS:
        chosen = generator(0, "map").choice(whole, MOST_MARKS, replace=False)
        rows = rows.iloc[np.sort(chosen)]
    heaviest = rows["weight"].max()
    share = rows["weight"].fillna(0.0).clip(lower=0.0) / (heaviest or 1.0)
    rows["size"] = (18 + 110 * share.fillna(0.0)).round()
    rows = rows.sort_values("size", kind="stable")
    place = [
        alt.X("x:Q", **_bare(rows["x"], settings.get("x_title"))),
        alt.Y("y:Q", **_bare(rows["y"], settings.get("y_title"))),
    ]
    marks = drawn(rows.round({"x": 4, "y": 4})).mark_circle(opacity=0.65, aria=False)
    names = sorted({*rows["label"]})
    colour = coloured(names, "label")
    size = alt.Size("size:Q", scale=None, legend=None)
    title = plain(settings.get("weight_title") or "", 40)
    notes = [
        f"size: {title}" if title and heaviest > 0 else "",
        f"{len(rows):,} of {whole:,} points" if len(rows) < whole else "",
    ]
    text = " · ".join(note for note in notes if note)
    here = alt.Chart(alt.InlineData(values=[{"text": text}]))
    words = here.mark_text(align="right", color=GREY, dy=-8)
    return alt.layer(
        marks.encode(*place, colour, size),
        words.encode(x=alt.value(WIDTH), y=alt.value(HEIGHT + 80), text="text:N"),
    ).properties(width=WIDTH, height=HEIGHT + 80)


def coloured(series: Iterable[str], field: str = "series") -> alt.Color:
    """A colour for each name, and a legend where there are several."""
    names = list(dict.fromkeys(series))
    legend = alt.Legend(columns=4) if len(names) > 1 else None
    return alt.Color(f"{field}:N", scale=_scale(names), legend=legend)


def upright(
    title: object, bounds: tuple[float, float], ticks: int = 6, form: str = "~r"
) -> alt.Y:
    """The vertical axis over `bounds`."""
    scale = alt.Scale(domain=bounds, nice=False, zero=False)
    marks = alt.Axis(title=plain(title), tickCount=ticks, format=form)
    return alt.Y("y:Q", scale=scale, axis=marks)


def _bare(values: "pd.Series[float]", title: object) -> dict[str, Any]:
    """An axis without numbers: where a projection puts things has no unit."""
    scale = alt.Scale(domain=extent(values), nice=False, zero=False)
    name = plain(title or "")
    ticks = alt.Axis(title=name, labels=False, ticks=False, grid=False)
    return {"scale": scale, "axis": ticks}


PLACES = ["x", "y", "low", "high"]


def _scale(names: Sequence[str]) -> alt.Scale:
    hues = [COLOURS[code % len(COLOURS)] for code in range(len(names))]
    return alt.Scale(domain=list(names), range=hues)


def _lines(settings: Settings, which: str) -> dict[str, float]:
    given = settings.get(which)
    named = given if isinstance(given, Mapping) else {}
    found = {plain(name, 40): number(at) for name, at in named.items()}
    return {name: at for name, at in found.items() if not np.isnan(at)}


def _level(at: float, text: str) -> list[alt.Chart]:
    here = alt.Chart(alt.InlineData(values=[{"at": at, "text": text}]))
    words = here.mark_text(color=GREY, align="right", dy=-7, dx=-4)
    return [
        here.mark_rule(color=INK, strokeDash=[4, 3]).encode(y="at:Q"),
        words.encode(x=alt.value(WIDTH), y="at:Q", text="text:N"),
    ]


def _thin(rows: pd.DataFrame) -> pd.DataFrame:
    names = list(dict.fromkeys(rows["series"]))[:MOST_SERIES]
    parts: list[pd.DataFrame] = []
    for name in names:
        part = rows[rows["series"] == name].sort_values("x", kind="stable")
        wanted = np.linspace(0, len(part) - 1, min(len(part), MOST_STEPS))
        parts.append(part.iloc[wanted.round().astype(int)])
    return pd.concat(parts, ignore_index=True)


def _bins(
    name: str, values: "pd.Series[float]", count: int, bounds: tuple[float, float]
) -> pd.DataFrame:
    found, edges = np.histogram(values, count, bounds)
    head = f"{name} (n = {len(values):,}, mean {values.mean():z.3f})"
    share = found / len(values)
    bins = pd.DataFrame({"left": edges[:-1], "right": edges[1:], "y": share})
    return bins[found > 0].assign(series=name, head=head)
