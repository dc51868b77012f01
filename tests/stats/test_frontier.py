import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import binomtest

from measurand.core.errors import BadInput, Undefined
from measurand.stats.frontier import (
    dominance_mask,
    frontier_share,
    harmonic_mean,
    hypervolume,
    hypervolume_estimate,
    varif,
)
from measurand.stats.resampling import column_means, resample_means

STAIRS = np.array([[1.0, 0.1], [0.6, 0.4], [0.3, 0.8], [0.5, 0.3]])
POINTS = arrays(float, (5, 2), elements=st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0]))


def test_the_stairs_are_on_the_frontier_and_the_point_under_them_is_not():
    assert dominance_mask(STAIRS).tolist() == [False, False, False, True]


def test_equal_points_do_not_beat_each_other_and_a_tie_on_one_axis_does_not_save():
    assert not dominance_mask(np.array([[0.5, 0.5], [0.5, 0.5]])).any()
    assert dominance_mask(np.array([[0.5, 0.5], [0.5, 0.6]])).tolist() == [True, False]


def test_the_hypervolume_is_the_sum_of_the_steps():
    # 1.0 x 0.1, then 0.6 x 0.3, then 0.3 x 0.4
    assert hypervolume(STAIRS) == pytest.approx(0.1 + 0.18 + 0.12)
    assert hypervolume(-STAIRS) == 0


@given(POINTS)
def test_the_hypervolume_is_the_area_counted_on_a_grid(points):
    middles = (np.arange(4) + 0.5) / 4
    x, y = np.meshgrid(middles, middles)
    under = (points[:, 0, None, None] > x) & (points[:, 1, None, None] > y)
    assert hypervolume(points) == pytest.approx(under.any(axis=0).mean())


@given(POINTS)
def test_dominated_points_add_nothing_and_the_frontier_is_never_empty(points):
    kept = ~dominance_mask(points)
    assert kept.any()
    assert hypervolume(points[kept]) == pytest.approx(hypervolume(points))


def test_a_whole_stack_of_draws_is_done_at_once(rng):
    draws = rng.random((20, 4, 2))
    np.testing.assert_array_equal(
        dominance_mask(draws), [dominance_mask(one) for one in draws]
    )
    np.testing.assert_allclose(hypervolume(draws), [hypervolume(one) for one in draws])


def test_a_point_that_is_beaten_in_some_resamples_is_on_the_frontier_in_the_rest():
    away, near = np.array([[1.0, 1.0], [0.0, 0.0]]), np.array([[1.0, 0.0], [0.0, 1.0]])
    shares = frontier_share(np.stack([away, near, near, near]))
    assert shares.tolist() == [1.0, 0.75]


def test_the_harmonic_mean_needs_both_and_varif_is_gated():
    np.testing.assert_allclose(
        harmonic_mean([1.0, 0.5, 0.0], [0.5, 0.5, 1.0]), [2 / 3, 0.5, 0]
    )
    assert harmonic_mean(0, 0) == 0
    assert varif(0.25, 1.0, 0.5) == pytest.approx(1 / 6)
    with pytest.raises(BadInput, match="clip"):
        harmonic_mean(0.5, -0.1)


def test_points_that_are_none_or_no_numbers_are_refused():
    with pytest.raises(Undefined, match="no points"):
        dominance_mask(np.empty((0, 2)))
    with pytest.raises(BadInput, match="two axes"):
        hypervolume(np.ones((2, 3)))
    with pytest.raises(BadInput, match="not run"):
        dominance_mask(np.array([[np.nan, 1.0]]))


def test_the_interval_of_the_hypervolume_covers_as_often_as_it_says():
    covered, runs = 0, 150
    for run in range(runs):
        rng = np.random.default_rng(run)
        rows = (rng.random((200, 8)) < STAIRS.ravel()).astype(float)
        draws = resample_means(rows, rng=rng, resamples=300).reshape(-1, 4, 2)
        seen = hypervolume_estimate(column_means(rows).reshape(4, 2), draws, 200)
        covered += seen.low <= hypervolume(STAIRS) <= seen.high
    assert binomtest(covered, runs).proportion_ci(0.99).high >= 0.95


def test_the_interval_of_an_area_stays_within_what_there_is():
    points = np.array([[0.99, 0.99], [0.5, 0.5]])
    draws = np.tile(points, (40, 1, 1))
    draws[:20, 0] = 0.9
    found = hypervolume_estimate(points, draws, 100)
    assert found.value < found.high == 1.0
