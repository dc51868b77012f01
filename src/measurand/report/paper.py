"""Figures for papers: as wide as a column, with letters as large as a caption's."""

import re
from typing import Any

import vl_convert

from measurand.core.errors import BadOption, UnknownName, quote
from measurand.core.finding import Report
from measurand.report.figures import (
    HOUSE,
    KINDS,
    check_address_space,
    draw_chart,
    exhibits_by_stem,
)

FORMATS = ("svg", "pdf", "png")
UNITS = {"in": 1.0, "cm": 1 / 2.54, "mm": 1 / 25.4, "pt": 1 / 72, "px": 1 / 96}
LENGTH = re.compile(r"(\d+(?:\.\d+)?)\s*(in|cm|mm|pt|px)")
LEAST, MOST = 1.0, 40.0  # inches
DOTS = 300  # an inch of a PNG
POINT = 72  # to an inch
NARROW = 0.55  # of the width on a page: a column is narrower, with letters as large


def to_inches(width: str) -> float:
    """A width in inches.

    >>> to_inches("3.3in"), round(to_inches("84mm"), 2)
    (3.3, 3.31)
    """
    found = LENGTH.fullmatch(width.strip().lower())
    inches = float(found[1]) * UNITS[found[2]] if found else 0.0
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
    check_address_space()
    housed = {**_narrow(spec), "config": HOUSE | {"padding": 2}}
    svg = str(vl_convert.vegalite_to_svg(housed, allowed_base_urls=[]))
    scaled = _scale_svg(svg, inches)
    if to == "svg":
        return scaled.encode()
    if to == "pdf":
        return bytes(vl_convert.svg_to_pdf(scaled, scale=1.0))
    pixels = DOTS / POINT
    return bytes(vl_convert.svg_to_png(scaled, scale=pixels, ppi=POINT))


def _narrow(spec: dict[str, Any]) -> dict[str, Any]:
    """The same chart with a narrower plot, and what stands right of it moved along."""
    width = spec.get("width")
    if not isinstance(width, int | float):
        return spec
    moved: dict[str, Any] = _move_left(spec, width, width - round(NARROW * width))
    return {**moved, "width": round(NARROW * width)}


def _move_left(part: Any, beyond: float, by: float) -> Any:
    """Part of a chart with all that is placed right of the plot moved to the left."""
    if isinstance(part, list):
        return [_move_left(entry, beyond, by) for entry in part]
    if not isinstance(part, dict):
        return part
    moved = {key: _move_left(entry, beyond, by) for key, entry in part.items()}
    place = moved.get("x")
    if isinstance(place, dict):
        value = place.get("value")
        if isinstance(value, int | float) and value >= beyond:
            moved["x"] = {**place, "value": value - by}
    return moved


def _scale_svg(svg: str, inches: float) -> str:
    """The drawing in points, so many inches wide."""
    size = re.search(r'width="([\d.]+)" height="([\d.]+)"', svg)
    assert size is not None, "vl-convert states a size"  # noqa: S101
    width, height = float(size[1]), float(size[2])
    points = inches * POINT
    sized = f'width="{points:.2f}" height="{points / width * height:.2f}"'
    return svg.replace(size[0], sized, 1)
