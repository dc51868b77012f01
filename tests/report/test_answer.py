"""Every verdict is answered in plain words, with its cause, certainty and next step."""

import re
from dataclasses import replace

import pytest

from measurand.compare.compare import compare
from measurand.core.estimate import Estimate
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


def test_what_a_part_gets_right_has_the_interval_that_the_report_states():
    report = report_of("leakage", "leaks")
    stated = Finding("single_accuracy", "cross", "claim", estimate(0.7, 0.64, 0.76))
    others = [f for f in report.findings if f.statistic != "single_accuracy"]
    answer = answer_report(replace(report, findings=(*others, stated)))
    assert "70 of 100 are right" in answer.sentence
    assert "between 64 and 76 of 100" in answer.certainty
    alone = answer_report(replace(report, findings=tuple(others)))
    assert "between 68 and 72 of 100" in alone.certainty


def test_a_split_that_shares_evidence_has_to_be_mended_first():
    report = report_of("evidence", "evidence-sensitive")
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


@pytest.mark.parametrize("share", [0.99, 0.8, 0.1])
@pytest.mark.parametrize(
    ("memory", "tone"), [(0.95, "fix"), (0.53, "fine"), (0.5, "fine")]
)
def test_queries_that_training_has_with_their_labels_are_no_clean_split(
    share, memory, tone
):
    report = report_of("evidence", "evidence-sensitive")
    rows = [
        Finding("seen", "lookup", "claim", estimate(share)),
        Finding("accuracy", "lookup", "claim", estimate(memory)),
    ]
    split = answer_split([replace(report, findings=(*report.findings, *rows))])
    assert split.tone.name == tone
    count = round(100 * share)
    shared = f"No: {count} of 100 test items share their claim, word for word" in (
        split.sentence
    )
    assert shared == (tone == "fix")
    harmless = f"{count} share their claim, a memory of which is not surely right"
    assert (harmless in split.cause) != shared
    unknown = answer_split([replace(report, findings=(*report.findings, rows[0]))])
    assert "a memory of which" not in unknown.cause
    assert ("by their claim" in split.steps[0]) == shared


@pytest.mark.parametrize("query", ["text_question", "question"])
def test_a_column_whose_name_begins_like_the_evidence_is_not_taken_for_it(query):
    report = report_of("evidence", "evidence-sensitive")
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
    report = report_of("evidence", "evidence-sensitive")
    others = [f for f in report.findings if f.statistic != "seen"]
    seen = [
        Finding("seen", "lookup", where, estimate(share, n=600))
        for where, share in (("article, nearly", 0.02), ("article, by family", 0.11))
    ]
    split = answer_split([replace(report, findings=(*seen, *others))])
    assert split.tone.name == "fine"


@pytest.mark.parametrize("field", ["article", "article, old", "a, nearly so"])
def test_a_comma_in_the_name_of_a_column_is_no_kind_of_copy(field):
    report = report_of("evidence", "evidence-sensitive")
    roles = {**report.benchmark["roles"], "evidence": field}
    seen = Finding("seen", "lookup", field, estimate(0.5, n=600))
    held = replace(
        report, findings=(seen,), benchmark={**report.benchmark, "roles": roles}
    )
    assert ", word for word, with training." in answer_split([held]).sentence


def test_a_clean_split_says_so_only_where_somebody_looked():
    assert answer_split([report_of("evidence", "coupling")]).tone.name == "fine"
    assert answer_split([report_of("leakage", "leaks")]) is None


def test_length_is_named_where_length_explains_the_leak():
    report = report_of("leakage", "leaks")
    told = replace(report.verdict, reason="claim leaks, by its length alone (100 %)")
    answer = answer_report(replace(report, verdict=told))
    assert answer.cause == "Its length alone tells the label."
    assert "“never”" in answer_report(report).cause


def test_form_that_explains_part_of_a_leak_is_not_called_its_cause():
    report = report_of("leakage", "leaks")
    reason = "claim leaks, 37 % of these bits by its form alone (spacing), by words"
    told = replace(report, verdict=replace(report.verdict, reason=reason))
    cause = answer_report(told).cause
    assert cause.startswith("Words such as “never”")
    assert cause.endswith("Its form alone tells part of it.")
    wordless = answer_report(replace(told, exhibits=())).cause
    assert wordless == "Its form alone tells part of it."


