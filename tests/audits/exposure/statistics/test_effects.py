"""Paired differences: means over tasks, their spread, and items that draws share."""

import numpy as np
import pandas as pd
import pytest

from measurand.audits.exposure.statistics.counts import (
    ArmPairs,
    pair_arms,
    study_counts,
)
from measurand.audits.exposure.statistics.effects import (
    Effect,
    paired_effects,
    spread_at,
    task_spread,
)
from measurand.audits.exposure.statistics.hierarchical import fit_posterior
from measurand.audits.exposure.statistics.task_means import shared_variance, task_means
from measurand.core.errors import Undefined
from tests.shared_data import needs_data, path

# Mean and half of the 95 % interval of simple differences, m = 50, n = 200, in points.
PUBLISHED = {
    ("bias", "bert"): (-0.385, 0.593),
    ("bias", "gpt2"): (-0.046, 0.174),
    ("boost", "bert"): (3.90, 0.55),
    ("boost", "gpt2"): (4.39, 0.37),
}
N = 200


def pairs(differences, n=N):
    """Pairs of models × tasks × draws whose treatment gains so many points."""
    cells = [
        {"lm": f"m{lm}", "task": f"t{task}", "subsample": draw, "gain": gain}
        for (lm, task, draw), gain in np.ndenumerate(np.asarray(differences, float))
    ]
    table = pd.DataFrame(cells).assign(training=1, n=n, control=n / 2)
    gained = table.pop("gain")
    return ArmPairs(table.assign(treatment=n / 2 + n * gained / 100), "bias")


@needs_data
@pytest.mark.parametrize("case", PUBLISHED, ids=str)
def test_the_published_differences_have_their_simple_intervals(case):
    contrast, lm = case
    counts = study_counts(pd.read_csv(path("exposure/accuracies_m50.csv")))
    effects = paired_effects(pair_arms(counts[counts["n"] == N], contrast))
    estimate = effects.alone[lm].estimate
    value, half = PUBLISHED[case]
    assert estimate.value == pytest.approx(value, abs=0.006)
    assert (estimate.high - estimate.low) / 2 == pytest.approx(half, abs=0.006)


@needs_data
@pytest.mark.slow
def test_published_tasks_differ_in_boost_and_hardly_in_bias():
    counts = study_counts(pd.read_csv(path("exposure/accuracies_m50.csv")))
    for n in (50, 100, 200, 500):
        size = counts[counts["n"] == n]
        bias, boost = (
            paired_effects(pair_arms(size, name)).together for name in ("bias", "boost")
        )
        # No more than luck, where no spread fits.
        assert spread_at(bias.cells, None) < 0.7
        assert 4 < boost.spread.value < 5


def test_an_interval_is_of_the_effect_and_of_these_pairs(rng):
    luck = rng.normal(0, 3, (1, 4, 50))
    effects = paired_effects(pairs(luck + np.array([1.0, 2, 3, 4])[:, None]))
    assert effects.together.estimate.value == pytest.approx(2.5, abs=0.6)
    half = (effects.together.estimate.high - effects.together.estimate.low) / 2
    simple = 1.97 * np.sqrt((luck.var(axis=-1, ddof=1) / 50).sum()) / 4
    assert half == pytest.approx(simple, rel=0.01)


