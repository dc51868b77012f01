"""Recovery by hand, and a limit of detection that is found as often as it says."""

import numpy as np
import pandas as pd
import pytest

from measurand.core.errors import BadInput, Undefined
from measurand.core.estimate import Estimate
from measurand.stats.detection import (
    Noise,
    detection_limit,
    recovery,
    shuffle_noise,
)
from measurand.stats.shuffles import shuffle_effect


def rng(seed=0):
    return np.random.default_rng(seed)


def exact(value, half=0.0):
    return Estimate(value, value - half, value + half, 0.95, 100, "known")


def test_recovery_is_the_gain_over_the_room():
    before, after = (
        pd.Series(values * 5) for values in ([1.0, 0, 0, 0], [0.0, 1, 1, 1])
    )
    assert recovery(before, after, rng=rng()).value == pytest.approx((3 - 1) / 3)
    assert recovery(before, before, rng=rng()).value == 0


def test_a_recovery_of_all_spiked_items_is_not_certain():
    before, after = pd.Series([0.0, 1.0] * 10), pd.Series([1.0] * 20)
    whole = recovery(before, after, rng=rng())
    assert (whole.value, whole.high) == (1, 1)
    assert whole.low == pytest.approx(1 - (1 - 0.025 ** (1 / 20)) / 0.5)
    assert recovery(before, before, rng=rng()).low < 0


def test_recovery_without_room_or_of_other_items_is_refused():
    ones = pd.Series([1.0, 1.0])
    with pytest.raises(Undefined, match="only 0 were wrong before"):
        recovery(ones, ones, rng=rng())
    with pytest.raises(BadInput, match="different items"):
        recovery(ones, pd.Series([1.0, 0.0], index=["a", "b"]), rng=rng())


@pytest.mark.slow
def test_the_interval_of_recovery_covers_the_truth():
    covered, runs = 0, 400
    for run in range(runs):
        draw = rng(run)
        clusters = np.repeat(np.arange(100), 3)
        hard = np.repeat(draw.random(100) < 0.5, 3)
        before = pd.Series((~hard).astype(float))
        # What is recovered goes by cluster, so that items alone would cover too rarely.
        after = before.where(~hard, np.repeat(draw.random(100) < 0.4, 3)).astype(float)
        estimate = recovery(before, after, rng=draw, clusters=clusters)
        covered += estimate.low <= 0.4 <= estimate.high
    assert 0.92 <= covered / runs <= 0.98


def test_the_limit_solves_its_formula():
    noise = Noise(0.01, 0, 1000, 1000)
    limit = detection_limit([0.1], [exact(0.1)], noise).value
    se = np.sqrt(0.01**2 + limit * (1 - limit) / 1000)  # here the effect is the dose
    assert limit == pytest.approx((1.962 + 0.842) * se, rel=1e-3)


def test_a_dip_between_doses_is_taken_as_flat():
    noise = Noise(0.01, 0, 10_000, 10_000)
    level = [exact(0.03), exact(0.03)]
    dip = [exact(0.03), exact(0.001)]
    doses = [0.1, 0.2]
    expected = detection_limit(doses, level, noise).value
    assert detection_limit(doses, dip, noise).value == pytest.approx(expected)


def test_the_order_of_doses_does_not_matter():
    noise = Noise(0.01, 0, 1000, 1000)
    limit = detection_limit([0.2, 0.05], [exact(0.1), exact(0.02)], noise)
    assert limit == detection_limit([0.05, 0.2], [exact(0.02), exact(0.1)], noise)
    assert "between the doses 0.05, 0.2" in limit.method


def test_an_extrapolation_and_an_open_end_are_said():
    noise = Noise(0.001, 0, 100_000, 100_000)
    limit = detection_limit([0.1], [exact(0.05, half=0.06)], noise)
    assert "extrapolated in proportion from the dose 0.1" in limit.method
    assert limit.low < limit.value < 0.1
    assert limit.high == np.inf


def test_a_reader_that_recovers_nothing_has_no_limit():
    with pytest.raises(Undefined, match="no dose"):
        detection_limit(
            [0.1, 0.2], [exact(-0.01), exact(0.0)], Noise(0.01, 0, 500, 500)
        )


def answers(dose, n, draw):
    """A made reader: right of itself with 0.6, of two spikes one is recovered.

    Wrong evidence takes the spike, and changes one answer in ten of the others.
    """
    alone = draw.random(n) < 0.6
    seen = (draw.random(n) < dose) & (draw.random(n) < 0.5)
    donors = np.array([np.roll(np.arange(n), k + 1) for k in range(5)], np.int32)
    changed = draw.random((5, n)) < 0.1
    wrong = np.where(changed, draw.random((5, n)) < 0.6, alone)
    return alone | seen, wrong.astype(float), donors


def test_a_shuffle_effect_varies_by_its_standard_error():
    n = 1000
    runs = [answers(0.0, n, rng(run)) for run in range(200)]
    effects = [shuffle_effect(*run, np.arange(n)) for run in runs]
    spread = np.std([effect.value for effect in effects], ddof=1)
    # A standard deviation of 200 runs is known to 5 %; three times that.
    assert np.mean([effect.se for effect in effects]) == pytest.approx(spread, rel=0.15)


@pytest.mark.slow
@pytest.mark.parametrize("n", [1000, 4000])
def test_at_the_limit_four_in_five_runs_find_the_effect(n):
    doses, effects, large = [0.05, 0.2], [], 200_000
    for dose in doses:
        right, wrong, _ = answers(dose, large, rng(1))
        effects.append(exact(float((right - wrong.mean(axis=0)).mean())))
    right, wrong, donors = answers(0.0, large, rng(2))
    effect = shuffle_effect(right, wrong, donors, np.arange(large))
    spread, scale = shuffle_noise(effect, right, wrong), np.sqrt(large / n)
    noise = Noise(spread.se * scale, spread.mended, n, n)
    limit = detection_limit(doses, effects, noise).value
    found, runs = 0, 400
    for run in range(runs):
        effect = shuffle_effect(*answers(limit, n, rng(10 + run)), np.arange(n))
        found += effect.interval(0.95).low > 0
    assert 0.75 <= found / runs <= 0.85
