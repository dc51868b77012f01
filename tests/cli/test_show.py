"""What `measurand show` says of nested files, and that its advice can be followed."""

import json
import shlex

import pytest

from tests.cli.commands import QUICK, made, written


def move_evidence(row):
    """The row with its evidence inside a list of objects."""
    text = row.pop("evidence")
    return {**row, "sources": [{"page": 3, "text": text}, {"page": 4, "text": "End."}]}


@pytest.fixture
def nested(tmp_path):
    return written(tmp_path / "nested.jsonl", [move_evidence(row) for row in made()])


def advice(outcome):
    """The options that are suggested, as a shell would read them."""
    lines = [line for line in outcome.err.splitlines() if line.startswith("try ")]
    return [word for line in lines for word in shlex.split(line)[1:]]


def test_paths_are_shown_and_one_is_suggested(nested, run):
    outcome = run("show", nested)
    assert outcome.code == 0
    assert "path sources[].text: Report 0 says" in outcome.err
    assert "path sources[].page: 3\n" in outcome.err
    assert advice(outcome) == ["--evidence", "sources[].text"]
    followed = run("show", nested, *advice(outcome), "--join", r"\n\t")
    assert (followed.code, advice(followed)) == (0, [])
    assert "evidence: sources[].text\n" in followed.err
    assert r"join: '\n\t'" in followed.err
    assert "  sources[].text: Report" in followed.out


def test_a_flat_file_is_shown_as_ever(file, run):
    outcome = run("show", file)
    assert "path " not in outcome.err
    assert advice(outcome) == []


def test_what_cannot_be_read_yet_is_shown_all_the_same(tmp_path, run):
    rows = [{"qa": {"question": row.pop("claim"), **row}} for row in made()]
    path = written(tmp_path / "qa.jsonl", rows)
    outcome = run("show", path)
    assert outcome.code == 1
    assert "path qa.question: Trip 0 went" in outcome.err
    assert outcome.last.endswith("--query 'qa.question' and --label 'qa.label'")
    assert run("show", path, *advice(outcome)).code == 0


def test_of_what_cannot_be_read_no_choice_and_no_query_is_proposed(tmp_path, run):
    texts = dict.fromkeys(("goal", "sol1", "sol2", "facts"), "an oar and a mast")
    path = written(tmp_path / "goals.jsonl", [texts] * 40)
    outcome = run("show", path)
    assert outcome.code == 1
    assert advice(outcome) == ["--evidence", "facts"]


def test_a_wrong_path_and_a_column_of_objects_are_one_line(nested, run):
    outcome = run("evidence", nested, "--evidence", "sources[].txt", *QUICK)
    assert outcome.code == 1
    assert outcome.err.splitlines() == [outcome.last]
    assert outcome.last.endswith("did you mean 'sources[].text'?")
    outcome = run("evidence", nested, "--evidence", "sources", *QUICK)
    assert outcome.err.splitlines() == [outcome.last]
    assert "such as --evidence 'sources[].text'; found are" in outcome.last


@pytest.mark.slow
def test_a_report_on_a_path_states_it_and_is_written(nested, run, tmp_path):
    path = ("--evidence", "sources[].text", "--metadata", "sources[0].page")
    out = tmp_path / "out"
    outcome = run("evidence", nested, *path, *QUICK, "--json", "--out", out)
    roles = json.loads(outcome.out)["benchmark"]["roles"]
    assert (roles["evidence"], roles["metadata"]) == (path[1], path[3])
    assert (out / "report.html").exists()
