"""Choices: read as pairs, compared within their item, whatever their order."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pandas as pd
import pytest

from measurand.core.choices import (
    RIGHT,
    fit_to,
    guess_logs,
    guess_scores,
    pair_choices,
)
from measurand.core.items import LETTERS, Items, pack_choices
from measurand.readers import READERS
from measurand.text.words import words


def choice_items(rows, golds, question="which?"):
    table = pd.DataFrame(
        {
            "question": [f"{question} {i}" for i in range(len(rows))],
            "choices": [pack_choices(row) for row in rows],
            "label": [LETTERS[gold] for gold in golds],
        },
        index=[f"i{n}" for n in range(len(rows))],
    )
    return Items(table, ("question", "choices"), choices="choices")


def marked_items(count, seed, least=2, most=5):
    """Items whose right choice says `yes`, among unlike numbers of choices."""
    rng = np.random.default_rng(seed)
    rows, golds = [], []
    for number in range(count):
        size = int(rng.integers(least, most + 1))
        gold = int(rng.integers(size))
        texts = [f"word{rng.integers(9)} thing{number} {k}" for k in range(size)]
        texts[gold] += " yes"
        rows.append(texts)
        golds.append(gold)
    return choice_items(rows, golds)


def test_every_choice_is_a_pair_and_one_of_each_item_is_right():
    items = choice_items([["a", "b"], ["c", "d", "e"]], [1, 2])
    pairs = pair_choices(items)
    assert pairs.items.fields == ("choices", "question")
    assert pairs.items.column("choices").tolist() == ["a", "b", "c", "d", "e"]
    assert pairs.owner.tolist() == [0, 0, 1, 1, 1]
    assert (pairs.items.labels == RIGHT).tolist() == [False, True, False, False, True]


@pytest.mark.parametrize("name", ["tfidf", "cross", "surface", "lookup", "idf"])
def test_a_reader_of_classes_reads_choices_of_unlike_numbers(name):
    train, test = marked_items(300, 0), marked_items(120, 1)
    rng = np.random.default_rng(0)
    fitted = fit_to(READERS.load(name), train, rng)
    shares = fitted.predict(test)
    assert shares.shape == (120, 5)
    assert shares.sum(axis=1) == pytest.approx(1)
    absent = np.arange(5) >= test.choice_counts[:, None]
    assert not shares[absent].any()
    right = shares.argmax(axis=1) == test.gold(fitted.classes)
    if name in ("tfidf", "cross", "idf"):
        assert right.mean() > 0.95


def test_the_order_of_the_choices_moves_their_shares_with_them():
    train, test = marked_items(200, 0, 4, 4), marked_items(80, 1, 4, 4)
    fitted = fit_to(READERS.load("tfidf"), train, np.random.default_rng(0))
    turned = [texts[::-1] for texts in test.choice_texts]
    golds = [3 - LETTERS.index(letter) for letter in test.labels]
    reversed_shares = fitted.predict(choice_items(turned, golds))
    assert reversed_shares[:, ::-1] == pytest.approx(fitted.predict(test))


def test_what_a_reader_cannot_tell_apart_is_not_always_the_first():
    rng = np.random.default_rng(0)
    rows = [[f"q{rng.integers(10**9)}" for _ in range(4)] for _ in range(400)]
    items = choice_items(rows, [0] * 400)
    fitted = fit_to(READERS.load("lookup"), marked_items(50, 0), rng)
    picked = np.bincount(fitted.predict(items).argmax(axis=1), minlength=4)
    # Four standard errors of a quarter of 400 draws.
    assert abs(picked / 400 - 0.25).max() < 4 * np.sqrt(0.25 * 0.75 / 400)


@dataclass(frozen=True)
class CountsYes:
    """A user's reader of two classes, which knows nothing of choices."""

    kind: ClassVar[str] = "counts-yes"

    def fit(self, items, rng):
        return self

    classes: ClassVar[tuple[str, ...]] = ("right", "wrong")

    def predict(self, items):
        right = [0.9 if "yes" in words(t) else 0.1 for t in items.column("choices")]
        return np.column_stack([right, 1 - np.array(right)])


def test_a_users_reader_of_classes_works_through_the_adapter():
    items = marked_items(50, 2)
    fitted = fit_to(CountsYes(), items, np.random.default_rng(0))
    assert (fitted.predict(items).argmax(axis=1) == items.gold(items.classes)).all()


def test_odds_become_shares_within_the_item():
    items = choice_items([["a yes", "b", "c"]], [0])
    shares = fit_to(CountsYes(), items, np.random.default_rng(0)).predict(items)
    # Odds of 9 against 1/9 and 1/9; a lot of 1e-4 parts equals.
    assert shares[0, 0] == pytest.approx(9 / (9 + 2 / 9), abs=1e-4)


def test_guessing_is_right_once_in_as_many_choices_as_there_are():
    items = choice_items([["a", "b"], ["a", "b", "c", "d"]], [0, 3])
    assert guess_scores(items).tolist() == [0.5, 0.25]
    assert np.exp(guess_logs(items)).tolist() == pytest.approx([0.5, 0.25])


def test_one_field_alone_is_read_with_the_choices():
    items = marked_items(5, 0)
    assert items.keep_fields("question").fields == ("question", "choices")
    assert items.keep_fields().fields == ("choices",)
    changed = items.change_texts("choices", str.upper)
    assert changed.choice_texts[0] == [t.upper() for t in items.choice_texts[0]]
