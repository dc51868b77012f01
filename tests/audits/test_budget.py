"""In every audit, a reader that would take too long is listed and not begun."""

from dataclasses import replace

import pytest

from measurand.audits import AUDITS
from measurand.benchmarks.synthetic_rationales import plant_rationales
from measurand.core.errors import PastBudget
from measurand.core.task import Task
from measurand.experiment.budget import Budget
from measurand.experiment.experiment import open_experiment
from measurand.readers import READERS
from measurand.report.saved import document
from tests.audits.exposure.test_audit import texts
from tests.audits.exposure.test_study import from_frames
from tests.audits.test_names import boats, leaky
from tests.experiment.clockwork import Clockwork, Time


def topics():
    return from_frames(texts(300), name="topics", query="text", label="label")


def rationales():
    return plant_rationales("r", leaky=False, seed=5, sizes={"train": 200, "test": 100})


LIGHT = {"exposure": "pca"}
BENCHMARKS = {
    "evidence": (
        lambda: boats(200),
        {"shuffles": 2, "calibrate": False, "folds": 1},
    ),
    "leakage": (leaky, {"tsne": False}),
    "exposure": (topics, {"m": 20, "n": 40, "repeats": 2}),
    "explanations": (rationales, {"explainers": ("given", "tfidf-1"), "count": 1}),
}


def audited(name, readers, seconds, said=None):
    make, options = BENCHMARKS[name]
    audit = AUDITS.thing(name)
    with open_experiment(make()) as opened:
        announce = None if said is None else said.append
        running = replace(opened, budget=Budget(seconds, announce, Time.read))
        return audit.run(running, readers, audit.choose(**options))


@pytest.mark.parametrize(
    "name",
    ["evidence", *(pytest.param(n, marks=pytest.mark.slow) for n in [*BENCHMARKS][1:])],
)
def test_a_reader_past_the_budget_is_listed_with_the_command_that_runs_it(
    name, small_tables
):
    light = {LIGHT.get(name, "tfidf"): READERS.load(LIGHT.get(name, "tfidf"))}
    said = []
    report = audited(name, {**light, "works": Clockwork()}, 60.0, said)
    assert report.not_run["works"] == (
        f"{said[0].removeprefix('plan: works: ')}, past the budget of 1 min; "
        f"run it with measurand {name} FILE --budget none"
    )
    assert "trainings and" in said[0]
    assert report.settings["budget"] == "1m"
    assert "works" not in {finding.reader for finding in report.findings}
    # Nothing else of the report knows of it.
    without, limited = (
        document(report) for report in (audited(name, light, None), report)
    )
    for part in ("verdict", "findings"):
        assert limited[part] == without[part]


@pytest.mark.slow
@pytest.mark.parametrize("name", BENCHMARKS)
def test_where_no_reader_is_left_one_line_says_why(name):
    with pytest.raises(PastBudget, match=r"works: \d+ trainings .* past the budget of"):
        audited(name, {"works": Clockwork()}, 60.0)


def test_a_task_is_asked_as_it_would_be_run(tmp_path):
    audit = AUDITS.thing("exposure")
    said = []
    with open_experiment(topics()) as opened:
        budget = Budget(None, said.append, Time.read)
        running = replace(opened, budget=budget)
        settings = audit.choose(m=20, n=40, repeats=2)
        before = Time.now
        audit.run(running, {"works": Clockwork()}, settings, about={"topics": Task()})
    assert said[0].startswith("plan: works: 8 trainings and 320 answers, about ")
    assert Time.now > before
