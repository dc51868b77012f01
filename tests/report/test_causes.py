"""What is said of two reports names the figure that differs, its part and reader."""

from dataclasses import replace

import pytest

from measurand.compare.compare import compare
from measurand.core.finding import Finding
from measurand.report.answer import answer_report
from measurand.report.bars import changes_chart
from tests.report.verdicts import estimate, report_of


def compared(*differences):
    report = report_of("leakage", "leaks")
    both = compare([report, report])
    return replace(both, findings=differences)


def lower(statistic, condition="b − a, claim", value=-0.4):
    return Finding(statistic, "tfidf", condition, estimate(value), "lower")


def test_the_figure_that_differs_is_named_with_its_part_and_reader():
    answer = answer_report(compared(lower("over_majority_difference")))
    assert answer.certainty == (
        "Surely lower, of the claim, by word counts: how many more are right from one "
        "part alone than by guessing, between 38 and 42 of 100 fewer."
    )
    assert answer.cause == "1 figure differs for certain; it stands first."


@pytest.mark.parametrize(
    ("difference", "said"),
    [
        (lower("peco_difference"), "of the claim, by word counts: how far labels"),
        (lower("saturation_difference", "b − a, full"), "Surely lower, by word counts"),
        (lower("recovered_over_chance_difference"), ": recovered over chance."),
        (lower("mine_difference", "claim"), "Surely lower, by word counts: mine."),
    ],
)
def test_other_figures_are_named_too(difference, said):
    assert said in answer_report(compared(difference)).certainty


def test_several_figures_and_one_are_counted_as_such():
    one, other = lower("peco_difference"), lower("kappa_difference")
    assert answer_report(compared(one, other)).cause.endswith("they stand first.")
    assert changes_chart(compared(one)).title == "1 of 1 figure differs for certain"
    assert changes_chart(compared(one, other)).title.startswith(
        "2 of 2 figures differ "
    )
