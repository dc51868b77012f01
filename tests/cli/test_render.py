"""A saved report as Markdown."""

import pytest


def test_a_brief_card_holds_the_answer_and_no_table(made_report, run):
    outcome = run("render", made_report, "--brief")
    assert outcome.code == 0
    lines = outcome.out.splitlines()
    assert lines[0] == "# evidence audit of facts"
    assert lines[2].startswith("Do the labels need the evidence? **")
    assert any(line.startswith("- because: ") for line in lines)
    assert any(line.startswith("- do next: ") for line in lines)
    assert "| --- |" not in outcome.out
    assert len(lines) < 25
    assert "| --- |" in run("render", made_report).out


@pytest.mark.slow
def test_all_audits_of_a_folder_are_rendered(made_audits, run):
    folder = made_audits[2] / "all"
    brief = run("render", folder, "--brief").out
    assert "# evidence audit of facts\n" in brief
    assert "# leakage audit of facts\n" in brief
    assert "Not run: explanations, since facts names no rationale field" in brief
    assert len(run("render", folder).out) > 5 * len(brief)
