"""Regression within contests, held against logistic regression of differences."""

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.linear_model import LogisticRegression

from measurand.readers.contests import contest_temperature, fit_contests


def test_contests_of_two_are_logistic_regression_of_their_difference():
    rng = np.random.default_rng(0)
    first, second = rng.normal(size=(2, 400, 6))
    truth = np.array([1.0, -1.0, 0.5, 0.0, 0.0, 2.0])
    chance = 1 / (1 + np.exp(-(first - second) @ truth))
    wins = rng.random(400) < chance
    rows = np.stack([first, second], axis=1).reshape(800, 6)
    right = np.stack([wins, ~wins], axis=1).ravel()
    contests = np.repeat(np.arange(400), 2)
    ours, _ = fit_contests(csr_array(rows), right, contests, 1.0, 0)
    model = LogisticRegression(C=1.0, fit_intercept=False, tol=1e-8, max_iter=500)
    theirs = model.fit(first - second, wins).coef_[0]
    # L-BFGS stops at a relative change of the loss of 1e-6.
    assert ours == pytest.approx(theirs, abs=5e-3)


def test_what_all_choices_of_an_item_share_has_no_weight():
    rng = np.random.default_rng(1)
    shared = np.repeat(rng.normal(size=(100, 1)), 3, axis=0)
    own = rng.normal(size=(300, 1))
    right = np.zeros(300, bool)
    right[np.arange(0, 300, 3) + own.reshape(100, 3).argmax(axis=1)] = True
    rows = csr_array(np.hstack([shared, own]))
    weights, _ = fit_contests(rows, right, np.repeat(np.arange(100), 3), 1.0, 0)
    assert weights[0] == pytest.approx(0, abs=1e-9)
    assert weights[1] > 1


def test_scores_that_tell_nothing_are_cooled_to_nothing():
    rng = np.random.default_rng(2)
    contests = np.repeat(np.arange(500), 4)
    right = np.zeros(2000, bool)
    right[np.arange(0, 2000, 4) + rng.integers(4, size=500)] = True
    assert contest_temperature(rng.normal(size=2000) * 3, right, contests) > 10
