"""Figures for papers: the width asked for, letters of a caption's size."""

import re

import pytest

from measurand.core.errors import BadOption, UnknownName
from measurand.report.paper import draw_for_paper, list_figures, to_inches


@pytest.mark.parametrize("name", ["decision-map", "ladder"])
def test_a_figure_is_as_wide_as_the_column_and_legible(realistic, name):
    svg = draw_for_paper(realistic, name, "svg", 3.3).decode()
    width, wide = re.search(r'width="([\d.]+)".*?viewBox="0 0 ([\d.]+)', svg).groups()
    assert float(width) == pytest.approx(3.3 * 72)
    sizes = [float(s) for s in re.findall(r'font-size="([\d.]+)px"', svg)]
    points = [size * float(width) / float(wide) for size in sizes]
    assert 6 <= min(points) <= max(points) <= 10


def test_each_format_is_what_it_says(realistic):
    starts = {"pdf": b"%PDF", "png": b"\x89PNG", "svg": b"<svg"}
    for to, start in starts.items():
        content = draw_for_paper(realistic, "decision-map", to, 3.3)
        assert content.startswith(start)
        # What draws PDF writes fonts in any order.
        if to != "pdf":
            assert content == draw_for_paper(realistic, "decision-map", to, 3.3)
    assert b"/MediaBox [0 0 237.6 " in draw_for_paper(
        realistic, "decision-map", "pdf", 3.3
    )


def test_names_formats_and_widths_that_are_none_are_errors(realistic):
    assert "ladder" in list_figures(realistic)
    with pytest.raises(UnknownName, match="did you mean 'ladder'"):
        draw_for_paper(realistic, "laddr", "pdf", 3.3)
    with pytest.raises(BadOption, match="svg, pdf, png"):
        draw_for_paper(realistic, "ladder", "jpg", 3.3)
    for width in ("wide", "3.3", "0.1in", "-2in", "1e3in"):
        with pytest.raises(BadOption, match="such as"):
            to_inches(width)
