"""Tuning: the learning rate is chosen on rows that were held out."""

import dataclasses

import numpy as np
import pandas as pd
import pytest
import torch

from measurand.core.errors import ReaderFailed
from measurand.core.items import Items
from measurand.readers.encoder import EncoderReader
from measurand.readers.tuning import RATES, best_rate, split_for_tuning
from tests.conftest import small_items
from tests.models import tiny_encoder

ITEMS = small_items(80)


def rng(seed=0):
    return np.random.default_rng(seed)


pytestmark = pytest.mark.usefixtures("one_thread")


@pytest.fixture(scope="module")
def reader(tmp_path_factory):
    place = tiny_encoder.save(tmp_path_factory.mktemp("encoder"))
    return EncoderReader(place, epochs=8, batch=16, length=32, rates=(1e-9, 5e-3))


class Told:
    """A reader that gives the right answer this share, to so many of the rows."""

    def __init__(self, share, right=1.0):
        self.share, self.right, self.classes = share, right, ITEMS.classes

    def fit(self, items, rng):
        return self

    def predict(self, items):
        gold = items.gold(self.classes)
        share = np.where(np.arange(len(gold)) < self.right * len(gold), self.share, 0.1)
        return np.where(np.eye(2)[gold] > 0, share[:, None], 1 - share[:, None])


@pytest.mark.slow
def test_tuning_finds_the_rate_that_learns_and_repeats_itself(reader):
    best = reader.tune(ITEMS, rng())
    assert best == dataclasses.replace(reader, rate=5e-3, rates=())
    assert best == reader.tune(ITEMS, rng())


@pytest.mark.slow
def test_a_recipe_with_rates_chooses_one_before_it_learns(reader):
    fitted, stream = reader.fit(ITEMS, rng()), rng()
    assert fitted.remarks()["rate"] == 5e-3
    again = reader.tune(ITEMS, stream).fit(ITEMS, stream)
    np.testing.assert_array_equal(fitted.predict(ITEMS), again.predict(ITEMS))


def test_rates_that_all_diverge_are_one_line_and_no_memory_is_another(reader):
    wild = dataclasses.replace(reader, rates=(float("inf"), 1e30))
    with pytest.raises(
        ReaderFailed, match=r"^[^\n]+ any learning rate of inf, 1e\+30;"
    ):
        wild.tune(ITEMS, rng())

    class Full(Told):
        def fit(self, items, rng):
            raise ReaderFailed("out of memory") from torch.OutOfMemoryError()

    with pytest.raises(ReaderFailed, match=r"^out of memory$"):
        best_rate(Full, RATES, ITEMS, rng())


@pytest.mark.parametrize(
    ("told", "best"),
    [
        ({1.0: Told(0.6), 2.0: Told(0.9, 0.5)}, 1.0),  # accuracy first
        ({1.0: Told(0.6), 2.0: Told(0.9)}, 2.0),  # then the lower loss
        ({2.0: Told(0.9), 1.0: Told(0.9)}, 1.0),  # then the lower rate
        ({1.0: Told(np.nan), 2.0: Told(0.2)}, 2.0),
    ],
)
def test_accuracy_decides_then_loss_then_the_lower_rate(told, best):
    assert best_rate(told.__getitem__, list(told), ITEMS, rng()) == best


def test_held_rows_are_a_tenth_with_labels_in_like_shares():
    labels = ["a"] * 700 + ["b"] * 297 + ["c"] * 2 + ["d"]
    items = Items(pd.DataFrame({"text": labels, "label": labels}), ("text",))
    seen, held = split_for_tuning(items, rng())
    assert len(held) == 100
    assert sorted([*seen.ids, *held.ids]) == list(range(1000))
    assert seen.classes == ("a", "b", "c", "d")
    assert abs((held.labels == "a").sum() - 70) <= 1
    assert held.ids.tolist() != split_for_tuning(items, rng(1))[1].ids.tolist()


def test_at_most_two_thousand_rows_are_held_and_too_few_are_refused():
    many = Items(pd.DataFrame({"label": ["a", "b"] * 15_000}), ())
    assert len(split_for_tuning(many, rng())[1]) == 2000
    assert len(split_for_tuning(many.rows(np.arange(3)), rng())[1]) == 1
    with pytest.raises(ReaderFailed, match="2 items of 2 labels are too few"):
        split_for_tuning(many.rows(np.arange(2)), rng())


def test_the_grid_is_that_of_the_leakage_paper():
    assert RATES == (5e-7, 1e-6, 5e-6, 1e-5, 5e-5)
