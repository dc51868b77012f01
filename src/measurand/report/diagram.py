"""The decision map: metadata predictability against evidence sensitivity."""

from collections.abc import Mapping
from typing import Any, Literal

import altair as alt
import pandas as pd

from measurand.report.charts import BAND, COLOURS, GREY, Drawing, drawn, number
from measurand.report.layout import Box, Frame, extent, labelled, readable

MAP_NUMBERS = ["mpds", "mpds_low", "mpds_high", "delta", "delta_low", "delta_high"]
DIRECT, SENSITIVE = "#f8d3c9", "#eef6f3"
WIDTH, HEIGHT = 580, 400
X_TITLE = "MPDS: accuracy from metadata alone / accuracy of the reader"
Y_TITLE = "ΔEvi: accuracy lost on shuffled evidence"
SIDES: tuple[Literal["left", "right"], ...] = ("left", "right")


def decision_map(table: pd.DataFrame, settings: Mapping[str, Any]) -> Drawing | None:
    """Where each reader stands, with whiskers both ways; no MPDS, no place."""
    rows = readable(table, ["benchmark", "reader"], MAP_NUMBERS)
    rows = rows.dropna(subset=["mpds", "delta"]).reset_index(drop=True)
    if rows.empty:
        return None
    margin, direct = number(settings.get("margin")), number(settings.get("direct"))
    x = extent(rows[MAP_NUMBERS[:3]], direct - 0.4, direct + 0.2)
    low, high = extent(rows[MAP_NUMBERS[3:]], -margin, 6 * margin)
    # Room under the band for the names of its two regions.
    frame = Frame(WIDTH, HEIGHT, x, (min(low, -margin - 0.1 * (high + margin)), high))
    layers = [*_regions(frame, margin, direct), *_crosses(_coloured(rows), frame)]
    return alt.layer(*layers).properties(width=WIDTH, height=HEIGHT)


def _coloured(rows: pd.DataFrame) -> pd.DataFrame:
    several = rows["benchmark"].nunique() > 1
    benchmark, reader = (
        rows["benchmark"].str.slice(0, 20),
        rows["reader"].str.slice(0, 20),
    )
    codes = pd.factorize(rows["benchmark"] if several else rows["reader"])[0]
    return rows.assign(
        text=benchmark + " · " + reader if several else reader,
        colour=[COLOURS[code % len(COLOURS)] for code in codes],
    )


def _regions(frame: Frame, margin: float, direct: float) -> list[alt.Chart]:
    (left, right), (_, top) = frame.x, frame.y
    regions = [
        {"x": left, "x2": right, "y": margin, "y2": top, "fill": SENSITIVE},
        {"x": left, "x2": direct, "y": -margin, "y2": margin, "fill": BAND},
        {"x": direct, "x2": right, "y": -margin, "y2": margin, "fill": DIRECT},
    ]
    words = [
        (left, top, 16, "evidence-sensitive"),
        (left, -margin, 14, "latent coupling"),
        (direct, -margin, 14, "direct coupling"),
    ]
    area = alt.Chart(alt.InlineData(values=regions)).mark_rect()
    return [
        area.encode(
            alt.X("x:Q", title=X_TITLE, scale=alt.Scale(domain=frame.x, nice=False)),
            alt.Y("y:Q", title=Y_TITLE, scale=alt.Scale(domain=frame.y, nice=False)),
            x2="x2",
            y2="y2",
            color=alt.Color("fill:N", scale=None),
        ),
        *(_word(*word) for word in words),
    ]


def _word(x: float, y: float, below: int, text: str) -> alt.Chart:
    here = alt.Chart(alt.InlineData(values=[{"x": x, "y": y, "text": text}]))
    where = here.encode(x="x:Q", y="y:Q", text="text:N")
    return where.mark_text(align="left", dx=8, dy=below, color=GREY, fontStyle="italic")


def _crosses(rows: pd.DataFrame, frame: Frame) -> list[alt.Chart]:
    colour, points = alt.Color("colour:N", scale=None), drawn(rows)
    across = points.mark_rule(strokeWidth=1.5, opacity=0.7)
    along = points.mark_rule(strokeWidth=1.5, opacity=0.7)
    return [
        across.encode(x="mpds_low:Q", x2="mpds_high", y="delta:Q", color=colour),
        along.encode(x="mpds:Q", y="delta_low:Q", y2="delta_high", color=colour),
        *_labels(rows, frame),
        points.mark_circle(size=80, opacity=1).encode(
            x="mpds:Q", y="delta:Q", color=colour
        ),
    ]


def _labels(rows: pd.DataFrame, frame: Frame) -> list[alt.Chart]:
    places = list(zip(rows["mpds"], rows["delta"], strict=True))
    found = labelled(places, rows["text"].tolist(), frame, _whiskers(rows, frame))
    words = rows.iloc[found["point"]].reset_index(drop=True).join(found)
    colour = alt.Color("colour:N", scale=None)
    leader = drawn(words[words["far"].astype(bool)])
    return [
        leader.mark_rule(strokeWidth=0.7, opacity=0.6).encode(
            x="mpds:Q", y="delta:Q", x2="at_x", y2="at_y", color=colour
        ),
        *(
            drawn(words[words["align"] == side])
            .mark_text(align=side)
            .encode(x="at_x:Q", y="at_y:Q", text="text:N", color=colour)
            for side in SIDES
        ),
    ]


def _whiskers(rows: pd.DataFrame, frame: Frame) -> list[Box]:
    boxes = []
    for x, x1, x2, y, y1, y2 in rows[MAP_NUMBERS].to_numpy():
        left, middle = frame.pixels(x1, y)
        right, _ = frame.pixels(x2, y)
        across, top = frame.pixels(x, y2)
        _, bottom = frame.pixels(x, y1)
        boxes += [(left, middle - 1, right, middle + 1)]
        boxes += [(across - 1, top, across + 1, bottom)]
    return boxes
