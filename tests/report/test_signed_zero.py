"""A negative number that rounds to zero is shown as zero, and stored as it is."""

import re
from dataclasses import replace
from functools import partial

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from measurand.compare.compare import compare
from measurand.core.estimate import Estimate
from measurand.core.finding import Exhibit, Finding
from measurand.report.figures import draw_svg
from measurand.report.html import page
from measurand.report.markdown import markdown
from measurand.report.saved import document
from measurand.report.summary import summary
from measurand.report.tables import cell_text

SIGNED = re.compile(r"(?<![\w-])[-−]0(\.0*)?(?![\d.e])")
TINY = -0.0001
ROW = {"name": "a", "group": "g", "bar": "b", "value": TINY, "low": TINY, "high": -0.0}
DRAWN = {
    "intervals": {"margin": 0.02},
    "bars": {"reference": TINY},
    "distribution": {"marks": {"full": TINY, "a": TINY}},
    "histogram": {},
}


def tiny(kind):
    settings, table = DRAWN.get(kind, {}), pd.DataFrame([ROW]).assign(series="a")
    return Exhibit(kind, kind, table, "Nearly nothing", settings)


@pytest.fixture
def report(realistic):
    found = Finding("delta_evi", "a", "plain", Estimate(TINY, TINY, TINY, 0.95, 9, ""))
    shown = (tiny("intervals"), tiny("table"))
    return replace(realistic, findings=(found,), exhibits=shown, settings={"x": -0.0})


@pytest.mark.parametrize(
    "write", [partial(summary, verbose=True), markdown, lambda one: page(one, {})]
)
def test_no_text_puts_a_sign_before_zero(report, write):
    text = write(report)
    assert "0.000 [0.000, 0.000]" in text
    assert not SIGNED.search(text)


@pytest.mark.parametrize("kind", DRAWN)
def test_no_figure_puts_a_sign_before_zero(kind):
    svg = draw_svg(tiny(kind))
    assert "0.000" in svg
    assert not [text for text in re.findall(r">([^<]+)<", svg) if SIGNED.search(text)]


def test_reports_side_by_side_put_no_sign_before_zero(report):
    decided = next(e for e in compare([report] * 2).exhibits if e.name == "decisions")
    assert decided.table["delta_evi"].tolist() == ["a 0.000"] * 2


def test_what_is_stored_keeps_its_sign(report):
    stored = document(report)
    assert stored["findings"][0]["estimate"]["value"] == TINY
    assert stored["exhibits"][0]["rows"][0]["low"] == TINY


@given(st.floats(-1, 1), st.floats(0, 1))
def test_only_zero_loses_its_sign(value, half):
    shown = str(Estimate(value, value - half, value + half, 0.95, 9, ""))
    signs = [number.startswith("-") for number in re.findall(r"-?\d\.\d{3}", shown)]
    ends = (value, value - half, value + half)
    assert not SIGNED.search(shown)
    assert signs == [float(f"{number:.3f}") < 0 for number in ends]


def test_small_numbers_that_are_shown_whole_keep_their_sign():
    assert (cell_text(-0.0), cell_text(TINY), cell_text(np.float64(-0.0))) == (
        "0",
        "-0.0001",
        "0",
    )
