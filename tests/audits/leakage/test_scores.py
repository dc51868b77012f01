"""Figures of answers that never leave the majority are not certain."""

import numpy as np
import pandas as pd

from measurand.audits.leakage.asking import Runs
from measurand.audits.leakage.scores import leakage_baselines, state_control
from measurand.core.items import Items

N = 40


def test_a_control_that_says_the_majority_of_everything_is_not_certain():
    ids = [f"{i:02d}" for i in range(N)]
    labels = ["a"] * 30 + ["b"] * 10
    table = pd.DataFrame({"text": "t", "label": labels}, index=ids)
    baselines = leakage_baselines(Items(table, ("text",), "label"), np.arange(N), None)
    gold = np.array([0] * 30 + [1] * 10)
    probabilities = np.tile(np.float32([0.9, 0.1]), (1, N, 1))
    runs = Runs(tuple(ids), gold, probabilities, {})
    rng = np.random.default_rng(0)
    statement = state_control("tfidf", "length only", runs, baselines, rng)
    (over,) = [
        f.estimate for f in statement.findings if f.statistic == "control_over_majority"
    ]
    assert over.value == 0
    assert over.low < -0.05 < 0.05 < over.high
