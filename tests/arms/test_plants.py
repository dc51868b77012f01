"""Blanks and plants: pools whose answer is known."""

from functools import cache

import numpy as np
import pandas as pd
import pytest

from measurand.arms.plants import (
    DENSE,
    DENSE_SHARE,
    SPARSE,
    CodeWords,
    PermutedLabels,
    code_gain,
    permute_families,
    plan_dose,
)
from measurand.core.choices import guess_scores
from measurand.core.items import Items
from tests.arms.planted import choice_pool, contests, draw_texts, pool_of

COUNT = 4_000
EACH = pytest.mark.parametrize("spread", [DENSE, SPARSE])


@cache
def made_items(share):
    """Items of two labels, of which the commoner has this share."""
    rng = np.random.default_rng(0)
    label = np.where(rng.random(COUNT) < share, "0", "1")
    return Items(
        pd.DataFrame({"query": draw_texts(COUNT, rng), "label": label}), ("query",)
    )


@cache
def made_choices():
    return choice_pool(contests(2_000)).items


def read_codes(before, after):
    """How much more often an oracle that reads the code words is right."""
    known, gold = before.vocabulary, after.numbers
    codes = [(set(t.split()) - known) or {""} for t in after.column("query")]
    (said,) = zip(*codes, strict=True)
    table = pd.crosstab(np.array(said), gold)
    return table.max(axis=1).sum() / len(gold) - np.bincount(gold).max() / len(gold)


@EACH
@pytest.mark.parametrize("share", [0.5, 0.8])
@pytest.mark.parametrize("worth", [0.04, 0.15])
def test_a_code_word_adds_what_it_says(spread, share, worth):
    items, plant = made_items(share), CodeWords("query", spread, worth)
    known = plant.known_worth(items)
    gained = read_codes(items, plant(items, np.random.default_rng(1)))
    assert known == pytest.approx(min(worth, (1 - share) * DENSE_SHARE), abs=0.01) or (
        spread == SPARSE and known == pytest.approx(worth)
    )
    assert abs(gained - known) <= 3 * 0.5 / COUNT**0.5


@EACH
def test_a_code_word_adds_no_more_than_there_is_room(spread):
    items, plant = made_items(0.8), CodeWords("query", spread, 0.5)
    room = 1 - np.bincount(items.numbers).max() / COUNT
    share = DENSE_SHARE if spread == DENSE else 1.0
    assert plant.known_worth(items) == pytest.approx(room * share, abs=0.01)
    gained = read_codes(items, plant(items, np.random.default_rng(1)))
    assert abs(gained - plant.known_worth(items)) <= 0.02


@EACH
@pytest.mark.parametrize("worth", [0.1, 0.3])
def test_of_choices_the_marked_one_is_right_as_often_as_it_says(spread, worth):
    items, plant = made_choices(), CodeWords("choices", spread, worth)
    marked = plant(items, np.random.default_rng(1))
    words = items.vocabulary
    right = np.array(guess_scores(items), float)
    for row, texts in enumerate(marked.choice_texts):
        has = [n for n, text in enumerate(texts) if set(text.split()) - words]
        if has:
            right[row] = has == [marked.numbers[row]]
    gained = right.mean() - guess_scores(items).mean()
    assert plant.known_worth(items) == pytest.approx(worth)
    assert abs(gained - worth) <= 3 * 0.5 / len(items) ** 0.5


@EACH
def test_labels_and_the_rest_of_the_texts_stay(spread):
    items, plant = made_items(0.8), CodeWords("query", spread, 0.1)
    planted = plant(items, np.random.default_rng(1))
    assert planted.labels.equals(items.labels)
    pairs = zip(planted.column("query"), items.column("query"), strict=True)
    assert all(after.startswith(before) for after, before in pairs)
    again = plant(items, np.random.default_rng(1))
    assert planted.digest == again.digest


def test_a_dense_plant_stands_in_half_and_a_sparse_one_in_few():
    assert plan_dose(SPARSE, 0.04, np.array([0.8, 0.2])) == (pytest.approx(0.2), 1.0)
    dose, certainty = plan_dose(DENSE, 0.04, np.array([0.5, 0.5]))
    assert dose == DENSE_SHARE
    assert certainty == pytest.approx(0.16, abs=0.006)  # of a grid
    assert plan_dose(DENSE, 0.9, np.array([0.5, 0.5]))[1] == 1.0


