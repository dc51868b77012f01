from dataclasses import replace

import numpy as np
import pytest

from measurand.compare.compare import compare
from measurand.core.estimate import Estimate
from measurand.core.finding import Finding
from measurand.report import saved
from measurand.report.html import page
from measurand.report.markdown import markdown
from tests.report.gallery import BAD, leaky

BENCHMARKS = ("snli", "mnli", "sick", "cad", "anli")


def several(**stated):
    """Reports whose PECO goes with what one part recovers, and whose NBA does not."""
    return [
        leaky(
            name,
            ("premise", "hypothesis") if name == "cad" else ("hypothesis",),
            accuracy=0.7 + 0.05 * i,
            recovered=0.5 + 0.1 * i,
            peco=1.0 + i,
            nba=0.5 + 0.1 * (i % 2),
            **stated,
        )
        for i, name in enumerate(BENCHMARKS)
    ]


def exhibits(report):
    return {exhibit.name: exhibit for exhibit in report.exhibits}


def test_every_benchmark_and_part_is_a_row():
    table = exhibits(compare(several()))["conditions"].table
    assert table["benchmark"].tolist() == ["snli", "mnli", "sick", "cad", "cad", "anli"]
    row = table.iloc[4]
    assert (row["condition"], row["reader"]) == ("hypothesis", "tfidf")
    assert (row["accuracy"], row["majority"]) == pytest.approx((0.85, 0.34))
    assert row["peco"] == pytest.approx(4.01)
    assert "peco_paper" not in table
    assert "reference_accuracy" not in table


def with_clusters(report, k):
    return replace(report, settings={**report.settings, "effective_k": k})


def test_scores_of_unlike_numbers_of_clusters_are_not_compared():
    first, second, *_ = several()
    unlike = compare([with_clusters(first, 20), with_clusters(second, 50)])
    table = exhibits(unlike)["conditions"].table
    assert "peco" not in table
    assert "recovered" in table
    assert "peco" not in exhibits(unlike)
    why = unlike.not_run["comparison of peco, peco_raw"]
    assert why.endswith("effective_k, which is not alike: snli 20, mnli 50")
    alike = compare([with_clusters(first, 50), with_clusters(second, 50)])
    assert "peco" in exhibits(alike)["conditions"].table
    unknown = compare([first, with_clusters(second, 50)])
    why = unknown.not_run["comparison of peco, peco_raw"]
    assert "snli not recorded" in why


def test_another_test_part_stands_beside_its_own_whole_items():
    first, second, *_ = several()
    stated = [
        replace(f, condition="hypothesis, part=mm")
        for f in first.findings
        if f.condition == "hypothesis"
    ]
    whole = Finding(
        "accuracy", "tfidf", "part=mm", Estimate(0.6, 0.5, 0.7, 0.95, 9, "")
    )
    both = replace(first, findings=(*first.findings, *stated, whole))
    table = exhibits(compare([both, second]))["conditions"].table
    rows = table[table["benchmark"] == "snli"].set_index("condition")["accuracy"]
    assert rows["hypothesis, part=mm"] == pytest.approx(0.6)
    assert rows["hypothesis"] == pytest.approx(0.7)


def test_pairs_of_statistics_are_plotted_and_correlated():
    found = compare(several())
    assert [e.name for e in found.exhibits if e.kind == "scatter"] == [
        "single_accuracy ~ accuracy",
        "nba ~ recovered",
        "tra_full ~ single_accuracy",
        "peco ~ recovered",
    ]
    table = exhibits(found)["peco ~ recovered"].table
    stated = found.finding("correlation", "tfidf", "peco ~ recovered")
    r = np.corrcoef(table["x"], table["y"])[0, 1]
    assert stated.estimate.value == pytest.approx(r)
    # Six points of five benchmarks: the two parts of one go together.
    assert (stated.estimate.n, stated.decision) == (5, "positive")
    assert found.finding("correlation", None, "nba ~ recovered").decision == "undecided"


