"""Controls of the leakage audit: what is recovered, said and never shown."""

import pytest

from measurand.audits.leakage import LeakageSettings, audit
from measurand.controls.samples import unused_words
from measurand.core.errors import UnknownName
from measurand.core.seeds import generator
from measurand.experiment.experiment import open_experiment
from measurand.readers.cross import CrossReader
from measurand.report.figures import draw_chart
from measurand.report.saved import document, dumps
from tests.audits.leakage.leaky import matches, pairs
from tests.audits.leakage.test_audit import audited, made

OURS = ("recovery", "detection_limit", "blank")


@pytest.fixture(scope="module")
def benchmark():
    return made(matches(500), matches(500, seed=1))


@pytest.fixture(scope="module")
def spiked(benchmark):
    return audited(benchmark, {"cross": CrossReader()}, margin=0.1, controls="full")


@pytest.mark.slow
def test_a_word_in_each_part_is_recovered_and_its_limit_stated(spiked):
    for part in ("premise", "hypothesis"):
        largest = spiked.finding("recovery", condition=f"{part}, word 0.2").estimate
        assert largest.low > 0.8
        limit = spiked.finding("detection_limit", condition=f"{part}, word").estimate
        assert 0.05 < limit.value < 0.3
        assert spiked.finding("blank", condition=part).decision == "reads nothing"
    assert spiked.verdict.label == "none found within the margin"
    assert "80 % power" in spiked.verdict.reason


@pytest.mark.slow
def test_no_other_figure_moves_and_no_planted_word_leaves_the_run(benchmark, spiked):
    plain = audited(benchmark, {"cross": CrossReader()}, margin=0.1)
    others = [f for f in spiked.findings if f.statistic not in OURS]
    assert others == list(plain.findings)
    codes = unused_words(benchmark, 3, generator(0, "control", "codes"))
    written = dumps(document(spiked)) + spiked.items.to_csv()
    assert not any(code in written for code in codes)
    (exhibit,) = (e for e in spiked.exhibits if e.name == "spikes")
    assert draw_chart(exhibit) is not None


@pytest.mark.slow
def test_words_and_blanks_of_each_part_are_tried_without_being_asked_for():
    benchmark = made(pairs(400, leak=0.2), pairs(400, leak=0.2, seed=1))
    settings = LeakageSettings(calibrate=False, tsne=False)
    with open_experiment(benchmark) as experiment:
        report = audit(experiment, {"cross": CrossReader()}, settings)
    told = {(f.statistic, f.condition) for f in report.findings}
    for part in ("premise", "hypothesis"):
        assert {("recovery", f"{part}, word 0.1"), ("blank", part)} <= told
    assert report.settings["controls"] == "quick"


def test_an_amount_of_controls_that_does_not_exist_is_refused():
    with pytest.raises(UnknownName, match="some"):
        LeakageSettings(controls="some")
