"""The terminal begins with the answer, and ends within a screen."""

from dataclasses import replace

import pytest

from measurand.report.answer import answer_report
from measurand.report.summary import MOST_LINES, WIDTH, summary, summary_of_all
from tests.report.verdicts import every_report, report_of

REPORTS = [*every_report()]


@pytest.mark.parametrize(
    "report", REPORTS, ids=lambda r: f"{r.audit}-{r.verdict.label}"
)
def test_a_summary_is_the_answer_and_no_more_than_a_screen(report):
    text, answer = summary(report), answer_report(report)
    lines = text.splitlines()
    assert len(lines) <= MOST_LINES
    asked = lines.index(answer.question)
    assert asked == 2 or (lines[2].startswith("  part ") and not lines[asked - 1])
    start = f"{answer.tone.sign} {answer.word.upper()}  "
    assert lines[asked + 1].startswith(start)
    assert answer.sentence in " ".join(text.split())
    assert answer.verdict in text.lower()
    assert max(map(len, lines)) <= WIDTH


def test_lines_are_no_longer_than_a_narrow_terminal(monkeypatch):
    monkeypatch.setenv("COLUMNS", "70")
    report = report_of("leakage", "inconclusive")
    lines = summary_of_all([report, report_of("evidence", "misleads")], {}).splitlines()
    assert 60 < max(map(len, lines)) <= 70
    monkeypatch.setenv("COLUMNS", "9")
    assert max(map(len, summary(report).splitlines())) > 50


def test_many_warnings_do_not_fill_the_screen(hostile):
    assert len(summary(hostile).splitlines()) <= MOST_LINES


def test_verbose_adds_every_figure(realistic):
    text = summary(realistic, verbose=True)
    assert text.startswith(summary(realistic).partition("\nwarning")[0])
    assert "delta_evi" in text
    assert "delta_evi" not in summary(realistic)


@pytest.mark.parametrize("columns", ["120", "72"])
def test_several_audits_are_answered_on_one_screen(columns, monkeypatch):
    monkeypatch.setenv("COLUMNS", columns)
    reports = [
        report_of("evidence", "not needed"),
        report_of("leakage", "leaks"),
        report_of("explanations", "leaky"),
    ]
    text = summary_of_all(reports, {"exposure": "it was not asked for"})
    assert len(text.splitlines()) <= MOST_LINES
    for report in reports:
        assert answer_report(report).sentence in " ".join(text.split())
    assert "exposure audit not run" in text
    assert "do next" in text
    assert "rests on" in text or columns == "72"
    assert "0.5" in summary_of_all(reports, {}, verbose=True)


def test_what_each_audit_rests_on_is_told_where_they_asked_other_readers():
    """The best of three must not be read as the word of one."""
    leakage, evidence = report_of("leakage", "leaks"), report_of("evidence", "needed")
    text = " ".join(summary_of_all([leakage, evidence], {}).split())
    assert (
        "1 model (TF-IDF + logistic regression) on 1,200 items (leakage); 1 model "
        "(TF-IDF with word overlap) on 1,200 items (evidence)."
    ) in text
    told = " ".join(summary_of_all([leakage, replace(leakage)], {}).split())
    assert "(leakage)" not in told.partition("rests on")[2]


def test_the_summary_states_roles_verdict_findings_and_gaps(realistic):
    text = summary(realistic, verbose=True)
    assert "evidence audit of snli" in text
    assert "  evidence  premise\n" in text
    assert "\nevidence-sensitive: bert loses 0.367" in text
    assert "0.367 [0.359, 0.375]" in text
    assert "no endpoint was given" in text


def test_hostile_text_cannot_move_the_cursor(hostile):
    text = summary(hostile) + summary(hostile, verbose=True)
    assert len(text) < 20_000
    assert not {c for c in text if ord(c) < 32 or 127 <= ord(c) < 160} - {"\n"}
    assert "\u202e" not in text
