"""The verb that writes copies of a benchmark for a harness."""

import pytest


@pytest.fixture
def facts():
    return [
        {
            "claim": f"A kid counted boat {i} twice.",
            "evidence": f"Ann counted boat {i} {'twice' if i % 2 else 'once'}.",
            "label": "yes" if i % 2 else "no",
        }
        for i in range(40)
    ]


def test_copies_are_written_and_the_command_is_said(run, file, tmp_path):
    out = tmp_path / "two words"
    done = run("export", file, "--to", "lm-eval", "--out", out, "--shuffles", 1)
    assert done.code == 0, done.err
    assert "conditions: full, shuffled0, no_evidence, no_query" in done.out
    assert f"--include_path '{out}'" in done.out
    assert len([*out.glob("*.jsonl")]) == 4


def test_a_plan_writes_nothing(run, file, tmp_path):
    out = tmp_path / "copies"
    done = run("export", file, "--to", "table", "--out", out, "--plan")
    assert done.code == 0, done.err
    assert "requests for one model: " in done.out
    assert not out.exists()


def test_another_harness_is_one_line(run, file, tmp_path):
    done = run("export", file, "--to", "helm", "--out", tmp_path / "copies")
    assert done.code == 1
    assert "allowed: lm-eval, inspect, table" in done.err
