"""The toy in which the test's own features do inflate the score."""

import numpy as np
import pytest
from sklearn.decomposition import PCA
from sklearn.linear_model import LinearRegression

from measurand.audits.exposure.statistics.simulations import (
    LABELLED,
    pca_bias,
    split_toy_rows,
    toy_gains,
)

PUBLISHED = {5: 0.083, 10: 0.136, 15: 0.266, 20: 0.321}


@pytest.mark.parametrize("rank", PUBLISHED)
def test_the_published_figures_are_met(rank, rng):
    assert pca_bias(rank, 25, rng=rng).value == pytest.approx(PUBLISHED[rank], abs=0.03)


def test_a_trial_is_what_pca_and_a_regression_give(rng):
    rows, target = split_toy_rows(10, 30, rng, 2)
    train, extra, test = np.split(rows[1], [LABELLED, LABELLED + 30])
    known, asked = target[1][:LABELLED], target[1][LABELLED + 30 :]

    def score(unlabeled):
        turn = PCA(6).fit(unlabeled)
        line = LinearRegression().fit(turn.transform(train), known)
        return line.score(turn.transform(test), asked)

    expected = score(test) - score(extra)
    assert toy_gains(rows, target, 10)[1] == pytest.approx(expected, abs=1e-8)


def test_components_of_the_test_features_flatter_more_at_a_higher_rank(rng):
    found = [pca_bias(rank, 25, rng=rng, trials=150) for rank in (5, 20)]
    assert all(one.low > 0 for one in found)
    assert found[1].low > found[0].high


def test_with_many_rows_there_is_nothing_to_flatter(rng):
    assert pca_bias(10, 500, rng=rng, trials=60).within(0.05)


def test_every_trial_splits_the_same_rows(rng):
    rows, target = split_toy_rows(5, 25, rng, 3)
    assert not np.array_equal(target[0], target[1])
    np.testing.assert_allclose(np.sort(target[0]), np.sort(target[1]))
    assert rows.shape == (3, LABELLED + 50, 20)
