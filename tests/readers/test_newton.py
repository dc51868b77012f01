import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.linear_model import LogisticRegression

from measurand.readers.newton import Regression, fit_weights, step_size


def drawn_texts(rng, classes, n=300, features=80, scale=1.0):
    """Sparse rows, with classes that hang on what the rows hold."""
    rows = rng.random((n, features)) * (rng.random((n, features)) < 0.1) * scale
    scores = rows @ rng.normal(0, 3, (features, classes)) / scale
    gold = (scores + rng.gumbel(size=scores.shape)).argmax(axis=1)
    gold[:classes] = np.arange(classes)
    return csr_array(rows), gold


@pytest.mark.parametrize("strength", [0.1, 1.0, 30.0])
@pytest.mark.parametrize("classes", [2, 3, 9])
def test_weights_are_those_of_scikit_learn(rng, classes, strength):
    features, gold = drawn_texts(rng, classes)
    weights = fit_weights(features, gold, strength)
    usual = LogisticRegression(C=strength, solver="newton-cg", max_iter=50, tol=1e-4)
    usual.fit(features, gold)
    np.testing.assert_allclose(weights[:, :-1], usual.coef_, atol=0.02 * strength)
    np.testing.assert_allclose(weights[:, -1], usual.intercept_, atol=0.02 * strength)


@pytest.mark.parametrize("classes", [2, 3, 9])
def test_no_other_weights_have_less_loss(rng, classes):
    features, gold = drawn_texts(rng, classes)
    regression = Regression(features, gold, 1.0)
    weights = fit_weights(features, gold, 1.0)
    least = LogisticRegression(C=1.0, solver="lbfgs", max_iter=5000, tol=1e-9)
    least.fit(features, gold)
    best = np.column_stack([least.coef_, least.intercept_])
    ours, theirs = (regression.loss(regression.scores(w), w) for w in (weights, best))
    assert theirs - 1e-9 <= ours <= theirs + 1e-5


@pytest.mark.parametrize("classes", [2, 3])
def test_a_step_that_goes_too_far_is_cut(rng, classes):
    features, gold = drawn_texts(rng, classes)
    regression = Regression(features, gold, 1.0)
    right = regression.right[regression.first :]
    start = np.zeros((len(right), 81)), np.zeros(right.shape)
    shares = regression.shares(start[1])[regression.first :]
    slope = regression.slope(shares - right, start[0])
    step = -1e3 * slope
    size = step_size(regression, start, (step, regression.scores(step)), slope)
    assert 0 < size < 1
    weights = size * step
    before = regression.loss(start[1], start[0])
    assert regression.loss(regression.scores(weights), weights) < before


def test_no_part_of_a_step_uphill_is_taken(rng):
    features, gold = drawn_texts(rng, 2)
    regression = Regression(features, gold, 1.0)
    start = np.zeros((1, 81)), np.zeros((1, 300))
    slope = regression.slope(regression.shares(start[1])[1:] - gold, start[0])
    uphill = slope, regression.scores(slope)
    assert step_size(regression, start, uphill, -slope) == 0
