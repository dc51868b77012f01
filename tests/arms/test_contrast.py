"""Contrasts hold what their intervals say."""

import numpy as np
import pytest

from measurand.arms.contrast import (
    LEAST_WIDENING,
    OverBlank,
    best_gain,
    blank_widening,
    exact_bound,
    mean_difference,
    widen,
)
from measurand.arms.families import Family
from measurand.core.estimate import Estimate

MARGIN = 0.02
SIZES = {
    "single items": [1] * 300,
    "sixty of five": [5] * 60,
    "one of a quarter of the items": [75, *[1] * 225],
}


def families(sizes):
    return Family("pair", np.repeat(np.arange(len(sizes)), sizes))


def singles(count):
    return families([1] * count)


def test_the_difference_is_of_means_and_paired():
    scores, base = np.array([1.0, 1, 1, 0] * 50), np.array([1.0, 1, 0, 0] * 50)
    estimate = mean_difference(scores, base, singles(200))
    assert estimate.value == pytest.approx(0.25)
    apart = mean_difference(scores, np.roll(base, 2), singles(200))
    assert apart.high - apart.low > estimate.high - estimate.low


def test_a_base_that_is_a_mean_over_draws_caps_no_end():
    # As a chance that is known, 0.5 would leave no more than 0.5 above it.
    half, ones = np.full(30, 0.5), np.ones(30)
    high = mean_difference(ones, half, singles(30)).high
    assert high > 0.55
    mixed = np.resize([0.5, 1.0, 0.0], 30)
    assert mean_difference(ones, mixed, singles(30)).high > 0.6
    assert mean_difference(half, ones, singles(30)).low < -0.55


def test_ends_stay_where_a_difference_can_be():
    ones, none = np.ones(20), np.zeros(20)
    estimate = mean_difference(ones, none, singles(20))
    assert estimate.low < estimate.value == estimate.high == 1
    assert mean_difference(none, none, singles(20)).high > 0.1


def test_families_that_answer_alike_make_an_interval_wider():
    values = np.repeat(np.random.default_rng(0).integers(-1, 2, 60), 5).astype(float)
    zeros = np.zeros(300)
    width = [
        (e := mean_difference(values, zeros, family)).high - e.low
        for family in (singles(300), families(SIZES["sixty of five"]))
    ]
    assert width[1] > 1.8 * width[0]


def draw_differences(sizes, rng, alike=0.4):
    """Paired scores of which some families answer as one, and their true difference."""
    rows = np.repeat(np.arange(len(sizes)), sizes)
    shared = rng.choice(3, len(sizes), p=[0.1, 0.7, 0.2])[rows]
    single = rng.choice(3, len(rows), p=[0.1, 0.7, 0.2])
    return np.where(rng.random(len(sizes))[rows] < alike, shared, single) - 1.0


@pytest.mark.slow
@pytest.mark.parametrize("name", SIZES)
def test_intervals_cover_the_truth_with_uneven_families(name):
    rng, sizes = np.random.default_rng(0), SIZES[name]
    alike = 0.4 if name == "sixty of five" else 0.0
    family, hits = families(sizes), 0
    for _ in range(1_000):
        values = draw_differences(sizes, rng, alike)
        estimate = mean_difference(values, np.zeros(300), family)
        hits += estimate.low <= 0.1 <= estimate.high
    assert 0.93 <= hits / 1_000 <= 0.975


def draw_readers(count, rivals, gain, rng):
    """A reader and rivals that are equally good, and what it truly has over each."""
    rival = (rng.random((rivals, count)) < 0.7).astype(float)
    # A reader that changes an eighth of the first rival's answers has that many more.
    better = (rival[0] == 0) & (rng.random(count) < 0.125 / 0.3 + gain / 0.3)
    worse = (rival[0] == 1) & (rng.random(count) < 0.125 / 0.7)
    reader = np.where(better, 1.0, np.where(worse, 0.0, rival[0]))
    return {"reader": reader}, {str(n): scores for n, scores in enumerate(rival)}


def error_rates(count, rivals, gain, runs=400):
    """How often the low end is over the margin, and the high end under it."""
    rng, over, under = np.random.default_rng([count, rivals]), 0, 0
    for _ in range(runs):
        found = best_gain(*draw_readers(count, rivals, gain, rng), singles(count))
        over, under = over + (found.low > MARGIN), under + (found.high < MARGIN)
    return over / runs, under / runs


NOISE = 1.645 * (0.05 * 0.95 / 400) ** 0.5  # of a rate of 5 % seen in 400 runs


