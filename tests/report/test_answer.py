"""Every verdict is answered in plain words, with its cause, certainty and next step."""

import re
from dataclasses import replace

import pytest

from measurand.compare.compare import compare
from measurand.core.finding import Finding, Report, Verdict
from measurand.core.terms import load_terms
from measurand.report.answer import (
    answer_report,
    answer_reports,
    answer_split,
    worst_answer,
)
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


def test_a_split_that_shares_evidence_has_to_be_mended_first():
    report = report_of("evidence", "needed")
    seen = Finding("seen", "lookup", "article, nearly", estimate(0.92, n=1823))
    shared = replace(report, findings=(seen, *report.findings))
    split = answer_split([shared])
    assert split.tone.name == "fix"
    assert split.sentence == (
        "No: 92 of 100 test items share their article, word for word or nearly, with "
        "training."
    )
    # The sentence says it; the cause does not say it again.
    assert "article" not in split.cause
    assert "training" not in split.cause
    answers = answer_reports([shared, report_of("leakage", "leaks")])
    assert [a.audit for a in answers] == ["split", "leakage", "evidence"]
    assert worst_answer(answers) is answers[0]


@pytest.mark.parametrize("query", ["text_question", "question"])
def test_a_column_whose_name_begins_like_the_evidence_is_not_taken_for_it(query):
    report = report_of("evidence", "needed")
    roles = {**report.benchmark["roles"], "query": query, "evidence": "text"}
    seen = [
        Finding("seen", "lookup", where, estimate(share, n=600))
        for where, share in ((query, 0.9), (f"{query}, nearly", 0.9), ("text", 0.01))
    ]
    held = replace(
        report, findings=tuple(seen), benchmark={**report.benchmark, "roles": roles}
    )
    assert answer_split([held]).tone.name == "fine"


def test_texts_of_a_family_are_not_called_copies():
    report = report_of("evidence", "needed")
    others = [f for f in report.findings if f.statistic != "seen"]
    seen = [
        Finding("seen", "lookup", where, estimate(share, n=600))
        for where, share in (("article, nearly", 0.02), ("article, by family", 0.11))
    ]
    split = answer_split([replace(report, findings=(*seen, *others))])
    assert split.tone.name == "fine"


@pytest.mark.parametrize("field", ["article", "article, old", "a, nearly so"])
def test_a_comma_in_the_name_of_a_column_is_no_kind_of_copy(field):
    report = report_of("evidence", "needed")
    roles = {**report.benchmark["roles"], "evidence": field}
    seen = Finding("seen", "lookup", field, estimate(0.5, n=600))
    held = replace(
        report, findings=(seen,), benchmark={**report.benchmark, "roles": roles}
    )
    assert ", word for word, with training." in answer_split([held]).sentence


def test_a_clean_split_says_so_only_where_somebody_looked():
    assert answer_split([report_of("evidence", "not needed")]).tone.name == "fine"
    assert answer_split([report_of("leakage", "leaks")]) is None


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
    report = report_of("explanations", "off the frontier")
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
