"""The headline of a comparison is of the statistic that the verdict rests on."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from measurand.compare.compare import compare
from measurand.core.estimate import Estimate
from measurand.core.finding import Finding, Report, Verdict
from measurand.report.answer import answer_report
from measurand.report.differences import (
    CERTAIN,
    list_differences,
    reads_choices,
    say_difference,
)
from measurand.report.html import page
from measurand.report.markdown import brief_markdown
from measurand.report.saved import document, load_report, save_report
from measurand.report.summary import summary

ROLES = {"query": "claim", "evidence": "text", "label": "label"}
COUNT = 400


def estimate(value, half=0.04, n=COUNT):
    return Estimate(value, value - half, value + half, 0.95, n, "score interval")


def told(audit, label, *findings, roles=ROLES, **columns):
    """A report on the same items; findings are statistic, reader, place, value."""
    numbers = np.arange(COUNT)
    items = pd.DataFrame(
        {
            "claim": [f"claim {i}" for i in numbers],
            "text": [f"text {i}" for i in numbers],
            "label": ["yes", "no"] * (COUNT // 2),
            **{f"measurand.{name}": value for name, value in columns.items()},
        },
        [f"i{i}" for i in numbers],
    )
    return Report(
        audit,
        {"name": "boats", "roles": roles},
        Verdict(label, label, "tfidf", "because"),
        tuple(Finding(*f[:3], estimate(f[3]), *f[4:]) for f in findings),
        {},
        items=items,
    )


def first(count):
    """Answers of which so many are right, half of each label."""
    return (np.arange(COUNT) < count).astype(float)


def leakage(right, pair=360, label="leaks"):
    """A claim from which so many are right, beside all fields and the evidence."""
    return told(
        "leakage",
        label,
        ("majority", "majority", "full", 0.5),
        ("accuracy", "tfidf", "full", pair / COUNT),
        ("over_blank", "tfidf", "claim", right / COUNT - 0.5, label),
        ("single_accuracy", "tfidf", "claim", right / COUNT),
        ("over_blank", "tfidf", "text", 0.0),
        ("single_accuracy", "tfidf", "text", 0.5),
        **{"right:claim:tfidf": first(right), "right:text:tfidf": first(200)},
        **{"over:claim:tfidf": first(right) - 0.5, "over:text:tfidf": 0.0},
        **{"pair_right:tfidf": first(pair)},
    )


LEAK = (
    "Leak of `claim` alone over permuted labels, TF-IDF + logistic regression: "
    "14.0 to 2.0 points; difference −12.0 (95 % CI −"
)


def test_a_leak_is_named_and_not_the_accuracy_with_all_fields():
    """D3: all fields got surer by more, and stood in the headline."""
    both = compare([leakage(256, pair=300), leakage(208, pair=380)])
    certainty = answer_report(both).certainty
    assert certainty.startswith(LEAK)
    assert "not paired" not in certainty
    gap = both.finding("over_blank_difference", "tfidf").estimate
    assert gap.method.startswith("paired ")
    assert -0.16 < gap.low < -0.12 < gap.high < -0.085


def test_every_form_has_the_same_headline(tmp_path):
    both = compare([leakage(256), leakage(208)])
    back = load_report(save_report(both, tmp_path, {}))
    for text in (summary(back), page(back, {}), brief_markdown([back], {})):
        plain = text.replace("<wbr>", "").replace("&#96;", "`")
        assert "".join(LEAK.split()) in "".join(plain.split())
    assert document(back) == document(both)


def test_the_terminal_shows_old_and_new_values_beside_each_other():
    lines = summary(compare([leakage(256), leakage(208)])).splitlines()
    at = next(n for n, line in enumerate(lines) if "* not 0" in line)
    assert lines[at].split()[:7] == [
        "boats",
        "(2)",
        "less",
        "boats",
        "(1)",
        "old",
        "new",
    ]
    assert max(map(len, lines)) <= 88
    row = lines[at + 1].split()
    assert row[:5] == ["over_blank", "of", "claim", "(tfidf)", "14.0"]
    assert (row[5], row[6]) == ("2.0", "−12.0")
    assert 5 <= len(lines[at + 1 :]) <= 8


def test_evidence_is_headed_by_the_gain_of_the_deciding_reader():
    old, new = (
        told(
            "evidence",
            "needed",
            ("accuracy", "tfidf", "full", 0.9),
            ("gain", "cross", "pooled", 0.4),
            ("gain", "tfidf", "pooled", gain, "needed"),
            ("delta_evi", "tfidf", "pooled", gain - 0.05),
        )
        for gain in (0.3, 0.1)
    )
    said = (
        "Gain over the best model without the evidence, TF-IDF + logistic regression: "
        "30.0 to 10.0 points; difference −20.0 (95 % CI −28.0 to −12.0, not paired)."
    )
    both = compare([old, new])
    assert answer_report(both).certainty == said
    assert "gain of tfidf is lower by -0.200 [" in both.verdict.reason


def test_levels_that_are_not_alike_are_both_named():
    """A gain has 90 % intervals, for its margin; what shuffling costs has 95 %."""
    reports = []
    for value in (0.5, 0.2):
        loss = Finding("delta_evi", "tfidf", "pooled", estimate(value))
        gain = replace(
            loss, statistic="gain", estimate=replace(estimate(value), level=0.9)
        )
        reports.append(replace(told("evidence", "needed"), findings=(gain, loss)))
    text = summary(compare(reports))
    assert "difference (90 or 95 % CI; * not 0)" in text
    assert "differ for certain (90 or 95 % CI excludes 0)" in " ".join(text.split())


@pytest.mark.parametrize(
    ("audit", "finding", "said"),
    [
        (
            "exposure",
            ("bias", "all models", "m=50,n=200"),
            "from unlabeled test text (`m=50,n=200`), all models: 1.0 to 3.0 points; "
            "difference +2.0 (95 % CI +1.9 to +2.1, not paired).",
        ),
        (
            "explanations",
            ("varif", "tfidf", "given"),
            "VARIF of `given`, TF-IDF + logistic regression: 1.000 to 3.000; "
            "difference +2.000 (95 % CI",
        ),
    ],
)
def test_other_audits_are_headed_by_their_own(audit, finding, said):
    old, new = (
        told(audit, "inconclusive", ("boost", "tfidf", "x", 9.0), (*finding, value))
        for value in (1.0, 3.0)
    )
    assert said in answer_report(compare([old, new])).certainty


def choices(right, statistic, base):
    """Choices alone, of which so many are right, over what guessing reaches."""
    return told(
        "leakage",
        "leaks",
        ("chance", "chance", "full", 0.25),
        (statistic, "tfidf", "choices", right / COUNT - base, "leaks"),
        ("choices_only", "tfidf", "choices", right / COUNT),
        **{"right:choices:tfidf": first(right)},
        **{"over:choices:tfidf": first(right) - base},
    )


def test_choices_are_held_against_permuted_labels():
    both = compare([choices(right, "over_blank", 0.2) for right in (200, 140)])
    certainty = answer_report(both).certainty
    assert (
        "Leak of `choices` alone over permuted labels, TF-IDF + logistic regression: "
        "30.0 to 15.0" in certainty
    )
    assert "not paired" not in certainty


def test_choices_of_reports_without_permuted_labels_are_held_against_chance():
    both = compare([choices(right, "over_majority", 0.25) for right in (200, 100)])
    (row,) = (r for r in list_differences(both) if r.statistic == "over_majority")
    said = say_difference(row, chance=reads_choices(list_differences(both)))
    assert said.startswith("Leak of `choices` alone over chance, TF-IDF")


def test_a_blank_that_moved_is_taken_off_item_by_item():
    """The same answers are less of a leak where permuted labels reach more."""
    old, new = leakage(256), leakage(256)
    moved = np.where(np.arange(COUNT) < 40, 0.9, 0.5)
    new.items["measurand.over:claim:tfidf"] = first(256) - moved
    rows = [
        replace(f, estimate=estimate(0.64 - moved.mean()))
        if (f.statistic, f.condition) == ("over_blank", "claim")
        else f
        for f in new.findings
    ]
    new = replace(new, findings=tuple(rows))
    gap = compare([old, new]).finding("over_blank_difference", "tfidf").estimate
    assert gap.value == pytest.approx(0.5 - moved.mean())
    assert gap.method.startswith("paired ")


def test_what_differs_for_certain_stands_first_everywhere():
    """D4: correlations and undecided accuracies stood before."""
    both = compare([leakage(256), leakage(208)])
    decisions = [f.decision in CERTAIN for f in both.findings]
    assert decisions == sorted(decisions, reverse=True)
    assert any(decisions)
    (table,) = (e.table for e in both.exhibits if e.kind == "changes")
    assert table["decision"].isin(CERTAIN).is_monotonic_decreasing
    # Both reports are of one benchmark, which is one point.
    assert not [f for f in both.findings if f.statistic == "correlation"]


def test_fewer_than_six_units_are_never_certain():
    """All of five go one way by chance once in sixteen: 2 / 2**5."""
    for n, label in ((5, "compared"), (6, "worse")):
        old, new = (
            Report(
                "exposure",
                {"name": "boats"},
                Verdict("undecided", "", "paired differences", ""),
                (Finding("bias", "pca", "m=5,n=9", estimate(value, 0.1, n)),),
                {},
            )
            for value in (0.0, 3.0)
        )
        assert compare([old, new]).verdict.label == label
