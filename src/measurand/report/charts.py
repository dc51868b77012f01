"""Figures whose rows are named on the left and numbered on the right.

Every field is renamed to a plain name first: a benchmark may call a column `a.b[0]:Q`,
which altair and Vega would read as a path and a type.
"""

from collections.abc import Mapping
from typing import Any, Literal

import altair as alt
import numpy as np
import pandas as pd

from measurand.report.layout import extent, number, readable, squeezed, stacked
from measurand.report.terminal import plain

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


def bars(table: pd.DataFrame, settings: Settings) -> Drawing | None:
    """Grouped bars with whiskers, beside a reference that reads nothing."""
    rows = readable(table, ["group", "bar"], ["value", "low", "high"])
    rows = rows.dropna(subset=["value"])
    if rows.empty:
        return None
    codes = pd.factorize(rows["bar"])[0]
    rows["colour"] = [COLOURS[code % len(COLOURS)] for code in codes]
    rows, headers = stacked(rows.rename(columns={"bar": "text"}), "group")
    reference = number(settings.get("reference"))
    low, high = extent(0.0, rows[["value", "low", "high"]], reference, pad=0.02)
    x = axis(settings.get("x_title", "value"), (low if low < -0.05 else 0.0, high))
    layers = [
        drawn(rows)
        .mark_bar(size=13, opacity=0.85)
        .encode(x, x2=ZERO, y=ROW, color=COLOUR),
        drawn(rows)
        .mark_rule(strokeWidth=1.8, color=INK)
        .encode(x="low:Q", x2="high:Q", y=ROW),
    ]
    if not np.isnan(reference):
        text = f"{plain(settings.get('reference_label', ''), 30)} {reference:z.3f}"
        layers += marked(reference, text)
    return named(layers, rows, headers)


def intervals(table: pd.DataFrame, settings: Settings) -> Drawing | None:
    """Estimates and their intervals, one a row, over the band that counts as zero."""
    short = table.assign(name=[squeezed(name, NAMES) for name in table["name"]])
    rows = readable(short, ["group", "name", "decision"], ["value", "low", "high"])
    rows = rows.dropna(subset=["value"])
    if rows.empty:
        return None
    margin = number(settings.get("margin", 0.0))
    clear = (rows["low"] > margin) | (rows["high"] < -margin)
    rows["colour"] = np.where(clear, COLOURS[0], GREY)
    rows, headers = stacked(rows.rename(columns={"name": "text"}), "group")
    bounds = extent(rows[["value", "low", "high"]], -margin, margin)
    x = axis(settings.get("x_title", "estimate"), bounds)
    band = alt.Chart(alt.InlineData(values=[{"low": -margin, "high": margin}]))
    layers = [
        band.mark_rect(color=BAND).encode(x="low:Q", x2="high:Q"),
        *marked(0.0, f"± {margin:g}" if margin else ""),
        drawn(rows)
        .mark_rule(strokeWidth=2)
        .encode(x="low:Q", x2="high:Q", y=ROW, color=COLOUR),
        *(
            drawn(rows)
            .mark_tick(size=13, thickness=2, opacity=1)
            .encode(x=f"{end}:Q", y=ROW, color=COLOUR)
            # Caps, because a dot hides an interval that is narrower than itself.
            for end in ("low", "high")
        ),
        drawn(rows).mark_circle(size=48, opacity=1).encode(x, y=ROW, color=COLOUR),
    ]
    return named(layers, rows, headers)


def distribution(table: pd.DataFrame, settings: Settings) -> Drawing | None:
    """How often each value came out, a row a series, against the marks.

    A mark named like a series stands in its row; any other crosses them all.
    """
    rows = readable(table, ["series"], ["value"]).dropna(subset=["value"])
    if rows.empty:
        return None
    marks = {plain(name): number(at) for name, at in settings.get("marks", {}).items()}
    names = list(dict.fromkeys(rows["series"]))[:MOST_SERIES]
    values = {
        name: rows.loc[rows["series"] == name, "value"].to_numpy() for name in names
    }
    bounds = extent(*values.values(), *marks.values())
    bins = pd.concat(
        [_bins(values[name], bounds, row) for row, name in enumerate(names)]
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
        f"{plain(settings.get('mark_label', 'full'), 20)} {m:z.3f}"
        for m in centre["mark"]
    ]
    own = drawn(centre.dropna(subset=["mark"]))
    y = alt.Y("row:Q", axis=None, scale=alt.Scale(domain=[len(names) - 0.6, -0.75]))
    layers = [
        drawn(bins)
        .mark_rect(color=COLOURS[0], opacity=0.85)
        .encode(
            axis(settings.get("x_title", "value"), bounds, "left"),
            x2="right",
            y=y,
            y2="top",
        ),
        drawn(centre)
        .mark_rule(strokeWidth=2.5, color=INK, yOffset=6)
        .encode(x="low:Q", x2="high:Q", y=y),
        own.mark_tick(color=COLOURS[1], thickness=2.5, size=34, yOffset=-10).encode(
            x="mark:Q", y=y
        ),
        own.mark_text(color=COLOURS[1], dy=-42).encode(x="mark:Q", y=y, text="note:N"),
    ]
    for name in marks.keys() - set(names):
        layers += marked(marks[name], f"{name} {marks[name]:z.3f}")
    return alt.layer(*layers, *beside(centre, y)).properties(
        width=WIDTH, height=64 * len(names)
    )


