"""The toy in which the test's own features do inflate the score."""

import numpy as np

from measurand.stats.exposure.toy import pca_bias


def test_components_of_the_test_features_flatter_more_at_a_higher_rank():
    found = [
        pca_bias(rank, 25, rng=np.random.default_rng(0), trials=150) for rank in (5, 20)
    ]
    assert all(one.low > 0 for one in found)
    assert found[1].low > found[0].high


def test_with_many_rows_there_is_nothing_to_flatter():
    assert pca_bias(10, 500, rng=np.random.default_rng(0), trials=60).within(0.05)
