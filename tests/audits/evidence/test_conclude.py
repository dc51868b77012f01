"""The rules of evidence, and what they say of planted benchmarks."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from measurand.arms.alone import MARGIN, REACH
from measurand.arms.contrast import Gain
from measurand.arms.families import Family
from measurand.arms.need import Need
from measurand.audits import AUDITS
from measurand.audits.evidence.conclude import (
    LABELS,
    RULES,
    NeedFacts,
    SplitReading,
    conclude,
    conclude_evidence,
)
from measurand.core.clause import Name
from measurand.core.estimate import Estimate
from measurand.core.rule import judge
from tests.arms.planted import ROLES, WORDS, claim_pool, claims, pool_of, run

COUNT = 200
ROOM = REACH * MARGIN + 0.1
SKILLED, IDLE = np.arange(COUNT) % 4 > 0, np.arange(COUNT) % 2 > 0


def loss(low, high):
    """What a reader loses on another item's evidence, at any level."""
    middle = (low + high) / 2
    return SimpleNamespace(
        interval=lambda level: Estimate(middle, low, high, level, COUNT, "made")
    )


def need(low=-0.02, high=0.05, room=ROOM, lost=(-0.01, 0.01), learned=True, **other):
    """What the evidence adds where the ends are these."""
    gain = Gain((low + high) / 2, low, high, "cross", "tfidf, query", room)
    scores = (SKILLED if learned else IDLE).astype(float)
    rivals = {"majority": IDLE.astype(float)}
    family = Family("pair", np.arange(COUNT))
    losses = {"cross": loss(*lost)}
    return replace(Need(gain, losses, {"cross": scores}, rivals, family), **other)


USED = 0.05, 0.1
NONE_LEFT = {"low": -0.01, "high": 0.01, "room": 0.015}
# For each rule, in order: its label, its code, and facts that reach it.
ROWS = [
    (
        "not needed",
        "need.no_text",
        NeedFacts(need(0.1, 0.2, lost=USED, adds_text=False), families=7.5),
    ),
    (
        "inconclusive",
        "open.families",
        NeedFacts(need(0.1, 0.2, lost=USED), families=7.5),
    ),
    (
        "inconclusive",
        "open.memory",
        NeedFacts(need(0.1, 0.2, lost=USED), gain_memory=True),
    ),
    ("needed", "need.large", NeedFacts(need(0.03, 0.2, lost=USED), query_memory=True)),
    ("needed", "need.roomy", NeedFacts(need(0.01, 0.2, lost=USED))),
    ("small need", "need.small", NeedFacts(need(0.01, 0.2, room=0.1, lost=USED))),
    (
        "misleads",
        "need.misleads",
        NeedFacts(need(lost=(-0.2, -0.1)), query_memory=True),
    ),
    (
        "inconclusive",
        "open.query_memory",
        NeedFacts(need(**NONE_LEFT), query_memory=True),
    ),
    ("used, not needed", "need.used", NeedFacts(need(**NONE_LEFT, lost=USED))),
    ("not needed", "need.no_room", NeedFacts(need(**NONE_LEFT))),
    ("at most small need", "need.at_most", NeedFacts(need(room=0.1))),
    ("inconclusive", "open.reader", NeedFacts(need(high=0.01))),
    ("inconclusive", "open.width", NeedFacts(need())),
]


@pytest.mark.parametrize("number", range(len(ROWS)), ids=[row[1] for row in ROWS])
def test_each_rule_decides_what_no_rule_before_it_does(number):
    label, code, facts = ROWS[number]
    assert [rule.when(facts) for rule in RULES[: number + 1]] == [False] * number + [
        True
    ]
    verdict = conclude(facts)
    assert (verdict.label, verdict.code, verdict.reason) == (label, code, "")
    assert verdict.bound.value == facts.room
    assert (verdict.settle is None) == (label != "inconclusive")
    assert (verdict.region == "") == (label == "inconclusive")


def test_there_is_a_row_a_rule_and_the_last_always_holds():
    assert [rule.label for rule in RULES] == [label for label, _, _ in ROWS]
    assert all(RULES[-1].when(facts) for _, _, facts in ROWS)


def test_the_labels_are_listed_the_better_before_the_worse():
    assert {rule.label for rule in RULES} == {*LABELS}
    assert (LABELS[0], LABELS[-1]) == ("needed", "not needed")
    assert AUDITS.thing("evidence").labels == LABELS