def test_a_leak_is_told_of_what_tells_most_and_by_whom():
    report = report_of("leakage", "leaks")
    answer = answer_report(report)
    assert "from the claim alone, 70 of 100" in answer.sentence
    assert answer.certainty.startswith("Right from the claim alone, by word matching:")
    short = Finding("over_majority", "length", "claim", estimate(0.3), "leaks")
    measured = answer_report(replace(report, findings=(*report.findings, short)))
    assert "from the length of the claim alone, 80 of 100" in measured.sentence
    assert "by " not in measured.certainty
    assert "(word counts and word matching), beside length and form" in measured.basis


def test_a_leak_that_makes_no_answer_right_is_not_said_to():
    report = report_of("leakage", "leaks")
    others = [f for f in report.findings if f.statistic != "over_majority"]
    bits = Finding("v_information", "tfidf", "claim", estimate(0.19), "leaks")
    answer = answer_report(replace(report, findings=(*others, bits)))
    assert answer.tone.name == "leaks"
    assert answer.sentence == "Yes: the claim alone tells how likely each label is."
    assert "“never”" in answer.cause
    assert re.search(r"between 0\.\d\d and 0\.\d\d bits", answer.certainty)


@pytest.mark.parametrize(
    ("reason", "said"),
    [
        (
            "tfidf says one class whatever claim alone is, so",
            "the same answer to every",
        ),
        (
            "tfidf is not clearly above the majority even with all fields, so that",
            "no reader learned the task",
        ),
        ("neither surely above nor within the margins", "too uncertain."),
    ],
)
def test_why_nobody_can_say_whether_a_part_leaks(reason, said):
    report = report_of("leakage", "undecided")
    told = replace(report, verdict=replace(report.verdict, reason=reason))
    answer = answer_report(told)
    assert said in answer.sentence
    assert "too weak" not in answer.sentence


def test_no_step_asks_for_an_audit_that_was_run_beside():
    evidence = with_evidence_alone(report_of("evidence", "evidence-sensitive"))
    step = "run measurand leakage"
    (alone,) = [a for a in answer_reports([evidence]) if a.audit == "evidence"]
    both = answer_reports([evidence, report_of("leakage", "leaks")])
    assert any(step in text for text in alone.steps)
    assert not any(step in text for answer in both for text in answer.steps)


def test_who_was_left_out_of_one_audit_is_named_where_it_is_read():
    late = report_of("evidence", "coupling")
    late = replace(late, not_run={"minilm": "12 h, past the budget of 10 min"})
    answers = answer_reports([report_of("leakage", "leaks"), late])
    assert answers[0].audit == "leakage"
    assert "a small language model" in answers[0].basis
    assert answers[0].basis.count("a small language model") == 1


def test_choices_that_leak_by_their_place_are_to_be_dealt_anew():
    report = report_of("leakage", "leaks")
    reason = "position: choices leak, by the position of the right choice alone"
    placed = Finding("over_majority", "position", "claim", estimate(0.61), "leaks")
    told = replace(report, verdict=replace(report.verdict, reason=reason))
    short = Finding("over_majority", "length", "claim", estimate(0.0))
    answer = answer_report(replace(told, findings=(*report.findings, placed, short)))
    assert answer.steps[0] == "Put the choices of each item in a random order."
    assert "beside length, form and position alone" in answer.basis


def with_evidence_alone(report):
    alone = Finding("evidence_only", "cross", "full", estimate(0.8))
    others = [f for f in report.findings if f.statistic != "evidence_only"]
    return replace(report, findings=(*others, alone))


def test_evidence_that_tells_whatever_is_asked_is_no_figure_to_publish():
    report = with_evidence_alone(report_of("evidence", "evidence-sensitive"))
    answer = answer_report(report)
    assert answer.tone.name == "fine"  # the evidence may be the task itself
    assert answer.cause == "The article alone does as well as both."
    assert not any("Publish" in step for step in answer.steps)


def test_evidence_that_tells_the_choice_sends_nobody_to_an_audit_of_choices():
    report = with_evidence_alone(report_of("evidence", "evidence-sensitive"))
    roles = {**FIELDS, "choices": "options (4 each)"}
    chosen = replace(report, benchmark={**report.benchmark, "roles": roles})
    (step,) = answer_report(chosen).steps
    assert step == "Add wrong choices that the evidence speaks of too."


