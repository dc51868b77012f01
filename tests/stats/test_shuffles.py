from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import chi2

from measurand.core.errors import Undefined
from measurand.stats.shuffles import (
    _counted_twice,
    add_seed_variance,
    shuffle_effect,
    sigma_shuf,
)
from measurand.stats.uncertainty import cluster_variance
from tests.stats.simulations import RUNS, covers, rare


def effect(right, wrong, donors=None, clusters=None):
    wrong = np.atleast_2d(wrong)
    n = wrong.shape[1]
    donors = (
        np.tile(np.roll(np.arange(n), 1), (len(wrong), 1)) if donors is None else donors
    )
    clusters = np.arange(n) if clusters is None else clusters
    return shuffle_effect(np.asarray(right), wrong, donors.astype(np.int32), clusters)


def test_the_effect_is_the_accuracy_lost():
    right = np.array([True, True, True, False])
    wrong = np.array([[True, False, False, False], [True, True, False, False]])
    assert effect(right, wrong).value == pytest.approx(0.75 - 0.375)


def test_the_donor_term_counts_what_an_items_text_did_to_others():
    right = np.ones(4, bool)
    wrong = np.array([[False, True, True, True]])
    donors = np.array([[3, 0, 1, 2]])
    # psi = right - received - (given - mean), by hand.
    psi = 1 - np.array([0, 1, 1, 1]) - (np.array([1, 1, 1, 0]) - 0.75)
    variance = ((psi - 0.25) ** 2).sum() * 4 / 3 / 4**2
    # Each answer is in two of them: the variance of the mean of all is taken off once.
    # What an item answers beyond the mean is also what it and its giver have of their
    # own, and a quarter of both, as one of four items gives it, is not counted twice.
    twice = (1 - 2 / 4) ** 2 * np.var(wrong) / 4
    assert effect(right, wrong, donors).se == pytest.approx(np.sqrt(variance - twice))


def pair_sums(wrong, donors, clusters):
    """What each cluster answers on the texts of each: the sum, beyond the mean."""
    sums = {}
    for (shuffle, item), answer in np.ndenumerate(wrong - wrong.mean()):
        giver = donors[shuffle, item]
        pair = clusters[item], clusters[giver]
        sums[pair] = sums.get(pair, 0.0) + answer
    return sums


def made_shuffles(rng, n=12):
    wrong = rng.integers(2, size=(3, n)).astype(float)
    donors = np.array([rng.permutation(n) for _ in range(3)], np.int32)
    return wrong, donors


@pytest.mark.parametrize("size", [1, 3])
def test_answers_of_one_cluster_on_texts_of_one_are_counted_as_one(rng, size):
    wrong, donors = made_shuffles(rng)
    clusters, by_hand = np.arange(12) // size * 7, 0.0
    away = wrong - wrong.mean()
    for (one, other), total in pair_sums(wrong, donors, clusters).items():
        # What each has of its own, as often as they are expected to meet.
        own = away[:, clusters == one].mean() + away[clusters[donors] == other].mean()
        by_hand += (total - own * 3 * size * size / 12) ** 2
    seen = _counted_twice(wrong, donors, clusters)
    assert seen == pytest.approx(by_hand / wrong.size**2)


@pytest.mark.slow
@pytest.mark.parametrize("big", [40, 120])
def test_the_interval_covers_where_one_cluster_has_many_of_the_items(big):
    rng, covered, n = np.random.default_rng(0), 0, 240
    clusters = np.repeat(np.arange(n - big + 1), [big, *[1] * (n - big)])
    for _ in range(RUNS):
        own, text = rng.uniform(-0.2, 0.2, (2, n))[:, clusters]
        right = rng.random(n) < 0.65 + own
        donors = np.array([rng.permutation(n) for _ in range(5)])
        wrong = rng.random((5, n)) < 0.5 + own + text[donors]
        seen = effect(right, wrong, donors, clusters).interval(0.95)
        covered += seen.low <= 0.15 <= seen.high
    assert covers(covered, most=0.99)


def test_the_variance_is_never_under_a_third_of_that_of_the_differences(rng):
    # The text alone decides, so that as many are right however texts are dealt.
    easy = rng.random(40) < 0.5
    donors = np.array([rng.permutation(40) for _ in range(20)])
    seen = effect(easy.astype(float), easy[donors].astype(float), donors)
    losses = easy - easy[donors].mean(axis=0)
    assert seen.value == pytest.approx(0)
    assert seen.se**2 == pytest.approx(cluster_variance(losses, np.arange(40)) / 3)


def test_no_change_at_all_still_has_an_interval_with_width():
    seen = effect(np.ones(300, bool), np.ones((2, 300), bool))
    interval = seen.interval(0.95)
    assert interval.value == 0
    assert interval.high == pytest.approx(1 - 0.025 ** (1 / 300))
    assert "no answer changed" in interval.method


def test_repeating_every_item_within_its_cluster_changes_no_standard_error(rng):
    right, wrong = rng.random(200) < 0.8, rng.random((5, 200)) < 0.5
    donors = np.array([rng.permutation(200) for _ in range(5)])
    once = effect(right, wrong, donors)
    twice = effect(
        np.tile(right, 2),
        np.tile(wrong, 2),
        np.hstack([donors, donors + 200]),
        np.tile(np.arange(200), 2),
    )
    assert twice.se == pytest.approx(once.se)


