"""The reader of rules over choices."""

import numpy as np
import pandas as pd
import pytest

from measurand.core.choices import fit_to
from measurand.core.items import LETTERS, Items, pack_choices
from measurand.cues.reader import RulesReader


def contests(rows):
    """Items of which each row gives the choices and the place of the right one."""
    cells = [(pack_choices(choices), LETTERS[right]) for choices, right in rows]
    table = pd.DataFrame(cells, columns=["choices", "label"])
    table.index = table.index.astype(str)
    return Items(table, ("choices",), choices="choices")


def words(count, rng):
    return " ".join("w" + str(n) for n in rng.integers(1000, size=count))


def accuracy(items, asked):
    fitted = fit_to(RulesReader(folds=0), items, np.random.default_rng(0))
    return float((fitted.predict(asked).argmax(axis=1) == asked.numbers).mean())


def test_a_place_that_is_often_right_is_learned():
    rng = np.random.default_rng(0)
    rows = [
        ([words(3, rng) for _ in range(4)], 0 if rng.random() < 0.9 else 3)
        for _ in range(200)
    ]
    assert accuracy(contests(rows[:100]), contests(rows[100:])) > 0.8


def test_the_longest_choice_is_learned_and_no_word():
    rng = np.random.default_rng(1)
    rows = []
    for _ in range(200):
        right = int(rng.integers(4))
        sizes = [9 if place == right else 3 for place in range(4)]
        rows.append(([words(size, rng) for size in sizes], right))
    assert accuracy(contests(rows[:100]), contests(rows[100:])) == 1.0


def test_items_with_other_numbers_of_choices_are_answered():
    rng = np.random.default_rng(2)
    few = [([words(3, rng) for _ in range(2)], n % 2) for n in range(40)]
    many = [([words(3, rng) for _ in range(5)], 4) for _ in range(10)]
    fitted = fit_to(RulesReader(folds=0), contests(few), np.random.default_rng(0))
    shares = fitted.with_letters(tuple("ABCDE")).predict(contests(many))
    assert shares.shape == (10, 5)
    assert np.allclose(shares.sum(axis=1), 1)


@pytest.mark.parametrize("rule", ["large", "falling", "twice"])
def test_what_numbers_and_repetitions_say_of_texts_is_learned(rule):
    rng = np.random.default_rng(3)
    numbers = rng.integers(1, 1000, (400, 2))
    other = np.where(rng.random(400) < 0.5, "boat", "mast")
    texts, right = {
        "large": ([f"{a} boats" for a in numbers[:, 0]], numbers[:, 0] > 500),
        "falling": ([f"{a} to {b}" for a, b in numbers], numbers[:, 0] > numbers[:, 1]),
        "twice": ([f"the boat and the {o}" for o in other], other == "boat"),
    }[rule]
    table = pd.DataFrame({"text": texts, "label": np.where(right, "x", "y")})
    table.index = table.index.astype(str)
    known, asked = (Items(t, ("text",), "label") for t in (table[:200], table[200:]))
    fitted = RulesReader(folds=0).fit(known, rng)
    assert (fitted.predict(asked).argmax(axis=1) == asked.numbers).mean() > 0.9
