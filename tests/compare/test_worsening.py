"""What makes a later report worse than the first."""

from dataclasses import replace

import pandas as pd
import pytest

from measurand.compare.compare import compare
from measurand.core.estimate import Estimate
from measurand.core.finding import Finding, Verdict
from measurand.report.summary import summary


def stated(value, half, statistic, reader="tfidf", condition="claim"):
    estimate = Estimate(value, value - half, value + half, 0.95, 400, "score interval")
    return Finding(statistic, reader, condition, estimate)


@pytest.fixture
def report(realistic):
    def make(audit, label, *findings, name="boats", items=None):
        return replace(
            realistic,
            audit=audit,
            benchmark={"name": name},
            verdict=Verdict(label, label, "tfidf", "because"),
            findings=findings,
            exhibits=(),
            items=pd.DataFrame() if items is None else items,
        )

    return make


@pytest.mark.parametrize(
    ("before", "after", "label"),
    [
        ("none found", "leaks", "worse"),
        ("none found", "inconclusive", "worse"),
        ("inconclusive", "leaks", "worse"),
        ("leaks", "none found", "compared"),
        ("leaks", "inconclusive", "compared"),
        ("leaks", "leaks", "compared"),
    ],
)
def test_a_verdict_is_worse_by_its_tone(report, before, after, label):
    found = compare([report("leakage", before), report("leakage", after)])
    assert found.verdict.label == label
    if label == "worse":
        line = f"boats (2) is {after} where boats (1) is {before}"
        assert line in found.verdict.reason


@pytest.mark.parametrize(
    ("audit", "statistic", "change", "label"),
    [
        ("leakage", "over_blank", 0.2, "worse"),
        ("leakage", "over_blank", -0.2, "compared"),
        ("leakage", "over_blank", 0.05, "compared"),
        ("leakage", "over_majority", 0.2, "compared"),
        ("leakage", "nba", 0.2, "compared"),
        ("evidence", "gain", -0.2, "worse"),
        ("evidence", "gain", 0.2, "compared"),
        ("evidence", "delta_evi", -0.2, "worse"),
        ("evidence", "delta_evi", 0.2, "compared"),
        ("exposure", "bias", 0.2, "worse"),
    ],
)
def test_a_headline_is_worse_beyond_its_interval(
    report, audit, statistic, change, label
):
    condition = "pooled" if audit == "evidence" else "claim"
    reader = "all models" if audit == "exposure" else "tfidf"
    reports = [
        report(audit, "inconclusive", stated(v, 0.05, statistic, reader, condition))
        for v in (0.3, 0.3 + change)
    ]
    found = compare(reports)
    assert found.verdict.label == label
    if label == "worse":
        gap = found.finding(f"{statistic}_difference", reader).estimate
        assert (gap.value, gap.n) == (pytest.approx(change), 400)
        assert gap.low > 0 or gap.high < 0
        assert "Worse than before." in summary(found)


def test_readers_on_whom_no_verdict_rests_make_nothing_worse(report):
    reports = [
        report("leakage", "leaks", stated(v, 0.01, "over_blank", "lookup"))
        for v in (0.1, 0.5)
    ]
    assert compare(reports).verdict.label == "compared"


def test_a_part_that_tells_more_on_the_same_items_is_worse(report):
    ids = [f"i{i}" for i in range(40)]
    column = "measurand.over:claim:tfidf"
    few, many = (
        report(
            "leakage",
            "leaks",
            stated(n / 40 - 0.5, 0.3, "over_blank"),
            items=pd.DataFrame({column: [0.5] * n + [-0.5] * (40 - n)}, ids),
        )
        for n in (10, 30)
    )
    found = compare([few, many])
    assert found.verdict.label == "worse"
    assert "over_blank of tfidf is higher by 0.500 [" in found.verdict.reason
    assert found.verdict.reason.endswith("boats (2) − boats (1), claim")
    said = (
        "Leak of `claim` alone over permuted labels, TF-IDF + logistic regression: "
        "−25.0 to 25.0 points; difference +50.0 (95 % CI +"
    )
    text = " ".join(summary(found).split())
    assert said in text
    assert "not paired" not in text
    assert compare([many, few]).verdict.label == "compared"


def test_another_benchmark_is_not_worse(report):
    found = compare(
        [
            report("leakage", "none found"),
            report("leakage", "leaks", name="moon"),
        ]
    )
    assert found.verdict.label == "compared"
