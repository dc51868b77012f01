from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from measurand.core.finding import Exhibit
from measurand.report.figures import draw_svg
from measurand.report.html import page
from measurand.report.markdown import markdown
from measurand.report.points import Frame, place_labels
from measurand.report.tables import exhibit_grid
from measurand.stats.paired import pearson, trend_line
from tests.report.gallery import leaky, mapped, planes
from tests.report.test_figures import words

PLANES = {exhibit.kind: exhibit for exhibit in planes(["a", "b", "c"])}


def dots(x, y, **settings):
    names = [f"benchmark {i}" for i in range(len(x))]
    table = pd.DataFrame({"name": names, "series": "part", "x": x, "y": y})
    return Exhibit("dots", "scatter", table, "How they go", settings)


@pytest.mark.parametrize("kind", PLANES)
def test_one_row_is_drawn(kind):
    whole = PLANES[kind]
    assert draw_svg(replace(whole, table=whole.table.iloc[:1])) is not None


@pytest.mark.parametrize("kind", PLANES)
def test_rows_with_holes_are_drawn(kind):
    whole = PLANES[kind]
    table = whole.table.copy()
    for place, column in enumerate(table.select_dtypes("number").columns):
        table[column] = table[column].astype(float)
        table.loc[table.index[place :: len(table.columns)], column] = np.nan
    holed = replace(whole, table=table)
    assert draw_svg(holed) is not None
    page(leaky(exhibits=[holed]), {})
    markdown(leaky(exhibits=[holed]))


@pytest.mark.parametrize("kind", PLANES)
def test_settings_of_the_wrong_kind_are_ignored(kind):
    names = ["x_title", "y_title", "bins", "vertical", "horizontal", "cards", "heat"]
    for odd in (None, 3, "text", [1], {"a": "b"}):
        changed = replace(
            PLANES[kind], settings=dict.fromkeys([*names, "weight_title"], odd)
        )
        assert draw_svg(changed) is not None
        page(leaky(exhibits=[changed]), {})


def test_a_curve_names_its_lines():
    shown = words(draw_svg(PLANES["curve"]))
    assert {"a", "b", "c"} <= {*shown}
    assert shown.count("a") == 3  # the axis, the legend and the vertical line


@pytest.mark.slow
def test_long_curves_and_crowded_maps_stay_small():
    table = pd.DataFrame({"series": "s", "x": np.arange(1e5), "y": np.arange(1e5)})
    assert len(draw_svg(Exhibit("c", "curve", table, ""))) < 200_000
    crowd = draw_svg(mapped(9000))
    assert len(crowd) < 800_000
    assert "3,000 of 9,000 points" in words(crowd)


@pytest.mark.slow
def test_twenty_points_are_all_named():
    rng = np.random.default_rng(3)
    for _ in range(5):
        x = rng.uniform(0.5, 0.9, 20)
        y = 0.3 + 0.6 * x + rng.normal(0, 0.04, 20)
        shown = words(draw_svg(dots(x, y, trend=True, diagonal=True)))
        assert sum(text.startswith("benchmark") for text in shown) == 20


def test_a_trend_states_its_correlation():
    x = np.arange(8.0)
    found = dots(x, x + np.array([1, -1] * 4), trend=True)
    r = np.corrcoef(found.table["x"], found.table["y"])[0, 1]
    said = f"Pearson r = {r:.3f} ["
    assert any(text.startswith(said) for text in words(draw_svg(found)))
    assert f"How they go. {said}" in page(leaky(exhibits=[found]), {"dots": b"<svg/>"})
    assert said in markdown(leaky(exhibits=[found]))
    assert "Pearson" not in exhibit_grid(replace(found, settings={})).note


def test_an_interval_of_fisher():
    x = np.arange(30.0)
    y = x + np.random.default_rng(0).normal(0, 20, 30)
    found = pearson(x, y)
    half = 1.959964 / np.sqrt(27)
    assert np.arctanh(found.low) == pytest.approx(np.arctanh(found.value) - half)
    assert (found.n, found.level) == (30, 0.95)
    ends = pearson(x, -x)
    assert [ends.value, ends.low, ends.high] == pytest.approx([-1, -1, -1])