def label_of(facts):
    return conclude(facts).label


def test_a_gain_that_is_not_lost_on_other_evidence_shows_no_need():
    assert label_of(NeedFacts(need(0.1, 0.2))) == "inconclusive"
    unshuffled = need(0.1, 0.2, losses={})  # no text can be handed on: the gain decides
    assert label_of(NeedFacts(unshuffled)) == "needed"


def test_what_is_open_shows_a_need_by_its_share():
    some = need(0.2, 0.5, lost=USED, share=0.2)
    facts = NeedFacts(need(), among_open=some)
    assert facts.surely == pytest.approx(0.04)
    assert label_of(facts) == "needed"
    idle = replace(some, losses={"cross": loss(-0.1, 0.1)})
    assert label_of(NeedFacts(need(), among_open=idle)) == "inconclusive"


def test_who_never_learned_can_neither_use_nor_be_misled():
    untaught = need(learned=False, lost=(-0.2, -0.1))
    assert not NeedFacts(untaught).misleads
    assert NeedFacts(need(lost=(-0.2, -0.1))).misleads
    assert not NeedFacts(need(losses={})).misleads
    assert not NeedFacts(need(learned=False, lost=USED)).surely_used


def test_the_facts_are_typed_and_the_reader_of_the_user_is_a_name():
    (clause,) = judge(RULES, ROWS[3][2])[1]
    assert {*clause.facts} == {"reader", "rival", "gain", "room", "loss"}
    assert (clause.facts["reader"], clause.facts["rival"]) == ("cross", "tfidf, query")
    assert isinstance(clause.facts["loss"], Estimate)
    assert isinstance(clause.facts["gain"], Estimate)
    given = need(0.03, 0.2, lost=USED)
    gain = replace(given.gain, reader="mine")
    scores, losses = {"mine": given.scores["cross"]}, {"mine": given.losses["cross"]}
    own = NeedFacts(replace(given, gain=gain, scores=scores, losses=losses))
    verdict = conclude(own)
    assert verdict.clauses[0].facts["reader"] == Name("reader", "mine")
    assert verdict.stage == "mine"


def test_what_the_query_leaves_open_is_a_clause_of_its_own():
    some = need(0.2, 0.5, lost=USED, share=0.2)
    codes = {c.code: c.facts for c in conclude(NeedFacts(need(), some)).clauses}
    assert [*codes] == ["need.large", "need.open_items"]
    assert codes["need.open_items"]["share"] == 0.2
    assert codes["need.open_items"]["gain"].low == 0.2


def seen(low=0.05, high=0.2, lost=(0.05, 0.1), learns=True):
    """What a reader of the given split gains, and loses on other evidence."""
    gain = Estimate((low + high) / 2, low, high, 0.9, 100, "made")
    return SplitReading("minilm", gain, loss(*lost).interval(0.95), learns)


def test_a_strong_reader_of_the_split_shows_a_need_and_never_clears():
    facts = NeedFacts(need(high=0.01), further=[seen()])
    verdict = conclude(facts)
    assert (verdict.label, verdict.region) == ("needed", "evidence-sensitive")
    assert verdict.stage == "minilm"
    assert verdict.clauses[0].facts["gain"].low == 0.05
    for reading in (seen(0.01), seen(lost=(-0.01, 0.1)), seen(-0.2, -0.1)):
        verdict = conclude(replace(facts, further=[reading]))
        assert (verdict.label, verdict.code) == ("inconclusive", "open.reader")
        names = [name.text for name in verdict.clauses[0].facts["readers"]]
        assert names == ["cross", "minilm"]
        assert verdict.settle.facts["reader"] == Name("reader", "endpoint")


def test_who_was_taught_no_label_has_no_paraphrase_to_remember():
    facts = NeedFacts(need(0.1, 0.2, lost=USED), gain_memory=True)
    assert conclude(replace(facts, further=[seen()])).code == "open.memory"
    assert conclude(replace(facts, further=[seen(learns=False)])).label == "needed"


def ratio(low, high):
    return Estimate((low + high) / 2, low, high, 0.95, COUNT, "made")