def drawn(table: pd.DataFrame) -> alt.Chart:
    """A chart of the table's rows; inline values have no limit of 5,000."""
    cells = table.astype(object).where(table.notna(), None)
    names = [str(name) for name in table.columns]
    rows = [dict(zip(names, row, strict=True)) for row in cells.to_numpy().tolist()]
    return alt.Chart(alt.InlineData(values=rows))


def axis(title: object, bounds: tuple[float, float], field: str = "value") -> alt.X:
    """The horizontal axis over `bounds`."""
    scale = alt.Scale(domain=bounds, nice=False, zero=False)
    ticks = alt.Axis(title=plain(title), tickCount=6, format="~r", labelFlush=False)
    return alt.X(f"{field}:Q", scale=scale, axis=ticks)


def marked(at: float, text: str) -> list[alt.Chart]:
    """A vertical line and the words over it."""
    here = alt.Chart(alt.InlineData(values=[{"at": at, "text": text}]))
    line = here.mark_rule(color=INK, strokeDash=[4, 3]).encode(x="at:Q")
    words = here.mark_text(color=GREY, dy=-9).encode(x="at:Q", y=TOP, text="text:N")
    return [line, words]


def beside(rows: pd.DataFrame, y: alt.Y) -> list[alt.Chart]:
    """The names of the rows left of the plot and their numbers right of it."""
    left = drawn(rows).mark_text(align="right", dx=-10, limit=1.1 * NAMES)
    right = drawn(rows).mark_text(align="left", dx=10, color=GREY, limit=170)
    return [
        left.encode(x=alt.value(0), y=y, text="text:N"),
        right.encode(x=alt.value(WIDTH), y=y, text="numbers:N"),
    ]


def lettered(
    rows: pd.DataFrame, found: pd.DataFrame, x: str, y: str
) -> list[alt.Chart]:
    """The `text` of each row where `labelled` found a place, with a line back."""
    words = rows.iloc[found["point"]].reset_index(drop=True).join(found)
    leaders = drawn(words[words["far"].astype(bool)]).mark_rule(strokeWidth=0.8)
    return [
        leaders.encode(x=f"{x}:Q", y=f"{y}:Q", x2="at_x", y2="at_y", color=COLOUR),
        *(
            drawn(words[words["align"] == side])
            .mark_text(align=side)
            .encode(x="at_x:Q", y="at_y:Q", text="text:N", color=COLOUR)
            for side in SIDES
        ),
    ]


def named(
    layers: list[alt.Chart], rows: pd.DataFrame, headers: pd.DataFrame
) -> Drawing:
    """The layers with every row named, its numbers written out, groups headed."""
    rows = rows.assign(
        numbers=[_numbers(*row) for row in rows[["value", "low", "high"]].to_numpy()]
    )
    heads = drawn(headers).mark_text(
        align="right", dx=-10, fontWeight="bold", limit=1.1 * NAMES
    )
    heads = heads.encode(x=alt.value(0), y=ROW, text="text:N")
    height = 23 * (len(rows) + len(headers))
    return alt.layer(*layers, *beside(rows, ROW), heads).properties(
        width=WIDTH, height=height
    )


def _numbers(value: float, low: float, high: float) -> str:
    whisker = "" if np.isnan(low) or np.isnan(high) else f"  [{low:z.3f}, {high:z.3f}]"
    return f"{value:z.3f}{whisker}"


def _bins(
    values: "np.ndarray[Any, Any]", bounds: tuple[float, float], row: int
) -> pd.DataFrame:
    counts, edges = np.histogram(values, BINS, bounds)
    top = row - 0.5 * counts / counts.max()
    bins = pd.DataFrame(
        {"row": row, "left": edges[:-1], "right": edges[1:], "top": top}
    )
    return bins[counts > 0]


ZERO, TOP = alt.datum(0), alt.value(0)
