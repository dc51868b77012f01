"""Figures of answers that never leave the majority are not certain."""

import numpy as np
import pandas as pd
import pytest

from measurand.audits.leakage.asking import Runs
from measurand.audits.leakage.scores import (
    cost_of_shift,
    leakage_baselines,
    state_control,
)
from measurand.core.items import Items, pack_choices

N = 40


def test_a_control_that_says_the_majority_of_everything_is_not_certain():
    ids = [f"{i:02d}" for i in range(N)]
    labels = ["a"] * 30 + ["b"] * 10
    table = pd.DataFrame({"text": "t", "label": labels}, index=ids)
    baselines = leakage_baselines(Items(table, ("text",), "label"), np.arange(N), None)
    gold = np.array([0] * 30 + [1] * 10)
    probabilities = np.tile(np.float32([0.9, 0.1]), (1, N, 1))
    runs = Runs(tuple(ids), gold, probabilities, {})
    rng = np.random.default_rng(0)
    statement = state_control("tfidf", "length only", runs, baselines, rng)
    (over,) = [
        f.estimate for f in statement.findings if f.statistic == "control_over_majority"
    ]
    assert over.value == 0
    assert over.low < -0.05 < 0.05 < over.high


def labelled(*labels):
    table = pd.DataFrame({"text": "t", "label": labels})
    return Items(table, ("text",), "label")


def test_the_cost_of_a_shift_of_labels_is_a_divergence():
    even, skewed = labelled("a", "b"), labelled("a", "b", "b", "b")
    assert cost_of_shift(even, even) == 0
    bits = 0.25 * np.log2(0.25 / 0.5) + 0.75 * np.log2(0.75 / 0.5)
    assert cost_of_shift(even, skewed) == pytest.approx(bits)
    assert 5 < cost_of_shift(labelled("a", "a"), even) < 20


def test_letters_that_no_item_has_cost_nothing():
    choices = [pack_choices(list("wxyz")), pack_choices(list("wx"))]
    table = pd.DataFrame({"choices": choices, "answer": ["A", "B"]})
    items = Items(table, ("choices",), "answer", choices="choices")
    assert len(items.classes) == 4
    assert cost_of_shift(items, items) == 0
