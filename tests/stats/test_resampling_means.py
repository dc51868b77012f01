import numpy as np
import pytest

from measurand.core.errors import BadInput, Undefined
from measurand.stats.resampling import column_means, percentile_estimate, resample_means


def test_means_skip_what_is_missing_and_have_no_value_without_items():
    rows = np.array([[1.0, np.nan, np.nan], [3.0, 5.0, np.nan]])
    np.testing.assert_array_equal(column_means(rows), [2.0, 5.0, np.nan])


def test_draws_spread_as_the_standard_error_says(rng):
    rows = rng.random((400, 2))
    drawn = resample_means(rows, rng=rng)
    np.testing.assert_allclose(drawn.std(axis=0), rows.std(axis=0) / 20, rtol=0.1)


def test_every_column_is_averaged_over_the_same_items(rng):
    one = rng.random(50)
    drawn = resample_means(np.column_stack([one, 1 - one]), rng=rng)
    np.testing.assert_allclose(drawn.sum(axis=1), 1.0)


def test_clusters_are_drawn_whole():
    one = np.random.default_rng(1).random((60, 1))
    whole = resample_means(
        np.repeat(one, 3, axis=0),
        clusters=np.repeat(np.arange(60), 3),
        rng=np.random.default_rng(0),
    )
    alone = resample_means(one, rng=np.random.default_rng(0))
    np.testing.assert_allclose(whole, alone)


def test_a_column_that_lacks_items_is_averaged_over_those_it_has(rng):
    rows = np.array([[1.0, np.nan], [1.0, 7.0], [1.0, 7.0]])
    drawn = resample_means(rows, rng=rng)
    assert set(drawn[:, 1][~np.isnan(drawn[:, 1])]) == {7.0}
    assert np.isnan(drawn[:, 1]).mean() == pytest.approx(1 / 27, abs=0.02)


def test_nothing_to_average_is_said_in_one_line(rng):
    with pytest.raises(Undefined, match="no items"):
        resample_means(np.empty((0, 2)), rng=rng)
    with pytest.raises(BadInput, match="infinite"):
        resample_means(np.array([[np.inf]]), rng=rng)
    with pytest.raises(Undefined, match="most resamples"):
        percentile_estimate(1.0, np.full(10, np.nan), 5)
