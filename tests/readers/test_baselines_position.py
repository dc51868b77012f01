"""Where the right choice stands among as many choices, and nothing else."""

import numpy as np
import pandas as pd
import pytest

from measurand.core.items import LETTERS, Items, pack_choices
from measurand.readers.baselines import PositionReader


def made_items(counts, golds):
    """Items of so many choices each, of which the right one stands there."""
    rows = [[f"boat {n}" for n in range(count)] for count in counts]
    table = pd.DataFrame(
        {
            "choices": [pack_choices(row) for row in rows],
            "label": [LETTERS[gold] for gold in golds],
        },
        index=[f"i{n}" for n in range(len(rows))],
    )
    return Items(table, ("choices",), choices="choices")


def predict_places(train, test):
    reader = PositionReader().fit_choices(train, np.random.default_rng(0))
    shares = reader.predict(test)
    assert shares.sum(axis=1) == pytest.approx(np.ones(len(test)))
    return shares


def test_the_last_choice_is_found_however_many_there_are():
    counts = np.arange(120) % 6 + 2
    items = made_items(counts, counts - 1)
    shares = predict_places(items, items)
    assert (shares.argmax(axis=1) == counts - 1).all()
    assert shares.max(axis=1).min() > 0.9


def test_of_as_many_choices_each_the_letters_are_counted():
    train = made_items([4] * 8, [1, 1, 1, 1, 0, 2, 2, 3])
    shares = predict_places(train, made_items([4], [0]))
    assert shares[0] == pytest.approx([0.125, 0.5, 0.25, 0.125])


def test_no_share_is_given_to_what_an_item_does_not_offer():
    train = made_items([4] * 8, [3] * 8)
    shares = predict_places(train, made_items([2, 4], [0, 0]))
    assert shares[0] == pytest.approx([0.5, 0.5, 0, 0])
    assert shares[1].argmax() == 3