@pytest.mark.slow
@pytest.mark.parametrize("rivals", [1, 2, 3, 4])
@pytest.mark.parametrize("count", [300, 1_000])
def test_the_gain_over_the_best_rival_errs_as_rarely_as_it_says(count, rivals):
    over, under = error_rates(count, rivals, MARGIN)
    assert over <= 0.05 + NOISE
    assert under <= 0.05 + NOISE
    over, _ = error_rates(count, rivals, 0.0)
    assert over <= 0.05 + NOISE


def test_the_gain_is_over_the_best_rival():
    rng = np.random.default_rng(0)
    readers, rivals = draw_readers(2_000, 1, 0.1, rng)
    readers["weak"] = (rng.random(2_000) < 0.5).astype(float)
    rivals["coin"] = (rng.random(2_000) < 0.5).astype(float)
    gain = best_gain(readers, rivals, singles(2_000))
    assert (gain.reader, gain.rival) == ("reader", "0")
    direct = readers["reader"].mean() - rivals["0"].mean()
    assert gain.value == pytest.approx(direct)
    assert gain.low < 0.1 < gain.high
    assert 0.3 < gain.room < 0.35


def test_one_more_rival_lowers_no_high_end_by_luck_alone():
    readers, rivals = draw_readers(500, 4, 0.0, np.random.default_rng(3))
    first = {"0": rivals["0"]}
    alone = best_gain(readers, first, singles(500))
    twice = best_gain(readers, first | {"same": rivals["0"]}, singles(500))
    assert twice.high > alone.high
    assert twice.low == pytest.approx(alone.low)


def test_more_readers_share_the_error():
    readers, rivals = draw_readers(500, 1, 0.1, np.random.default_rng(3))
    alone = best_gain(readers, rivals, singles(500))
    both = best_gain(readers | {"other": rivals["0"]}, rivals, singles(500))
    assert both.reader == "reader"
    assert both.low < alone.low
    assert both.high == alone.high


def test_a_rival_that_is_always_right_leaves_next_to_no_room():
    ones = np.ones(300)
    gain = best_gain({"reader": ones}, {"query": ones}, singles(300))
    assert 0 < gain.room < MARGIN
    assert gain.value == 0


def test_an_interval_is_widened_about_its_value():
    estimate = Estimate(0.1, 0.06, 0.2, 0.95, 300, "t")
    wider = widen(estimate, 1.5)
    assert (wider.value, wider.low, wider.high) == pytest.approx((0.1, 0.04, 0.25))
    assert widen(estimate, 1.0) == estimate


def blanks(spread, seed=0, deals=30):
    """Scores of blanks that differ by that much beyond what their items say."""
    rng = np.random.default_rng(seed)
    means = rng.normal(0, spread, deals)
    return [rng.normal(mean, 1.0, 400) for mean in means]


def test_the_widening_is_never_below_its_least():
    channels = [(singles(400), [np.resize([0.0, 1.0], 400)] * 4)]
    assert blank_widening(channels, LEAST_WIDENING) == LEAST_WIDENING
    assert blank_widening(channels) == 1.0
    assert blank_widening([], LEAST_WIDENING) == LEAST_WIDENING
    constant = [(singles(400), [np.zeros(400)] * 4)]
    assert blank_widening(constant, LEAST_WIDENING) == LEAST_WIDENING


def test_the_widening_is_how_much_more_means_spread_than_items_say():
    assert blank_widening([(singles(400), blanks(0.0))]) == pytest.approx(1, abs=0.2)
    wide = blank_widening([(singles(400), blanks(0.1, seed)) for seed in range(5)])
    assert wide == pytest.approx((1 + 0.1**2 * 400) ** 0.5, rel=0.15)


def test_one_deal_of_a_channel_says_nothing_of_the_spread():
    assert blank_widening([(singles(400), blanks(0.3)[:1])]) == 1.0


@pytest.mark.parametrize("share", [True, False])
def test_what_is_over_blanks_is_widened_too(share):
    rng = np.random.default_rng(0)
    scores, base = rng.random(300), rng.random(300)
    plain = OverBlank(scores, base, singles(300), 1.0, share).interval(0.95)
    wide = OverBlank(scores, base, singles(300), 1.5, share)
    assert wide.value == pytest.approx((scores - base).mean())
    assert wide.interval(0.95).low < plain.low < plain.high < wide.interval(0.95).high
    assert wide.interval(0.99).low < wide.interval(0.95).low


def test_the_exact_bound_counts_each_text_once_for_its_commonest_label():
    texts = ["a"] * 3 + ["b"] * 4 + ["c"]
    gold = np.array([0, 0, 1, 0, 0, 1, 1, 2])
    assert exact_bound(texts, gold) == pytest.approx((2 + 2 + 1) / 8)
    assert exact_bound(["a", "a"] * 5, np.array([0, 1] * 5)) == 0.5
    assert exact_bound([*"abcdef"], np.arange(6) % 2) == 1
