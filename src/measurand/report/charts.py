"""Figures as Vega-Lite reads them: plain dictionaries, a layer for each kind of mark.

Altair's classes say the same, but to load them, build charts of them and turn those
into dictionaries took a fifth of the time of a small report. Every field is renamed to
a plain name first: a benchmark may call a column `a.b[0]`, which Vega would read as a
path.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from measurand.core.arrays import Floats, to_number
from measurand.wording.text import plain_text

Spec = dict[str, Any]
Channel = dict[str, Any]
Settings = Mapping[str, Any]

# Okabe and Ito's colours, which stay apart for colour-blind readers; the light ones are
# darkened, because labels are written in them.
COLOURS = ("#0072B2", "#D55E00", "#00855F", "#AA3377", "#8F6A00", "#5B5B5B", "#4B3F91")
INK, GREY, PALE, BAND = "#1f2933", "#66727f", "#e7ebef", "#fdebd3"
ROW_WIDTH = 380  # of a plot of rows; with names and numbers about 700 pixels
NAMES = 210  # what a name may take; wide letters take some more
WIDTH, HEIGHT = 560, 320  # of a plot over two axes
PANEL = 96  # the height of one histogram
LETTER = 6.4  # the mean width of a letter at the size of a label, in pixels
MOST_ROWS = 40  # beyond this a figure is a table
MOST_SERIES = 20
MOST_STEPS = 2000  # points of one curve
BINS = 90  # of a distribution
DOT = {"size": 42, "opacity": 1}

ROW: Channel = {"field": "row", "type": "ordinal", "axis": None}
COLOUR: Channel = {"field": "colour", "type": "nominal", "scale": None}
LEFT: Channel = {"value": 0}
TOP: Channel = {"value": 0}
SPREAD = ["value", "low", "high"]


def mark(
    kind: str,
    rows: pd.DataFrame | Sequence[Mapping[str, Any]],
    look: Mapping[str, Any],
    **channels: str | Channel,
) -> Spec:
    """One layer: a mark of some look for each row; a channel is a field or says more.

    What is called by its field alone is a number, but for words.
    """
    values = _records(rows) if isinstance(rows, pd.DataFrame) else [*rows]
    encoding = {
        name: _name_channel(name, to) if isinstance(to, str) else to
        for name, to in channels.items()
    }
    shape = {"type": kind, **look}
    return {"data": {"values": values}, "mark": shape, "encoding": encoding}


def _name_channel(name: str, field: str) -> Channel:
    if name in ("x2", "y2"):  # the end of what began on the same axis
        return {"field": field}
    is_word = name in ("text", "detail")
    return {"field": field, "type": "nominal" if is_word else "quantitative"}


def overlay(layers: Iterable[Spec], width: float, height: float) -> Spec:
    """The layers over each other, in a plot of some size."""
    return {"layer": [*layers], "width": width, "height": height}


def _records(table: pd.DataFrame) -> list[Mapping[str, Any]]:
    """The rows of a table, each cell by the name of its column; missing cells None."""
    # Column by column: to turn a whole table into objects takes pandas much longer.
    columns = []
    for number in range(table.shape[1]):
        column = table.iloc[:, number]
        cells, gone = column.tolist(), column.isna().tolist()
        columns.append([None if g else c for c, g in zip(cells, gone, strict=True)])
    heads = [str(name) for name in table.columns]
    return [dict(zip(heads, row, strict=True)) for row in zip(*columns, strict=True)]


def plot_columns(
    table: pd.DataFrame,
    texts: Sequence[str],
    numbers: Sequence[str],
    shorten: Callable[[object], str] = plain_text,
) -> pd.DataFrame:
    """These columns only: texts short and plain, numbers finite or missing."""
    columns: dict[str, object] = {
        name: [shorten(text) for text in table[name]] for name in texts if name in table
    }
    for name in numbers:
        values = pd.to_numeric(table[name], errors="coerce").astype(float)
        columns[name] = values.where(np.isfinite(values)).to_numpy()
    return pd.DataFrame(columns)


def squeeze_text(text: object, pixels: float = NAMES) -> str:
    """`text` cut in its middle to about so many pixels: names differ at their ends.

    >>> squeeze_text("encoder:/models/of/somebody/bert-base alone", 200)
    'encoder:/m…body/bert-base alone'
    """
    line, most = plain_text(text, 400), int(pixels / LETTER)
    if len(line) <= most:
        return line
    start = most // 3
    return f"{line[:start]}…{line[len(line) - (most - start - 1) :]}"


def extent(
    *values: object, pad: float = 0.05, least: float = 0.02
) -> tuple[float, float]:
    """A range that holds all values, a little wider than they are.

    >>> extent(0.0, [1.0, None], pad=0.1)
    (-0.1, 1.1)
    """
    numbers = np.concatenate([np.asarray(v, float).ravel() for v in values])
    low, high = float(np.nanmin(numbers)), float(np.nanmax(numbers))
    margin = max(pad * (high - low), least / 2)
    return low - margin, high + margin


def axis(
    field: str, title: object, bounds: tuple[float, float], **ticks: Any
) -> Channel:
    """A channel along an axis over `bounds`, as they are."""
    low, high = map(float, bounds)
    return {
        "field": field,
        "type": "quantitative",
        "scale": {"domain": [low, high], "nice": False, "zero": False},
        "axis": {"title": plain_text(title), **ticks},
    }


def x_axis(title: object, bounds: tuple[float, float], field: str = "value") -> Channel:
    """The horizontal axis over `bounds`."""
    return axis(field, title, bounds, tickCount=6, format="~r", labelFlush=False)


def y_axis(
    title: object, bounds: tuple[float, float], ticks: int = 6, form: str = "~r"
) -> Channel:
    """The vertical axis over `bounds`."""
    return axis("y", title, bounds, tickCount=ticks, format=form)


def list_hues(names: Iterable[str]) -> list[str]:
    """A colour for each name, the same for the same name."""
    codes = pd.factorize(np.array([*names], object))[0]
    return [COLOURS[code % len(COLOURS)] for code in codes]


def series_colour(series: Iterable[str], field: str = "series") -> Channel:
    """A colour for each name, and a legend where there are several."""
    names = list(dict.fromkeys(series))
    legend = {"columns": 4} if len(names) > 1 else None
    scale = {"domain": names, "range": list_hues(names)}
    return {"field": field, "type": "nominal", "scale": scale, "legend": legend}


def reference_line(at: float, text: str) -> list[Spec]:
    """A vertical line and the words over it."""
    rows, words = [{"at": float(at), "text": text}], {"color": GREY, "dy": -9}
    return [
        mark("rule", rows, {"color": INK, "strokeDash": [4, 3]}, x="at"),
        mark("text", rows, words, x="at", y=TOP, text="text"),
    ]


def _level_line(at: float, text: str) -> list[Spec]:
    """A horizontal line and the words over its end."""
    rows, words = [{"at": at, "text": text}], {"color": GREY, "align": "right"}
    end = {"value": WIDTH}
    return [
        mark("rule", rows, {"color": INK, "strokeDash": [4, 3]}, y="at"),
        mark("text", rows, {**words, "dy": -7, "dx": -4}, x=end, y="at", text="text"),
    ]


def _named_places(settings: Settings, which: str) -> dict[str, float]:
    """Where the lines stand that settings name."""
    chosen = settings.get(which)
    named = chosen.items() if isinstance(chosen, Mapping) else ()
    places = {plain_text(name): to_number(at) for name, at in named}
    return {name: at for name, at in places.items() if not np.isnan(at)}


def stack_rows(
    table: pd.DataFrame, group: str
) -> tuple[pd.DataFrame, list[dict[str, Any]]]:
    """The rows with a `row` number, and the headers that stand between groups."""
    table = table.head(MOST_ROWS)
    if table[group].nunique() < 2:
        return table.assign(row=range(len(table))), []
    headers: list[dict[str, Any]] = []
    parts, row = [], 0
    for name, rows in table.groupby(group, sort=False):
        headers.append({"row": row, "text": str(name)})
        parts.append(rows.assign(row=range(row + 1, row + 1 + len(rows))))
        row += len(rows) + 1
    return pd.concat(parts), headers


def _layer_rows(
    layers: list[Spec], rows: pd.DataFrame, headers: Sequence[Mapping[str, Any]]
) -> Spec:
    """The layers with every row named, its numbers written out, groups headed."""
    stated = [_interval_text(*row) for row in rows[SPREAD].to_numpy()]
    bold = {"align": "right", "dx": -10, "fontWeight": "bold", "limit": 1.1 * NAMES}
    heads = mark("text", headers, bold, x=LEFT, y=ROW, text="text")
    texts = _row_texts(rows.assign(numbers=stated), ROW)
    height = 23 * (len(rows) + len(headers))
    return overlay([*layers, *texts, heads], ROW_WIDTH, height)


def _interval_text(value: float, low: float, high: float) -> str:
    whisker = "" if np.isnan(low) or np.isnan(high) else f"  [{low:z.3f}, {high:z.3f}]"
    return f"{value:z.3f}{whisker}"


def _row_texts(rows: pd.DataFrame, y: Channel) -> list[Spec]:
    """The names of the rows left of the plot and their numbers right of it."""
    left = {"align": "right", "dx": -10, "limit": 1.1 * NAMES}
    right = {"align": "left", "dx": 10, "color": GREY, "limit": 170}
    end = {"value": ROW_WIDTH}
    return [
        mark("text", rows, left, x=LEFT, y=y, text="text"),
        mark("text", rows, right, x=end, y=y, text="numbers"),
    ]


def draw_bars(rows: pd.DataFrame, settings: Settings) -> Spec:
    """Grouped bars with whiskers, next to a reference that reads nothing."""
    rows = rows.assign(text=rows["bar"], colour=list_hues(rows["bar"]))
    rows, headers = stack_rows(rows, "group")
    reference = to_number(settings.get("reference"))
    low, high = extent(0.0, rows[SPREAD], reference, pad=0.02)
    x = x_axis(settings.get("x_title", "value"), (low if low < -0.05 else 0.0, high))
    bar, whisker = {"size": 13, "opacity": 0.85}, {"strokeWidth": 1.8, "color": INK}
    layers = [
        mark("bar", rows, bar, x=x, x2={"datum": 0}, y=ROW, color=COLOUR),
        mark("rule", rows, whisker, x="low", x2="high", y=ROW),
    ]
    if not np.isnan(reference):
        label = plain_text(settings.get("reference_label", ""), 30)
        layers += reference_line(reference, f"{label} {reference:z.3f}")
    return _layer_rows(layers, rows, headers)


def draw_intervals(rows: pd.DataFrame, settings: Settings) -> Spec:
    """Estimates and their intervals, one a row, over the band that counts as zero."""
    margin = to_number(settings.get("margin", 0.0))
    clear = (rows["low"] > margin) | (rows["high"] < -margin)
    rows = rows.assign(text=rows["name"], colour=np.where(clear, COLOURS[0], GREY))
    rows, headers = stack_rows(rows, "group")
    bounds = extent(rows[SPREAD], -margin, margin)
    x = x_axis(settings.get("x_title", "estimate"), bounds)
    band = [{"low": -margin, "high": margin}]
    cap = {"size": 13, "thickness": 2, "opacity": 1}
    look: dict[str, Channel] = {"y": ROW, "color": COLOUR}
    layers = [
        mark("rect", band, {"color": BAND}, x="low", x2="high"),
        *reference_line(0.0, f"± {margin:g}" if margin else ""),
        mark("rule", rows, {"strokeWidth": 2}, x="low", x2="high", **look),
        # Caps, because a dot hides an interval that is narrower than itself.
        mark("tick", rows, cap, x="low", **look),
        mark("tick", rows, cap, x="high", **look),
        mark("circle", rows, {"size": 48, "opacity": 1}, x=x, **look),
    ]
    return _layer_rows(layers, rows, headers)


def draw_distribution(rows: pd.DataFrame, settings: Settings) -> Spec:
    """How often each value came out, a row per series, against the marks.

    A mark named like a series stands in its row; any other crosses them all.
    """
    marks = _named_places(settings, "marks")
    label = plain_text(settings.get("mark_label", "full"), 20)
    values = _values_by_series(rows)
    bounds = extent(*values.values(), *marks.values())
    bins, centre = [], []
    for row, (name, column) in enumerate(values.items()):
        heights = _count_bins(column, BINS, bounds)
        bins.append(heights.assign(row=row, top=row - 0.5 * heights["share"]))
        at = marks.get(name, np.nan)
        numbers = f"mean {column.mean():z.3f}, K = {len(column):,}"
        low, high = np.quantile(column, [0.025, 0.975])
        words = {"text": name, "numbers": numbers, "note": f"{label} {at:z.3f}"}
        centre.append({"row": row, **words, "low": low, "high": high, "mark": at})
    spread = pd.DataFrame(centre)
    marked, tall = spread.dropna(subset=["mark"]), len(values)
    scale = {"domain": [tall - 0.6, -0.75]}
    y = {"field": "row", "type": "quantitative", "axis": None, "scale": scale}
    x = x_axis(settings.get("x_title", "value"), bounds, "left")
    hill, note = {"color": COLOURS[0], "opacity": 0.85}, {"color": COLOURS[1]}
    middle = {"strokeWidth": 2.5, "color": INK, "yOffset": 6}
    tick = {**note, "thickness": 2.5, "size": 34, "yOffset": -10}
    layers = [
        mark("rect", pd.concat(bins), hill, x=x, x2="right", y=y, y2="top"),
        mark("rule", spread, middle, x="low", x2="high", y=y),
        mark("tick", marked, tick, x="mark", y=y),
        mark("text", marked, {**note, "dy": -42}, x="mark", y=y, text="note"),
    ]
    for name, at in marks.items():
        if name not in values:
            layers += reference_line(at, f"{name} {at:z.3f}")
    return overlay([*layers, *_row_texts(spread, y)], ROW_WIDTH, 64 * tall)


def draw_curve(rows: pd.DataFrame, settings: Settings) -> Spec:
    """A line or a staircase a series, with a band where there is one."""
    parts = []
    for name in list(dict.fromkeys(rows["series"]))[:MOST_SERIES]:
        part = rows[rows["series"] == name].sort_values("x", kind="stable")
        places = np.linspace(0, len(part) - 1, min(len(part), MOST_STEPS)).round()
        parts.append(part.iloc[places.astype(int)])
    rows = pd.concat(parts, ignore_index=True)
    vertical, horizontal = (
        _named_places(settings, which) for which in ("vertical", "horizontal")
    )
    across = extent(rows["x"], *vertical.values(), pad=0)
    x = x_axis(settings.get("x_title", "x"), across, "x")
    up = extent(rows[["y", "low", "high"]], *horizontal.values())
    y = y_axis(settings.get("y_title", "y"), up)
    shape = {"interpolate": "step-after" if settings.get("step") else "linear"}
    area, line = {"opacity": 0.16, **shape}, {"strokeWidth": 2.2, **shape}
    colour = series_colour(rows["series"])
    single = rows[~rows["series"].duplicated(keep=False)]
    layers = [
        mark("area", rows, area, x=x, y="low", y2="high", color=colour),
        mark("line", rows, line, x=x, y=y, color=colour),
        # A series of one point is a line that cannot be seen.
        mark("circle", single, DOT, x=x, y=y, color=colour),
    ]
    for name, at in vertical.items():
        layers += reference_line(at, name)
    for name, at in horizontal.items():
        layers += _level_line(at, name)
    return overlay(layers, WIDTH, HEIGHT)


def draw_histogram(rows: pd.DataFrame, settings: Settings) -> Spec:
    """What share of each series falls in each bin, one panel under the other."""
    wanted = to_number(settings.get("bins"))
    count = 30 if np.isnan(wanted) else int(np.clip(wanted, 1, 200))
    bounds = extent(rows["value"], pad=0, least=1e-9)
    parts = []
    for name, values in _values_by_series(rows).items():
        head = f"{name} (n = {len(values):,}, mean {values.mean():z.3f})"
        part = _count_bins(values, count, bounds)
        share = part["count"] / len(values)
        parts.append(part.assign(y=share, series=name, head=head))
    bins = pd.concat(parts)
    x = x_axis(settings.get("x_title", "value"), bounds, "left")
    y = y_axis("share", (0.0, 1.08 * float(bins["y"].max())), ticks=3, form="~%")
    bar = {"opacity": 0.85, "stroke": "white", "strokeWidth": 0.6}
    colour = {**series_colour(bins["series"]), "legend": None}
    panel = mark("rect", bins, bar, x=x, y=y, color=colour, x2="right", y2={"datum": 0})
    words = {"labelFontSize": 12.5, "labelColor": INK, "labelPadding": 4}
    header = {"title": None, "labelAnchor": "start", **words, "labelLimit": WIDTH}
    heads = [*bins["head"].unique()]
    return {
        "data": panel.pop("data"),
        "facet": {"field": "head", "type": "nominal", "header": header, "sort": heads},
        "columns": 1,
        "spacing": 14,
        "spec": {**panel, "width": WIDTH, "height": PANEL},
    }


def _values_by_series(rows: pd.DataFrame) -> dict[str, Floats]:
    names = list(dict.fromkeys(rows["series"]))[:MOST_SERIES]
    return {n: rows.loc[rows["series"] == n, "value"].to_numpy() for n in names}


def _count_bins(
    values: Floats, count: int, bounds: tuple[float, float]
) -> pd.DataFrame:
    """The bins that hold a value: their ends, their counts and shares of the most."""
    counts, edges = np.histogram(values, count, bounds)
    ends = {"left": edges[:-1], "right": edges[1:], "count": counts}
    bins = pd.DataFrame({**ends, "share": counts / counts.max()})
    return bins[counts > 0]
