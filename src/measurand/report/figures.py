"""The figure of an exhibit, as SVG and PNG, drawn offline."""

from typing import Any

import vl_convert

from measurand.core.finding import Exhibit
from measurand.report.charts import (
    FONT,
    GREY,
    INK,
    PALE,
    draw_bars,
    draw_distribution,
    draw_intervals,
)
from measurand.report.curves import draw_curve, draw_histogram, draw_points
from measurand.report.decision_map import MAP_NUMBERS, draw_decision_map
from measurand.report.map import POINTS
from measurand.report.scatter import draw_scatter

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
HOUSE = {
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


def draw_figure(exhibit: Exhibit) -> tuple[bytes, bytes] | None:
    """The exhibit as SVG and as PNG, or nothing where there is nothing to draw."""
    draw, needed = KINDS.get(exhibit.kind, (None, []))
    if draw is None or not {*needed} <= {*exhibit.table.columns}:
        return None
    chart = draw(exhibit.table, exhibit.settings)
    if chart is None:
        return None
    spec = {**chart.to_dict(), "config": HOUSE}
    svg = vl_convert.vegalite_to_svg(spec, allowed_base_urls=[])
    return svg.encode(), vl_convert.svg_to_png(svg, scale=2)
