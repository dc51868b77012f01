from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.weightstats import DescrStatsW

from measurand.core.finding import Estimate
from measurand.stats.decisions import (
    benjamini_hochberg,
    detectable_effect,
    equivalence_decision,
    holm,
    items_to_detect,
    items_to_equate,
)


def around(value, se):
    half = {0.95: 1.96 * se, 0.90: 1.645 * se}
    return lambda level: Estimate(
        value, value - half[level], value + half[level], level, 100, "normal"
    )


@pytest.mark.parametrize(
    ("value", "se", "expected"),
    [
        (0.0, 0.005, "near zero"),
        (0.01, 0.003, "near zero"),  # small, not zero
        (0.05, 0.01, "depends"),
        (0.05, 0.02, "undecided"),
        (0.0, 0.02, "undecided"),  # a large p-value is no evidence of nothing
        (-0.05, 0.01, "undecided"),
    ],
)
def test_there_are_three_answers(value, se, expected):
    assert equivalence_decision(around(value, se), 0.02) == expected


@given(st.floats(-0.1, 0.1), st.floats(0.0001, 0.05))
def test_a_wider_interval_never_turns_undecided_into_a_decision(value, se):
    if (
        equivalence_decision(around(value, se), 0.02) == "undecided"
        and abs(value) < 0.02
    ):
        assert equivalence_decision(around(value, 2 * se), 0.02) == "undecided"


def test_near_zero_is_the_two_one_sided_tests_of_statsmodels(rng):
    agreed = 0
    for _ in range(50):
        x = rng.normal(0.01, 0.1, 400)
        tost = DescrStatsW(x).ttost_mean(-0.02, 0.02)[0] < 0.05
        se = x.std(ddof=1) / 20
        agreed += tost == (
            equivalence_decision(around(x.mean(), se), 0.02) == "near zero"
        )
    assert agreed >= 49  # the normal and the t quantile differ at the edge


def test_the_power_formulas_give_the_power_they_promise(rng):
    n = items_to_equate(0.05, 0.2)
    changes = rng.choice([-1, 0, 1], p=[0.1, 0.8, 0.1], size=(4000, n))
    means, ses = changes.mean(axis=1), changes.std(axis=1) / np.sqrt(n)
    power = ((np.abs(means) + 1.645 * ses) < 0.05).mean()
    assert power == pytest.approx(0.8, abs=0.03)
    n = items_to_detect(0.05, 0.2)
    changes = rng.choice([-1, 0, 1], p=[0.075, 0.8, 0.125], size=(4000, n))
    z = changes.sum(axis=1) / np.sqrt((changes != 0).sum(axis=1))
    assert (np.abs(z) > 1.96).mean() == pytest.approx(0.8, abs=0.03)
    assert detectable_effect(n, 0.2) == pytest.approx(0.05, rel=0.02)


@settings(max_examples=50)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=30))
def test_adjusted_p_values_keep_their_order_and_never_shrink(p):
    p = np.array(p)
    # Each call of statsmodels would search all of the test run's memory for garbage.
    with mock.patch("gc.collect"):
        for adjusted in (holm(p), benjamini_hochberg(p)):
            assert (adjusted >= p - 1e-12).all()
        assert (holm(p) >= benjamini_hochberg(p) - 1e-12).all()
        np.testing.assert_allclose(holm(p), multipletests(p, method="holm")[1])
