import numpy as np
import pandas as pd
import pytest
from scipy.special import expit

from measurand.audits.exposure.statistics.counts import ArmPairs
from measurand.audits.exposure.statistics.hierarchical import Mixture
from measurand.audits.exposure.statistics.predictive import moments
from measurand.audits.exposure.statistics.simulations import CoverageStudy, Truth
from measurand.audits.exposure.statistics.summaries import (
    analyse_slices,
    differences_by_task,
    draw_slices,
    per_doubling,
    sign_flip_p,
    variance_components,
)
from measurand.core.errors import Undefined
from tests.audits.exposure.statistics.made_studies import small


def test_the_permutation_p_value_is_exact_where_it_can_be(rng):
    assert sign_flip_p(np.array([3.0, 1.0]), rng=rng) == 0.25
    assert sign_flip_p(np.array([3.0, -1.0]), rng=rng) == 0.5
    assert sign_flip_p(np.zeros(5), rng=rng) == 1.0
    exact = sign_flip_p(np.arange(-3.0, 8.0), rng=rng)
    drawn = sign_flip_p(np.arange(-3.0, 8.0), rng=rng, permutations=2000)
    assert drawn == pytest.approx(exact, abs=0.03)


def test_no_subsamples_have_no_p_value(rng):
    with pytest.raises(Undefined, match="no subsamples"):
        sign_flip_p(np.empty(0), rng=rng)


def test_tasks_with_a_planted_effect_are_found_and_others_are_not(rng):
    found = small(Truth(tasks=6, subsamples=20, observation=0.05))
    table = found.table
    planted = table["task"].isin(["task0", "task1"])
    table.loc[planted, "treatment"] = (table["control"] + 20).clip(upper=table["n"])
    tasks = differences_by_task(ArmPairs(table, "bias"), rng=rng)
    low = tasks.table["p_adjusted"] < 0.01
    assert set(low.index[low]) == {"task0", "task1"}
    assert tasks.positive + tasks.negative == 6
    assert (tasks.table["p_adjusted"] >= tasks.table["p"]).all()


def test_a_slice_holds_one_triple_of_each_task_and_model(rng):
    pairs = small(Truth(tasks=4, subsamples=3))
    slices = draw_slices(pairs, rng=rng, slices=50)
    assert slices.correct.shape == (50, 4, 2, 1, 1, 2)
    at = pairs.table.set_index(["task", "lm"]).sort_index().loc[("task1", "lm0")]
    known = {tuple(row) for row in at[["control", "treatment"]].to_numpy(float)}
    assert {tuple(row) for row in slices.correct[:, 1, 0, 0, 0]} == known


def test_slices_without_the_observation_effect_are_over_confident(rng):
    pairs = small(Truth(tasks=15, subsamples=12))
    plain = analyse_slices(pairs, "plain", rng=rng, slices=150)
    default = analyse_slices(pairs, rng=rng, slices=150)
    assert plain.coverage.high < default.coverage.low
    assert plain.excluding.value > default.excluding.value


def test_a_mixture_has_the_quantiles_of_its_parts():
    mixture = Mixture(np.array([[0.0, 10.0]]), np.ones((1, 2)), np.full((1, 2), 0.5))
    assert mixture.quantile(0.5)[0] == pytest.approx(5.0, abs=0.01)
    assert mixture.below(np.array([0.0]))[0] == pytest.approx(0.25)
    low, high = mixture.interval(0.9)
    assert mixture.below(high)[0] - mixture.below(low)[0] == pytest.approx(0.9)


def test_coverage_counts_the_truths_inside_the_interval():
    ranks = CoverageStudy(np.linspace(0.005, 0.995, 100), np.zeros(100))
    assert ranks.coverage(0.8).value == pytest.approx(0.8)
    assert ranks.coverage(0.95).value == pytest.approx(0.95, abs=0.011)


