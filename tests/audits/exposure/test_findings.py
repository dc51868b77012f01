"""How accurate the models of a study were, and which were near chance."""

import numpy as np
import pandas as pd
import pytest

from measurand.audits.exposure import ExposureSettings, analyse_accuracies, audit
from measurand.audits.exposure.findings import arm_accuracy, chance_warnings
from measurand.benchmarks.assemble import from_frames
from measurand.experiment.experiment import open_experiment
from measurand.readers.adaptable import IdfReader
from tests.audits.exposure.planted_counts import even, study
from tests.audits.exposure.test_audit import texts

N = 50


def counts(chances, draws, rng, trainings=1):
    """Right answers of one model on tasks of these chances; draws differ."""
    rows = []
    for task, chance in enumerate(chances):
        for draw in range(draws):
            here = np.clip(chance + rng.normal(0, 0.05), 0, 1)
            for _ in range(trainings):
                right = dict.fromkeys(("base", "extra", "test"), rng.binomial(N, here))
                keys = {"lm": "one", "task": f"t{task}", "subsample": draw, "n": N}
                rows.append({**keys, **right})
    return pd.DataFrame(rows)


def test_tasks_count_alike_and_trainings_of_a_draw_go_together():
    table = pd.DataFrame(
        {
            "task": ["a", "a", "a", "b", "b"],
            "subsample": [1, 1, 2, 1, 2],
            "n": 10,
            "base": [2, 4, 5, 10, 8],
        }
    )
    found = arm_accuracy(table, "base")
    assert found.value == pytest.approx((0.4 + 0.9) / 2)
    error = np.sqrt(0.02 / 2 + 0.02 / 2) / 2
    assert found.high - found.value == pytest.approx(1.959964 * error)
    assert found.n == 4


@pytest.mark.slow
def test_intervals_cover_the_accuracy_of_the_tasks():
    rng = np.random.default_rng(0)
    chances = (0.4, 0.6, 0.7)
    hits = 0
    for _ in range(400):
        found = arm_accuracy(counts(chances, 20, rng, trainings=2), "extra")
        hits += found.low <= np.mean(chances) <= found.high
    assert 0.92 <= hits / 400 <= 0.975


def test_a_model_near_chance_is_named_with_its_tasks():
    rng = np.random.default_rng(1)
    table = counts((0.5, 0.8), 20, rng)
    (said,) = chance_warnings(table, {"t0": 0.5, "t1": 0.5})
    assert "one is not clearly above the commonest label of t0 in any arm" in said
    assert chance_warnings(table, {"t0": 0.3, "t1": 0.5}) == []


def test_every_report_states_the_accuracy_of_each_arm():
    table = study(0.05, 0.0, tasks=3, draws=12)
    report = analyse_accuracies(table, name="planted")
    for arm in ("base", "extra", "test"):
        found = report.finding("accuracy", "one", f"{arm}, m=50,n=200").estimate
        mean = table.groupby("task")[f"correct_{arm}"].mean().mean() / 200
        assert found.value == pytest.approx(mean)
        assert found.low < found.value < found.high


def test_a_reader_that_learns_nothing_is_warned_of():
    table = texts()
    table["label"] = np.random.default_rng(0).permutation(table["label"])
    task = from_frames(table, name="noise", query="text", label="label")
    with open_experiment(task, workers=1) as running:
        report = audit(
            running, {"idf": IdfReader()}, ExposureSettings(n=100, repeats=4)
        )
    assert report.benchmark["fields"] == {"noise": ["text"]}
    assert any("commonest label of noise" in each for each in report.warnings)


@pytest.mark.parametrize("collapsed", [0, 1, 2])
def test_draws_that_hold_most_of_the_variance_are_warned_about(collapsed):
    table = even(0.0, tasks=2, draws=20)
    table.loc[table.index < collapsed, "correct_test"] += 600
    report = analyse_accuracies(table, name="rare")
    said = " ".join(report.warnings)
    assert ("hold most of the variance of the bias (t0, one)" in said) == (
        collapsed > 0
    )
