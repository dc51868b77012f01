import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from measurand.core.errors import BadInput, Undefined
from measurand.stats.information import pvi, v_information
from tests.stats.simulations import RUNS, covers

PROBABILITIES = st.lists(
    st.tuples(st.floats(0.01, 1), st.floats(0.01, 1)), min_size=2, max_size=30
)


def test_information_by_hand():
    given_input, null = np.log([1.0, 0.5, 0.25]), np.log([0.5, 0.5, 0.5])
    assert pvi(given_input, null) == pytest.approx([1, 0, -1])
    assert float(v_information(given_input, null)) == pytest.approx(0)
    assert float(v_information(given_input[:2], null[:2])) == pytest.approx(0.5)


def test_an_input_that_tells_all_is_worth_the_entropy_of_the_labels():
    shares = np.array([0.5, 0.25, 0.25])
    labels = np.repeat(np.arange(3), [50, 25, 25])
    seen = v_information(np.zeros(100), np.log(shares)[labels])
    assert seen.value == pytest.approx(1.5)
    assert seen.n == 100


@settings(max_examples=30, deadline=None)
@given(PROBABILITIES)
def test_information_changes_sign_with_the_readers_and_is_the_mean_of_pvi(pairs):
    a, b = np.log(np.array(pairs).T)
    assert pvi(a, b) == pytest.approx(-pvi(b, a))
    seen = v_information(a, b)
    assert seen.value == pytest.approx(pvi(a, b).mean())
    assert seen.low - 1e-9 <= seen.value <= seen.high + 1e-9
    assert v_information(a, b) == seen


def test_series_are_paired_by_their_ids():
    a = pd.Series(np.log([1.0, 0.5]), ["i", "j"])
    null = pd.Series(np.log([0.25, 0.5]), ["j", "i"])
    assert pvi(a, null) == pytest.approx([1, 1])


def test_a_label_held_impossible_asks_for_calibration():
    sure = np.array([0.0, -np.inf])
    with pytest.raises(BadInput, match=r"the input, 1 of 2 .* calibrate .* clip"):
        v_information(sure, np.log([0.5, 0.5]))
    with pytest.raises(BadInput, match="from nothing, 1 of 2"):
        pvi(np.log([0.5, 0.5]), sure)


@pytest.mark.parametrize("wrong", [[0.5, 0.9], [np.nan, -1.0]])
def test_what_is_no_logarithm_of_a_probability_is_refused(wrong):
    with pytest.raises(BadInput, match="natural logarithms"):
        pvi(np.array(wrong), np.log([0.5, 0.5]))
    with pytest.raises(Undefined, match="no items"):
        v_information(np.array([]), np.array([]))
    with pytest.raises(BadInput, match="one each"):
        v_information(np.zeros(2), np.zeros(2), clusters=np.zeros(3, int))


@pytest.mark.slow
@pytest.mark.parametrize("group", [1, 3])
def test_the_interval_covers_as_often_as_it_says(group):
    # A calibrated reader: sure to 0.9 on half the items and to 0.6 on the others.
    truth = 1 + np.mean([p * np.log2(p) + (1 - p) * np.log2(1 - p) for p in (0.9, 0.6)])
    covered = 0
    for run in range(RUNS):
        rng = np.random.default_rng(run)
        sure = rng.choice([0.9, 0.6], 150)
        gold = np.where(rng.random(150) < sure, sure, 1 - sure)
        logs, clusters = np.repeat(np.log(gold), group), np.repeat(range(150), group)
        null = np.full(len(logs), np.log(0.5))
        seen = v_information(logs, null, clusters=clusters)
        covered += seen.low <= truth <= seen.high
    assert covers(covered)


def test_the_interval_is_that_of_the_mean_also_where_no_two_items_are_alike(rng):
    bits = rng.normal(0, 0.3, 400)
    seen = v_information(np.log(0.3) + bits * np.log(2), np.full(400, np.log(0.3)))
    error = bits.std(ddof=1) / 20
    assert seen.value == pytest.approx(bits.mean())
    assert seen.high - seen.low == pytest.approx(2 * 1.96 * error, rel=0.1)
