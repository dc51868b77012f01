"""A saved report as Markdown."""

import pytest


def count_tables(text):
    return sum(line.startswith("| --- |") for line in text.splitlines())


def test_a_brief_card_holds_the_answer_and_the_one_table_it_rests_on(made_report, run):
    outcome = run("render", made_report, "--brief")
    assert outcome.code == 0
    lines = outcome.out.splitlines()
    assert lines[0] == "# evidence audit of facts"
    assert lines[2] == "## What each part predicts"
    question = "Do the labels need the evidence? **"
    (answer,) = (line for line in lines if line.startswith(question))
    assert "The evidence adds between " in answer
    assert any(line.startswith("- bound: At most ") for line in lines)
    assert any(line.startswith("- do next: ") for line in lines)
    assert count_tables(outcome.out) == 1
    assert len(lines) < 30
    assert count_tables(run("render", made_report).out) > 1


@pytest.mark.slow
def test_all_audits_of_a_folder_are_rendered(made_audits, run):
    folder = made_audits[2] / "all"
    brief = run("render", folder, "--brief").out
    assert "# evidence audit of facts\n" in brief
    assert "# leakage audit of facts\n" in brief
    assert "Not run: explanations, since facts names no rationale field" in brief
    assert len(run("render", folder).out) > 5 * len(brief)
