"""What effects let one say: nothing cancels, and errors keep to their share."""

import numpy as np
import pytest

from measurand.audits.exposure.statistics.decisions import decide
from measurand.audits.exposure.statistics.task_means import task_means

N, MARGIN = 200, 1.0


def cells(effects, draws=40, sd=3.0, rng=None, studies=1):
    """Studies of tasks with these effects, in points."""
    rng = rng or np.random.default_rng(0)
    shape = (studies, len(effects), draws)
    return task_means(np.asarray(effects)[:, None] + rng.normal(0, sd, shape), N)


def one(effects, **kinds):
    made = cells(effects, **kinds)
    return type(made)(*(part[0] for part in vars(made).values()))


def test_five_tasks_up_and_five_down_are_never_not_inflated(rng):
    made = cells([5.0] * 5 + [-5.0] * 5, rng=rng, studies=400)
    said = decide(made, [made], MARGIN)
    assert (said.high < MARGIN).mean() > 0.9
    assert not said.within.any()
    assert said.inflated_somewhere.all()
    assert (said.above.tasks.sum(axis=1) == 5).all()
    assert not said.above.tasks[:, 5:].any()
    assert said.below.tasks[:, 5:].all()


def test_models_of_opposite_signs_are_never_not_inflated(rng):
    up, down = (cells([sign * 3.0] * 8, rng=rng, studies=200) for sign in (1, -1))
    together = cells([0.0] * 8, rng=rng, studies=200, sd=2.0)
    said = decide(together, [up, down], MARGIN)
    assert not said.within.any()
    assert said.inflated.all()
    assert said.above.models[:, 0].all()
    assert not said.above.models[:, 1].any()


def test_a_negative_bias_is_not_called_equivalent():
    said = decide(made := one([-4.0] * 8), [made], MARGIN)
    assert said.deflated
    assert not said.within


@pytest.mark.parametrize("tasks", [1, 3, 8, 25])
def test_nothing_is_called_nothing_where_draws_suffice(tasks, rng):
    made = cells([0.0] * tasks, rng=rng, studies=200, draws=80, sd=2.0)
    assert decide(made, [made], MARGIN).within.mean() > 0.9


@pytest.mark.parametrize("tasks", [1, 4, 12])
@pytest.mark.slow
def test_at_the_margin_neither_is_said_too_often(tasks, rng):
    made = cells([MARGIN] * tasks, rng=rng, studies=3000, sd=2.0)
    said = decide(made, [made], MARGIN)
    assert (said.inflated | said.inflated_somewhere).mean() < 0.06
    assert said.within.mean() < 0.06


def test_several_sizes_share_their_false_alarms(rng):
    made = cells([MARGIN] * 4, rng=rng, studies=2000)
    shares = [decide(made, [made], MARGIN, sizes).inflated.mean() for sizes in (1, 8)]
    assert shares[1] < 0.5 * shares[0]


def crossed(effects, studies=100, draws=20, sd=4.0, rng=None):
    """Studies of models × tasks with these effects: all together, and each model."""
    rng = rng or np.random.default_rng(0)
    shape = (studies, *np.shape(effects), draws)
    values = np.asarray(effects)[..., None] + rng.normal(0, sd, shape)
    alone = [task_means(values[:, at], N) for at in range(len(effects))]
    return task_means(values.mean(axis=1), N), alone


@pytest.mark.parametrize("tasks", [4, 10])
def test_tasks_never_cancel_between_models(tasks, rng):
    up = np.array([2.5, -2.5] * (tasks // 2))
    together, alone = crossed([up, -up], rng=rng)
    said = decide(together, alone, MARGIN)
    assert (said.high < MARGIN).mean() > 0.8
    assert not said.within.any()
    assert not said.fits.any()


def test_a_task_of_one_model_is_named_and_models_that_agree_are_cleared(rng):
    loud = np.array([8.0, *[0.0] * 7])
    said = decide(*crossed([loud, -loud], rng=rng), MARGIN)
    assert said.above.tasks[:, 0].mean() > 0.9
    assert said.above.tasks[:, 1:].mean() < 0.01
    calm = decide(*crossed(np.zeros((2, 8)), draws=60, rng=rng), MARGIN)
    assert calm.within.mean() > 0.9


def test_more_draws_of_a_small_effect_tell_it_from_zero_and_bound_it(rng):
    shares = []
    for draws in (20, 100, 400):
        made = cells([0.5] * 10, draws=draws, sd=6.0, rng=rng, studies=200)
        said = decide(made, [made], MARGIN)
        assert not said.inflated.any()
        shares.append(said.small.mean())
    assert shares[0] < shares[1] < shares[2]
    assert shares[2] > 0.98


@pytest.mark.parametrize("effects", [[0.0], [0.6] * 8, [3.0] * 3, [4.0, *[0.0] * 9]])
def test_every_study_has_one_verdict_and_no_more(effects, rng):
    made = cells(effects, draws=10, sd=6.0, rng=rng, studies=300)
    said = decide(made, [made], MARGIN)
    names = ("inflated", "inflated_somewhere", "small", "deflated")
    verdicts = [getattr(said, name) for name in (*names, "within", "bounded", "open")]
    assert (np.sum(verdicts, axis=0) == 1).all()


def test_one_task_of_many_is_told_from_zero_before_it_is_from_the_margin(rng):
    made = cells([4.0, *[0.0] * 24], draws=50, sd=6.0, rng=rng, studies=300)
    said = decide(made, [made], MARGIN)
    assert said.present.tasks[:, 0].mean() > 0.8
    assert said.above.tasks[:, 0].mean() < 0.7
    assert said.present.tasks[:, 1:].any(axis=1).mean() < 0.03