def test_arms_that_agree_on_most_items_have_narrow_intervals(rng):
    # Both arms answer alike but for 2 % of the items; counts alone cannot tell.
    right = rng.binomial(N, 0.6, (1, 5, 40))
    moved = rng.binomial(N // 50, 0.5, right.shape) - N // 100
    table = pairs(np.zeros(right.shape)).table
    flat = {"control": right.ravel(), "treatment": (right + moved).ravel()}
    made = ArmPairs(table.assign(**flat), "bias")
    estimate = paired_effects(made).together.estimate
    drawn = fit_posterior(made).predictive(rng)
    assert estimate.high - estimate.low < 0.3 * np.ptp(
        np.quantile(drawn, [0.025, 0.975])
    )


def test_trainings_on_one_draw_are_no_more_draws():
    once = pairs(np.random.default_rng(0).normal(0, 3, (1, 2, 10)))
    twice = pd.concat([once.table, once.table.assign(training=2)])
    one, two = (
        paired_effects(made).together.estimate
        for made in (once, ArmPairs(twice.reset_index(drop=True), "bias"))
    )
    assert (one.low, one.high) == (two.low, two.high)


def test_draws_that_do_not_differ_still_have_an_interval():
    estimate = paired_effects(pairs(np.zeros((1, 2, 5)))).together.estimate
    assert estimate.value == 0
    assert 0 < estimate.high < 1


def test_models_share_their_draws(rng):
    # The same luck in both models: their mean is no better known than one of them.
    luck = rng.normal(0, 3, (1, 3, 40))
    effects = paired_effects(pairs(np.concatenate([luck, luck])))
    assert effects.together.cells.se == pytest.approx(effects.alone["m0"].cells.se)


@pytest.mark.parametrize("spread", [0.0, 2.0])
@pytest.mark.slow
def test_the_spread_of_tasks_is_covered(spread, rng):
    tasks = spread * rng.standard_normal((400, 10, 1))
    draws = task_means(tasks + rng.normal(0, 5, (400, 10, 25)), N)
    parts = [type(draws)(*(p[k] for p in vars(draws).values())) for k in range(400)]
    stated = [part for part in parts if spread_at(part, 0.05) > 0]
    estimates = [task_spread(part) for part in stated]
    inside = [e.low <= spread <= e.high for e in estimates]
    # Where no spread fits, none is stated: about one in twenty, and only without one.
    assert len(stated) == len(parts) if spread else len(stated) > 0.9 * len(parts)
    assert np.mean(inside) > 0.84
    assert np.median([e.value for e in estimates]) == pytest.approx(spread, abs=0.5)


def test_no_spread_is_stated_where_no_spread_fits(rng):
    """X2: the empty set was shown as a spread of exactly zero."""
    alike = 0.001 * np.arange(8)[:, None] + np.tile([-6.0, 6.0], 10)
    with pytest.raises(Undefined, match="less than luck alone"):
        task_spread(task_means(alike, N))


def test_the_least_bias_of_one_task_is_named_as_often_as_promised(rng):
    cells = task_means(rng.normal(0, 6, (25, 50)), N)
    share = 0.05 / 4 / 25
    least = Effect("bias", tuple(map(str, range(25))), cells, 1250).detectable_task(
        share
    )
    draws = rng.normal(0, 6, (400, 25, 50))
    draws[:, 0] += least
    named = task_means(draws, N).tasks_above(0.0)[:, 0] <= share
    assert 0.72 < named.mean() < 0.9


def test_models_that_differ_from_task_to_task_have_an_interaction(rng):
    tasks = np.array([4.0, -4, 4, -4, 4, -4])[:, None]
    luck = rng.normal(0, 1, (2, 6, 20))
    crossed = paired_effects(pairs(np.stack([tasks + luck[0], luck[1] - tasks])))
    assert crossed.interaction.low > 3
    alike = paired_effects(pairs(np.stack([tasks + luck[0], tasks + luck[1]])))
    assert alike.interaction.low == 0
    assert alike.residuals["m0"].value == pytest.approx(1.0, abs=0.2)


def pool_study(pool, draws, rng):
    """Answers to items with effects of their own, that cancel over all items."""
    own = rng.choice([-1.0, 0, 1], pool, p=[0.06, 0.88, 0.06])
    tested = np.stack([rng.choice(pool, N, replace=False) for _ in range(draws)])
    luck = rng.choice([-1.0, 0, 1], tested.shape, p=[0.05, 0.9, 0.05])
    return tested, 100 * np.clip(own[tested] + luck, -1, 1)


@pytest.mark.slow
@pytest.mark.parametrize(("pool", "alone"), [(450, 0.6), (20_000, 0.7)])
def test_draws_of_a_small_pool_are_not_taken_for_independent(pool, alone, rng):
    inside = np.zeros((150, 2))
    for study in inside:
        tested, gained = pool_study(pool, 100, rng)
        numbers = np.repeat(np.arange(100), N)
        shared = shared_variance(gained.ravel(), numbers, tested.ravel())
        for at, extra in enumerate((shared, 0.0)):
            cells = task_means(gained.mean(axis=1)[None], N, np.array([extra]))
            study[at] = abs(cells.average) <= cells.half_width(0.89)
    assert 0.82 <= inside[:, 0].mean() <= 0.95
    assert (inside[:, 1].mean() < alone) == (pool == 450)
