"""Other columns that give the label away: told of, and never taken for a fault."""

from dataclasses import replace

import pytest

from measurand.audits.explanations.further import leaking_columns
from measurand.audits.explanations.verdict import verdict
from measurand.core.finding import Finding
from measurand.core.names import name_condition
from measurand.report.answer import answer_report
from measurand.wording.explanations import further_columns
from tests.audits.explanations.handmade import estimate, leak
from tests.audits.explanations.test_verdict import GOOD
from tests.report.verdicts import report_of

SURE = leak(0.995, 0.99, 1.0)
IN_BITS = leak(0.52, 0.5, 0.54, bits=(0.3, 0.2, 0.4))
ODD = (
    "why; leaky (form alone 1, by magic; x",
    "copying (edited)",
    "it's 'why' alone gives 1 of the labels; x",
    "judged by its first column, S 0.4 [0.3, 0.5] may be",
    "why 2\n",
)


def answer(leaks, **changes):
    """The reason and the answer where these columns beside the first surely leak."""
    decided = verdict([replace(GOOD, further=leaking_columns(leaks, leaks), **changes)])
    report = report_of("explanations", decided.label)
    found = [
        Finding(
            statistic,
            "surface",
            f"given, {name_condition(column)}",
            figure,
            one.decision,
        )
        for column, one in leaks.items()
        for statistic, figure in (("form_only", one.accuracy), ("form_bits", one.bits))
    ]
    report = replace(report, verdict=decided, findings=(*report.findings, *found))
    return decided.reason, answer_report(report)


def test_where_only_another_column_leaks_the_page_says_so_and_what_to_do():
    reason, told = answer({"why_2": SURE})
    assert reason.startswith("given: judged by its first column, why_2 alone gives")
    assert told.sentence == (
        "Not all of them: those of why_2 give the label away by themselves."
    )
    assert told.cause.startswith("The first column was judged, and nothing fails")
    assert told.certainty == "Labels right from why_2 alone: between 99 and 100 of 100."
    assert told.steps[0] == "Name why_2 first to have it judged."
    assert told.tone.word == "Leaks"


def test_a_column_whose_name_reads_as_a_part_is_quoted_by_its_figure():
    _, told = answer({"part=why": SURE})
    assert told.certainty.startswith("Labels right from part=why alone: between 99")


def test_another_column_that_leaks_in_bits_is_quoted_in_bits():
    _, told = answer({"why_2": IN_BITS, "why_3": SURE})
    assert told.certainty == (
        "What why_2 alone tells of a label: between 0.20 and 0.40 bits."
    )


def test_without_a_frontier_the_other_column_is_told_of_all_the_same():
    _, told = answer({"why_2": SURE, "why_3": SURE}, robustness=None, chance=None)
    assert "those of why_2 and why_3 give the label away" in told.sentence


def test_beside_a_doubt_of_the_first_column_that_comes_first():
    _, told = answer({"why_2": SURE}, specificity=estimate(0.5, 0.4, 0.6))
    assert told.sentence == "Not yet: a figure is too near its limit."
    assert told.certainty.startswith("Beyond chance, they fit their own item")
    assert "Name why_2 first to have it judged." in told.steps


@pytest.mark.parametrize("column", ODD)
@pytest.mark.parametrize("fault", ["unspecific", "outdone", ""])
def test_no_name_of_a_column_is_taken_for_a_fault(column, fault):
    changes = {
        "unspecific": {"specificity": estimate(0.1, 0.05, 0.15)},
        "outdone": {"chance": 0.0, "better": ("tfidf-1",)},
        "": {},
    }[fault]
    reason, told = answer({column: SURE, "why_3": SURE}, **changes)
    _, plain = answer({"why_2": SURE, "why_3": SURE}, **changes)
    assert [*further_columns(reason)] == [column, "why_3"]
    assert told.cause == plain.cause
    if fault:
        assert told.sentence == plain.sentence
        assert told.certainty == plain.certainty


def test_bits_of_another_column_are_not_told_of_the_first():
    words = {"alone": SURE, "residual": SURE}
    _, told = answer({"why_2": IN_BITS}, **words)
    assert told.certainty.startswith("Labels right from the explanation alone: ")
