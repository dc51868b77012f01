import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from dataclasses import replace
from functools import cache

import numpy as np
import pandas as pd
import pytest

from measurand.core.errors import BadOption, MissingExtra, UnknownName
from measurand.core.finding import Exhibit
from measurand.report.figures import (
    KINDS,
    Figures,
    draw_for_paper,
    draw_svg,
    list_figures,
    to_inches,
)
from tests.report.conftest import ATTACKS, HUGE, READERS, realistic
from tests.report.gallery import planes


def words(svg):
    return [
        text.text
        for text in ET.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")
    ]


def exhibit(report, kind):
    names = [*READERS] if report.audit == "evidence" else [*ATTACKS, HUGE]
    shown = [*report.exhibits, *planes(names)]
    return next(found for found in shown if found.kind == kind)


@cache
def drawn(kind):
    """The figure of a realistic report, drawn once."""
    return draw_svg(exhibit(realistic(), kind))


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_is_drawn_and_names_its_readers(kind):
    svg = drawn(kind)
    # A heading may say more than the name.
    assert {"tfidf", "minilm", "bert"} <= {text.split(" ")[0] for text in words(svg)}


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_is_a_valid_chart(realistic, hostile, kind):
    for report in (realistic, hostile):
        shown = replace(report, exhibits=(exhibit(report, kind),))
        (chart,) = Figures(shown).values()
        assert chart.to_dict(validate=True)["config"]["background"] == "white"


@pytest.mark.parametrize("kind", KINDS)
def test_a_figure_is_the_same_twice(realistic, kind):
    assert draw_svg(exhibit(realistic, kind)) == drawn(kind)


@pytest.mark.parametrize("kind", KINDS)
def test_hostile_names_are_text_and_short(hostile, kind):
    svg = draw_svg(exhibit(hostile, kind))
    assert len(svg) < 100_000
    assert "<script" not in svg
    assert all(
        len(text or "") < 100 and "\x1b" not in (text or "") for text in words(svg)
    )


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_to_draw_is_no_figure(realistic, kind):
    whole = exhibit(realistic, kind)
    assert draw_svg(replace(whole, table=whole.table.iloc[:0])) is None
    assert draw_svg(replace(whole, table=pd.DataFrame({"other": [1]}))) is None
    numbers = whole.table.select_dtypes("number").columns
    assert (
        draw_svg(
            replace(whole, table=whole.table.assign(**dict.fromkeys(numbers, np.inf)))
        )
        is None
    )


def test_a_table_is_not_drawn():
    assert draw_svg(Exhibit("t", "table", pd.DataFrame({"a": [1]}), "")) is None


def test_a_reader_without_an_x_is_left_off_the_map(realistic):
    whole = exhibit(realistic, "decision_map")
    table = whole.table.copy()
    table.loc[0, "x"] = np.nan
    assert "tfidf" not in words(draw_svg(replace(whole, table=table)))


def test_the_map_names_its_regions_and_several_benchmarks(realistic):
    whole = exhibit(realistic, "decision_map")
    both = pd.concat([whole.table, whole.table.assign(benchmark="fever", y=0.2)])
    shown = words(draw_svg(replace(whole, table=both)))
    assert {"direct coupling", "latent coupling", "evidence-sensitive"} <= {*shown}
    assert {"snli · bert", "fever · tfidf"} <= {*shown}
    assert {"MPDS", "ΔEvi"} <= {*shown}


def test_many_shuffles_and_one_mark_for_all():
    rows = pd.DataFrame({"series": "tfidf", "value": np.linspace(0.4, 0.5, 20_000)})
    svg = draw_svg(Exhibit("s", "distribution", rows, "", {"marks": {"full": 0.81}}))
    assert "full 0.810" in words(svg)
    assert len(svg) < 200_000


def test_equal_values_can_be_drawn():
    rows = pd.DataFrame({"name": ["a"], "value": 0.0, "low": 0.0, "high": 0.0})
    assert words(draw_svg(Exhibit("i", "intervals", rows, "")))[-1].split() == [
        "0.000",
        "[0.000,",
        "0.000]",
    ]


def test_long_names_of_intervals_keep_both_ends():
    names = [f"encoder:/{'folder/' * 40}{end}" for end in ("one", "two")]
    rows = pd.DataFrame({"name": names, "value": 0.1, "low": 0.0, "high": 0.2})
    shown = [*filter(None, words(draw_svg(Exhibit("i", "intervals", rows, ""))))]
    ends = {text[-3:] for text in shown if text.startswith("encoder:/")}
    assert ends == {"one", "two"}


DRAWN = """
import json
import pandas as pd
from measurand.core.finding import Exhibit
from measurand.report.figures import draw_chart
rows = pd.DataFrame({"series": ["a"] * 9, "value": range(9)})
marks = {"marks": {"truth": 1, "full": 2, "prior": 3, "chance": 4, "a": 5}}
print(json.dumps(draw_chart(Exhibit("d", "distribution", rows, "", marks))))
"""


def test_a_figure_is_the_same_whatever_the_hash_seed():
    figures = {
        subprocess.check_output(
            [sys.executable, "-c", DRAWN], env={**os.environ, "PYTHONHASHSEED": seed}
        )
        for seed in "012"
    }
    assert len(figures) == 1


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


def test_altair_that_is_not_installed_is_one_clear_line(lean, monkeypatch):
    monkeypatch.setitem(sys.modules, "altair", None)
    with pytest.raises(MissingExtra, match=r"pip install 'measurand\[altair\]'"):
        Figures(lean)["decision-map"]
