"""Texts whose words are mostly the same are found, and others are not."""

import numpy as np
import pytest

from measurand.text.near_texts import (
    KEPT,
    MOST_KEPT,
    NEAR,
    LikeTexts,
    compare_texts,
)


def passages(count, length, rng):
    return [rng.choice(5000, length, replace=False).astype(str) for _ in range(count)]


@pytest.mark.parametrize("length", [20, 200])
def test_a_passage_with_a_changed_end_is_near_and_another_is_not(length):
    rng = np.random.default_rng(0)
    kept = passages(50, length, rng)
    texts = [
        " ".join([*passage, "item", f"n{n}"]) for passage in kept for n in range(4)
    ]
    groups = LikeTexts(texts).near
    assert len(set(groups)) == 50
    assert (groups.reshape(50, 4) == groups.reshape(50, 4)[:, :1]).all()


def test_groups_are_those_of_all_pairs_that_share_enough_words():
    rng = np.random.default_rng(1)
    base = passages(40, 12, rng)
    texts = []
    for passage in base:
        for changed in (0, 1, 3, 6):
            words = passage.copy()
            words[:changed] = rng.integers(5000, 9000, changed).astype(str)
            texts.append(" ".join(words))
    groups = LikeTexts(texts).near
    bags = [set(text.split()) for text in texts]
    near = np.array([[len(a & b) / len(a | b) >= NEAR for b in bags] for a in bags])
    assert (groups[:, None] == groups)[near].all()
    assert (groups[:, None] == groups).sum() == near.sum()


def test_order_of_texts_moves_no_group_and_empty_ones_share_one():
    texts = ["a b c d e", "e d c b a", "", "...", "", "x"]
    groups = LikeTexts(texts).near
    assert groups.tolist() == [0, 0, 1, 2, 1, 3]
    backwards = LikeTexts(texts[::-1]).near[::-1]
    same = groups[:, None] == groups
    assert (same == (backwards[:, None] == backwards)).all()


def families(count, size, length, changed, rng):
    """Texts of one base each, with so many words of it changed."""
    texts = []
    for base in passages(count, length, rng):
        for _ in range(size):
            words = base.copy()
            places = rng.choice(length, changed, replace=False)
            words[places] = rng.integers(5000, 90000, changed).astype(str)
            texts.append(" ".join(words))
    return texts


@pytest.mark.parametrize(("length", "changed"), [(14, 1), (14, 2), (20, 3), (60, 9)])
def test_copies_of_a_text_are_one_family_though_they_are_not_near(length, changed):
    rng = np.random.default_rng(2)
    texts = families(60, 5, length, changed, rng) + [
        " ".join(passage) for passage in passages(200, length, rng)
    ]
    found = LikeTexts(texts).families
    copies, others = found[:300].reshape(60, 5), found[300:]
    assert (copies == copies[:, :1]).mean() > 0.97
    assert len(set(copies[:, 0])) == 60
    assert len(set(others)) == 200
    assert len(set(LikeTexts(texts).near[:300])) > 60


def test_texts_of_one_pattern_are_no_family():
    """Who links them all links nothing: no fold could hold them apart."""
    rng = np.random.default_rng(3)
    texts = [f"is the {a} of the {b} small" for a, b in rng.integers(0, 99, (300, 2))]
    assert len(set(LikeTexts(texts).families)) == len(set(LikeTexts(texts).near)) > 200


def test_texts_of_ten_words_are_of_a_family_only_where_they_have_the_same():
    rng = np.random.default_rng(4)
    texts = [" ".join(rng.choice(list("abcdefghij"), 7)) for _ in range(300)]
    bags = [frozenset(text.split()) for text in texts]
    assert len(set(LikeTexts(texts).near)) < 100
    # One pair stands apart from all the others, and is a pair.
    assert len(set(LikeTexts(texts).families)) == len(set(bags)) - 1 > 120


def test_a_template_among_the_texts_hides_no_copies_of_others():
    rng = np.random.default_rng(5)
    template = [f"the boat of the old man lies at pier number {n}" for n in range(90)]
    copies = families(60, 3, 14, 2, rng)
    found = LikeTexts(template + copies).families
    assert len(set(found[:90])) == 90
    assert (found[90:] == np.repeat(found[90::3], 3)).mean() > 0.97
    assert len(set(found)) >= 150


def test_the_same_texts_are_compared_once_and_others_anew():
    texts = ["a dog ran", "A dog ran!", "a cat"]
    alike = compare_texts(texts)
    assert compare_texts(list(texts)) is alike
    # The same letters, cut otherwise.
    other = compare_texts(["a dog ranA dog ran!", "a cat"])
    assert len(other.near) == 2
    assert alike.near.tolist() == LikeTexts(texts).near.tolist()


def test_only_the_last_few_comparisons_are_kept():
    first = compare_texts(["boat 0"])
    for number in range(1, MOST_KEPT + 1):
        compare_texts([f"boat {number}"])
    assert len(KEPT) == MOST_KEPT
    assert compare_texts(["boat 0"]) is not first