def test_what_stands_for_a_label_now_and_then_adds_nothing_under_skew():
    assert code_gain(np.array([0.9, 0.1]), 0.2) == pytest.approx(0)
    assert code_gain(np.array([0.9, 0.1]), 1.0) == pytest.approx(0.1)


def permute(items, family="query", seed=0):
    return PermutedLabels(family)(items, np.random.default_rng(seed))


def family_table(count=60):
    """Claims of three copies each with one label, and many single ones."""
    rng = np.random.default_rng(0)
    claims = np.repeat(draw_texts(count, rng), 3).tolist() + draw_texts(200, rng)
    shared = np.repeat(np.where(np.arange(count) % 5 == 0, "yes", "no"), 3)
    single = np.where(np.arange(200) % 2 == 0, "yes", "no")
    return pd.DataFrame({"claim": claims, "label": [*shared, *single]})


def test_permuted_labels_are_as_many_of_each_class():
    pool = pool_of(family_table(), query="claim", label="label")
    blank = permute(pool.items)
    assert blank.labels.value_counts().equals(pool.items.labels.value_counts())
    assert not blank.labels.equals(pool.items.labels)
    assert blank.ids.equals(pool.items.ids)


def test_labels_that_stood_together_stay_together():
    pool = pool_of(family_table(), query="claim", label="label")
    family = pool.families["query"].numbers
    large = np.bincount(family)[family] == 3
    together = []
    for seed in range(40):
        labels = permute(pool.items, seed=seed).labels[large]
        together.append((labels.groupby(family[large]).nunique() == 1).mean())
    assert np.mean(together) > 0.4  # by chance 0.31


def test_the_size_of_a_family_tells_nothing_of_what_it_gets():
    pool = pool_of(family_table(), query="claim", label="label")
    family = pool.families["query"].numbers
    large = np.bincount(family)[family] == 3
    blanks = [permute(pool.items, seed=seed) for seed in range(40)]
    share = [(blank.labels[large] == "1").mean() for blank in blanks]
    expected = (pool.items.labels == "1").mean()
    assert np.mean(share) == pytest.approx(expected, abs=0.03)


def test_permuted_labels_tell_nothing_of_the_old_ones():
    items = pool_of(family_table(), query="claim", label="label").items
    same = [(permute(items, seed=s).numbers == items.numbers).mean() for s in range(40)]
    shares = items.labels.value_counts(normalize=True)
    assert np.mean(same) == pytest.approx((shares**2).sum(), abs=0.02)


def test_of_choices_any_is_called_right():
    items = choice_pool(contests(900)).items
    labels = PermutedLabels("choices")(items, np.random.default_rng(0)).labels
    assert {*labels} == {*"ABCD"}
    assert labels.value_counts().min() > 180
    assert (labels == items.labels).mean() == pytest.approx(0.25, abs=0.05)


def test_a_choice_that_an_item_does_not_have_is_never_right():
    two, four = contests(60, choices=2), contests(60, seed=1, choices=4)
    table = pd.concat([two, four.assign(claim=four["claim"] + " now")])
    items = choice_pool(table).items
    blank = PermutedLabels("choices")(items, np.random.default_rng(0))
    assert (blank.numbers < items.choice_counts).all()


def test_large_families_hand_on_their_labels():
    families = np.repeat([0, 1, 2], [100, 150, 200])
    for seed in range(20):
        order = permute_families(families, np.random.default_rng(seed))
        assert sorted(order) == list(range(450))
    orders = [permute_families(families, np.random.default_rng(s)) for s in range(200)]
    moved = np.mean([(families[order] != families).mean() for order in orders])
    assert 0.5 < moved < 0.8


def test_families_hand_on_their_labels_whole_and_in_another_order():
    families = np.repeat(np.arange(200), 3)
    labels = np.tile([0, 1, 2], 200)
    order = permute_families(families, np.random.default_rng(0))
    given = pd.Series(order // 3).groupby(families).nunique()
    assert (given == 1).all()
    # An order that all families share would let a place alone tell the label.
    assert abs((labels[order] == labels).mean() - 1 / 3) < 0.1
