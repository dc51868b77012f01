"""Rules that need no reader: the verdict rests on them, and names them as causes."""

import numpy as np
import pandas as pd
import pytest

from measurand.api.source import load
from measurand.audits.leakage import LeakageSettings, audit
from measurand.audits.leakage.choices import duplicate_findings
from measurand.audits.leakage.rules import (
    ABOVE,
    OVERLAP,
    add_rule,
    leaking_rules,
    rule_findings,
    rule_runs,
)
from measurand.audits.leakage.scores import LEAKS, UNDECIDED
from measurand.audits.leakage.verdict import NONE
from measurand.core.finding import Verdict
from measurand.core.items import Items, pack_choices
from measurand.experiment.experiment import open_experiment
from measurand.readers import READERS

SYLLABLES = ("ba", "ke", "lo", "mu", "ri", "ta", "vo", "zu")
WORDS = [first + second for first in SYLLABLES for second in SYLLABLES]


def planted_rows(count, change, seed=0):
    """Questions and choices of random words, after `change` of each item's choices."""
    rng = np.random.default_rng(seed)
    rows = []
    for _ in range(count):
        choices = [[*rng.choice(WORDS, 3, replace=False)] for _ in range(4)]
        gold = int(rng.integers(4))
        change(choices, gold)
        rows.append(
            {
                "question": " ".join(rng.choice(WORDS, 6)),
                "choices": [" ".join(words) for words in choices],
                "answer": gold,
            }
        )
    return pd.DataFrame(rows)


def share_words(choices, gold):
    """Each wrong choice gets a word of the right one, which is the most alike."""
    for number, words in enumerate(choices):
        if number != gold:
            words[0] = choices[gold][number % 3]


def copy_wrong(choices, gold):
    """All wrong choices have the same words: the right one is the odd one out."""
    for number in range(4):
        if number != gold:
            choices[number] = [*choices[gold - 1]]


def audit_rows(rows, **settings):
    chosen = LeakageSettings(calibrate=False, tsne=False, folds=3, draws=1, **settings)
    with open_experiment(load(rows, name="made")) as experiment:
        return audit(experiment, {"tfidf": READERS.load("tfidf")}, chosen)


@pytest.mark.slow
def test_what_a_rule_finds_is_a_leak_where_no_reader_sees_it():
    report = audit_rows(planted_rows(120, share_words), controls="none")
    assert report.verdict.label == LEAKS
    assert report.verdict.stage == "rule"
    assert "the rule most_alike finds the right choice" in report.verdict.reason
    assert "does not require its question" in report.verdict.reason
    shares = [f.estimate for f in report.findings if f.reader == "rule"]
    assert all(0 <= share.low <= share.high <= 1 for share in shares)


@pytest.mark.slow
def test_an_odd_one_out_silences_no_reader_and_is_named_instead_of_words():
    report = audit_rows(planted_rows(150, copy_wrong), controls="quick")
    blanks = [f.decision for f in report.findings if f.statistic == "blank"]
    assert blanks == ["reads nothing"]
    assert report.verdict.label == LEAKS
    assert "odd_one_out" in report.verdict.reason
    assert "words such as" not in report.verdict.reason


def made_items(rows, gold, questions):
    table = pd.DataFrame(
        {
            "question": questions,
            "choices": [pack_choices(row) for row in rows],
            "label": ["ABCD"[number] for number in gold],
        },
        index=[f"i{n}" for n in range(len(rows))],
    )
    return Items(table, ("question", "choices"), choices="choices")


def test_words_of_the_question_are_no_leak_of_the_choices():
    rows = [["boat red", "mast old"]] * 60
    items = made_items(rows, [0] * 60, [f"which boat {n}?" for n in range(60)])
    findings = rule_findings(items, "question", np.arange(60), 0.02)
    decisions = {f.statistic: f.decision for f in findings}
    assert decisions[OVERLAP] == ABOVE
    undecided = Verdict(UNDECIDED, UNDECIDED, None, "no reader is fit")
    assert add_rule(undecided, findings, 0.5) == undecided


def test_a_choice_that_is_never_right_can_be_struck_out():
    """Neither the longest nor the shortest is right: the one between them always is."""
    rows = [
        ["old boat", "mast", "some very long oar"],
        ["old deck", "hull", "some very long bow"],
    ] * 30
    items = made_items(rows, [0] * 60, [f"which {n}?" for n in range(60)])
    findings = rule_findings(items, "question", np.arange(60), 0.02)
    shares = {f.statistic: f.estimate.value for f in findings}
    assert shares["longest"] == shares["shortest"] == 0
    assert shares["not_longest"] == shares["not_shortest"] == 0.5
    names = {f.statistic for f in leaking_rules(findings)}
    assert {"not_longest", "not_shortest"} <= names
    none = Verdict(NONE, NONE, "tfidf", "nothing from any part")
    told = add_rule(none, findings, 1 / 3)
    assert told.label == LEAKS
    assert "the rule not_longest finds the right choice in 0.500" in told.reason


