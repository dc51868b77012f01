import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.weightstats import DescrStatsW

from measurand.core.estimate import Estimate
from measurand.stats.decisions import (
    detectable_effect,
    equivalence_decision,
    items_to_detect,
    items_to_equate,
    pool_estimates,
    round_up,
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


# Seeds that differ much less or much more than items do are for CI.
@pytest.mark.parametrize("seeds", [2, 3])
@pytest.mark.parametrize(
    "seed_sd",
    [
        pytest.param(0.5, marks=pytest.mark.slow),
        5.0,
        pytest.param(20.0, marks=pytest.mark.slow),
    ],
)
def test_the_interval_over_few_seeds_covers_as_often_as_it_says(seeds, seed_sd):
    # 2,000 runs: a true 0.92 would fall below 0.93 nineteen times out of twenty.
    rng, runs = np.random.default_rng(seeds), 2000
    items = rng.normal(0, 1, runs)  # what the items make uncertain, the same each seed
    values = items[:, None] + rng.normal(0, seed_sd, (runs, seeds))
    covered = 0
    for row in values:
        estimates = [Estimate(v, v - 1.96, v + 1.96, 0.95, 500, "items") for v in row]
        pooled = pool_estimates(estimates, "seeds")
        covered += pooled.low <= 0 <= pooled.high
    # Where two seeds hardly matter, the little they say is taken with caution.
    assert 0.93 <= covered / runs <= (0.985 if seed_sd < 1 else 0.97)


def test_runs_that_agree_leave_the_interval_of_the_items():
    estimate = Estimate(0.3, 0.2, 0.5, 0.95, 100, "bootstrap")
    pooled = pool_estimates([estimate, estimate, estimate])
    assert (pooled.low, pooled.high) == pytest.approx((0.2, 0.5))


def test_one_run_is_as_it_is():
    estimate = Estimate(0.3, 0.2, 0.5, 0.95, 100, "bootstrap")
    assert pool_estimates([estimate]) is estimate


@given(st.integers(1, 10**9))
def test_advice_is_rounded_up_to_two_digits(count):
    advised = round_up(count)
    assert count <= advised < 1.1 * count + 1
    assert set(str(advised)[2:]) <= {"0"}
