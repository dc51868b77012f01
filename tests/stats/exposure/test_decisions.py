"""What effects let one say: nothing cancels, and errors keep to their share."""

import numpy as np
import pytest

from measurand.stats.exposure.decisions import decide, draws_to_decide
from measurand.stats.exposure.effects import task_means

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
    assert said.mean_within.mean() > 0.9
    assert not said.within.any()
    assert said.inflated_somewhere.all()
    assert (said.tasks_above.sum(axis=1) == 5).all()
    assert not said.tasks_above[:, 5:].any()


def test_models_of_opposite_signs_are_never_not_inflated(rng):
    up, down = (cells([sign * 3.0] * 8, rng=rng, studies=200) for sign in (1, -1))
    together = cells([0.0] * 8, rng=rng, studies=200, sd=2.0)
    said = decide(together, [up, down], MARGIN)
    assert not said.within.any()
    assert said.inflated.all()
    assert said.models_above[:, 0].all()
    assert not said.models_above[:, 1].any()


def test_a_negative_bias_is_not_called_equivalent():
    said = decide(made := one([-4.0] * 8), [made], MARGIN)
    assert not said.inflated
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


def test_the_draws_that_would_decide_do(rng):
    few = one([0.0] * 8, draws=10, sd=8.0)
    few = type(few)(0 * few.means, few.luck, few.shared, few.draws)
    assert not decide(few, [few], MARGIN).within
    needed = draws_to_decide(few, [few], MARGIN)
    many = cells([0.0] * 8, draws=needed, sd=8.0, rng=rng, studies=50)
    assert decide(many, [many], MARGIN).within.mean() > 0.5


def test_no_number_of_draws_mends_a_wrong_side_or_a_small_pool():
    low = one([-4.0] * 8)
    assert draws_to_decide(low, [low], MARGIN) is None
    apart = one([5.0, -5] * 4)
    assert draws_to_decide(apart, [apart], MARGIN) is None
    wide = one([0.0] * 8, draws=10, sd=8.0)
    shared = type(wide)(wide.means, wide.luck, wide.luck * 9, wide.draws)
    assert draws_to_decide(shared, [shared], 0.5) is None
