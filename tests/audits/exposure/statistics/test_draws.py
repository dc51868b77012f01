"""The draws that would decide do, and where none would, none are named."""

import numpy as np
import pytest

from measurand.audits.exposure.statistics.decisions import decide
from measurand.audits.exposure.statistics.draws import draws_to_decide, likely_effects
from measurand.audits.exposure.statistics.task_means import TaskMeans, task_means

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
    return 1 - decide(together, alone, MARGIN).open.mean()


@pytest.mark.parametrize(
    "effects",
    [[[0.0] * 2], [[2.0] * 2], [[3.0, -2.0]], [[2.3] * 2, [-0.9] * 2]],
    ids=["nothing", "all", "tasks apart", "one model"],
)
def test_the_draws_that_would_decide_do_and_far_fewer_would_not(effects, rng):
    together, alone = pilot(effects, draws=4, sd=14.0)
    assert decide(together, alone, MARGIN).open
    needed = draws_to_decide(together, alone, MARGIN)
    likely = likely_effects(together, alone)
    assert decided(likely, needed, 14.0, rng) > 0.65
    assert decided(likely, max(needed // 4, 3), 14.0, rng) < 0.65


def test_no_number_of_draws_is_named_where_none_decides():
    # What draws of a small pool share, no number of them makes smaller.
    together, alone = pilot([[0.0] * 8], draws=10, sd=12.0, shared=9.0)
    assert draws_to_decide(together, alone, MARGIN) is None


def test_what_luck_alone_sets_apart_does_not_stand_in_the_way(rng):
    luck = rng.normal(0, 6.0 / np.sqrt(10), (1, 10))
    together, alone = pilot(luck - luck.mean())
    assert np.abs(likely_effects(together, alone)).max() < 1.5


def test_several_sizes_need_more_draws_to_be_decided():
    together, alone = pilot([[8.0] * 2], draws=4, sd=30.0)
    one, eight = (draws_to_decide(together, alone, MARGIN, sizes) for sizes in (1, 8))
    assert one < eight
