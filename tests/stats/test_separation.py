import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest, mannwhitneyu, norm
from sklearn.metrics import roc_auc_score

from measurand.core.errors import BadInput, Undefined
from measurand.stats.separation import (
    auc,
    concordance,
    newcombe_interval,
    paired_auc,
    rank_correlation,
    rank_disagreements,
)

SCORES = st.lists(st.integers(0, 4), min_size=2, max_size=12).map(np.array)
ORDER = np.array([3, 2, 2, 1, 0, 0])


def test_an_auc_counts_the_pairs_that_are_in_order():
    seen = auc(np.array([1.0, 2.0, 3.0]), np.array([0.0, 2.0]))
    assert (seen.value, seen.n) == (4.5 / 6, 5)


@given(SCORES, SCORES)
def test_the_auc_is_that_of_mann_and_whitney(positive, negative):
    expected = mannwhitneyu(positive, negative, method="asymptotic").statistic
    seen = auc(positive, negative)
    assert seen.value == pytest.approx(expected / len(positive) / len(negative))
    assert 0 <= seen.low <= seen.value <= seen.high <= 1


@given(SCORES, SCORES)
def test_turning_the_kinds_round_turns_the_interval_round(positive, negative):
    there, back = auc(positive, negative), auc(negative, positive)
    assert there.value + back.value == pytest.approx(1)
    assert there.low + back.high == pytest.approx(1)


def test_the_variance_is_that_of_delong_by_hand():
    # Wins are 1 and 1/2, losses too: the variance of each side is 1/8, halved.
    seen = auc(np.array([3.0, 1.0]), np.array([0.0, 2.0]))
    half = norm.ppf(0.975) * np.sqrt(1 / 8) / (0.75 * 0.25)
    low = 1 / (1 + np.exp(half - np.log(3)))
    assert (seen.value, seen.low) == (0.75, pytest.approx(low))


def test_complete_separation_still_has_an_interval():
    seen = auc(np.arange(10, 30.0), np.arange(10.0))
    assert (seen.value, seen.high) == (1, 1)
    assert 0.8 < seen.low < 1
    assert auc(np.arange(300, 900.0), np.arange(300.0)).low > seen.low
    assert newcombe_interval(0.0, 20, 10, 0.95)[1] == pytest.approx(1 - seen.low)


def test_scores_of_the_same_items_share_what_makes_the_item_easy(rng):
    item = rng.normal(size=200) * 3
    positive, negative = (item + rng.normal(size=200) + up for up in (0.5, 0.0))
    paired, apart = paired_auc(positive, negative), auc(positive, negative)
    assert paired.value == pytest.approx(
        roc_auc_score([1] * 200 + [0] * 200, np.r_[positive, negative])
    )
    assert paired.high - paired.low < 0.5 * (apart.high - apart.low)


def test_items_said_over_and_over_make_nothing_surer(rng):
    positive, negative = rng.normal(size=(2, 60))
    once = paired_auc(positive, negative)
    thrice = paired_auc(
        np.repeat(positive, 3),
        np.repeat(negative, 3),
        clusters=np.repeat(np.arange(60), 3),
    )
    assert (thrice.low, thrice.high) == pytest.approx((once.low, once.high))


@pytest.mark.parametrize("shared", [0.0, 0.8])
@pytest.mark.parametrize("up", [0.0, 1.2])
def test_the_interval_of_an_auc_covers_as_often_as_it_says(shared, up):
    covered, runs, own = 0, 600, np.sqrt(1 - shared**2)
    truth = norm.cdf(up / np.sqrt(2))
    for run in range(runs):
        rng = np.random.default_rng(run)
        item, a, b = rng.normal(size=(3, 60))
        pair = shared * item + own * a + up, shared * item + own * b
        seen = paired_auc(*pair) if shared else auc(*pair)
        covered += seen.low <= truth <= seen.high
    interval = binomtest(covered, runs).proportion_ci(0.99)
    assert interval.low <= 0.95 <= interval.high


def test_scores_that_are_missing_are_refused():
    with pytest.raises(Undefined, match="both kinds"):
        auc(np.array([1.0]), np.array([]))
    with pytest.raises(BadInput, match="drop"):
        auc(np.array([1.0, np.nan]), np.array([0.0]))
    with pytest.raises(BadInput, match="same items"):
        paired_auc(np.array([1.0, 2.0]), np.array([0.0]))


def test_a_score_that_keeps_every_claim_of_the_order_has_one():
    assert concordance(np.array([9, 5, 4, 3, 2, 1.0]), ORDER) == 1
    assert concordance(np.array([1, 2, 3, 4, 5, 6.0]), ORDER) == -1
    assert concordance(np.ones(6), ORDER) == 0


def test_a_rank_correlation_has_the_interval_of_its_draws():
    kept, lost = np.array([5, 4, 3, 2, 1, 0.0]), np.array([0, 1, 2, 3, 4, 5.0])
    draws = np.stack([kept] * 90 + [lost] * 10)
    seen = rank_correlation(kept, draws, ORDER, 500)
    assert (seen.value, seen.low, seen.high, seen.n) == (1, -1, 1, 500)
    assert rank_correlation(kept, draws[:90], ORDER, 500).low == 1
    assert "Somers" in seen.method


def test_an_order_or_a_score_that_tells_nothing_apart_is_said():
    with pytest.raises(Undefined, match="no two apart"):
        concordance(np.array([1.0, 2.0]), np.array([1, 1]))


def test_disagreements_name_who_each_metric_prefers():
    a, b = np.array([0.9, 0.5, 0.1]), np.array([0.2, 0.6, 0.1])
    assert rank_disagreements(a, b) == [(0, 1)]
    assert rank_disagreements(b, a) == [(1, 0)]
    assert rank_disagreements(a, a) == []
