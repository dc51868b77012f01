"""What the evidence adds to the best that has none."""

import numpy as np
import pandas as pd
import pytest

from measurand.arms.need import (
    ALONE,
    READERS,
    Need,
    is_gain_memory,
    measure_need,
    measure_open,
    reads_something,
    without_evidence,
)
from measurand.experiment.experiment import open_experiment
from tests.arms.planted import (
    ROLES,
    claim_pool,
    claims,
    contests,
    draw_texts,
    pool_of,
)


def measure(pool, ask=measure_need, *more):
    with open_experiment(pool.benchmark) as experiment:
        return ask(experiment, pool, *more)


def test_the_evidence_is_held_against_all_that_has_none():
    table = claims(200).assign(kind=["a", "b"] * 100)
    rivals = without_evidence(pool_of(table, **ROLES, metadata=["kind"]))
    assert [*rivals] == [f"{name}, query" for name in ALONE] + [
        "metadata",
        "pairs, query and metadata",
        "rules, query and metadata",
        "cross, query twice",
        "cross, query and metadata",
        "numbers, query and metadata",
    ]
    derived = pool_of(table[["claim", "evidence", "label"]])
    assert not any("metadata" in name for name in without_evidence(derived))


def test_what_the_query_and_the_metadata_tell_together_needs_no_evidence():
    rng = np.random.default_rng(0)
    table = claims(600)
    word, kind = rng.integers(2, size=(2, 600))
    claim = table["claim"] + np.where(word, " mast", " keel")
    label = np.where(word ^ kind, "yes", "no")
    table = table.assign(claim=claim, kind=np.where(kind, "a", "b"), label=label)
    copied = claim + np.where(label == "yes", " port", " bow")
    need = measure(pool_of(table.assign(evidence=copied), **ROLES, metadata=["kind"]))
    assert need.gain.rival == "cross, query and metadata"
    assert need.gain.low <= 0


def test_which_of_two_columns_of_numbers_is_greater_needs_no_evidence():
    ours, theirs = np.random.default_rng(0).integers(100, 999, size=(2, 400))
    label = np.where(ours > theirs, "yes", "no")
    table = claims(400).assign(ours=ours, theirs=theirs, label=label, evidence=label)
    need = measure(pool_of(table, **ROLES, metadata=["ours", "theirs"]))
    assert need.gain.rival == "rules, query and metadata"
    assert need.gain.room < 0.1


@pytest.mark.parametrize("said", ["It is so.", ""])
def test_evidence_that_adds_no_text_is_no_evidence(said):
    table = claims(200)
    need = measure(pool_of(table.assign(evidence=said or table["claim"])))
    assert not need.adds_text
    assert measure(pool_of(table)).adds_text


def test_evidence_that_decides_is_gained_and_lost():
    need = measure(claim_pool(evidence=0.8))
    assert need.gain.low > 0.2
    assert need.loses
    assert {*need.losses} == {*need.scores} == {*READERS}
    assert "majority" in need.rivals
    assert need.high <= need.gain.room
    assert {*reads_something(need)} == {*READERS}
    assert need.open_share > 0.9


def test_a_claim_that_decides_leaves_no_room():
    need = measure(claim_pool(400, claim=1.0, evidence=1.0))
    assert need.gain.room < 0.02
    assert need.gain.low <= 0
    assert need.open_share < 0.05


def test_evidence_that_no_fold_can_shuffle_is_no_failure():
    table = claims(200, claim=0.5).assign(evidence=["It is so."] * 190 + ["No."] * 10)
    need = measure(pool_of(table))
    assert need.losses == {}
    assert need.loses  # no shuffle can be made, so the gain decides
    assert need.gain.high < 0.2


def test_what_the_query_leaves_open_is_asked_about_again():
    table = claims(400, claim=0.6)
    told = table["claim"].str.contains("zupom|zafim")
    word = np.where(table["label"] == "yes", "mast", "keel")
    evidence = [f"{t} {w}" for t, w in zip(table["evidence"], word, strict=True)]
    table["evidence"] = np.where(told, table["evidence"], evidence)
    some = measure(pool_of(table), measure_open)
    assert isinstance(some, Need)
    assert some.share == pytest.approx(0.4, abs=0.08)
    assert some.gain.low > 0.1
    assert len(some.family.numbers) == round(some.share * 400)


@pytest.mark.parametrize("claim", [0.0, 0.9])
def test_too_many_or_too_few_open_items_are_not_asked_about(claim):
    assert measure(claim_pool(200, claim=claim), measure_open) is None


def test_of_choices_the_evidence_is_read_beside_them():
    table = contests(150)
    right = [
        c["ABCD".index(a)]
        for c, a in zip(table["choices"], table["label"], strict=True)
    ]
    table = table.assign(evidence=[f"It is {text}" for text in right])
    roles = {"query": "claim", "evidence": "evidence", "label": "label"}
    need = measure(pool_of(table, choices="choices", split="split", **roles))
    assert need.gain.reader == "cross"
    assert need.gain.low > 0.3


@pytest.mark.slow
def test_a_gain_from_paraphrases_that_were_learned_is_memory():
    from tests.arms.test_families import paraphrases

    texts, group = paraphrases(60)
    rng = np.random.default_rng(1)
    label = np.where(rng.random(60) < 0.5, "yes", "no")[group]
    table = pd.DataFrame({"claim": draw_texts(600, rng), "evidence": texts})
    pool = pool_of(table.assign(label=label))
    need = measure(pool)
    assert need.gain.low > 0
    assert measure(pool, is_gain_memory, need)
    true = claim_pool(evidence=0.8)
    assert not measure(true, is_gain_memory, measure(true))
