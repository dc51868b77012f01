import numpy as np
import pandas as pd
import pytest
from scipy.stats import binomtest, permutation_test

from measurand.core.errors import BadInput, Undefined
from measurand.stats.paired import (
    correlation,
    difference,
    gain_over,
    mean_score,
    mean_share_difference,
    ratio,
    share_difference,
    sign_flip,
)
from tests.stats.simulations import RUNS, covers, rare


def scores(rng, p, n=500):
    return pd.Series((rng.random(n) < p).astype(float))


def test_scores_of_different_items_are_refused(rng):
    with pytest.raises(BadInput, match="different items"):
        difference(pd.Series([1.0], ["a"]), pd.Series([1.0], ["b"]), rng=rng)


def test_a_difference_of_a_score_with_itself_is_exactly_zero(rng):
    score = scores(rng, 0.5)
    estimate = difference(score, score, rng=rng)
    assert (estimate.value, estimate.low, estimate.high) == (0, 0, 0)


@pytest.mark.parametrize("value", [0.0, 1.0])
def test_a_mean_of_scores_that_are_all_alike_is_not_certain(value, rng):
    seen = mean_score(pd.Series([value] * 60), rng=rng, clusters=np.arange(60) // 3)
    bound = binomtest(int(20 * value), 20).proportion_ci(method="wilson")
    assert (seen.low, seen.high) == pytest.approx((bound.low, bound.high))
    assert (seen.n, seen.method) == (60, "Wilson over 20 clusters")


def test_a_gain_over_a_known_chance_is_no_surer_than_the_answers(rng):
    chance = pd.Series([0.25] * 60)
    gain = gain_over(pd.Series([1.0] * 60), chance, rng=rng)
    bound = binomtest(60, 60).proportion_ci(method="wilson")
    assert (gain.value, gain.high) == (0.75, 0.75)
    assert gain.low == pytest.approx(bound.low - 0.25)
    # A majority is counted in the same items, so that pairs of them vary together.
    majority = pd.Series([1.0] * 55 + [0.0] * 5)
    assert gain_over(majority, majority, rng=rng).high == 0


def test_other_means_are_resampled(rng):
    for score in ([1.0] * 59 + [0.5], [0.5] * 60):
        assert mean_score(pd.Series(score), rng=rng).method.startswith("bootstrap")


def test_a_ratio_near_a_zero_denominator_is_withheld(rng):
    score = scores(rng, 0.5)
    with pytest.raises(Undefined, match="withheld"):
        ratio(score, score, less=score, rng=rng)


@pytest.mark.parametrize("clusters", [None, np.arange(40) // 2])
def test_a_ratio_that_no_resample_can_move_is_not_certain(clusters, rng):
    right, base = pd.Series([1.0] * 40), pd.Series([0.0, 1.0] * 20)
    unseen = 1 - 0.025 ** (1 / (40 if clusters is None else 20))
    whole = ratio(right, right, less=base, rng=rng, clusters=clusters)
    assert (whole.value, whole.high) == (1, 1)  # nobody is right more often than always
    assert whole.low == pytest.approx(1 - unseen / 0.5)
    nothing = ratio(base, right, less=base, rng=rng, clusters=clusters)
    assert nothing.value == 0
    assert [nothing.low, nothing.high] == pytest.approx([-2 * unseen, 2 * unseen])


def test_a_ratio_is_the_ratio_of_means_and_its_interval_holds_it(rng):
    a, b = scores(rng, 0.4), scores(rng, 0.8)
    estimate = ratio(a, b, rng=rng)
    assert estimate.value == pytest.approx(a.mean() / b.mean())
    assert estimate.low < estimate.value < estimate.high


def test_sign_flip_agrees_with_scipy(rng):
    x = rng.normal(0.15, 1, 80)
    expected = permutation_test(
        (x, np.zeros(80)),
        lambda a, b, axis: np.mean(a - b, axis=axis),
        permutation_type="samples",
        vectorized=True,
        n_resamples=20_000,
        rng=np.random.default_rng(1),
    )
    assert sign_flip(x, rng=rng, permutations=20_000) == pytest.approx(
        expected.pvalue, abs=0.015
    )


def test_the_mean_names_its_n_and_method(rng):
    estimate = mean_score(
        scores(rng, 0.5), rng=rng, clusters=np.repeat(np.arange(250), 2)
    )
    assert estimate.n == 500
    assert "250 clusters" in estimate.method


def test_a_correlation_is_pearsons_and_leaves_out_what_is_missing():
    rng = np.random.default_rng(1)
    x = rng.normal(size=200)
    y = x + rng.normal(size=200)
    seen = correlation(np.append(x, np.nan), np.append(y, 1.0), rng=rng)
    assert seen.value == pytest.approx(np.corrcoef(x, y)[0, 1])
    assert seen.low < 2**-0.5 < seen.high
    with pytest.raises(Undefined, match="the same for all"):
        correlation(x, np.ones(200), rng=rng)


def discordant_scores(n, more, less, rng, copies=1):
    signs = rng.choice([1, -1, 0], p=[more, less, 1 - more - less], size=n)
    signs = np.repeat(signs, copies)
    return (pd.Series((signs == kind).astype(float)) for kind in (1, -1))


@pytest.mark.slow
@pytest.mark.parametrize("n", [40, 100, 400])
@pytest.mark.parametrize("less", [0.0, 0.02, 0.1])
def test_a_difference_at_the_margin_is_rarely_said_to_lie_within(n, less):
    # The truth is at the margin: "within" may be said in 5 % of runs, "above" in 2.5.
    rng, margin, within, above = np.random.default_rng(n), 0.02, 0, 0
    for _ in range(RUNS):
        a, b = discordant_scores(n, less + margin, less, rng)
        within += share_difference(a, b, level=0.9).high < margin
        above += share_difference(a, b).low > margin
    assert rare(within, 0.05)
    assert rare(above, 0.025)


@pytest.mark.slow
@pytest.mark.parametrize("copies", [1, 4])
def test_the_score_interval_covers_as_often_as_it_says(copies):
    rng, covered = np.random.default_rng(copies), 0
    clusters = np.repeat(np.arange(150), copies)
    for _ in range(RUNS):
        a, b = discordant_scores(150, 0.2, 0.1, rng, copies)
        seen = share_difference(a, b, clusters=clusters)
        covered += seen.low <= 0.1 <= seen.high
    assert covers(covered)


def test_for_independent_items_the_upper_end_is_tangos(rng):
    # The score statistic at the end, with the restricted estimate, is the quantile.
    a, b = discordant_scores(200, 0.1, 0.01, rng)
    seen, n = share_difference(a, b), 200
    only_a, only_b, end = int((a > b).sum()), int((b > a).sum()), seen.high
    first = -only_a - only_b + (2 * n - only_a + only_b) * end
    root = np.sqrt(first**2 + 8 * n * only_b * end * (1 - end))
    restricted = (root - first) / (4 * n)
    error = np.sqrt(n * (2 * restricted + end * (1 - end)))
    assert (n * end - only_a + only_b) / error == pytest.approx(1.972, abs=0.01)


def test_items_that_never_differ_still_leave_room():
    same = pd.Series([1.0] * 40)
    seen = share_difference(same, same, level=0.9)
    assert seen.high >= 1 - 0.05 ** (1 / 40) - 1e-12
    grouped = share_difference(same, same, clusters=np.arange(40) // 4)
    assert grouped.high > share_difference(same, same).high
    assert "10 clusters" in grouped.method


def test_the_luck_of_a_run_is_not_an_item_of_its_own():
    rng = np.random.default_rng(0)
    zeros = pd.Series(np.zeros(400))
    runs = [pd.Series(rng.integers(0, 2, 400).astype(float)) for _ in range(4)]
    together = mean_share_difference(runs, zeros)
    one = share_difference(runs[0], zeros)
    assert together.high - together.low < 0.7 * (one.high - one.low)
    assert "mean of 4 runs" in together.method
    assert together.value == pytest.approx(np.mean([run.mean() for run in runs]))


def test_runs_that_differ_as_a_whole_widen_the_interval():
    ones, zeros = pd.Series(np.ones(400)), pd.Series(np.zeros(400))
    apart = mean_share_difference([ones, zeros], zeros)
    assert (apart.low, apart.high) == (-1.0, 1.0)


def test_one_cluster_bounds_no_mean():
    scores = pd.Series([1.0, 0.0, 1.0])
    with pytest.raises(Undefined, match="at least two items or clusters"):
        mean_share_difference([scores], scores * 0, clusters=np.zeros(3, int))
