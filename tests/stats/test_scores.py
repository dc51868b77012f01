import numpy as np
import pytest
from sklearn.metrics import balanced_accuracy_score, matthews_corrcoef

from measurand.stats.scores import (
    accuracy,
    balanced_accuracy,
    confusion_cells,
    mcc,
    wilson_share,
)


@pytest.mark.parametrize("classes", [2, 3, 6])
def test_scores_equal_those_of_scikit_learn(classes, rng):
    gold = rng.integers(classes, size=400)
    answers = np.where(rng.random(400) < 0.6, gold, rng.integers(classes, size=400))
    rows = confusion_cells(gold, answers, classes)
    assert accuracy(rows, rng=rng).value == pytest.approx((gold == answers).mean())
    assert balanced_accuracy(rows, rng=rng).value == pytest.approx(
        balanced_accuracy_score(gold, answers)
    )
    assert mcc(rows, rng=rng).value == pytest.approx(matthews_corrcoef(gold, answers))


def test_one_predicted_class_has_no_correlation_and_chance_balance(rng):
    gold = rng.integers(2, size=100)
    rows = confusion_cells(gold, np.zeros(100, int), 2)
    assert mcc(rows, rng=rng).value == 0
    assert balanced_accuracy(rows, rng=rng).value == 0.5


def test_a_share_never_has_an_interval_outside_0_and_1():
    assert wilson_share(0, 10).low == 0
    assert wilson_share(10, 10).high == pytest.approx(1)
    assert wilson_share(10, 10).low < 1