def test_where_all_choices_tie_none_is_struck_out():
    rows = [["oar", "bow", "net"], ["oak", "ash", "elm"]] * 30
    items = made_items(rows, [0] * 60, [f"which {n}?" for n in range(60)])
    findings = rule_findings(items, "question", np.arange(60), 0.02)
    shares = {f.statistic: f.estimate.value for f in findings}
    assert shares["not_longest"] == pytest.approx(1 / 3)
    assert leaking_rules(findings) == []


def test_of_two_choices_none_is_struck_out_since_the_opposite_rule_says_the_same():
    rows = [["a very long boat", "mast"], ["a very long deck", "hull"]] * 30
    items = made_items(rows, [0, 1] * 30, [f"which {n}?" for n in range(60)])
    names = [f.statistic for f in rule_findings(items, "question", np.arange(60), 0.02)]
    assert names == ["longest", "shortest", "most_alike", "odd_one_out", OVERLAP]
    three = made_items([*rows[1:], ["oar", "bow", "net"]], [0, 1] * 30, ["which?"] * 60)
    names = [f.statistic for f in rule_findings(three, "question", np.arange(60), 0.02)]
    assert "not_longest" in names


def test_a_rule_of_two_choices_shares_the_error_budget_with_those_asked_alone():
    """Right in 44 of 60: sure among five rules, and not among nine."""
    gold = [0] * 44 + [1] * 16
    rows = [["a very long boat", "mast"], ["a very long deck", "hull"]] * 30
    two = made_items(rows, gold, [f"which {n}?" for n in range(60)])
    findings = rule_findings(two, "question", np.arange(60), 0.08)
    assert [f.statistic for f in leaking_rules(findings)] == ["longest"]


def test_a_word_called_as_a_rule_is_hides_no_rule():
    rows = [["a very long boat", "mast"], ["a very long deck", "hull"]] * 30
    items = made_items(rows, [0] * 60, [f"which {n}?" for n in range(60)])
    findings = rule_findings(items, "question", np.arange(60), 0.02)
    assert leaking_rules(findings)[0].statistic == "longest"
    leak = Verdict(LEAKS, LEAKS, "tfidf", "choices leak, by words such as 'longest'")
    assert "; the rule longest finds" in add_rule(leak, findings, 0.5).reason
    named = Verdict(LEAKS, LEAKS, "tfidf", "choices leak, by the rule longest alone")
    assert add_rule(named, findings, 0.5) == named


def test_a_rule_that_is_always_right_in_two_clusters_is_no_sure_leak():
    rows = [["a very long boat", "mast"], ["a very long deck", "hull"]] * 30
    items = made_items(rows, [0] * 60, [f"which {n}?" for n in range(60)])
    findings = rule_findings(items, "question", np.arange(60) % 2, 0.02)
    longest = next(f for f in findings if f.statistic == "longest")
    assert longest.estimate.value == 1
    assert longest.estimate.low < 0.5  # which is chance
    assert longest.decision == UNDECIDED


@pytest.mark.parametrize(
    ("gold", "rule"),
    [(0, "least_number"), (3, "greatest_number"), (1, "number_between")],
)
def test_where_a_right_number_stands_among_the_others_is_a_leak(gold, rule):
    rng = np.random.default_rng(1)
    rows, golds, money = [], [], ("{} km", "${:,}", "{}")
    for number in range(200):
        values = sorted(int(v) for v in rng.choice(9_000, 4, replace=False) + 1_000)
        order = rng.permutation(4)
        rows.append([money[number % 3].format(values[place]) for place in order])
        golds.append([*order].index(gold))
    items = made_items(rows, golds, [f"how many {n}?" for n in range(200)])
    findings = rule_findings(items, "question", np.arange(200), 0.02)
    assert rule in {f.statistic for f in leaking_rules(findings)}


def test_of_choices_that_are_no_numbers_no_rule_of_numbers_is_asked():
    rows = [["oar", "bow", "net"], ["oak", "7 elms", "ash"]] * 30
    items = made_items(rows, [0, 1] * 30, [f"which {n}?" for n in range(60)])
    asked = {f.statistic for f in rule_findings(items, "question", np.arange(60), 0.02)}
    assert not any("number" in name for name in asked)


@pytest.mark.slow
def test_what_a_rule_of_numbers_tells_is_named_and_never_exported_as_mended():
    rng = np.random.default_rng(2)
    rows = []
    for number in range(600):
        values = rng.choice(90, 4, replace=False) + 10
        gold = int(rng.choice(np.argsort(values)[1:3]))
        question = f"how many {' '.join(rng.choice(WORDS, 3))} {number}?"
        choices = [str(value) for value in values]
        rows.append({"question": question, "choices": choices, "answer": gold})
    report = audit_rows(pd.DataFrame(rows), controls="none")
    assert report.verdict.label == LEAKS
    assert "the rule number_between" in report.verdict.reason
    assert report.finding("number_between").estimate.value == 0.5
    assert not [name for name in report.files if name.startswith("repair/kept_")]