def test_answers_that_were_drawn_are_said_to_be():
    report = with_evidence_alone(report_of("evidence", "evidence-sensitive"))
    roles = {**FIELDS, "answers": "answers (screened: the gold among up to 4 answers)"}
    drawn = replace(report, benchmark={**report.benchmark, "roles": roles})
    answer = answer_report(drawn)
    assert "wrong answers were drawn from other items" in answer.basis
    assert "writes its answers" in answer.steps[0]
    assert answer.tone.name == "fine"  # nothing that an author wrote is at fault
    assert answer.cause.endswith("maybe because wrong answers were drawn.")


def test_one_interval_of_several_may_be_luck_and_the_answer_says_so():
    report = report_of("leakage", "undecided")
    reason = "one interval of 95 % above a margin may be luck where several are looked "
    reason += "at: at the 99.7 % that all together need, claim 0.091 [0.014, 0.167]"
    told = replace(report, verdict=replace(report.verdict, reason=reason))
    assert "may be luck where several are looked at" in answer_report(told).certainty
    assert "luck" not in answer_report(report).certainty


def test_items_are_counted_and_not_choices_or_tokens():
    report = report_of("leakage", "leaks")
    peco = Finding("peco", "cross", "claim", estimate(9.0, n=4800))
    answer = answer_report(replace(report, findings=(*report.findings, peco)))
    assert "on 1,200 items" in answer.basis


@pytest.mark.parametrize("audit", ["evidence", "leakage"])
def test_items_of_another_test_part_are_not_what_a_verdict_rests_on(audit):
    report = report_of(audit, "undecided")
    larger = Finding("accuracy", "cross", "part=mm", estimate(0.7, n=4800))
    answer = answer_report(replace(report, findings=(*report.findings, larger)))
    assert "on 1,200 items" in answer.basis


def test_a_fault_planted_nowhere_is_noticed_by_nobody():
    report = report_of("evidence", "coupling")
    limit = Finding("detection_limit", "cross", "word", estimate(0.0, 0.0, 0.0))
    answer = answer_report(replace(report, findings=(*report.findings, limit)))
    assert "planted in fewer than 1 of 100 items" in answer.basis


def test_two_reports_on_explanations_have_the_tone_of_each():
    report = report_of("explanations", "off the frontier")
    compared = answer_report(compare([report, report]))
    assert compared.tone == answer_report(report).tone
    assert compared.tone.name == "leaks"


def test_a_reader_past_the_budget_is_named_with_what_lifts_it():
    report = report_of("leakage", "undecided")
    why = "50 trainings, about 12 h on this machine, past the budget of 10 min"
    late = {"minilm": why, "tra of claim by minilm": why}
    answer = answer_report(replace(report, not_run=late))
    assert "a small language model was left out, past the budget" in answer.basis
    assert "left out" not in answer_report(report).basis


def test_a_gain_that_leakage_is_sure_of_stands_beside_that_nobody_learned():
    evidence, leakage = (
        report_of("evidence", "no verdict"),
        report_of("leakage", "leaks"),
    )
    evidence = replace(
        evidence, settings=evidence.settings | {"readers": {"tfidf": {}}}
    )
    alone = answer_reports([evidence])[0].cause
    reached = Finding(
        "saturation",
        "tfidf",
        "full",
        Estimate(0.032, 0.003, 0.064, 0.95, 800, "by hand"),
    )
    base = Finding("majority", "majority", "full", estimate(0.78))
    others = [
        f for f in leakage.findings if f.statistic not in ("majority", "saturation")
    ]
    leakage = replace(
        leakage,
        findings=(base, *others, reached),
        settings=leakage.settings | {"fold_draws": 5},
    )
    causes = {a.audit: a.cause for a in answer_reports([leakage, evidence])}
    assert causes["evidence"] == (
        f"{alone} Leakage, over 5 cuts into folds, finds between 0.1 and 1.4 of 100 "
        "more right than by guessing, by word counts."
    )
    unsure = replace(reached, estimate=replace(reached.estimate, low=-0.01))
    leakage = replace(leakage, findings=(base, *others, unsure))
    causes = {a.audit: a.cause for a in answer_reports([leakage, evidence])}
    assert causes["evidence"] == alone