@pytest.mark.parametrize(
    ("mpds", "beyond", "region"),
    [
        (ratio(0.95, 1.0), ratio(0.9, 1.0), "direct coupling"),
        (ratio(0.95, 1.0), ratio(-0.1, 1.0), "warning"),
        (ratio(0.85, 0.95), ratio(0.6, 0.8), "coupling"),
        (ratio(0.5, 0.6), None, "latent coupling"),
        (None, None, "warning"),
    ],
)
def test_the_paper_s_map_says_where_no_need_comes_from(mpds, beyond, region):
    facts = NeedFacts(need(**NONE_LEFT), mpds=mpds, beyond=beyond)
    verdict = conclude(facts)
    assert verdict.region == region
    codes = [clause.code for clause in verdict.clauses]
    assert ("need.metadata" in codes) == (region == "direct coupling")
    assert conclude(replace(facts, need=need(0.1, 0.2, lost=USED))).region == (
        "evidence-sensitive"
    )


def test_skewed_labels_hide_no_settled_answer():
    skewed = need(**NONE_LEFT)
    majority = (np.arange(COUNT) % 20 > 0).astype(float)
    rivals = {"majority": majority}
    facts = NeedFacts(replace(skewed, rivals=rivals), mpds=ratio(0.95, 1.0))
    verdict = conclude(facts)
    assert (verdict.label, verdict.region) == ("not needed", "warning")


def test_what_would_settle_it_is_what_failed():
    def settled(facts):
        clause = conclude(facts).settle
        return clause.code, clause.facts

    assert settled(ROWS[1][2]) == ("settle.items", {"items": 270})
    assert settled(ROWS[2][2]) == ("settle.group", {})
    assert settled(ROWS[7][2]) == ("settle.group", {})
    reader = {"reader": Name("reader", "aligned")}
    assert settled(NeedFacts(need(high=0.01))) == ("settle.reader", reader)
    # Half as wide an interval lies above zero; one of no gain never does.
    code, facts = settled(NeedFacts(need(-0.02, 0.06, lost=USED)))
    assert code == "settle.items"
    assert 4 * COUNT < facts["items"] < 10 * COUNT
    assert settled(NeedFacts(need(-0.05, 0.04, lost=USED))) == ("settle.reader", reader)


def verdict_of(pool):
    return run(conclude_evidence, pool)[0]


def test_evidence_that_decides_is_needed():
    conclusion = verdict_of(claim_pool(evidence=0.8))
    assert (conclusion.label, conclusion.code) == ("needed", "need.large")
    assert conclusion.bound.value > 0.4


def test_a_claim_that_decides_all_needs_no_evidence_that_repeats_it():
    conclusion = verdict_of(claim_pool(400, claim=1.0, evidence=1.0))
    assert conclusion.label in ("used, not needed", "not needed")
    assert conclusion.bound.value < MARGIN


def agreeing(count, seed=0):
    """Evidence that repeats a word of the claim, or another: no part tells alone."""
    rng = np.random.default_rng(seed)
    table = claims(count, seed)
    words = rng.choice(WORDS, (count, 2))
    same = table["label"] == "yes"
    table["claim"] = [
        f"{t} {w}" for t, w in zip(table["claim"], words[:, 0], strict=True)
    ]
    said = np.where(same, words[:, 0], words[:, 1])
    table["evidence"] = [f"It was {word}." for word in said]
    return table


@pytest.mark.slow
def test_evidence_that_decides_only_with_the_claim_is_needed():
    conclusion = verdict_of(pool_of(agreeing(400)))
    assert conclusion.label == "needed"
    assert conclusion.clauses[0].facts["reader"] == "cross"


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_evidence_that_says_nothing_is_never_needed(seed):
    conclusion = verdict_of(claim_pool(400, seed))
    assert conclusion.label == "inconclusive"
    assert conclusion.bound.value > 0.4


@pytest.mark.slow
def test_evidence_is_needed_where_no_part_alone_can_tell():
    table = agreeing(200)
    claim = table["claim"].str[-5:].to_numpy()
    other = table.assign(
        evidence=np.where(
            table["label"] == "yes", "It was moved.", [f"It was {w}." for w in claim]
        ),
        label=np.where(table["label"] == "yes", "no", "yes"),
    )
    pool = pool_of(pd.concat([table, other]), split_by="query", **ROLES)
    conclusion = verdict_of(pool)
    assert conclusion.label == "needed"
    assert conclusion.bound.value == pytest.approx(0.5, abs=0.1)
