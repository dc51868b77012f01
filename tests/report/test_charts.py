import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from measurand.report.charts import (
    LETTER,
    axis,
    extent,
    mark,
    overlay,
    squeeze_text,
    stack_rows,
)
from measurand.wording.text import plain_text


def test_a_missing_cell_is_null_and_every_cell_is_of_python():
    table = pd.DataFrame({"x": [1.0, None], "n": [2, 3], "text": ["a", None]})
    rows = mark("point", table, {"size": 4}, x="x")["data"]["values"]
    assert rows == [{"x": 1.0, "n": 2, "text": "a"}, {"x": None, "n": 3, "text": None}]
    assert {type(row["n"]) for row in rows} == {int}


def test_a_table_without_rows_is_a_layer_without_marks():
    layer = mark("rule", pd.DataFrame({"x": []}), {}, x="x")
    assert overlay([layer], 10, 20)["layer"][0]["data"]["values"] == []


def test_an_axis_has_its_bounds_and_a_plain_title():
    across = axis("x", "a\x1b[31mb", (0, 1), tickCount=3)
    assert across["scale"]["domain"] == [0.0, 1.0]
    assert "\x1b" not in across["axis"]["title"]
    assert across["axis"]["tickCount"] == 3


@pytest.mark.slow
@given(st.text(max_size=60), st.integers(30, 300))
def test_a_squeezed_name_fits_and_a_short_one_stays(text, pixels):
    found, whole = squeeze_text(text, pixels), plain_text(text)
    assert len(found) <= max(pixels / LETTER, 1)
    assert found == whole or len(whole) > len(found)


def test_rows_of_a_group_stand_under_its_header():
    rows = pd.DataFrame({"group": ["a", "b", "a"], "text": ["1", "2", "3"]})
    placed, headers = stack_rows(rows, "group")
    assert headers == [{"row": 0, "text": "a"}, {"row": 3, "text": "b"}]
    assert dict(zip(placed["text"], placed["row"], strict=True)) == {
        "1": 1,
        "3": 2,
        "2": 4,
    }


def test_a_range_is_never_empty():
    low, high = extent([0.5, np.nan], 0.5)
    assert low < 0.5 < high
