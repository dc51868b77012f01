"""What both audits state of spikes and blanks is made by one hand."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from measurand.core.control import DEALS, Control, DoseResponse
from measurand.core.estimate import Estimate
from measurand.experiment import controls
from measurand.experiment.controls import (
    BlankMeasure,
    ControlAnswers,
    ControlRun,
    blank_findings,
    recovery_exhibit,
    spike_findings,
)


def estimate(value):
    return Estimate(value, value - 0.1, value + 0.1, 0.95, 100, "made")


def control(*doses, limit=None):
    responses = [DoseResponse(d, 10, estimate(d), estimate(d)) for d in doses]
    return Control("word", tuple(responses), limit)


def run(part=""):
    experiment = SimpleNamespace(benchmark=SimpleNamespace(test=range(100)))
    return ControlRun("mine", experiment, np.arange(100), [], None, (), part)


def deal_values(monkeypatch, mean):
    """Let each deal read about this; which were read is returned."""
    asked = []

    def deal(run, deals):
        asked.append(deals)
        values = mean(deals) + 0.01 * (np.arange(len(deals)) - len(deals) // 2)
        return [ControlAnswers(pd.Series([v]), pd.Series([v])) for v in values]

    monkeypatch.setattr(controls, "_read_deals", deal)
    return asked


@pytest.mark.parametrize(
    ("part", "named"), [("", "word"), ("hypothesis", "hypothesis, word")]
)
def test_a_spike_is_named_by_its_part_where_it_has_one(part, named):
    told = spike_findings(run(part), [control(0.1, 0.2, limit=estimate(0.05))])
    assert [(f.statistic, f.condition) for f in told] == [
        ("recovery", f"{named} 0.1"),
        ("recovery", f"{named} 0.2"),
        ("detection_limit", named),
    ]


@pytest.mark.parametrize(
    ("mean", "may_be_below", "outcome"),
    [
        (0.1, True, "reads something"),
        (-0.1, True, "reads nothing"),
        (-0.1, False, "reads something"),
        (0.0, False, "reads nothing"),
    ],
)
def test_a_blank_is_read_on_one_side_or_on_both(
    monkeypatch, mean, may_be_below, outcome
):
    deal_values(monkeypatch, lambda deals: mean)
    measure = BlankMeasure("here", lambda b: float(b.right.mean()), may_be_below)
    (told,) = blank_findings(run(), [measure], 2)
    assert (told.condition, told.decision) == ("here", outcome)


@pytest.mark.parametrize(
    ("second", "outcome"), [(0.1, "reads something"), (-0.1, "reads nothing")]
)
def test_a_fault_is_looked_for_in_as_many_deals_again(monkeypatch, second, outcome):
    asked = deal_values(monkeypatch, lambda deals: [0.1, second][deals[0] > 0])
    measure = BlankMeasure("it", lambda b: float(b.right.mean()), may_be_below=True)
    (finding,) = blank_findings(run(), [measure], 4)
    assert asked == [range(DEALS), range(DEALS, 2 * DEALS)]
    assert finding.decision == outcome
    assert f"{2 * DEALS} deals" in finding.estimate.method


def test_where_nothing_is_read_no_deal_is_added(monkeypatch):
    asked = deal_values(monkeypatch, lambda deals: 0.0)
    measure = BlankMeasure("it", lambda b: float(b.effect.mean()), may_be_below=False)
    (finding,) = blank_findings(run(), [measure], 4)
    assert asked == [range(DEALS)]
    assert finding.decision == "reads nothing"


def test_several_doses_are_a_line_and_one_is_an_interval():
    one = recovery_exhibit("spikes", {"mine": {"word": control(0.1)}}, "what")
    assert one.kind == "intervals"
    assert one.table["name"].tolist() == ["word 0.1"]
    two = recovery_exhibit("spikes", {"mine": {"word": control(0.1, 0.2)}}, "what")
    assert two.kind == "curve"
    assert two.table["series"].tolist() == ["mine, word"] * 2