def test_one_cluster_has_no_effect_to_estimate():
    with pytest.raises(Undefined, match="two clusters"):
        effect(np.ones(3, bool), np.ones((1, 3), bool), clusters=np.zeros(3, int))


def test_sigma_is_the_population_sd():
    assert sigma_shuf(np.array([0.5, 0.7])).value == pytest.approx(0.1)
    assert sigma_shuf(np.array([0.5, 0.7])).n == 2


@pytest.mark.parametrize("k", [2, 3, 20])
def test_the_interval_of_sigma_is_that_of_chi_square(k):
    accuracies = np.random.default_rng(k).random(k)
    estimate = sigma_shuf(accuracies)
    expected = np.sqrt(k * np.var(accuracies) / chi2.ppf([0.975, 0.025], k - 1))
    assert [estimate.low, estimate.high] == pytest.approx(expected.tolist())


@pytest.mark.parametrize("seeds", [2, 3])
@pytest.mark.parametrize("seed_sd", [0.02, 0.1])
def test_the_interval_over_few_seeds_covers_as_often_as_it_says(seeds, seed_sd):
    # 2,000 runs: a true 0.92 would fall below 0.93 nineteen times out of twenty.
    rng, runs, se, covered = np.random.default_rng(seeds), 2000, 0.01, 0
    plain = effect(rng.random(300) < 0.7, rng.random((4, 300)) < 0.5)
    for _ in range(runs):
        losses = rng.normal(0.1, se) + rng.normal(0, seed_sd, seeds)
        seen = replace(plain, value=losses.mean(), se=se)
        interval = add_seed_variance(seen, losses).interval(0.95)
        covered += interval.low <= 0.1 <= interval.high
    assert 0.93 <= covered / runs <= 0.975


def test_one_training_says_so_and_no_training_does_not():
    plain = effect([1, 1, 0, 1], [[0, 1, 0, 1]])
    assert "training" not in plain.interval(0.95).method
    once = add_seed_variance(plain, np.array([plain.value]))
    assert once.interval(0.95).method.endswith(
        "one training, whose variance is not in it"
    )
    assert once.interval(0.95).low == plain.interval(0.95).low


@pytest.mark.slow
def test_the_interval_covers_where_queries_and_texts_cross():
    rng, covered = np.random.default_rng(0), 0
    for _ in range(RUNS):
        clusters = np.unique(rng.integers(60, size=(400, 2)), axis=0)
        queries, texts = rng.normal(0, 0.1, (2, 60))
        chance = 0.5 + queries[clusters[:, 0]] + texts[clusters[:, 1]]
        right = rng.random(len(chance)) < chance
        wrong = np.zeros((1, len(right)))
        seen = effect(right, wrong, clusters=clusters).interval(0.95)
        covered += seen.low <= 0.5 <= seen.high
    assert covers(covered)


def test_crossed_ways_add_their_variances_less_what_they_share(rng):
    clusters = rng.integers(8, size=(60, 2))
    right, wrong = rng.random(60) < 0.7, np.zeros((3, 60))
    pairs = clusters[:, 0] * 8 + clusters[:, 1]
    one, two, both = (
        effect(right, wrong, clusters=c).se ** 2 for c in (*clusters.T, pairs)
    )
    seen = effect(right, wrong, clusters=clusters)
    assert seen.se**2 == pytest.approx(max(one + two - both, both / 2))
    assert seen.clusters == 8


def rare_losses(n, share, flips, rng):
    """A share of items that is lost outright, among answers that flip now and then."""
    lost = rng.random(n) < share
    right = np.where(lost, 1.0, rng.random(n) < 0.5)
    flipped = rng.random((20, n)) < flips
    donors = np.array([rng.permutation(n) for _ in range(20)])
    return effect(right, np.where(lost, 0.0, np.abs(right - flipped)), donors)


@pytest.mark.slow
@pytest.mark.parametrize("n", [40, 100, 400])
@pytest.mark.parametrize("flips", [0.002, 0.05, 0.3])
def test_an_effect_at_the_margin_is_rarely_called_near_zero(n, flips):
    rng, within, above = np.random.default_rng(n), 0, 0
    for _ in range(RUNS):
        seen = rare_losses(n, 0.02, flips, rng)
        within += seen.interval(0.9).within(0.02)
        above += seen.interval(0.95).low > 0.02
    assert rare(within, 0.05)
    assert rare(above, 0.025)


def test_one_flip_in_many_shuffles_is_no_proof_of_nothing():
    right, wrong = np.ones(100), np.ones((20, 100))
    wrong[0, 0] = 0.0
    assert not effect(right, wrong).interval(0.9).within(0.02)


@pytest.mark.slow
def test_the_interval_of_the_effect_covers_as_often_as_it_says():
    rng, covered = np.random.default_rng(0), 0
    for _ in range(RUNS):
        seen = rare_losses(200, 0.2, 0.2, rng).interval(0.95)
        covered += seen.low <= 0.2 <= seen.high
    assert covers(covered, most=0.98)
