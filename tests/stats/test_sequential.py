"""Bets on differences: exact cases, properties, and errors at any stopping time."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from measurand.core.errors import Undefined
from measurand.stats.sequential import GO_ON, LOSES, WITHIN, decide, wealth

BLOCKS = np.arange(50, 1001, 50)


def test_the_first_value_is_not_bet_on():
    assert wealth(np.array([1.0]), 0.0, 1).tolist() == [1.0]


def test_a_bet_is_sized_by_the_values_before_it():
    # After one value of 1 the mean is 1/2 and the second moment 1.25/2.
    assert wealth(np.ones(2), 0.0, 1)[1] == pytest.approx(1.5)


@given(st.lists(st.floats(-1, 1), min_size=1, max_size=60), st.floats(-0.5, 0.5))
def test_wealth_stays_positive_and_looks_at_no_later_value(values, mean):
    whole = wealth(np.array(values), mean, 1)
    assert (whole > 0).all()
    half = len(values) // 2
    assert np.allclose(wealth(np.array(values[:half]), mean, 1), whole[:half])


@given(st.lists(st.floats(-1, 1), min_size=1, max_size=60))
def test_both_sides_mirror_each_other(values):
    mirrored = wealth(-np.array(values), 0.0, -1)
    assert np.allclose(wealth(np.array(values), 0.0, 1), mirrored)


def test_values_that_are_no_differences_of_shares_are_refused():
    with pytest.raises(Undefined, match="from -1 to 1"):
        wealth(np.array([2.0]), 0.0, 1)


def test_a_large_loss_is_decided_at_the_first_look():
    assert decide(np.ones(1000), 0.02, BLOCKS).n == 50
    assert decide(np.ones(1000), 0.02, BLOCKS).label == LOSES


def test_answers_that_never_change_are_within_the_margin():
    found = decide(np.zeros(1000), 0.05, BLOCKS)
    assert (found.label, found.n < 1000) == (WITHIN, True)


def test_few_items_decide_nothing():
    assert decide(np.zeros(10), 0.02, np.array([10])).label == GO_ON


@pytest.mark.parametrize("loss", [0.0, 0.05])
def test_what_is_false_is_called_with_the_error_at_any_time(loss):
    rng, called = np.random.default_rng(0), 0
    for _ in range(300):
        draw = rng.random(1000)
        values = np.where(draw < 0.15 + loss / 2, 1.0, 0.0) - (draw > 0.85 + loss / 2)
        label = decide(values, 0.05, BLOCKS).label
        called += label == LOSES
        if loss == 0.05:
            called += label == WITHIN
    # Two errors of 5 %, and three times the spread of their count.
    assert called <= 300 * 0.10 + 3 * (300 * 0.1 * 0.9) ** 0.5
