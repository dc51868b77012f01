"""The figure of an exhibit: a chart, or SVG, drawn offline."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import vl_convert

from measurand.core.errors import StoreFailed
from measurand.core.finding import Exhibit, Report
from measurand.core.names import file_stems
from measurand.report.charts import (
    FONT,
    GREY,
    INK,
    PALE,
    draw_bars,
    draw_distribution,
    draw_intervals,
)
from measurand.report.curves import (
    MAP_NUMBERS,
    draw_curve,
    draw_decision_map,
    draw_histogram,
    draw_points,
)
from measurand.report.map import POINTS
from measurand.report.scatter import draw_scatter
from measurand.report.vega import Spec

if TYPE_CHECKING:
    from altair import FacetChart, LayerChart

try:
    import resource
except ImportError:  # Windows
    resource = None  # type: ignore[assignment]

ADDRESSES = (
    2**37
)  # bytes that the engine under vl-convert sets aside, with much to spare
# What each kind is drawn by, and the columns without which it cannot be.
KINDS: dict[str, tuple[Any, list[str]]] = {
    "decision_map": (draw_decision_map, ["benchmark", "reader", *MAP_NUMBERS]),
    "bars": (draw_bars, ["group", "bar", "value", "low", "high"]),
    "distribution": (draw_distribution, ["series", "value"]),
    "intervals": (draw_intervals, ["name", "value", "low", "high"]),
    "curve": (draw_curve, ["series", "x", "y"]),
    "histogram": (draw_histogram, ["series", "value"]),
    "scatter": (draw_scatter, ["name", "series", "x", "y"]),
    "map": (draw_points, POINTS),
}
HOUSE: dict[str, Any] = {
    "background": "white",
    "font": FONT,
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
        from altair import FacetChart, LayerChart

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


def draw_chart(exhibit: Exhibit) -> Spec | None:
    """What Vega-Lite draws of the exhibit; nothing where there is nothing to draw."""
    draw, needed = KINDS.get(exhibit.kind, (None, []))
    if draw is None or not {*needed} <= {*exhibit.table.columns}:
        return None
    spec: Spec | None = draw(exhibit.table, exhibit.settings)
    return spec


def draw_svg(exhibit: Exhibit) -> str | None:
    """The exhibit as SVG, or nothing where there is nothing to draw."""
    spec = draw_chart(exhibit)
    if spec is None:
        return None
    check_address_space()
    housed = {**spec, "config": HOUSE}
    svg: str = vl_convert.vegalite_to_svg(housed, allowed_base_urls=[])
    return svg


def check_address_space() -> None:
    """Raise where the engine that draws would end the process for want of addresses.

    It sets far more of them aside than it ever uses, and where it may not, it aborts.
    """
    if resource is None:
        return  # no such limit on this system
    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    if limit != resource.RLIM_INFINITY and limit < ADDRESSES:
        raise StoreFailed(
            f"figures cannot be drawn within {limit // 2**20:,} MiB of addresses; lift "
            "the limit with `ulimit -v unlimited`, or save no report: what was "
            "finished is kept"
        )
