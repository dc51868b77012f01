"""The draws that would decide do, and where none would, none are named."""

import numpy as np
import pytest

from measurand.stats.exposure.decisions import decide
from measurand.stats.exposure.draws import draws_to_decide, likely_effects
from measurand.stats.exposure.effects import TaskMeans, task_means

N, MARGIN = 200, 1.0


def pilot(effects, draws=10, sd=6.0, shared=0.0):
    """A study of models × tasks that came out just so, with luck of this size."""
    means = np.asarray(effects, float)
    luck, draw_counts = np.full(means.shape[1], sd**2 / draws), np.full(1, draws)
    parts = [means.mean(axis=0), *means]
    scales = [1 / len(means), *[1.0] * len(means)]
    made = [
        TaskMeans(part, luck * scale, shared * luck, 0 * luck + draw_counts)
        for part, scale in zip(parts, scales, strict=True)
    ]
    return made[0], made[1:]


def decided(effects, draws, sd, rng, studies=100):
    """How often studies of so many draws with these effects say anything."""
    shape = (studies, *np.shape(effects), draws)
    values = np.asarray(effects)[..., None] + rng.normal(0, sd, shape)
    alone = [task_means(values[:, at], N) for at in range(len(effects))]
    together = task_means(values.mean(axis=1), N)
    return decide(together, alone, MARGIN).decided.mean()


@pytest.mark.parametrize(
    "effects",
    [
        [[0.0] * 8],
        [[2.0] * 8],
        [[7.0, *[0.0] * 7]],
        [[2.3] * 8, [-0.9] * 8],
        [[6.0, *[0.0] * 7], [-6.0, *[0.0] * 7]],
    ],
    ids=["nothing", "all", "one task", "one model", "one task of one model"],
)
def test_the_draws_that_would_decide_do_and_far_fewer_would_not(effects, rng):
    together, alone = pilot(effects)
    assert not decide(together, alone, MARGIN).decided
    needed = draws_to_decide(together, alone, MARGIN)
    likely = likely_effects(together, alone)
    assert decided(likely, needed, 6.0, rng) > 0.65
    assert decided(likely, max(needed // 4, 3), 6.0, rng) < 0.65


@pytest.mark.parametrize(
    ("effects", "kinds"),
    [
        ([[-4.0] * 8], {}),
        ([[-1.5] * 8, [0.5] * 8], {"draws": 40, "sd": 4.0}),
        ([[-5.0, *[0.0] * 7]], {"draws": 40, "sd": 3.0}),
        ([[0.0] * 8], {"shared": 9.0}),
    ],
    ids=["below", "models apart", "a task apart", "a small pool"],
)
def test_no_number_of_draws_is_named_where_none_decides(effects, kinds, rng):
    together, alone = pilot(effects, **kinds)
    assert draws_to_decide(together, alone, MARGIN) is None
    if "shared" not in kinds:
        assert decided(effects, 2000, kinds.get("sd", 6.0), rng, 20) == 0


def test_what_luck_alone_sets_apart_does_not_stand_in_the_way(rng):
    luck = rng.normal(0, 6.0 / np.sqrt(10), (1, 10))
    together, alone = pilot(luck - luck.mean())
    assert np.abs(likely_effects(together, alone)).max() < 1.5
    assert 20 <= draws_to_decide(together, alone, MARGIN) <= 200


def test_several_sizes_need_more_draws_to_be_called_inflated():
    together, alone = pilot([[2.0] * 8])
    one, eight = (draws_to_decide(together, alone, MARGIN, sizes) for sizes in (1, 8))
    assert one < eight