def test_of_choices_that_all_items_share_no_rule_is_asked():
    rows = [["yes", "no"], ["no", "yes"]] * 30
    items = made_items(rows, [0, 1] * 30, [f"is it {n}?" for n in range(60)])
    findings = rule_findings(items, "question", np.arange(60), 0.02)
    assert [f.statistic for f in findings] == [OVERLAP]


def test_a_commonest_answer_of_shared_choices_is_called_by_its_words():
    rng = np.random.default_rng(0)
    rows = pd.DataFrame(
        {
            "question": [" ".join(rng.choice(WORDS, 6)) for _ in range(400)],
            "choices": [["yes", "no"]] * 400,
            "answer": [int(rng.random() > 0.7) for _ in range(400)],
        }
    )
    report = audit_rows(rows, controls="none", brief=True)
    assert report.verdict.label == LEAKS
    assert "by words such as" in report.verdict.reason
    assert "length" not in report.verdict.reason
    assert {f.reader for f in report.findings}.isdisjoint({"length", "surface"})
    assert any("offer the same choices" in warning for warning in report.warnings)


def test_who_goes_by_a_rule_is_as_sure_as_it_is_often_right():
    """Right in 6 of 8 items; choices as long tie, and are not offered where fewer."""
    rows = [["a boat", "mast", "oar"]] * 8 + [["oar", "bow", "net"], ["oar", "net"]]
    gold = [0] * 6 + [1] * 2 + [2, 1]
    items = made_items(rows, gold, [f"which {n}?" for n in range(10)])
    runs = rule_runs(items, "question", "longest", items.classes)
    assert runs.ids == tuple(sorted(items.ids))
    assert runs.gold.tolist() == gold
    first, *_, tied, two = runs.probabilities[0]
    assert first == pytest.approx([0.7, 0.15, 0.15])
    assert tied == pytest.approx([1 / 3] * 3)
    assert two == pytest.approx([0.5, 0.5, 0.0])


def half_by_a_word(choices, gold):
    """Half of the right choices are the longest, the other half have a word."""
    if choices[0][0] < "m":
        choices[gold] += choices[gold][:3]
    else:
        choices[gold][1] = "sure"


@pytest.mark.slow
def test_a_place_is_explained_by_itself_and_no_rule_of_other_items():
    """Half of the right choices stand last, the other half are the odd one out."""

    def place(row):
        gold, choices = row["answer"], row["choices"]
        if row.name % 2:
            choices[gold], choices[3], gold = choices[3], choices[gold], 3
        else:
            wrong = choices[gold - 1].split()
            choices = [
                text if n == gold else " ".join(np.roll(wrong, n))
                for n, text in enumerate(choices)
            ]
        return {**row, "choices": choices, "answer": gold}

    rows = planted_rows(240, lambda choices, gold: None)
    planted = pd.DataFrame([place(row) for _, row in rows.iterrows()])
    reason = audit_rows(planted, controls="none").verdict.reason
    assert "by the position of the right choice alone (at least 100 %" in reason
    assert "by the rule" not in reason
    assert "; the rule odd_one_out finds the right choice" in reason


@pytest.mark.slow
def test_length_of_half_the_items_and_the_place_of_the_others_are_both_causes():
    def lengthen(choices, gold):
        if gold:
            choices[gold] += choices[gold][:3]

    rows = planted_rows(360, lengthen)
    # Of every fourth item the first is right, of some more as long as all others.
    rows = pd.concat([rows, rows[rows["answer"] == 0]], ignore_index=True)
    rows["question"] += [f" {number}" for number in range(len(rows))]
    reason = audit_rows(rows, controls="none").verdict.reason
    assert "% of what it tells by its length alone and" in reason
    assert "% of what it tells by the position of the right choice alone" in reason


@pytest.mark.slow
def test_a_rule_of_half_the_items_explains_no_more_than_these():
    report = audit_rows(planted_rows(240, half_by_a_word), controls="none")
    reason = report.verdict.reason
    assert "by words such as 'sure'" in reason
    assert "% of what it tells by" in reason
    assert "% of what each reader finds" not in reason


def test_choices_that_differ_in_case_or_spacing_are_two():
    rows = [["RR", "Rr", "rr", "if x: y", "if x:  y"], ["Oar ", "Sail", "Oar"]]
    shares = {
        f.condition: f.estimate.value
        for f in duplicate_findings(made_items(rows, [0, 2], ["what?", "which?"]))
    }
    assert shares["a choice twice"] == 0.5
    assert shares["the right choice twice"] == 0.5


@pytest.mark.slow
def test_a_right_choice_that_stands_twice_is_warned_of():
    def repeat_gold(choices, gold):
        choices[gold - 1] = [*choices[gold]]

    report = audit_rows(planted_rows(60, repeat_gold), controls="none")
    assert any(
        "in 60 items the right choice stands twice" in w for w in report.warnings
    )


@pytest.mark.slow
def test_who_goes_by_the_position_has_not_collapsed():
    report = audit_rows(planted_rows(60, lambda choices, gold: None), controls="none")
    decisions = {f.decision for f in report.findings if f.reader == "position"}
    assert "collapsed" not in decisions
