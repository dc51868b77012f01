"""The figure of an exhibit: its title, a chart, or a drawing made offline.

A page shows SVG; a paper gets SVG, PDF or PNG as wide as a column, with letters as
large as a caption's.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from measurand.core.arrays import to_number
from measurand.core.errors import (
    BadOption,
    MissingExtra,
    StoreFailed,
    UnknownName,
    quote,
)
from measurand.core.finding import Exhibit, Report
from measurand.core.names import file_stems
from measurand.report import charts, points
from measurand.report.charts import GREY, INK, PALE, Settings, Spec, plot_columns
from measurand.wording.terms import reader_words
from measurand.wording.text import plain_text

if TYPE_CHECKING:
    from altair import FacetChart, LayerChart

try:
    import resource
except ImportError:  # Windows
    resource = None  # type: ignore[assignment]

# Bytes that the engine under vl-convert sets aside, with much to spare.
ADDRESSES = 2**37
FORMATS = ("svg", "pdf", "png")
UNITS = {"in": 1.0, "cm": 1 / 2.54, "mm": 1 / 25.4, "pt": 1 / 72, "px": 1 / 96}
LENGTH = re.compile(r"(\d+(?:\.\d+)?)\s*(in|cm|mm|pt|px)")
LEAST, MOST = 1.0, 40.0  # inches
DOTS = 300  # an inch of a PNG
POINT = 72  # to an inch
NARROW = 0.55  # of the width on a page: a column is narrower, with letters as large
HOUSE: dict[str, Any] = {
    "background": "white",
    "font": "Helvetica Neue, Helvetica, Arial, Liberation Sans, sans-serif",
    "padding": 14,
    "view": {"stroke": None},
    "axis": {
        "labelColor": GREY,
        "labelFontSize": 12,
        "titleColor": INK,
        "titleFontSize": 13,
        "titleFontWeight": "normal",
        "titlePadding": 10,
        "gridColor": PALE,
        "domain": False,
        "tickColor": PALE,
    },
    "text": {"fontSize": 12.5, "color": INK},
    "legend": {
        "orient": "top",
        "title": None,
        "labelFontSize": 12.5,
        "labelColor": INK,
        "labelLimit": 170,
        "symbolOpacity": 1,
        "offset": 24,
    },
}


def _title_intervals(rows: pd.DataFrame, settings: Settings) -> str:
    """The row that stands furthest out, or that none does."""
    titled = settings.get("titled")  # the rows that decide, where some do not
    if isinstance(titled, list) and rows["name"].isin(titled).any():
        rows = rows[rows["name"].isin(titled)]
    margin = np.nan_to_num(to_number(settings.get("margin", 0.0)))
    clear = rows[(rows["low"] > margin) | (rows["high"] < -margin)]
    if clear.empty:
        return f"None of {len(rows)} is clearly beyond the margin"
    top = clear.loc[clear["value"].abs().idxmax()]
    name, group = reader_words(str(top["name"])), top["group"]
    where = f" ({reader_words(str(group))})" if isinstance(group, str) else ""
    most = f"{name}{where} most: {top['value']:.2f}"
    return f"{len(clear)} of {len(rows)} clear the margin, {most}"


def _title_bars(rows: pd.DataFrame, settings: Settings) -> str:
    """The highest bar."""
    top = rows.iloc[int(rows["value"].to_numpy().argmax())]
    who = reader_words(str(top["group"]))
    return f"Highest: {top['bar']} by {who}, {top['value']:.2f}"


def _title_decisions(rows: pd.DataFrame, settings: Settings) -> str:
    """Which reader loses most on wrong evidence."""
    top = rows.iloc[int(rows["y"].to_numpy().argmax())]
    most = f"{100 * top['y']:.0f} of 100 answers"
    return f"Most is lost on wrong evidence by {reader_words(top['reader'])}: {most}"


@dataclass(frozen=True)
class ExhibitKind:
    """A kind of figure.

    Attributes:
        draw: What draws it, of rows that have all their numbers, and settings.
        texts: The columns of names.
        numbers: The columns of numbers without which a row is left out.
        optional: Columns that a table may lack: of names, then of numbers.
        title: What it shows, in a sentence; None where its caption says it.
        shorten: How names become short and plain.
    """

    draw: Callable[[pd.DataFrame, Settings], Spec | None]
    texts: tuple[str, ...]
    numbers: tuple[str, ...]
    optional: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())
    title: Callable[[pd.DataFrame, Settings], str] | None = None
    shorten: Callable[[object], str] = plain_text

    def read_rows(
        self, table: pd.DataFrame, shorten: Callable[[object], str] = plain_text
    ) -> pd.DataFrame:
        """The rows of an exhibit that can be drawn; none where it lacks a column."""
        names, ends = self.optional
        columns = [*self.texts, *names, *self.numbers, *ends]
        if not {*self.texts, *self.numbers} <= {*table.columns}:
            return pd.DataFrame(columns=columns)
        numbers = [*self.numbers, *(end for end in ends if end in table)]
        rows = plot_columns(table, [*self.texts, *names], numbers, shorten)
        rows = rows.reindex(columns=columns).dropna(subset=[*self.numbers])
        return rows.reset_index(drop=True)


ENDS = ("low", "high")
KINDS = {
    "decision_map": ExhibitKind(
        points.draw_decision_map,
        ("benchmark", "reader"),
        ("x", "y"),
        ((), tuple(points.ENDS)),
        _title_decisions,
    ),
    "bars": ExhibitKind(
        charts.draw_bars, ("group", "bar"), ("value",), ((), ENDS), _title_bars
    ),
    "distribution": ExhibitKind(charts.draw_distribution, ("series",), ("value",)),
    "intervals": ExhibitKind(
        charts.draw_intervals,
        ("name",),
        ("value",),
        (("group",), ENDS),
        _title_intervals,
        charts.squeeze_text,
    ),
    "curve": ExhibitKind(charts.draw_curve, ("series",), ("x", "y"), ((), ENDS)),
    "histogram": ExhibitKind(charts.draw_histogram, ("series",), ("value",)),
    "scatter": ExhibitKind(
        points.draw_scatter,
        ("name", "series"),
        ("x", "y"),
        (("group",), (*points.ENDS, points.SHADE)),
    ),
    "map": ExhibitKind(points.draw_map, ("label",), ("x", "y"), ((), ("weight",))),
}


def figure_title(exhibit: Exhibit) -> str:
    """What the exhibit shows, in a sentence; else its caption."""
    kind, table = KINDS.get(exhibit.kind), exhibit.table
    title = ""
    if kind and kind.title and len(rows := kind.read_rows(table)):
        title = kind.title(rows, exhibit.settings)
    if exhibit.kind == "cards" and "biased" in table:
        count = int(table["biased"].astype(bool).sum())
        title = f"{count} of {len(table)} clusters have surely biased labels"
    return title or plain_text(exhibit.caption, 160).partition(";")[0]


def draw_chart(exhibit: Exhibit) -> Spec | None:
    """What Vega-Lite draws of the exhibit; nothing where there is nothing to draw."""
    kind = KINDS.get(exhibit.kind)
    if kind is None:
        return None
    rows = kind.read_rows(exhibit.table, kind.shorten)
    return kind.draw(rows, exhibit.settings) if len(rows) else None


def draw_svg(exhibit: Exhibit) -> str | None:
    """The exhibit as SVG, or nothing where there is nothing to draw."""
    spec = draw_chart(exhibit)
    return None if spec is None else _render_figure({**spec, "config": HOUSE})


def can_draw() -> bool:
    """Whether vl-convert, of the extra `figures`, is installed."""
    return find_spec("vl_convert") is not None


def draw_all(report: Report) -> dict[str, bytes]:
    """The SVG of each exhibit that can be drawn, by the names of the exhibits.

    None is drawn where vl-convert is not installed: pages then show the tables.
    """
    if not can_draw():
        return {}
    drawn = {exhibit.name: draw_svg(exhibit) for exhibit in report.exhibits}
    return {name: svg.encode() for name, svg in drawn.items() if svg is not None}


def _render_figure(spec: Spec) -> str:
    """The chart as SVG.

    The engine that draws sets far more addresses aside than it ever uses, and where it
    may not, it ends the process.
    """
    engine = _load_engine()
    if resource is not None:
        limit = resource.getrlimit(resource.RLIMIT_AS)[0]
        if limit != resource.RLIM_INFINITY and limit < ADDRESSES:
            raise StoreFailed(
                f"figures cannot be drawn within {limit // 2**20:,} MiB of addresses; "
                "lift the limit with `ulimit -v unlimited`, or save no report: what "
                "was finished is kept"
            )
    return str(engine.vegalite_to_svg(spec, allowed_base_urls=[]))


def _load_engine() -> ModuleType:
    """vl-convert: only here, so that who reads reports does not wait for it."""
    try:
        import vl_convert
    except ImportError as missing:
        raise MissingExtra("vl-convert, which draws figures,", "figures") from missing
    return vl_convert


def exhibits_by_stem(report: Report) -> dict[str, Exhibit]:
    """The exhibits by the names of their files."""
    stems = file_stems([exhibit.name for exhibit in report.exhibits])
    return dict(zip(stems, report.exhibits, strict=True))


class Figures(Mapping[str, "LayerChart | FacetChart"]):
    """The figures of a report by name, each drawn when it is first asked for."""

    def __init__(self, report: Report) -> None:
        self._exhibits = exhibits_by_stem(report)
        self._specs: dict[str, Spec | None] = {}

    def __getitem__(self, name: str) -> "LayerChart | FacetChart":
        """The chart called `name`."""
        spec = self._draw(name) if name in self._exhibits else None
        if spec is None:
            raise KeyError(f"no figure called {name!r}; there are {', '.join(self)}")
        # Only here, so that whoever writes a page of drawings does not wait for it.
        try:
            from altair import FacetChart, LayerChart
        except ImportError as missing:
            raise MissingExtra("altair", "altair") from missing
        kind = FacetChart if "facet" in spec else LayerChart
        return kind.from_dict({**spec, "config": HOUSE})

    def __iter__(self) -> Iterator[str]:
        """The names of all that can be drawn."""
        return (name for name in self._exhibits if self._draw(name) is not None)

    def __len__(self) -> int:
        """How many can be drawn."""
        return sum(1 for _ in self)

    def __repr__(self) -> str:
        """The names alone: drawing them all would be much to show."""
        return f"Figures({', '.join(self)})"

    def _draw(self, name: str) -> Spec | None:
        if name not in self._specs:
            self._specs[name] = draw_chart(self._exhibits[name])
        return self._specs[name]


def to_inches(width: str) -> float:
    """A width in inches.

    >>> to_inches("3.3in"), round(to_inches("84mm"), 2)
    (3.3, 3.31)
    """
    match = LENGTH.fullmatch(width.strip().lower())
    inches = float(match[1]) * UNITS[match[2]] if match else 0.0
    if not LEAST <= inches <= MOST:
        raise BadOption(
            f"`width` is {quote(width)}; give a length from 1in to 40in, such as "
            "3.3in, 84mm or 240pt"
        )
    return inches


def list_figures(report: Report) -> list[str]:
    """The names of all that can be drawn."""
    return [n for n, e in exhibits_by_stem(report).items() if e.kind in KINDS]


def draw_for_paper(report: Report, name: str, to: str, inches: float) -> bytes:
    """One figure as SVG, PDF or PNG, so many inches wide.

    A figure is drawn narrower than on a page, then scaled to the width: its letters
    come out in the size of a caption.
    """
    if to not in FORMATS:
        raise BadOption(f"`to` is {quote(to)}; give {', '.join(FORMATS)}")
    exhibits = exhibits_by_stem(report)
    spec = draw_chart(exhibits[name]) if name in exhibits else None
    if spec is None:
        raise UnknownName("figure", name, list_figures(report))
    svg = _render_figure({**_narrow(spec), "config": HOUSE | {"padding": 2}})
    size = re.search(r'width="([\d.]+)" height="([\d.]+)"', svg)
    assert size is not None, "vl-convert states a size"  # noqa: S101
    points = inches * POINT
    height = points / float(size[1]) * float(size[2])
    scaled = svg.replace(size[0], f'width="{points:.2f}" height="{height:.2f}"', 1)
    if to == "svg":
        return scaled.encode()
    engine = _load_engine()
    if to == "pdf":
        return bytes(engine.svg_to_pdf(scaled, scale=1.0))
    return bytes(engine.svg_to_png(scaled, scale=DOTS / POINT, ppi=POINT))


def _narrow(spec: Spec) -> Spec:
    """The same chart with a narrower plot, and what stands right of it moved along."""
    width = spec.get("width")
    if not isinstance(width, int | float):
        return spec
    narrow = round(NARROW * width)
    layers = []
    for layer in spec["layer"]:
        to, x = layer["encoding"], layer["encoding"].get("x", {})
        if x.get("value", 0) >= width:
            to = {**to, "x": {**x, "value": x["value"] - width + narrow}}
        layers.append({**layer, "encoding": to})
    return {**spec, "layer": layers, "width": narrow}


# Where a reader prefers dark, drawings exchange each colour for one that is as clear.
DARK = {  # by the colours that drawings are made with
    "white": "#1b2229",
    "#1f2933": "#e8ecf0",
    "#66727f": "#a9b4bf",
    "#e7ebef": "#36424e",
    "#fdebd3": "#362a0d",
    "#0072B2": "#56b4e9",
    "#D55E00": "#ff9350",
    "#00855F": "#2fc79a",
    "#AA3377": "#e587bd",
    "#8F6A00": "#e0b84c",
    "#5B5B5B": "#b4bcc5",
    "#4B3F91": "#a99cf0",
    "#f8d3c9": "#3d2015",
    "#eef6f3": "#12332a",
    "#ddd": "#36424e",
    "black": "#e8ecf0",
    "#000": "#e8ecf0",
}
RULES = "".join(
    f'[{what}="{light}"]{{{what}:{dark}}}'
    for light, dark in DARK.items()
    for what in ("fill", "stroke")
)
STYLE = f"<style>@media (prefers-color-scheme:dark){{{RULES}}}</style>".encode()


def follow_theme(svg: bytes) -> bytes:
    """The drawing with the style sheet right after its first tag.

    >>> follow_theme(b"<svg><g/></svg>").startswith(b"<svg><style>")
    True
    >>> follow_theme(b"<svg/>")
    b'<svg/>'
    """
    start, end, rest = svg.partition(b">")
    return start + end + STYLE + rest if rest else svg
