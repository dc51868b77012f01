"""Which items count as one."""

import numpy as np
import pandas as pd
import pytest

from measurand.arms.families import (
    LARGEST,
    LOOSEST,
    Family,
    find_family,
    find_loose_family,
    join_families,
)
from tests.arms.planted import WORDS, draw_texts

RNG = np.random.default_rng(0)
OTHERS = draw_texts(200, RNG, words=12)


def test_copies_and_near_copies_are_one_family():
    text = OTHERS[0]
    near = " ".join(["other", *text.split()[1:]])
    family = find_family("claim", [text, near, text.upper(), *OTHERS[1:]], None)
    assert family.numbers[:3].tolist() == [0, 0, 0]
    assert family.sizes.tolist() == [3] + [1] * 199


@pytest.mark.parametrize(("fills", "families"), [(20, 1), (21, 21)])
def test_a_template_is_a_family_only_while_it_holds_little(fills, families):
    assert fills <= max(LARGEST * (200 + fills), 20) or families > 1
    frame = "the {} of the old house by the sea was sold for little money"
    filled = [frame.format(word) for word in WORDS[:fills]]
    numbers = find_family("claim", [*filled, *OTHERS], None).numbers[:fills]
    assert len(np.unique(numbers)) == families


def test_a_template_of_more_than_two_percent_of_many_texts_is_none():
    others = draw_texts(1_450, np.random.default_rng(1), words=12)
    frame = "the {} of the old house by the sea was sold for {} little coins"
    filled = [frame.format(word, n) for n, word in enumerate(WORDS[:50])]
    family = find_family("claim", [*filled, *others], None)
    assert len(np.unique(family.numbers[:50])) == 50
    family = find_family("claim", [*filled[:25], *others], None)
    assert len(np.unique(family.numbers[:25])) == 1


def test_exact_copies_are_one_family_however_many():
    copied = f"{OTHERS[0]} and one more"
    family = find_family("claim", [copied] * 150 + OTHERS[50:100], None)
    assert family.sizes.tolist() == [150] + [1] * 50


@pytest.mark.parametrize(("count", "families"), [(20, 1), (21, 21)])
def test_a_short_text_of_very_many_items_is_a_value_and_joins_none(count, families):
    family = find_family("claim", ["the same boat"] * count + OTHERS, None)
    assert len(np.unique(family.numbers[:count])) == families


def test_a_group_joins_what_texts_do_not():
    group = pd.Series(["one", "two", "one", "", ""])
    family = find_family("claim", OTHERS[:5], group)
    assert family.numbers.tolist() == [0, 1, 0, 2, 3]


def test_families_are_joined_through_any_part():
    claim = Family("claim", np.array([0, 0, 1, 2, 3]))
    evidence = Family("evidence", np.array([0, 1, 1, 2, 3]))
    joined = join_families("pair", [claim, evidence])
    assert joined.numbers.tolist() == [0, 0, 0, 1, 2]
    assert joined.part == "pair"


@pytest.mark.parametrize(
    ("sizes", "effective"), [([1] * 40, 40), ([5] * 60, 60), ([150, *[1] * 150], 3.97)]
)
def test_effective_families_are_as_many_of_one_size(sizes, effective):
    family = Family("claim", np.repeat(np.arange(len(sizes)), sizes))
    assert family.effective == pytest.approx(effective, abs=0.01)


def test_folds_are_even_where_families_are_many_and_small():
    def family(*sizes):
        return Family("claim", np.repeat(np.arange(len(sizes)), sizes))

    assert family(*[2] * 30).deals_evenly(5)
    assert not family(*[2] * 29).deals_evenly(5)  # too few
    assert family(*[2] * 29).deals_evenly(5, 29)
    assert not family(100, *[1] * 300).deals_evenly(5)  # one is larger than a fold


def paraphrases(count, size=10):
    """Groups of texts that share three rare words among seven others."""
    rng = np.random.default_rng(2)
    texts = []
    for number in range(count):
        rare = [f"rare{number}of{n}" for n in range(3)]
        for _ in range(size):
            common = [f"common{n % 3_000}" for n in rng.zipf(1.3, 7)]
            texts.append(" ".join(rng.permutation([*rare, *common])))
    return texts, np.repeat(np.arange(count), size)


def test_loose_families_hold_paraphrases_together():
    texts, group = paraphrases(100)
    same = group[:, None] == group
    strict = find_family("claim", texts, None)
    assert (strict.numbers[:, None] == strict.numbers)[same].mean() < 0.3
    loose = find_loose_family(strict, texts)
    assert (loose.numbers[:, None] == loose.numbers)[same].mean() > 0.95
    assert loose.sizes.max() <= LOOSEST * len(texts)


def test_loose_families_cut_no_family_and_are_none_of_very_many_texts(monkeypatch):
    texts, group = paraphrases(10, size=8)
    strict = Family("claim", group // 2)
    loose = find_loose_family(strict, texts)
    assert all(len(np.unique(loose.numbers[group // 2 == g])) == 1 for g in range(5))
    monkeypatch.setattr("measurand.arms.families.MOST_TEXTS", 79)
    assert find_loose_family(strict, texts) is None


def test_random_texts_have_few_loose_families():
    loose = find_loose_family(find_family("claim", OTHERS, None), OTHERS)
    assert loose.effective > 20


def test_texts_without_a_word_are_a_loose_family_of_none():
    loose = find_loose_family(Family("claim", np.arange(30)), ["?"] * 30)
    assert loose.sizes.max() == 1
