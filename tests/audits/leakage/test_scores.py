"""Figures of answers that never leave the majority are not certain."""

import numpy as np
import pandas as pd

from measurand.audits.leakage.asking import Runs
from measurand.audits.leakage.scores import (
    leakage_baselines,
    saturation_decision,
    state_figures,
)
from measurand.audits.leakage.sides import GROUP
from measurand.core.estimate import Estimate
from measurand.core.items import Items

N = 40


def test_baselines_are_in_the_order_of_ids_and_know_families():
    ids = [f"{i:02d}" for i in range(N)][::-1]
    columns = {"text": "t", "label": ["a"] * 30 + ["b"] * 10, GROUP: ["x", "y"] * 20}
    items = Items(pd.DataFrame(columns, index=ids), ("text",), group=GROUP)
    baselines = leakage_baselines(items, 0.9)
    assert baselines.ids == tuple(sorted(ids))
    assert baselines.majority.sum() == 30
    assert baselines.majority.iloc[0] == 0  # the last row of the table
    assert len(np.unique(baselines.clusters)) == 2
    assert np.exp(baselines.null).round(2).tolist() == [0.25] * 10 + [0.75] * 30


def test_no_interval_of_a_share_leaves_0_to_1():
    ids = tuple(str(i) for i in range(20))
    runs = Runs(ids, np.zeros(20, int), np.zeros((2, 20, 2)), {})
    ends = [Estimate(v, v - 0.1, v, 0.95, 20, "t") for v in (0.85, 1.0)]
    figures = {"accuracy": lambda r: ends[r], "v_information": lambda r: ends[r]}
    share, bits = state_figures("tfidf", "full", runs, figures)[0]
    assert bits.estimate.high > 1  # which bits may be
    assert (share.estimate.high, share.estimate.low) == (1, bits.estimate.low)


def test_whether_a_benchmark_is_saturated_goes_by_the_interval():
    def decide(low, high):
        return saturation_decision(Estimate(low, low, high, 0.95, 100, "made"))

    assert decide(0.9, 0.95) == "saturated"
    assert decide(0.2, 0.5) == "room left"
    assert decide(0.7, 0.9) == decide(-0.1, 0.5) == "undecided"
