import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest
from sklearn.metrics import cohen_kappa_score

from measurand.core.errors import BadInput, BadOption, Undefined
from measurand.core.estimate import Estimate
from measurand.stats.agreement import kappa, nba, nbr
from tests.stats.simulations import RUNS, covers

GOLD = ["x", "x", "x", "y", "y", "z"]
PAIR = ["x", "x", "y", "y", "y", "y"]  # right on 4
PART = ["x", "y", "y", "y", "z", "z"]  # agrees on 3, both right on 2
ROWS = st.lists(st.tuples(*[st.integers(0, 2)] * 3), min_size=1, max_size=40)


def columns(rows):
    return np.array(rows).T


def test_agreement_by_hand():
    assert float(nba(PAIR, PART)) == pytest.approx(3 / 6)
    assert float(nbr(PAIR, PART, GOLD, over="agree")) == pytest.approx(2 / 3)
    assert float(nbr(PAIR, PART, GOLD, over="first")) == pytest.approx(2 / 4)
    assert float(nbr(PART, PAIR, GOLD, over="first")) == pytest.approx(2 / 3)
    # Agreement 1/2, by chance (2/6)(1/6) + (4/6)(3/6) + 0.
    assert float(kappa(PAIR, PART)) == pytest.approx((3 / 6 - 14 / 36) / (1 - 14 / 36))


def test_each_share_names_the_items_it_is_over():
    assert nba(PAIR, PART).n == 6
    assert nbr(PAIR, PART, GOLD).n == 3
    assert nbr(PAIR, PART, GOLD, over="first").n == 4
    assert isinstance(nba(PAIR, PART), Estimate)
    assert nba(PAIR, PART).low < 0.5 < nba(PAIR, PART).high


@settings(max_examples=30, deadline=None)
@given(ROWS, st.randoms())
def test_series_are_paired_by_their_ids_and_arrays_by_position(rows, random):
    a, b, gold = (pd.Series(column) for column in columns(rows))
    mixed = list(a.index)
    random.shuffle(mixed)
    assert nba(a, b.loc[mixed]) == nba(list(a), tuple(b))
    if (a == gold).any():
        whole = nbr(a, b, gold, "first")
        assert nbr(a.loc[mixed], b, gold, "first") == whole
        assert nbr(a, b.to_numpy(), gold.loc[mixed], "first") == whole


def test_a_published_agreement_is_impossible_with_its_accuracies():
    """Both are right on at least the sum of both accuracies less one."""
    # PECO's Tables 2 to 4, SNLI: at least 0.622, but Eq. 8 makes it NBA * NBR = 0.503;
    # over the pair reader's right answers, as the code counts, it is a possible 0.650.
    assert 0.700 * 0.718 < 0.906 + 0.716 - 1 < 0.906 * 0.718 < 0.700


def test_kappa_is_that_of_scikit_learn(rng):
    for classes in (2, 3, 5):
        a = rng.integers(classes, size=300)
        b = np.where(rng.random(300) < 0.4, a, rng.integers(classes, size=300))
        seen = kappa(a, b)
        assert seen.value == pytest.approx(cohen_kappa_score(a, b))
        assert seen.low < seen.value < seen.high


def test_full_agreement_still_has_an_interval_with_width():
    answers = np.tile([0, 1], 50)
    assert nba(answers, answers).low == pytest.approx(0.963, abs=1e-3)
    assert kappa(answers, answers).value == 1
    assert 0.9 < kappa(answers, answers).low < 1
    clusters = np.repeat(np.arange(25), 4)
    assert nba(answers, answers, clusters=clusters).low == nba([0] * 25, [0] * 25).low
    assert nba(answers, 1 - answers, clusters=clusters).high > 0.1


def test_what_has_no_value_is_undefined():
    with pytest.raises(Undefined, match="no items"):
        nba([], [])
    with pytest.raises(Undefined, match="never agree"):
        nbr(["x"], ["y"], ["x"])
    with pytest.raises(Undefined, match="never right"):
        nbr(["x"], ["x"], ["y"], over="first")
    with pytest.raises(Undefined, match="one and the same"):
        kappa(["x", "x"], ["x", "x"])


def test_what_cannot_be_compared_is_refused():
    with pytest.raises(BadInput, match="different items"):
        nba(pd.Series(["x"], ["i"]), pd.Series(["x"], ["j"]))
    with pytest.raises(BadInput, match="shapes"):
        nba(["x"], ["x", "y"])
    with pytest.raises(BadInput, match="text in one"):
        nba(["0", "1"], [0, 1])
    with pytest.raises(BadInput, match="missing"):
        nba(["x", None], ["x", "y"])
    with pytest.raises(BadInput, match="clusters"):
        nba(["x", "y"], ["x", "y"], clusters=np.array([1]))
    with pytest.raises(BadOption, match="agree, first"):
        nbr(["x"], ["x"], ["x"], over="second")


def readers(rng, n=150, group=1):
    """Gold labels and two readers: right on 0.8 of them, the second copies on 0.5."""
    gold = rng.integers(3, size=n)
    a = (gold + (rng.random(n) < 0.2) * rng.integers(1, 3, size=n)) % 3
    b = np.where(rng.random(n) < 0.5, a, rng.integers(3, size=n))
    return np.repeat([a, b, gold], group, axis=1), np.repeat(np.arange(n), group)


AGREE = 0.5 + 0.5 / 3


@pytest.mark.parametrize(
    ("group", "runs"), [pytest.param(1, RUNS, marks=pytest.mark.slow), (3, 60)]
)
def test_the_intervals_of_shares_cover_as_often_as_they_say(group, runs):
    # Given agreement, both are right where the first is: on 0.8.
    truths, covered = np.array([AGREE, 0.8, AGREE]), np.zeros(3, int)
    for run in range(runs):
        rng = np.random.default_rng(run)
        (a, b, gold), clusters = readers(rng, group=group)
        seen = [
            nba(a, b, rng=rng, clusters=clusters),
            nbr(a, b, gold, rng=rng, clusters=clusters),
            nbr(a, b, gold, over="first", rng=rng, clusters=clusters),
        ]
        low, high = np.array([[one.low, one.high] for one in seen]).T
        covered += (low <= truths) & (truths <= high)
    for times in covered:
        assert binomtest(times, runs).proportion_ci(0.99).high >= 0.95
        assert runs < RUNS or covers(times, most=1)


@pytest.mark.slow
def test_the_interval_of_kappa_covers_as_often_as_it_says():
    truth, covered = (AGREE - 1 / 3) / (1 - 1 / 3), 0
    for run in range(RUNS):
        rng = np.random.default_rng(run)
        (a, b, _), clusters = readers(rng)
        seen = kappa(a, b, rng=rng, clusters=clusters)
        covered += seen.low <= truth <= seen.high
    assert covers(covered, most=1)


def test_equal_calls_give_equal_intervals():
    a, b, gold = readers(np.random.default_rng(0))[0]
    clusters = np.arange(150) // 3
    assert nbr(a, b, gold, clusters=clusters) == nbr(a, b, gold, clusters=clusters)
    assert kappa(a, b) == kappa(a, b)
