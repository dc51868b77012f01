"""The verb that writes the adversarial suite."""

import json

import pytest

from measurand.explainers import SUITE
from measurand.interventions.paraphrase import propose_paraphrases
from tests.cli.commands import written


@pytest.fixture
def facts():
    return [
        {
            "claim": f"A kid counted Boat{i} twice.",
            "evidence": f"Ann counted Boat{i}. Secret{i} came later.",
            "label": "yes" if i % 2 else "no",
            "why": f"Hidden{i} is the reason",
        }
        for i in range(30)
    ]


@pytest.fixture
def rows(run, file, tmp_path):
    """The rows that the verb writes with these options."""

    def call(*options):
        out = tmp_path / "deep" / "suite.jsonl"
        done = run(
            "suite", file, "--rationale", "why", "--out", out, "--overwrite", *options
        )
        assert done.code == 0, done.err
        return [json.loads(line) for line in out.read_text("utf-8").splitlines()]

    return call


def test_every_item_gets_a_row_of_every_type(rows, facts):
    found = rows()
    assert len(found) == 30 * len(SUITE)
    assert {row["type"] for row in found} == {*SUITE}
    assert {int(row["id"]) for row in found} == {*range(30)}
    for row in found:
        assert row["label"] == facts[int(row["id"])]["label"]
        assert row["rationale"]


def test_a_row_holds_the_changed_queries(rows, facts):
    row = rows()[0]
    text = facts[int(row["id"])]["claim"]
    kinds = [change["kind"] for change in row["perturbations"]]
    assert kinds == ["paraphrase", "paraphrase", "format noise"]
    assert row["perturbations"][0]["query"] == text.replace("kid", "child")
    assert "later. Ann" in row["perturbations"][2]["evidence"]


def test_with_ids_alone_no_text_of_the_benchmark_is_told(rows, facts):
    found = rows("--ids-only")
    assert len(found) == 30 * len(SUITE)
    told = json.dumps(found)
    assert not any(word in told for word in ("Boat", "Secret", "Hidden", "Ann", "kid"))
    assert {key for row in found for key in row} == {
        *("id", "type", "seed", "perturbations", "template", "donor")
    }


def test_what_ids_alone_tell_makes_the_same_suite_again(rows, facts):
    whole, ids = rows(), rows("--ids-only")
    for row, one in zip(whole, ids, strict=True):
        fact = facts[int(row["id"])]
        number = one["perturbations"][1]["draw"]
        assert (
            row["perturbations"][1]["query"]
            == propose_paraphrases(fact["claim"])[number]
        )
        if "donor" in one:
            assert row["rationale"] == facts[int(one["donor"])]["why"]


def test_the_same_seed_writes_the_same_bytes(rows):
    assert rows("--seed", 3) == rows("--seed", 3)
    assert rows("--seed", 3) != rows("--seed", 4)


def test_a_type_that_the_columns_do_not_permit_is_named_and_left_out(
    run, tmp_path, facts
):
    bare = [{"claim": f["claim"], "label": f["label"]} for f in facts]
    out = tmp_path / "suite.jsonl"
    done = run("suite", written(tmp_path / "bare.jsonl", bare), "--out", out)
    assert done.code == 0
    assert "label-swapped is left out: no rationale column" in done.err
    types = {json.loads(line)["type"] for line in out.read_text().splitlines()}
    assert types == {*SUITE} - {"drift", "label-swapped"}


def test_a_judge_that_does_not_exist_is_refused_in_one_line(run, file, tmp_path):
    done = run("suite", file, "--out", tmp_path / "s.jsonl", "--judge", "lexcal")
    assert done.code == 1
    assert "no judge called 'lexcal'; did you mean 'lexical'?" in done.last
    assert not (tmp_path / "s.jsonl").exists()


def test_the_benchmark_itself_is_never_written_over(run, file):
    before = file.read_bytes()
    done = run("suite", file, "--rationale", "why", "--out", file, "--overwrite")
    assert done.code == 1
    assert "is read here; name another file" in done.last
    assert file.read_bytes() == before
