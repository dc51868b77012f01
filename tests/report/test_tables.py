"""The table of parts is the first thing of terminal, page and Markdown."""

import math
from dataclasses import replace

import pandas as pd
import pytest

from measurand.arms.logged import models_exhibits
from measurand.arms.table import PartRow, exact_estimate, parts_exhibit
from measurand.core.clause import Name
from measurand.core.finding import Exhibit
from measurand.report.html import page, page_of_all
from measurand.report.markdown import brief_markdown, markdown
from measurand.report.parts_table import narrow_parts, parts_grid
from measurand.report.saved import load_report, save_report
from measurand.report.summary import WIDTH, summary, summary_of_all
from measurand.report.tables import exhibit_grid, grids
from tests.arms.test_logged import align, answers, guess, read
from tests.report.verdicts import estimate, report_of


def row(*names, **figures):
    part = tuple(Name("column", name) for name in names)
    return PartRow(part, "tfidf", 1 / 3, **figures)


def with_rows(report, *rows, baseline="majority class"):
    return replace(report, exhibits=(parts_exhibit(rows, baseline),))


def test_it_stands_before_the_question_in_terminal_page_and_markdown():
    report = report_of("leakage", "leaks")
    for text in (summary(report), markdown(report), brief_markdown([report], {})):
        table = text.index("majority class")
        assert table < text.lower().index("leaks")
        assert "20.0 (18.0 to 22.0)" in text
    html = page(report, {})
    assert html.index('id="table"') < html.index('class="answers')
    assert '<th scope="col">majority class</th>' in html


def test_it_is_shown_once():
    report = with_rows(report_of("leakage", "leaks"), row("a", over=estimate(0.2)))
    assert page(report, {}).count("20.0 (18.0 to 22.0)") == 1
    assert markdown(report).count("20.0 (18.0 to 22.0)") == 1


def test_logged_models_have_a_table_of_their_own_under_it():
    models, _ = models_exhibits(align(answers(guess=guess, read=read)), 0.02)
    report = report_of("evidence", "needed")
    report = replace(report, exhibits=(*report.exhibits, models))
    texts = (summary(report), markdown(report), brief_markdown([report], {}))
    for text in (*texts, page(report, {})):
        assert text.count("no evidence") == 1
        assert text.index("majority class") < text.index("no evidence")
    html = page(report, {})
    assert html.index('id="table2"') < html.index('class="answers')


def test_audits_of_one_benchmark_share_one_table():
    reports = [report_of("evidence", "needed"), report_of("leakage", "leaks")]
    grid = parts_grid(reports)
    assert [cells[0] for cells in grid.rows] == ["claim", "article"]
    article = dict(zip(grid.header, grid.rows[1], strict=True))
    assert article["gain"] == "9.0 (7.0 to 11.0)"
    assert article["over permuted"] == "20.0 (18.0 to 22.0)"
    assert summary_of_all(reports, {}).count("  loss if shuffled") == 1
    assert page_of_all(reports, {}, {}).count('id="table"') == 1


def test_a_model_and_its_figures_are_of_one_table():
    asked = row("a", accuracy=estimate(0.9))
    told = replace(row("a", accuracy=estimate(0.8), over=estimate(0.2)), reader="form")
    reports = [
        with_rows(report_of("evidence", "needed"), asked),
        with_rows(report_of("leakage", "leaks"), told),
    ]
    ((*cells,),) = parts_grid(reports).rows
    assert cells[1:3] == ["a surface-form baseline", "80.0 (78.0 to 82.0)"]


def test_a_column_that_nobody_asked_about_is_not_there():
    grid = parts_grid([with_rows(report_of("leakage", "leaks"), row("a", "b"))])
    assert grid.header == ("part", "model", "majority class")
    assert grid.rows == (("a + b", "TF-IDF + logistic regression", "33.3"),)


def test_a_bound_is_rounded_as_its_sentence_is():
    bound = exact_estimate(0.21802, 1200)
    report = with_rows(report_of("leakage", "leaks"), row("a", bound=bound))
    assert parts_grid([report]).rows[0][-1] == "21.9"


def test_choices_are_held_against_chance():
    report = with_rows(report_of("leakage", "leaks"), row("a"), baseline="chance")
    assert parts_grid([report]).header[-1] == "chance"


@pytest.mark.parametrize("columns", [60, 88, 200])
def test_a_terminal_has_as_many_columns_as_have_room(columns):
    figures = ("accuracy", "over", "bits", "gain", "loss", "bound")
    full = row("hypothesis", **dict.fromkeys(figures, estimate(0.1)), families=99.0)
    grid = narrow_parts([with_rows(report_of("leakage", "leaks"), full)], columns)
    assert ("families" in grid.header) == (columns == 200)
    assert ("accuracy" in grid.header) == (columns > 60)
    assert len(grid.header) == len(grid.rows[0])


@pytest.mark.parametrize(
    ("audit", "label"), [("leakage", "leaks"), ("evidence", "needed")]
)
def test_a_summary_with_eight_parts_fits_a_screen(audit, label):
    rows = [
        row(f"part_{n}", accuracy=estimate(0.5), over=estimate(0)) for n in range(8)
    ]
    lines = summary(with_rows(report_of(audit, label), *rows)).splitlines()
    assert len(lines) <= 25
    assert max(map(len, lines)) <= WIDTH


def test_a_saved_table_is_read_again(tmp_path):
    report = report_of("leakage", "leaks")
    again = load_report(save_report(report, tmp_path / "report", {}))
    assert parts_grid([again]) == parts_grid([report])
    assert summary(again) == summary(report)


def test_a_name_in_it_is_shown_and_does_nothing():
    bad = "<script>alert(1)</script>|\x1b[31m"
    report = with_rows(report_of("leakage", "leaks"), row(bad, over=estimate(0.1)))
    assert "<script>alert" not in page(report, {})
    assert "<script>" not in markdown(report)
    assert "\x1b" not in summary(report)


def test_cells_of_a_stranger_are_shown_as_far_as_they_are_figures():
    cells = {"part": [None, "a"], "reader": [3, ["x"]], "over": ["x", math.inf]}
    odd = Exhibit("parts", "parts", pd.DataFrame(cells), "", {"baseline": ["x"]})
    report = replace(report_of("leakage", "leaks"), exhibits=(odd,))
    assert "a" in [cells[0] for cells in parts_grid([report]).rows]
    assert page(report, {})
    lacking = Exhibit("parts", "parts", pd.DataFrame({"x": [1]}), "")
    assert parts_grid([replace(report, exhibits=(lacking,))]) is None
    empty = Exhibit("parts", "parts", pd.DataFrame(), "")
    assert parts_grid([replace(report, exhibits=(empty,))]) is None


def test_a_distribution_is_summed_up(realistic):
    grid = exhibit_grid(realistic.exhibits[2])
    assert grid.header[:4] == ("series", "count", "mean", "std")
    assert [row[:2] for row in grid.rows] == [
        ("tfidf", "20"),
        ("minilm", "20"),
        ("bert", "20"),
    ]


def test_telling_items_are_those_right_without_evidence(realistic):
    grid = next(g for g in grids(realistic) if g.title.startswith("Items"))
    wanted = realistic.items[realistic.items["measurand.without_evidence"]]
    assert [row[0] for row in grid.rows] == wanted.index[:20].tolist()
    assert grid.header == ("id", "premise", "hypothesis", "label")
    assert f"20 of {len(wanted)}" in grid.note
