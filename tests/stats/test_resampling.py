import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest

from measurand.core.errors import Undefined
from measurand.stats.resampling import bootstrap, resample_sums


def average(sums):
    return sums[..., 0] / sums[..., 1]


def rows(values):
    return np.column_stack([values, np.ones(len(values))])


def test_the_quick_path_draws_from_the_same_distribution_as_the_plain_bootstrap():
    values = np.random.default_rng(0).integers(0, 3, 300).astype(float)
    quick = average(resample_sums(rows(values), None, 20_000, np.random.default_rng(1)))
    picks = np.random.default_rng(2).integers(300, size=(20_000, 300))
    plain = values[picks].mean(axis=1)
    at = [0.025, 0.5, 0.975]
    np.testing.assert_allclose(
        np.quantile(quick, at), np.quantile(plain, at), atol=0.01
    )


def test_clusters_that_repeat_one_item_widen_the_interval_as_they_should(rng):
    values = rng.random(200)
    once = bootstrap(average, rows(values), rng=np.random.default_rng(0))
    four = bootstrap(
        average,
        rows(np.repeat(values, 4)),
        clusters=np.repeat(np.arange(200), 4),
        rng=np.random.default_rng(0),
    )
    assert four.value == pytest.approx(once.value)
    assert four.high - four.low == pytest.approx(once.high - once.low, rel=0.01)


def test_no_items_have_no_mean(rng):
    with pytest.raises(Undefined, match="no items"):
        bootstrap(average, np.empty((0, 2)), rng=rng)


@settings(max_examples=50, deadline=None)
@given(st.lists(st.floats(-1, 1), min_size=2, max_size=40))
def test_the_interval_lies_inside_the_values(values):
    estimate = bootstrap(
        average, rows(np.array(values)), rng=np.random.default_rng(0), resamples=200
    )
    assert min(values) - 1e-9 <= estimate.low <= estimate.high <= max(values) + 1e-9


@pytest.mark.parametrize("group", [1, 3])
def test_the_interval_of_a_mean_covers_as_often_as_it_says(group):
    covered, runs = 0, 400
    for run in range(runs):
        rng = np.random.default_rng(run)
        values = np.repeat(rng.random(150) < 0.3, group).astype(float)
        clusters = np.repeat(np.arange(150), group)
        seen = bootstrap(
            average, rows(values), clusters=clusters, rng=rng, resamples=1000
        )
        covered += seen.low <= 0.3 <= seen.high
    assert binomtest(covered, runs).proportion_ci(0.99).high >= 0.95
