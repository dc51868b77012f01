"""Every verdict is answered in plain words, with its cause, certainty and next step."""

import re
from dataclasses import replace

import pytest

from measurand.core.finding import Finding, Report, Verdict
from measurand.core.terms import load_terms
from measurand.report.answer import (
    answer_report,
    answer_reports,
    answer_split,
    worst_answer,
)
from tests.report.verdicts import NAMES, estimate, every_report, report_of

REPORTS = [*every_report()]
SYMBOLS = re.compile(r"[=<>±Δ%\[\]{}_≥≤×]")
STATISTICS = {name for name in load_terms()["statistic"] if "_" in name}


@pytest.mark.parametrize(
    "report", REPORTS, ids=lambda r: f"{r.audit}-{r.verdict.label}"
)
def test_an_answer_says_all_of_it_in_words(report):
    answer = answer_report(report)
    texts = [answer.question, answer.sentence, answer.cause, answer.certainty]
    texts += [answer.basis, *answer.steps]
    assert all(texts)
    for text in texts:
        assert not SYMBOLS.search(text)
        assert not STATISTICS & {*text.split()}
        assert text.endswith((".", "?"))
    assert re.search(r"\d+ of 100", answer.certainty)


@pytest.mark.parametrize(("audit", "label"), NAMES)
def test_an_answer_without_figures_still_answers(audit, label):
    bare = replace(report_of(audit, label), findings=(), exhibits=(), settings={})
    answer = answer_report(bare)
    assert answer.sentence
    assert answer.cause
    assert answer.certainty
    assert answer.steps


def test_an_audit_that_nobody_wrote_words_for_is_answered_by_its_reason():
    verdict = Verdict("odd", "", None, "three of five boats are odd")
    answer = answer_report(Report("mine", {"name": "b"}, verdict, (), {}))
    assert answer.question == "What does the mine audit say?"
    assert answer.cause == "Three of five boats are odd"


def test_what_would_decide_is_what_to_do_next():
    answer = answer_report(report_of("evidence", "undecided"))
    assert answer.steps[0] == "Give about 5,400 test items: so many would decide."


def test_a_split_that_shares_evidence_has_to_be_mended_first():
    report = report_of("evidence", "evidence-sensitive")
    seen = Finding("seen", "lookup", "article, nearly", estimate(0.92, n=1823))
    shared = replace(report, findings=(seen, *report.findings))
    split = answer_split([shared])
    assert split.tone.name == "fix"
    assert (
        split.sentence == "No: 92 of 100 test items share their article with training."
    )
    answers = answer_reports([shared, report_of("leakage", "leaks")])
    assert [a.audit for a in answers] == ["split", "leakage", "evidence"]
    assert worst_answer(answers) is answers[0]


def test_a_clean_split_says_so_only_where_somebody_looked():
    assert answer_split([report_of("evidence", "coupling")]).tone.name == "fine"
    assert answer_split([report_of("leakage", "leaks")]) is None


def test_length_is_named_where_length_explains_the_leak():
    report = report_of("leakage", "leaks")
    told = replace(report.verdict, reason="claim leaks, by its length alone (100 %)")
    answer = answer_report(replace(report, verdict=told))
    assert answer.cause == "Its length alone tells the label."
    assert "“never”" in answer_report(report).cause
