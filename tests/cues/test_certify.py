"""What is certified is there, and what is not there is not certified."""

import numpy as np
import pandas as pd
import pytest

from measurand.core.estimate import Estimate
from measurand.cues.candidates import part_texts
from measurand.cues.certify import (
    Cue,
    certified,
    count_votes,
    cue_scores,
    find_cues,
)
from measurand.cues.words import word_candidates
from tests.arms.planted import choice_pool, claims, contests, draw_texts, pool_of

ERROR = 0.01


def find(pool, part, seed=0):
    """The certified cues of a part, the surest first."""
    rows = part_texts(pool.items, part)
    cues = find_cues(part, rows, pool.families[part].numbers, seed)
    return certified({part: cues}, ERROR)[part]


def sprinkled(count):
    """600 claims of which so many, all of one label, say one word."""
    table = claims(600, seed=1)
    yes = np.flatnonzero(table["label"] == "yes")[:count]
    table.loc[yes, "claim"] = table.loc[yes, "claim"].str[:-5] + "zupom"
    return table


def test_a_perfect_word_in_few_items_is_certified():
    table = sprinkled(30)
    pool = pool_of(table)
    (cue, *_) = find(pool, "query")
    assert (cue.kind, cue.name, cue.part) == ("word", "zupom", "query")
    assert pool.labels[cue.label] == "yes"
    assert cue.coverage == pytest.approx(30 / 600)
    assert cue.productivity.value == 1
    assert cue.productivity.low > 0.85
    assert cue.base == pytest.approx((table["label"] == "yes").mean())
    assert cue.p < 1e-3


def test_the_longest_choice_is_certified():
    pool = choice_pool(contests(600, longest=0.5))
    cue = next(c for c in find(pool, "choices") if c.name == "the longest choice")
    assert cue.label == "right"
    assert cue.coverage == pytest.approx(1, abs=0.05)
    assert cue.productivity.value == pytest.approx(0.625, abs=0.08)
    assert cue.base == pytest.approx(0.25)


def test_a_place_that_is_often_right_is_certified():
    table = contests(300)
    table["label"] = np.where(np.arange(300) % 2, table["label"], "C")
    (cue, *_) = find(choice_pool(table), "choices")
    assert (cue.name, cue.label) == ("choice 3", "right")


@pytest.mark.parametrize("seed", range(3))
def test_choices_that_only_long_items_have_are_no_cue(seed):
    # One of five is right where there are five: rarer than of all choices.
    two = contests(500, seed, choices=2)
    five = contests(500, seed + 9, choices=5)
    table = pd.concat([two, five.assign(claim=five["claim"] + " now")])
    assert find(choice_pool(table), "choices") == []


def test_who_sees_one_cue_says_the_commonest_label_with_it_and_without_it():
    table = sprinkled(30)
    pool = pool_of(table)
    (cue, *_) = find(pool, "query")
    scores = cue_scores(part_texts(pool.items, "query"), cue)
    has = pool.items.column("query").str.contains("zupom").to_numpy()
    assert (scores[has] == 1).all()
    rest = np.bincount(pool.items.numbers[~has])
    assert scores[~has].mean() == pytest.approx(rest.max() / rest.sum())


def test_who_sees_one_cue_of_choices_guesses_among_those_that_it_leaves():
    pool = choice_pool(contests(600, longest=0.5))
    cues = find(pool, "choices")
    rows = part_texts(pool.items, "choices")
    longest = next(c for c in cues if c.name == "the longest choice")
    scores = cue_scores(rows, longest)
    some = np.isin(rows.item, rows.item[longest.rows]).reshape(600, 4).any(axis=1)
    right = (rows.gold[longest.rows] == 0).mean()
    assert scores[some].mean() == pytest.approx(right)
    assert (scores[~some] == 0.25).all()


def test_one_family_has_one_vote():
    table = sprinkled(60)
    assert "zupom" in {cue.name for cue in find(pool_of(table), "query")}
    has = table["claim"].str.contains("zupom")
    grouped = pool_of(table.assign(group=np.where(has, "same", "")))
    assert grouped.families["query"].sizes.max() == 60
    assert find(grouped, "query") == []


def test_a_family_of_copies_has_one_vote():
    table = sprinkled(60)
    table.loc[table["claim"].str.contains("zupom"), "claim"] = f"{'a boat ' * 6}zupom"
    assert find(pool_of(table), "query") == []


def test_votes_are_shared_out_over_the_classes_of_a_family():
    pool = pool_of(claims(60))
    rows = part_texts(pool.items, "query")
    candidates = word_candidates(rows)
    family = np.arange(60) // 3
    votes = count_votes(candidates.marks, family, rows)
    column = int(np.asarray(votes.has.sum(axis=0)).argmax())
    marked = candidates.marks[:, [column]].toarray().ravel() > 0
    for number in np.unique(family[marked]):
        inside = marked & (family == number)
        share = (rows.gold[inside] == 0).mean()
        assert votes.share[0][number, column] == pytest.approx(share)
        assert votes.has[number, column] == 1
    both = votes.share[0] + votes.share[1]
    assert abs(both - votes.has).max() < 1e-9
    assert votes.base.sum() == pytest.approx(1)


def test_what_is_found_does_not_depend_on_what_else_is_asked():
    table = claims(300, claim=0.2)
    pool = pool_of(table)
    rows, family = part_texts(pool.items, "query"), pool.families["query"].numbers
    alone = find_cues("query", rows, family, 0, kinds=("word",))
    together = find_cues("query", rows, family, 0)
    assert [c for c in together if c.kind == "word"] == alone


def cue(p, part="query"):
    sure = Estimate(1.0, 0.9, 1.0, 0.95, 30, "Wilson")
    return Cue(part, "word", f"w{p}", "1", 0.05, sure, 0.5, p)


def test_all_tests_of_all_parts_share_the_error():
    query, other = [cue(0.001), cue(0.5)], [cue(0.002, "evidence")]
    assert certified({"query": query}, ERROR) == {"query": [query[0]]}
    sure = certified({"query": query, "evidence": other}, ERROR)
    assert sure == {"query": [query[0]], "evidence": [other[0]]}  # 6, then 5 tests
    sure = certified({"query": [cue(0.0017)], "evidence": other}, ERROR)
    assert sure["query"] == [cue(0.0017)]
    assert certified({"query": [cue(0.003), cue(0.004)]}, ERROR) == {"query": []}


def count_false_cues(make, part, runs):
    """In how many sets of random labels anything is certified."""
    return sum(bool(find(make(seed), part, seed)) for seed in range(runs))


@pytest.mark.slow
def test_random_labels_have_no_certified_word():
    def make(seed):
        return pool_of(
            claims(200, seed).drop(columns="evidence"), query="claim", label="label"
        )

    assert count_false_cues(make, "query", 100) <= 5


@pytest.mark.slow
def test_random_choices_have_no_certified_cue():
    runs = count_false_cues(lambda s: choice_pool(contests(150, s)), "choices", 100)
    assert runs <= 5


@pytest.mark.slow
def test_random_labels_of_copied_texts_have_no_certified_word():
    def make(seed):
        rng = np.random.default_rng(seed)
        sizes = rng.integers(1, 8, 60)
        text = np.repeat(draw_texts(60, rng), sizes)
        label = np.repeat(rng.choice(["no", "yes"], 60), sizes)
        table = pd.DataFrame({"claim": text, "label": label})
        return pool_of(table, query="claim", label="label")

    assert count_false_cues(make, "query", 100) <= 5
