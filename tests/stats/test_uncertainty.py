"""What an interval holds, source by source, against what simulations show."""

import numpy as np
import pytest
from scipy.special import stdtrit

from measurand.core.errors import Undefined
from measurand.stats.shuffles import add_seed_variance, shuffle_effect
from measurand.stats.uncertainty import (
    TRAININGS,
    UncertaintyBudget,
    _expected_freedom,
    _intraclass,
    cluster_variance,
    mean_interval,
    run_variance,
    uncertainty_bars,
    uneven_interval,
    uneven_variance,
)


def made_answers(rng, n=400, shuffles=5):
    right = rng.random(n) < 0.7
    wrong = rng.random((shuffles, n)) < 0.6
    donors = np.array([rng.permutation(n) for _ in range(shuffles)], np.int32)
    return right.astype(float), wrong.astype(float), donors


@pytest.mark.parametrize("ways", [1, 2])
def test_the_sources_add_up_to_the_variance_of_the_effect(ways):
    rng = np.random.default_rng(0)
    clusters = rng.integers(80, size=(400, ways) if ways > 1 else 400)
    effect = shuffle_effect(*made_answers(rng), clusters)
    effect = add_seed_variance(effect, np.array([0.08, 0.1, 0.15]))
    variances = effect.budget.variances
    assert set(variances) == {"items", "givers", "shared texts", TRAININGS}
    assert sum(variances.values()) == pytest.approx(effect.se**2)
    assert variances[TRAININGS] == pytest.approx(np.var([0.08, 0.1, 0.15], ddof=1) / 3)
    assert sum(effect.budget.shares.values()) == pytest.approx(1)


def test_items_that_share_texts_in_two_ways_vary_as_simulated():
    rng = np.random.default_rng(2)
    clusters = np.stack(
        np.meshgrid(np.arange(20), np.arange(20), indexing="ij"), axis=-1
    ).reshape(-1, 2)
    means, found = [], []
    for _ in range(1_000):
        one, two = rng.normal(size=(2, 20))
        values = one[clusters[:, 0]] + two[clusters[:, 1]] + rng.normal(size=400)
        means.append(values.mean())
        found.append(cluster_variance(values, clusters))
    assert np.mean(found) == pytest.approx(np.var(means), rel=0.15)


def test_what_does_not_vary_is_not_drawn_and_what_is_left_out_is_said():
    still = UncertaintyBudget({"items": 0.0}, "the weather")
    moved = UncertaintyBudget({"items": 0.03, "shared texts": -0.01}, "the season")
    assert uncertainty_bars({"a": still}, "it") == ()
    (exhibit,) = uncertainty_bars({"a": still, "b": moved}, "it")
    assert exhibit.table["group"].tolist() == ["b", "b"]
    assert exhibit.table["value"].tolist() == pytest.approx([1.5, -0.5])
    assert "not in it: the season. A source below 0 makes it surer" in exhibit.caption
    plain = UncertaintyBudget({"items": 0.03, "shared texts": 0.01}, "the season")
    assert uncertainty_bars({"b": plain}, "it")[0].caption.endswith("the season")


@pytest.mark.slow
@pytest.mark.parametrize("shared", [0.0, 0.4, 1.0])
def test_means_over_few_crossed_texts_cover_as_often_as_they_say(shared):
    # 2,000 runs: a true 0.92, or a true 0.98, would be outside nearly always.
    rng, runs, covered, n = np.random.default_rng(0), 2000, 0, 40
    for _ in range(runs):
        queries, texts = np.arange(n) // 4, rng.permutation(np.arange(n) % 10)
        values = rng.normal(size=n)
        values += shared * (rng.normal(size=10)[queries] + rng.normal(size=10)[texts])
        seen = mean_interval(values, np.column_stack([queries, texts]))
        covered += seen.low <= 0 <= seen.high
    assert 0.93 <= covered / runs <= 0.97


def test_runs_that_flip_single_items_add_nothing_that_items_do_not_hold():
    rng = np.random.default_rng(0)
    flips = np.array([run_variance(rng.normal(size=(3, 50))) for _ in range(400)])
    shifts = rng.normal(size=(400, 3, 1))
    shifted = [run_variance(s + rng.normal(size=(3, 50))) for s in shifts]
    assert flips.mean() < 1 / 50 / 3 / 2  # the spread of their means is 1 / 50 / 3
    # A variance of three has a standard error of its own size, over 400 of them.
    assert np.isclose(np.mean(shifted), 1 / 3, atol=4 / 3 / 400**0.5)


