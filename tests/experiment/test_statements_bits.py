"""The account in bits is one, whichever audit of query and evidence states it."""

import pytest

from measurand.audits import evidence, leakage
from measurand.benchmarks.assemble import from_frames
from measurand.experiment.experiment import open_experiment
from measurand.readers.cross import CrossReader
from measurand.report.figures import draw_chart
from measurand.stats.information import SHARES
from tests.audits.leakage.leaky import pairs

SETTINGS = {
    "evidence": {"shuffles": 2, "calibrate": False},
    "leakage": {"tsne": False},
}


@pytest.fixture(scope="module")
def reports():
    roles = {"query": "hypothesis", "evidence": "premise", "label": "label"}
    train, test = pairs(400, meet=1.0), pairs(300, meet=1.0, seed=1)
    benchmark = from_frames(train, test, name="made", **roles)
    told = {}
    for audit in (evidence.AUDIT, leakage.AUDIT):
        settings = audit.choose(**SETTINGS[audit.name])
        with open_experiment(benchmark) as experiment:
            told[audit.name] = audit.run(experiment, {"cross": CrossReader()}, settings)
    return told


@pytest.mark.slow
def test_both_audits_of_one_file_give_the_same_bits(reports):
    by_part = [
        {f.condition: f.estimate for f in report.findings if f.statistic == "bits"}
        for report in reports.values()
    ]
    assert set(SHARES) < by_part[0].keys() == by_part[1].keys()
    # They learn in another order, and find the temperature in other folds.
    for part, mine in by_part[0].items():
        assert by_part[1][part].low <= mine.value <= by_part[1][part].high
    assert by_part[0]["together"].low > 0.2


def test_both_draw_what_adds_up_to_both(reports):
    for report in reports.values():
        (exhibit,) = (e for e in report.exhibits if e.name == "bits")
        assert draw_chart(exhibit) is not None
        total = report.finding("bits", condition="both").estimate.value
        assert exhibit.table["value"].sum() == pytest.approx(total)
