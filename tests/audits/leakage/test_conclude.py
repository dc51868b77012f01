"""The rules of leakage, and what they say of planted benchmarks."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from measurand.arms.alone import MARGIN, REACH
from measurand.arms.families import Family
from measurand.audits.leakage import AUDIT
from measurand.audits.leakage import conclude as rules
from measurand.audits.leakage.conclude import (
    RULES,
    LeakFacts,
    SplitReading,
    conclude_leakage,
    find_settlement,
)
from measurand.core.clause import Name
from measurand.core.estimate import Estimate
from measurand.core.rule import judge
from tests.arms.planted import (
    choice_pool,
    claim_pool,
    claims,
    contests,
    pool_of,
    run,
)
from tests.cues.test_certify import sprinkled

SURE = Estimate(0.1, 0.05, 0.15, 0.95, 300, "made")
NOTHING = Estimate(0.0, -0.05, 0.05, 0.95, 300, "made")
CONTROL = {
    spread: SimpleNamespace(spread=spread, found=True) for spread in ("dense", "sparse")
}
MISSED = SimpleNamespace(spread="sparse", found=False)
CHANNEL = {"tfidf": SimpleNamespace(interval=lambda level: SURE)}


def part(**facts):
    """A part of which nothing was found and little is left open, but for `facts`."""
    plain = {
        "part": "query",
        "surely_large": False,
        "present": False,
        "memory": False,
        "room": 0.5,
        "bound": 0.01,
        "high_bits": 0.01,
        "margin_bits": 0.04,
        "family": Family("query", np.arange(100)),
        "controls": [*CONTROL.values()],
        "cues": [],
        "best": ("tfidf", SURE),
        "best_bits": ("tfidf", SURE),
        "has_bits": False,
        "accuracy": CHANNEL,
        "bits": CHANNEL,
        "right": lambda channel: SURE,
    }
    return SimpleNamespace(**plain | facts)


LARGE = {"surely_large": True, "present": True}
FEW = Family("query", np.arange(100) // 20)
# For each rule, in order: its label, its code, and parts that reach it.
ROWS = [
    ("leaks", "leak.part", [part(**LARGE), part()]),
    ("small leak", "leak.part", [part(present=True)]),
    ("inconclusive", "open.memory", [part(**LARGE, memory=True)]),
    ("none found", "none.exact", [part(room=MARGIN, controls=[], family=FEW)]),
    ("inconclusive", "open.families", [part(family=FEW, controls=[MISSED])]),
    ("inconclusive", "open.control", [part(controls=[CONTROL["dense"], MISSED])]),
    ("none found", "none.bound", [part(), part(room=0.0, family=FEW, controls=[])]),
    ("none found, bounded", "none.bounded", [part(), part(bound=REACH * MARGIN)]),
    ("inconclusive", "open.width", [part(bound=REACH * MARGIN + 0.01)]),
]


@pytest.mark.parametrize("number", range(len(ROWS)), ids=[row[1] for row in ROWS])
def test_each_rule_decides_what_no_rule_before_it_does(number):
    label, code, parts = ROWS[number]
    facts = LeakFacts(parts)
    assert [rule.when(facts) for rule in RULES[: number + 1]] == [False] * number + [
        True
    ]
    given, clauses = judge(RULES, facts)
    assert (given, clauses[0].code) == (label, code)


def test_there_is_a_row_a_rule_and_the_last_always_holds():
    assert [rule.label for rule in RULES] == [label for label, _, _ in ROWS]
    assert all(RULES[-1].when(LeakFacts(parts)) for _, _, parts in ROWS)
    assert RULES[-1].when(LeakFacts([]))


def test_the_labels_are_those_of_the_rules_the_better_before_the_worse():
    assert {rule.label for rule in RULES} == {*AUDIT.labels}
    assert AUDIT.labels == (
        "none found",
        "none found, bounded",
        "inconclusive",
        "small leak",
        "leaks",
    )


def test_a_leak_that_only_a_reader_of_the_split_finds_is_a_leak_and_in_the_bound():
    reading = SplitReading("query", "mine", SURE, replace(SURE, low=0.03), 0.5)
    verdict = rules.conclude(LeakFacts([part()], further=[reading], size=300))
    assert (verdict.label, verdict.code, verdict.stage) == (
        "leaks",
        "leak.part",
        "mine",
    )
    assert verdict.clauses[0].facts["reader"] == Name("reader", "mine")
    assert verdict.bound.value == reading.over.high
    unsure = replace(reading, over=NOTHING)
    verdict = rules.conclude(LeakFacts([part()], further=[unsure], size=300))
    assert (verdict.label, verdict.bound.value) == ("none found, bounded", 0.05)


def test_bits_beyond_their_margin_leave_a_bound_and_no_clearance():
    facts = LeakFacts([part(high_bits=0.05)])
    assert judge(RULES, facts)[0] == "none found, bounded"


def test_a_wider_margin_clears_what_a_narrow_one_bounds():
    facts = LeakFacts([part(bound=0.04)])
    assert judge(RULES, facts)[0] == "none found, bounded"
    assert judge(RULES, replace(facts, margin=0.05))[0] == "none found"


def test_a_leak_of_the_test_file_counts_and_its_bound_does_not():
    facts = LeakFacts([part()], [part(present=True, bound=0.3)], test_baseline=0.6)
    label, clauses = judge(RULES, facts)
    assert label == "small leak"
    assert [clause.code for clause in clauses] == ["leak.part", "leak.test"]
    assert clauses[0].facts["baseline"] == 0.6
    facts = LeakFacts([part()], [part(bound=0.3, controls=[])])
    assert judge(RULES, facts)[1][0].code == "none.bound"


def test_the_test_file_is_not_spoken_of_where_all_items_leak():
    facts = LeakFacts([part(**LARGE)], [part(**LARGE, cues=[made_cue()])], baseline=0.5)
    (clause,) = judge(RULES, facts)[1]
    assert (clause.code, clause.facts["baseline"]) == ("leak.part", 0.5)


def made_cue(kind="word", label="0"):
    return SimpleNamespace(
        part="evidence",
        kind=kind,
        name="zupom",
        label=label,
        coverage=0.1,
        productivity=SURE,
        base=0.5,
    )


def test_a_leak_is_said_of_the_part_that_leaks_most_and_by_its_cues():
    weak = Estimate(0.06, 0.03, 0.09, 0.95, 300, "made")
    parts = [
        part(**LARGE, best=("form", weak)),
        part(**LARGE, part="evidence", cues=[made_cue(), made_cue()]),
    ]
    names = {"evidence": "premise"}
    first, second = judge(RULES, LeakFacts(parts, names=names, labels={"0": "yes"}))[1]
    assert first.facts["part"] == Name("column", "premise")
    assert first.facts["over"] is SURE
    assert (second.code, second.facts["cue"]) == ("leak.cue", Name("token", "zupom"))
    assert second.facts["label"] == Name("label", "yes")


def test_the_choice_that_a_cue_tells_is_in_our_words():
    facts = LeakFacts(
        [part(**LARGE, part="evidence", cues=[made_cue("length", "right")])]
    )
    told = judge(RULES, facts)[1][1].facts
    assert (told["cue"], told["label"]) == (Name("token", "zupom"), "right")


def test_a_leak_that_no_accuracy_shows_is_stated_in_bits():
    hidden = part(**LARGE, best=("tfidf", NOTHING), has_bits=True)
    (clause,) = judge(RULES, LeakFacts([hidden]))[1]
    assert (clause.code, clause.facts["bits"]) == ("leak.bits", SURE)


def test_a_cue_alone_is_enough_for_a_clause():
    rare = part(present=True, best=("tfidf", NOTHING), cues=[made_cue()])
    assert [c.code for c in judge(RULES, LeakFacts([rare]))[1]] == ["leak.cue"]


SETTLED = {
    "open.memory": [part(memory=True)],
    "open.families": [part(family=FEW)],
    "open.control": [part(controls=[MISSED])],
    "open.width": [part(bound=0.2)],
}


@pytest.mark.parametrize("code", SETTLED)
def test_whatever_is_open_has_something_that_settles_it(code):
    facts = LeakFacts(SETTLED[code], size=300)
    settled = find_settlement(facts, code)
    if code == "open.memory":
        assert settled.code == "settle.group"
    else:
        assert settled.code == "settle.items"
        assert 300 < settled.facts["items"] <= 30_000


def conclude(pool):
    return run(conclude_leakage, pool)


def test_a_word_of_the_claim_leaks():
    pool = claim_pool(200, claim=0.6)
    conclusion, facts = conclude(pool)
    assert (conclusion.label, conclusion.code) == ("leaks", "leak.part")
    assert (conclusion.region, conclusion.reason) == ("leaks", "")
    first, cue = (clause.facts for clause in conclusion.clauses)
    assert first["part"].text == "claim"
    assert first["baseline"] == pytest.approx(
        pool.items.labels.value_counts(True).max()
    )
    assert first["accuracy"].value > first["baseline"] + 0.2
    assert cue["cue"].text in ("zupom", "zafim")
    assert {"zupom": "yes", "zafim": "no"}[cue["cue"].text] == cue["label"].text
    assert cue["productivity"].value == 1
    assert not facts.parts[1].present
    assert conclusion.bound.value == facts.parts[0].bound > 0.2
    assert conclusion.settle is None


def test_names_of_columns_and_labels_change_no_figure():
    table = claims(150, claim=0.4)
    renamed = table.rename(columns={"claim": "a: b", "evidence": "{x}"})
    renamed = renamed.replace({"label": {"yes": "leaks", "no": "none found"}})
    mixed = renamed.sample(frac=1, random_state=1)
    roles = {"query": "a: b", "evidence": "{x}", "label": "label"}
    first, _ = conclude(pool_of(table))
    second, _ = conclude(pool_of(mixed, **roles))
    assert first.bound == second.bound
    for one, other in zip(first.clauses, second.clauses, strict=True):
        same = [n for n, fact in one.facts.items() if not isinstance(fact, Name)]
        assert {n: one.facts[n] for n in same} == {n: other.facts[n] for n in same}
    assert second.clauses[0].facts["part"] == Name("column", "a: b")


def crossed(table):
    """Two claims and two texts of evidence in all four ways: each with both labels."""
    first, second = (
        table[::2].reset_index(drop=True),
        table[1::2].reset_index(drop=True),
    )
    rows = [
        a[["claim"]].assign(evidence=b["evidence"], label="yes" if a is b else "no")
        for a in (first, second)
        for b in (first, second)
    ]
    return pd.concat(rows, ignore_index=True)


def test_texts_with_both_labels_leak_nothing_whoever_reads_them():
    conclusion, facts = conclude(pool_of(crossed(claims(80))))
    assert (conclusion.label, conclusion.code) == ("none found", "none.exact")
    assert conclusion.bound.value == 0
    assert not any(part.controls for part in facts.parts)


def test_one_text_in_all_rows_leaks_nothing():
    table = claims(120).assign(claim="Is it?", evidence="It is.")
    table["split"] = ["train"] * 80 + ["test"] * 40
    roles = {"query": "claim", "evidence": "evidence", "label": "label"}
    conclusion, _ = conclude(pool_of(table, split="split", **roles))
    assert (conclusion.code, conclusion.bound.value) == ("none.exact", 0)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_a_clean_benchmark_is_cleared_or_bounded(seed):
    conclusion, facts = conclude(claim_pool(600, seed, evidence=0.0))
    assert conclusion.label in ("none found", "none found, bounded")
    assert 0 <= conclusion.bound.value <= REACH * MARGIN
    assert all(len(part.controls) == 2 for part in facts.parts)


@pytest.mark.slow
def test_a_perfect_word_in_few_items_is_a_leak_with_its_name():
    conclusion, _ = conclude(pool_of(sprinkled(30)))  # 5 % of the items
    assert conclusion.label in ("leaks", "small leak")
    (cue,) = (c.facts for c in conclusion.clauses if c.code == "leak.cue")
    assert (cue["cue"].text, cue["coverage"]) == ("zupom", 0.05)
    assert conclusion.bound.value >= 0.025


@pytest.mark.slow
def test_the_bound_holds_of_a_place_that_is_often_right():
    table = contests(300)
    table["label"] = np.where(np.arange(300) % 10, "A", table["label"])
    conclusion, _ = conclude(choice_pool(table))
    assert conclusion.bound.value >= 0.6  # who always takes the first is right in 0.92


@pytest.mark.slow
def test_words_of_the_evidence_leak_too_and_the_claim_is_not_blamed():
    conclusion, facts = conclude(claim_pool(400, 2, evidence=0.8))
    assert conclusion.label == "leaks"
    assert {part.part for part in facts.large} == {"evidence"}


@pytest.mark.slow
def test_the_longest_choice_leaks():
    conclusion, _ = conclude(choice_pool(contests(400, longest=0.5)))
    assert conclusion.label == "leaks"
    cues = [c.facts["cue"] for c in conclusion.clauses if c.code == "leak.cue"]
    assert cues == [Name("token", "the longest choice")]


@pytest.mark.slow
def test_random_choices_leak_nothing():
    conclusion, _ = conclude(choice_pool(contests(400)))
    assert conclusion.label in ("none found", "none found, bounded", "inconclusive")
    assert conclusion.code != "leak.part"