def test_the_spread_of_draws_is_told_from_that_of_trainings(rng):
    rows = [
        ("lm", f"task{task}", subsample, training, 1000, 500, 500 + draw + luck)
        for task in range(10)
        for subsample, draw in enumerate(rng.normal(0, 40, 30))
        for training, luck in enumerate(rng.normal(0, 20, 3))
    ]
    names = ["lm", "task", "subsample", "training", "n", "control", "treatment"]
    found = variance_components(
        ArmPairs(pd.DataFrame(rows, columns=names), "bias"), rng=rng
    )
    assert found.subsample.value == pytest.approx(4.0, rel=0.1)
    assert found.training.value == pytest.approx(2.0, rel=0.1)
    assert found.draws == 300


@pytest.mark.slow
def test_intervals_of_both_spreads_cover_as_often_as_they_say(rng):
    keys = [("lm", f"t{task}", draw) for task in range(4) for draw in range(8)]
    table = pd.DataFrame(keys * 2, columns=["lm", "task", "subsample"])
    covered = []
    for _ in range(200):
        draws, luck = rng.normal(0, 30, len(keys)), rng.normal(0, 20, len(table))
        right = 500 + np.tile(draws, 2) + luck
        here = table.assign(n=1000, control=500, treatment=right)
        found = variance_components(ArmPairs(here, "bias"), rng=rng)
        covered.append(
            (
                found.subsample.low < 3 < found.subsample.high,
                found.training.low < 2 < found.training.high,
            )
        )
    assert np.mean(covered, axis=0) == pytest.approx([0.95, 0.95], abs=0.04)


def test_one_training_a_draw_has_no_training_spread(rng):
    with pytest.raises(Undefined, match="trained on twice"):
        variance_components(small(Truth(tasks=2, subsamples=2)), rng=rng)


def sized(n, gain, seed=0):
    """Pairs whose treatment gains so many points on average, with luck of draws."""
    luck = np.random.default_rng(seed).normal(0, 0.02, 40)
    right = n * (0.5 + gain / 100 + luck - luck.mean())
    keys = {"lm": "a", "task": ["s", "t"] * 20, "subsample": range(40), "training": 1}
    table = pd.DataFrame({**keys, "n": n, "control": n / 2, "treatment": right})
    return ArmPairs(table, "bias")


def test_a_trend_needs_two_sizes_of_one_m():
    with pytest.raises(Undefined, match="two n with one m"):
        per_doubling([(50, 100, sized(100, 1.0)), (100, 200, sized(200, 2.0))])


def test_a_trend_is_within_m():
    # Along n alone the line would fall: those of m = 100 are lower, and larger.
    sizes = [(50, 100, 4.0), (50, 200, 5.0), (100, 400, 0.0), (100, 800, 1.0)]
    slope = per_doubling([(m, n, sized(n, gain, n)) for m, n, gain in sizes])
    assert slope.low < 1.0 < slope.high
    assert slope.value == pytest.approx(1.0, abs=0.3)


def test_a_trend_knows_that_draws_of_two_sizes_share_rows():
    same = [(50, 100, sized(100, 0.0)), (50, 200, sized(200, 0.0))]
    other = [(50, 100, sized(100, 0.0)), (50, 200, sized(200, 0.0, 1))]
    widths = [e.high - e.low for e in (per_doubling(same), per_doubling(other))]
    assert widths[0] < 0.1 * widths[1]


@pytest.mark.parametrize("noise", [0.3, 0.59, 0.61, 1.0])
def test_chances_with_noise_have_the_moments_of_many_draws(noise, rng):
    logits = np.array([-3.0, -0.4, 0.0, 2.0])
    mean, variance = moments(logits, noise)
    drawn = expit(logits + noise * rng.standard_normal((200_000, 1)))
    assert mean == pytest.approx(drawn.mean(axis=0), abs=2e-3)
    assert variance == pytest.approx(drawn.var(axis=0), abs=2e-3)


def test_chances_far_out_are_no_trouble():
    mean, variance = moments(np.array([-900.0, 900.0]), 0.5)
    assert mean == pytest.approx([0.0, 1.0], abs=1e-9)
    assert np.isfinite(variance).all()
