import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm

from measurand.core.estimate import Estimate
from measurand.stats.decisions import unpaired_difference
from measurand.stats.scores import wilson_share

NUMBERS = st.floats(-1, 1), st.floats(0, 1), st.floats(0, 1)


def stated(value, below, above=None, level=0.95, n=10):
    above = below if above is None else above
    return Estimate(value, value - below, value + above, level, n, "made")


def test_independent_arms_are_squared_and_added():
    found = unpaired_difference(
        stated(0.4, 0.3, 0.0), stated(0.6, 0.05, 0.4), dependent=False
    )
    # Below: the second's lower arm and the first's upper one; above: the other two.
    ends = found.low, found.value, found.high
    assert ends == pytest.approx((0.15, 0.2, 0.7))
    assert (found.level, found.n) == (0.95, 20)
    assert found.method.startswith("as if independent")


def test_arms_that_may_go_together_are_added():
    found = unpaired_difference(stated(0.4, 0.3), stated(0.6, 0.4), dependent=True)
    assert (found.low, found.high) == pytest.approx((-0.5, 0.9))
    assert found.method.startswith("not paired")


def test_items_that_may_be_shared_are_counted_once():
    one, two = stated(0.4, 0.3, n=30), stated(0.6, 0.4, n=20)
    assert unpaired_difference(one, two, dependent=True).n == 30
    assert unpaired_difference(one, two, dependent=False).n == 50


def test_a_value_outside_its_interval_adds_no_arm():
    outside = Estimate(0.5, 0.6, 0.7, 0.95, 10, "basic bootstrap")
    found = unpaired_difference(stated(0.0, 0.0), outside, dependent=False)
    assert (found.low, found.high) == pytest.approx((0.5, 0.7))


def test_what_has_no_interval_of_the_same_level_gives_no_difference():
    one = stated(0.5, 0.1)
    assert (
        unpaired_difference(one, stated(0.5, 0.1, level=0.9), dependent=False) is None
    )
    assert unpaired_difference(one, stated(np.nan, 0.1), dependent=False) is None


@given(st.tuples(*NUMBERS), st.tuples(*NUMBERS), st.booleans())
def test_the_other_way_round_it_is_turned_about(one, two, dependent):
    first, second = stated(*one), stated(*two)
    there = unpaired_difference(first, second, dependent=dependent)
    back = unpaired_difference(second, first, dependent=dependent)
    turned = (-there.high, -there.value, -there.low)
    assert (back.low, back.value, back.high) == pytest.approx(turned)


@pytest.mark.slow
def test_the_interval_of_two_shares_covers_their_difference():
    rng, n, shares = np.random.default_rng(0), 60, (0.1, 0.3)
    held = 0
    for counts in rng.binomial(n, shares, (2000, 2)):
        found = unpaired_difference(
            *(wilson_share(int(x), n) for x in counts), dependent=False
        )
        held += found.low <= 0.2 <= found.high
    assert 0.935 < held / 2000 < 0.975


@pytest.mark.parametrize("correlation", [-1.0, 0.0, 0.9])
def test_added_arms_cover_however_two_normal_estimates_go_together(correlation):
    both = [[1, correlation], [correlation, 1]]
    drawn = np.random.default_rng(1).multivariate_normal([0, 0.5], both, 2000)
    half = norm.ppf(0.975)
    found = [
        unpaired_difference(stated(a, half), stated(b, half), dependent=True)
        for a, b in drawn
    ]
    held = np.mean([one.low <= 0.5 <= one.high for one in found])
    assert held > 0.935


def test_added_arms_of_intervals_that_miss_in_turn_cover_both_misses_less():
    # Each of two is wrong in one of 20 cases, by more than both arms, never at once.
    first = [stated(3.0 if case == 0 else 0.0, 1) for case in range(20)]
    second = [stated(3.0 if case == 1 else 0.0, 1) for case in range(20)]
    both = zip(first, second, strict=True)
    found = [unpaired_difference(a, b, dependent=True) for a, b in both]
    assert np.mean([one.low <= 0 <= one.high for one in found]) == 0.9
