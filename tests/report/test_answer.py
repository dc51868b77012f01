"""Every verdict is answered in plain words, with its cause, certainty and next step."""

import re
from dataclasses import replace

import pytest

from measurand.compare.compare import compare
from measurand.core.finding import Finding, Report, Verdict
from measurand.report.answer import (
    answer_report,
    answer_reports,
)
from measurand.wording.terms import load_terms
from tests.report.verdicts import FIELDS, NAMES, estimate, every_report, report_of

REPORTS = [*every_report()]
SYMBOLS = re.compile(r"[=<>±Δ\[\]{}_≥≤×]")
STATISTICS = {name for name in load_terms()["statistic"] if "_" in name}


@pytest.mark.parametrize(
    "report", REPORTS, ids=lambda r: f"{r.audit}-{r.verdict.label}"
)
def test_an_answer_says_all_of_it_in_words(report):
    answer = answer_report(report)
    texts = [answer.question, answer.sentence, answer.basis, *answer.steps]
    texts += [answer.bound] if answer.is_coded else [answer.cause, answer.certainty]
    assert all(texts)
    for text in [*texts, answer.cause or answer.question]:
        assert not SYMBOLS.search(text)
        assert not STATISTICS & {*text.split()}
        assert text.endswith((".", "?"))
    assert re.search(r"\d+ of 100|\d %|\d points", f"{answer.certainty}{answer.bound}")


@pytest.mark.parametrize(("audit", "label"), NAMES)
def test_an_answer_without_figures_still_answers(audit, label):
    bare = replace(report_of(audit, label), findings=(), exhibits=(), settings={})
    answer = answer_report(bare)
    assert answer.sentence
    assert answer.bound if answer.is_coded else answer.cause and answer.certainty
    assert answer.steps


def test_an_audit_that_nobody_wrote_words_for_is_answered_by_its_reason():
    verdict = Verdict("odd", "", None, "three of five boats are odd")
    answer = answer_report(Report("mine", {"name": "b"}, verdict, (), {}))
    assert answer.question == "What does the mine audit say?"
    assert answer.cause == "Three of five boats are odd"


def test_who_was_left_out_of_one_audit_is_named_where_it_is_read():
    late = report_of("evidence", "not needed")
    late = replace(late, not_run={"minilm": "12 h, past the budget of 10 min"})
    answers = answer_reports([report_of("leakage", "leaks"), late])
    assert answers[0].audit == "leakage"
    assert "MiniLM" in answers[0].basis
    assert answers[0].basis.count("MiniLM") == 1


def test_answers_that_were_drawn_are_said_to_be():
    report = report_of("evidence", "needed")
    roles = {**FIELDS, "answers": "answers (screened: the gold among up to 4 answers)"}
    drawn = replace(report, benchmark={**report.benchmark, "roles": roles})
    answer = answer_report(drawn)
    assert "wrong answers were drawn from other items" in answer.basis


def test_items_are_counted_and_not_choices_or_tokens():
    report = report_of("leakage", "leaks")
    peco = Finding("peco", "cross", "claim", estimate(9.0, n=4800))
    answer = answer_report(replace(report, findings=(*report.findings, peco)))
    assert "on 1,200 items" in answer.basis


@pytest.mark.parametrize("audit", ["evidence", "leakage"])
def test_items_of_another_test_part_are_not_what_a_verdict_rests_on(audit):
    report = report_of(audit, "inconclusive")
    larger = Finding("accuracy", "cross", "part=mm", estimate(0.7, n=4800))
    answer = answer_report(replace(report, findings=(*report.findings, larger)))
    assert "on 1,200 items" in answer.basis


def test_two_reports_on_explanations_have_the_tone_of_each():
    report = report_of("explanations", "leaky")
    compared = answer_report(compare([report, report]))
    assert compared.tone == answer_report(report).tone
    assert compared.tone.name == "leaks"


def test_a_reader_past_the_budget_is_named_with_what_lifts_it():
    report = report_of("leakage", "inconclusive")
    why = "50 trainings, about 12 h on this machine, past the budget of 10 min"
    late = {"minilm": why, "tra of claim by minilm": why}
    answer = answer_report(replace(report, not_run=late))
    assert "MiniLM was left out, past the budget" in answer.basis
    assert "left out" not in answer_report(report).basis


def test_a_verdict_by_codes_rests_on_all_models_asked_of_all_items():
    report = report_of("leakage", "leaks")
    more = [
        Finding("over_blank", name, "claim", estimate(0.01, n=4000))
        for name in ("pairs", "length", "tfidf")
    ]
    answer = answer_report(replace(report, findings=(*report.findings, *more)))
    assert answer.basis == (
        "3 models (TF-IDF + logistic regression, ordered word pairs + logistic "
        "regression and a length-only baseline) on 4,000 items."
    )
