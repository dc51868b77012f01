"""What both audits state of spikes and blanks is made by one hand."""

from types import SimpleNamespace

import numpy as np
import pytest

from measurand.core.control import Control, DoseResponse
from measurand.core.finding import Estimate
from measurand.experiment.controls import (
    ControlRun,
    blank_finding,
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
def test_a_blank_is_read_on_one_side_or_on_both(mean, may_be_below, outcome):
    values = mean + np.array([-0.01, 0.0, 0.01])
    told = blank_finding(run(), "here", values, 2, may_be_below=may_be_below)
    assert (told.condition, told.decision) == ("here", outcome)


def test_several_doses_are_a_line_and_one_is_an_interval():
    one = recovery_exhibit("spikes", {"mine": {"word": control(0.1)}}, "what")
    assert one.kind == "intervals"
    assert one.table["name"].tolist() == ["word 0.1"]
    two = recovery_exhibit("spikes", {"mine": {"word": control(0.1, 0.2)}}, "what")
    assert two.kind == "curve"
    assert two.table["series"].tolist() == ["mine, word"] * 2