def test_flips_of_whole_clusters_are_held_by_the_clusters():
    rng = np.random.default_rng(1)
    clusters = np.repeat(np.arange(20), 5)
    flips = rng.normal(size=(400, 3, 20)).repeat(5, axis=2)
    own = np.mean([run_variance(run, clusters) for run in flips])
    alone = np.mean([run_variance(run) for run in flips])
    assert own < 1 / 20 / 3 / 2 < alone


def test_runs_over_one_cluster_add_all_of_their_spread():
    runs = np.array([[0.0, 0.0, 1.0], [1.0, 1.0, 1.0]])
    assert run_variance(runs, np.zeros(3, int)) == pytest.approx((2 / 3) ** 2 / 2 / 2)


def test_the_variance_over_clusters_of_one_size_is_the_plain_one(rng):
    values, pairs = rng.random(40), np.arange(40) // 2
    variance, freedom = uneven_variance(values, pairs)
    assert variance == pytest.approx(cluster_variance(values, pairs))
    assert 1 <= freedom <= 19


def test_the_variance_over_uneven_clusters_is_that_of_their_mean_on_average():
    sizes = np.array([20, *[2] * 40])
    clusters = np.repeat(np.arange(len(sizes)), sizes)
    rng = np.random.default_rng(0)
    draws = rng.normal(size=(4000, len(sizes)))[:, clusters]
    seen = np.mean([uneven_variance(draw, clusters)[0] for draw in draws])
    plain = np.mean([cluster_variance(draw, clusters) for draw in draws])
    true = float((sizes**2).sum()) / len(clusters) ** 2
    assert abs(seen / true - 1) < 0.06 < 1 - plain / true


@pytest.mark.parametrize("apart", [0.0, 0.2])
def test_the_freedom_expected_is_that_of_the_squares_as_simulated(apart):
    sizes = np.array([40.0, 20.0, 10.0, *[5.0] * 10])
    rng, shares = np.random.default_rng(0), sizes / sizes.sum()
    spread = (sizes * (1 - apart) + sizes**2 * apart) ** 0.5
    sums = spread * rng.normal(size=(40_000, len(sizes)))
    weights = 1 / (1 - shares)
    squares = (weights * (sums - sizes * (sums.sum(axis=1) / 120)[:, None]) ** 2).sum(1)
    seen = 2 * squares.mean() ** 2 / squares.var()
    assert _expected_freedom(weights, sizes, apart) == pytest.approx(seen, rel=0.05)


def test_items_of_one_cluster_correlate_as_they_were_drawn():
    rng, clusters = np.random.default_rng(0), np.arange(6_000) // 3
    values = rng.normal(size=2_000)[clusters] + 2 * rng.normal(size=6_000)
    sums, sizes = np.bincount(clusters, values), np.bincount(clusters)
    assert _intraclass(values, sums, sizes) == pytest.approx(1 / 5, abs=0.03)


@pytest.mark.slow
@pytest.mark.parametrize("apart", [0.0, 0.02, 0.2])
def test_a_mean_covers_where_one_cluster_has_half_of_the_items(apart):
    rng, runs, covered = np.random.default_rng(0), 2_000, 0
    clusters = np.repeat(np.arange(101), [100, *[1] * 100])
    for _ in range(runs):
        values = apart**0.5 * rng.normal(size=101)[clusters]
        values += (1 - apart) ** 0.5 * rng.normal(size=200)
        variance, freedom = uneven_variance(values, clusters)
        covered += abs(values.mean()) <= stdtrit(freedom, 0.975) * variance**0.5
    assert 0.93 <= covered / runs <= 0.99


def test_the_interval_over_uneven_clusters_is_by_their_own_freedom(rng):
    clusters = np.repeat(np.arange(41), [40, *[1] * 40])
    values = rng.normal(size=80)
    variance, freedom = uneven_variance(values, clusters)
    seen = uneven_interval(values, clusters, 0.9)
    assert seen.high - seen.value == pytest.approx(
        stdtrit(freedom, 0.95) * variance**0.5
    )
    assert seen.method == "t over 41 clusters"
    with pytest.raises(Undefined, match="at least two"):
        uneven_interval(values, np.zeros(80, int))
