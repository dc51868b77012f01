from dataclasses import replace

import pandas as pd
import pytest

from measurand.compare.compare import compare
from measurand.core.errors import BadInput, BadOption
from measurand.report import saved
from measurand.report.html import page
from measurand.report.markdown import markdown
from measurand.report.summary import summary
from measurand.stats.paired import share_difference


def exhibits(report):
    return {exhibit.name: exhibit for exhibit in report.exhibits}


@pytest.fixture
def fever(realistic):
    other = realistic.items.set_axis([f"f{i}" for i in range(len(realistic.items))])
    about = {**realistic.benchmark, "name": "fever"}
    return replace(realistic, benchmark=about, items=other)


def test_benchmarks_and_readers_share_one_map(realistic, fever):
    found = compare([realistic, fever])
    table = exhibits(found)["map"].table
    assert table[["benchmark", "reader"]].drop_duplicates().shape == (6, 2)
    assert exhibits(found)["map"].settings["margin"] == 0.02
    assert exhibits(found)["decisions"].table["benchmark"].tolist() == ["snli", "fever"]
    assert "paired" not in exhibits(found)
    assert "paired differences" in found.not_run
    assert (found.audit, found.verdict.label) == ("compare", "compared")


def test_the_map_shows_the_plain_shuffle(realistic, fever):
    other = replace(realistic.findings[2], condition="within")
    changed = replace(realistic, findings=(other, *realistic.findings))
    table = exhibits(compare([changed, fever]))["map"].table
    assert len(table) == 6


def test_shared_items_give_exact_paired_differences(realistic):
    ids = [f"i{i}" for i in range(40)]
    one = pd.DataFrame({"measurand.correct:tfidf": [True] * 20 + [False] * 20}, ids)
    two = pd.DataFrame(
        {"measurand.correct:tfidf": [True] * 30 + [False] * 10}, ids
    ).iloc[::-1]
    found = compare([replace(realistic, items=one), replace(realistic, items=two)])
    row = exhibits(found)["paired"].table.iloc[0]
    assert row["value"] == 0.25
    assert (row["n"], row["gained"], row["lost"]) == (40, 10, 0)
    assert row["p"] == pytest.approx(2 * 0.5**10)
    stated = found.finding("accuracy_difference", "tfidf")
    assert stated.condition == "snli (2) − snli (1)"
    assert stated.decision == "differs"
    columns = (
        t["measurand.correct:tfidf"].sort_index().astype(float) for t in (two, one)
    )
    expected = share_difference(*columns)
    ends = stated.estimate.low, stated.estimate.high
    assert ends == pytest.approx((expected.low, expected.high), abs=1e-9)
    assert 0.1 < expected.low < expected.high < 0.42


def test_parts_that_stand_alone_are_paired_though_train_has_the_same_ids(realistic):
    """A leakage report keeps train and test rows, and answers of test rows alone."""
    ids = [*map(str, range(40))] * 2
    one, two = (
        pd.DataFrame(
            {
                "measurand.right:premise:encoder:x": [None] * 40
                + [1.0] * right
                + [0.0] * wrong,
                "measurand.pair_right:encoder:x": [None] * 40 + [1.0] * 40,
            },
            ids,
        )
        for right, wrong in ((10, 30), (20, 20))
    )
    found = compare([replace(realistic, items=one), replace(realistic, items=two)])
    told = {f.condition: f for f in found.findings if f.reader == "encoder:x"}
    assert told["premise: snli (2) − snli (1)"].estimate.value == 0.25
    assert told["pair: snli (2) − snli (1)"].decision == "the same"
    assert {one.estimate.n for one in told.values()} == {40}


def test_too_few_shared_items_are_not_compared(realistic):
    found = compare([realistic, replace(realistic, items=realistic.items.iloc[:19])])
    assert "paired" not in exhibits(found)


def test_a_comparison_is_a_report_like_any_other(realistic, fever, tmp_path):
    found = compare([realistic, fever, realistic])
    back = saved.load_report(saved.save_report(found, tmp_path, {}))
    assert saved.document(back) == saved.document(found)
    names = {p.stem for p in (tmp_path / "figures").glob("*.svg")}
    assert names == {"map", "effects", "paired", "differences-in-snli-2"}
    assert "comparison of snli (1), fever, snli (2)" in summary(found)
    assert "fever" in page(found, {})
    assert "fever" in markdown(found)


def test_what_cannot_be_compared_is_refused(realistic):
    with pytest.raises(BadOption, match="two reports or more"):
        compare([realistic])
    with pytest.raises(BadInput, match="evidence, leakage"):
        compare([realistic, replace(realistic, audit="leakage")])
    with pytest.raises(BadInput, match="one audit"):
        compare([replace(realistic, audit="compare")] * 2)


def test_reports_without_these_statistics_are_still_compared(realistic):
    bare = replace(realistic, findings=(), exhibits=(), items=pd.DataFrame())
    assert [e.name for e in compare([bare, bare]).exhibits] == ["decisions"]


def test_hostile_reports_are_compared(hostile, tmp_path):
    saved.save_report(compare([hostile, hostile]), tmp_path, {})
    assert "<script" not in (tmp_path / "report.html").read_text()
