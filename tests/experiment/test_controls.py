"""A blank that reads something is read again before it silences a reader."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from measurand.core.control import DEALS
from measurand.experiment import controls
from measurand.experiment.controls import BlankMeasure, ControlAnswers, blank_findings


@pytest.mark.parametrize(
    ("second", "outcome"), [(0.1, "reads something"), (-0.1, "reads nothing")]
)
def test_a_fault_is_looked_for_in_as_many_deals_again(monkeypatch, second, outcome):
    rng, asked = np.random.default_rng(0), []

    def deal(run, deals):
        asked.append(list(deals))
        mean = 0.1 if deals[0] == 0 else second
        values = mean + rng.normal(scale=0.01, size=len(deals))
        return [ControlAnswers(pd.Series([v]), pd.Series([v])) for v in values]

    monkeypatch.setattr(controls, "_read_deals", deal)
    benchmark = SimpleNamespace(test=range(100))
    run = SimpleNamespace(
        experiment=SimpleNamespace(benchmark=benchmark), name="reader"
    )
    measure = BlankMeasure("it", lambda b: float(b.right.mean()), may_be_below=True)
    (finding,) = blank_findings(run, [measure], tests=4)
    assert asked == [list(range(DEALS)), list(range(DEALS, 2 * DEALS))]
    assert finding.decision == outcome
    assert f"{2 * DEALS} deals" in finding.estimate.method


def test_where_nothing_is_read_no_deal_is_added(monkeypatch):
    def deal(run, deals):
        assert deals[0] == 0
        return [
            ControlAnswers(pd.Series([v]), pd.Series([v])) for v in (-1, 1, 0, 1, 0)
        ]

    monkeypatch.setattr(controls, "_read_deals", deal)
    benchmark = SimpleNamespace(test=range(100))
    run = SimpleNamespace(
        experiment=SimpleNamespace(benchmark=benchmark), name="reader"
    )
    measure = BlankMeasure("it", lambda b: float(b.effect.mean()), may_be_below=False)
    (finding,) = blank_findings(run, [measure], tests=4)
    assert finding.decision == "reads nothing"