def test_an_interval_of_fisher_covers_as_often_as_it_says():
    rng = np.random.default_rng(0)
    pairs = rng.multivariate_normal([0, 0], [[1, 0.6], [0.6, 1]], (2000, 17))
    found = [pearson(pair[:, 0], pair[:, 1]) for pair in pairs]
    held = np.mean([e.low < 0.6 < e.high for e in found])
    assert 0.935 < held < 0.965


def test_what_has_no_trend_states_none():
    flat, x = np.ones(9), np.arange(9.0)
    assert pearson(x[:3], x[:3]) is None
    assert pearson(x, flat) is None
    assert pearson(flat, x) is None
    assert trend_line(flat, x) is None
    assert trend_line(x, 2 * x - 3) == pytest.approx((2, -3))
    for same in (dots(x, flat, trend=True), dots(flat, x, trend=True, diagonal=True)):
        assert draw_svg(same) is not None


def test_a_histogram_heads_each_series_with_its_size():
    heads = [text for text in words(draw_svg(PLANES["histogram"])) if "n = 20" in text]
    assert [head.split()[0] for head in heads] == ["a", "b", "c"]


def test_a_map_and_a_histogram_are_summed_up():
    grid = exhibit_grid(PLANES["map"])
    assert grid.header == ("label", "points", "share", "mean weight")
    assert [row[0] for row in grid.rows] == ["a", "b", "c"]
    assert exhibit_grid(PLANES["histogram"]).header[:2] == ("series", "count")


def test_a_long_curve_is_listed_from_end_to_end():
    table = pd.DataFrame({"series": "s", "x": np.arange(100.0), "y": 0.5})
    grid = exhibit_grid(Exhibit("c", "curve", table, ""))
    assert (grid.rows[0][1], grid.rows[-1][1], len(grid.rows)) == ("0", "99", 40)
    assert grid.note == "40 of 100 rows shown."


def test_a_table_shows_sixty_rows_and_scrolls():
    table = pd.DataFrame({f"column {i}": np.arange(60.0) for i in range(20)})
    shown = Exhibit("t", "table", table, "Sixty")
    grid = exhibit_grid(shown)
    assert (len(grid.rows), len(grid.header), grid.note) == (60, 20, "")
    text = page(leaky(exhibits=[shown]), {})
    assert '<div class="wide tall broad" role="region" tabindex="0"' in text


def test_a_table_is_shaded_by_its_numbers():
    table = pd.DataFrame({"k": [10, 25], "a": [0.0, 2.0], "b": [np.nan, 4.0]})
    shown = Exhibit("t", "table", table, "Heat", {"heat": ["a", "b"]})
    grid = exhibit_grid(shown)
    assert grid.shades == ((0, 0, 0), (0, 22, 45))
    assert 'style="--heat:45%">4' in page(leaky(exhibits=[shown]), {})
    for odd in (["k2"], None, "a", [["a"]]):
        assert exhibit_grid(replace(shown, settings={"heat": odd})).shades == ()
    empty = replace(shown, table=table.iloc[:0])
    assert exhibit_grid(empty).shades == ()
    missing = replace(shown, table=table.assign(a=np.nan, b=np.nan))
    assert exhibit_grid(missing).shades == ((0, 0, 0), (0, 0, 0))


def test_labels_do_not_collide_and_leave_no_frame():
    frame = Frame(300, 200, (0, 1), (0, 1))
    points = [(0.5, 0.5 + 0.001 * i) for i in range(60)]
    found = place_labels(points, [f"reader {i}" for i in range(60)], frame, [], [])
    assert 0 < len(found) < 60
    boxes = [
        frame.box("reader 10", *frame.pixels(row.at_x, row.at_y), row.align == "right")
        for row in found.itertuples()
    ]
    tops = sorted(box[1] for box in boxes)
    assert tops[0] >= 0
    assert max(box[3] for box in boxes) <= 200
