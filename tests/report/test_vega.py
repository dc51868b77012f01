import pandas as pd

from measurand.report.vega import draw_mark, number, overlay, run_axis


def test_a_missing_cell_is_null_and_every_cell_is_of_python():
    table = pd.DataFrame({"x": [1.0, None], "n": [2, 3], "text": ["a", None]})
    rows = draw_mark("point", table, {"size": 4}, x=number("x"))["data"]["values"]
    assert rows == [{"x": 1.0, "n": 2, "text": "a"}, {"x": None, "n": 3, "text": None}]
    assert {type(row["n"]) for row in rows} == {int}


def test_a_table_without_rows_is_a_layer_without_marks():
    layer = draw_mark("rule", pd.DataFrame({"x": []}), {}, x=number("x"))
    assert overlay([layer], 10, 20)["layer"][0]["data"]["values"] == []


def test_an_axis_has_its_bounds_and_a_plain_title():
    axis = run_axis("x", "a\x1b[31mb", (0, 1), tickCount=3)
    assert axis["scale"]["domain"] == [0.0, 1.0]
    assert "\x1b" not in axis["axis"]["title"]
    assert axis["axis"]["tickCount"] == 3
