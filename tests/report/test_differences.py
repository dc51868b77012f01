"""What is said of two reports: both verdicts, and how much differs."""

from dataclasses import replace

import pytest

from measurand.compare.compare import compare
from measurand.core.finding import Finding
from measurand.report.answer import answer_report
from measurand.report.bars import changes_chart
from tests.report.verdicts import estimate, report_of


def compared(*differences):
    """A comparison of an audit that states differences as findings alone."""
    report = report_of("leakage", "leaks")
    both = compare([report, report])
    bare = tuple(e for e in both.exhibits if e.kind != "changes")
    return replace(both, findings=differences, exhibits=bare)


def lower(statistic, condition="b − a, claim", value=-0.4):
    return Finding(statistic, "tfidf", condition, estimate(value), "lower")


@pytest.mark.parametrize(
    ("difference", "said"),
    [
        (
            lower("peco_difference"),
            "Peco of `claim`, TF-IDF + logistic regression: difference −0.400 ",
        ),
        (
            lower("saturation_difference", "b − a, full"),
            "Saturation, TF-IDF + logistic regression: ",
        ),
        (
            lower("mine_difference", "claim"),
            "Mine of `claim`, TF-IDF + logistic regression: ",
        ),
        (
            lower("over_majority_difference"),
            "Leak of `claim` alone over the majority class, TF-IDF + logistic "
            "regression: difference −40.0 points (95 % CI −42.0 to −38.0, not paired).",
        ),
    ],
)
def test_a_comparison_without_a_table_names_its_surest_figure(difference, said):
    assert answer_report(compared(difference)).certainty.startswith(said)


def test_how_many_figures_differ_is_counted():
    one, other = lower("peco_difference"), lower("kappa_difference")
    unsure = replace(one, decision="undecided")
    cause = "2 of 3 figures differ for certain (95 % CI excludes 0)."
    assert answer_report(compared(one, unsure, other)).cause == cause
    chart = changes_chart(compared(one, unsure, other))
    assert chart.title == "2 of 3 figures differ for certain"
    assert [bar.tone for bar in chart.bars] == ["seen", "seen", ""]
    assert changes_chart(compared(unsure)).title.startswith("None of 1 figures")
