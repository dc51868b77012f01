"""Studies like the one at hand, in which the effect is known."""

import numpy as np

from measurand.audits.exposure.statistics.replays import replay_study


def replays(values, planted=0.0, **kinds):
    rng = np.random.default_rng(0)
    return replay_study(np.asarray(values), 200, planted, 1.0, rng=rng, **kinds)


def test_even_luck_is_covered_and_raises_no_alarm(rng):
    found = replays(rng.normal(0, 3, (6, 2, 30)), 1.0, studies=1000)
    assert 0.93 < found.coverage().value < 0.97
    assert found.false_alarms.value < 0.06
    assert abs(found.averages.mean() - 1.0) < 0.05


def test_few_uneven_draws_fail_the_check():
    lumpy = np.zeros((2, 1, 6))
    lumpy[:, :, 0] = 40.0
    assert replays(lumpy, studies=500).coverage().high < 0.93


def test_draws_that_were_not_made_are_not_replayed(rng):
    values = rng.normal(0, 3, (3, 1, 20))
    values[1, :, 5:] = np.nan
    found = replays(values, studies=300)
    assert np.isfinite(found.averages).all()
    assert found.coverage().value > 0.9