def test_parts_of_one_benchmark_are_joined_where_asked():
    shown = exhibits(compare(several()))
    joined = shown["single_accuracy ~ accuracy"].table
    assert joined.loc[joined["name"] == "cad", "group"].tolist() == ["cad", "cad"]
    assert set(joined["series"]) == {"premise", "hypothesis"}
    assert joined["y_low"].tolist() == pytest.approx((joined["y"] - 0.02).tolist())
    assert set(shown["nba ~ recovered"].table["group"]) == {""}


def test_a_published_accuracy_is_one_point_a_benchmark():
    found = exhibits(compare(several(reference_accuracy=0.9)))
    table = found["reference_accuracy ~ accuracy"].table
    assert table["name"].tolist() == list(BENCHMARKS)
    assert found["conditions"].table["reference_accuracy"].eq(0.9).all()


def test_too_few_points_state_no_correlation():
    found = compare(several()[:4])
    assert not [f for f in found.findings if f.statistic == "correlation"]
    assert found.not_run["correlation peco ~ recovered"] == (
        "it takes 5 benchmarks that differ both ways; there are 4"
    )


def test_versions_of_one_benchmark_are_one_point_of_a_correlation():
    same = [replace(r, benchmark={**r.benchmark, "name": "snli"}) for r in several()]
    found = compare(same)
    assert not [f for f in found.findings if f.statistic == "correlation"]
    assert found.not_run["correlation peco ~ recovered"].endswith("there are 1")
    assert "Pearson" not in page(found, {})


def test_figures_show_the_reader_the_verdict_rests_on():
    one = leaky("snli", reader="minilm")
    weak = leaky("snli", reader="tfidf", peco=9.0).findings
    both = replace(one, findings=(*weak, *one.findings))
    found = exhibits(compare([both, leaky("mnli", reader="minilm")]))
    assert found["conditions"].table["reader"].tolist() == ["tfidf", "minilm", "minilm"]
    assert found["peco ~ recovered"].table["y"].tolist() == [2.8, 2.8]
    unsaid = replace(both, verdict=replace(one.verdict, stage=None))
    assert len(exhibits(compare([unsaid, one]))["peco ~ recovered"].table) == 2


def test_conditions_of_another_kind_are_no_rows():
    more = Finding(
        "peco", "tfidf", "hypothesis, k = 10", Estimate(1, 0, 2, 0.95, 9, "")
    )
    one = leaky("snli")
    found = compare([replace(one, findings=(*one.findings, more)), leaky("mnli")])
    assert (
        exhibits(found)["conditions"].table["condition"].tolist() == ["hypothesis"] * 2
    )


def test_statistics_without_a_value_are_left_out_of_figures():
    reports = [leaky("snli", peco=np.nan), leaky("mnli")]
    found = compare(reports)
    assert exhibits(found)["peco ~ recovered"].table["name"].tolist() == ["mnli"]
    assert exhibits(found)["conditions"].table["peco"].isna().tolist() == [True, False]


def test_reports_that_state_nothing_are_still_compared():
    bare = replace(leaky(), findings=())
    assert [e.name for e in compare([bare, bare]).exhibits] == ["decisions"]


@pytest.mark.slow
def test_a_comparison_of_leaks_is_a_report_like_any_other(tmp_path):
    found = compare(several(reference_accuracy=0.9, over_blank=0.26))
    back = saved.load_report(saved.save_report(found, tmp_path, {}))
    assert saved.document(back) == saved.document(found)
    names = {path.stem for path in (tmp_path / "figures").glob("*.svg")}
    assert {"peco-recovered", "single-accuracy-accuracy", "over-blank"} <= names
    assert "nba ~ recovered" in page(found, {})
    assert "| snli | tfidf | hypothesis |" in markdown(found)


@pytest.mark.slow
def test_hostile_benchmarks_are_compared(tmp_path):
    reports = [leaky(bad, (bad,), reader=bad, peco=i / 3) for i, bad in enumerate(BAD)]
    saved.save_report(compare(reports), tmp_path, {})
    assert "<script" not in (tmp_path / "report.html").read_text()
