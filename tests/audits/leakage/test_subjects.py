"""Leakage by subject: the one that leaks is named, and chance names none."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from measurand.audits.leakage import LeakageSettings, audit
from measurand.audits.leakage.scores import LEAKS, LeakageBaselines
from measurand.audits.leakage.subjects import subject_findings
from measurand.benchmarks.synthetic_choices import (
    LEAKING,
    PlantedChoices,
    plant_choice_benchmark,
)
from measurand.core.items import Items
from measurand.experiment.experiment import open_experiment
from measurand.readers import READERS

CLEAN = PlantedChoices(match=1.0, has_evidence=False)
LEAKY = replace(LEAKING, leak=0.9, match=0.1)


def plant_subjects(sizes):
    """Three subjects, of which botany alone gives its right choices away."""
    plans = {"botany": LEAKY, "law": CLEAN, "music": CLEAN}
    planted = {
        subject: plant_choice_benchmark(subject, plan, sizes=sizes)
        for subject, plan in plans.items()
    }

    def join(side):
        tables = []
        for subject, benchmark in planted.items():
            table = getattr(benchmark, side).table.assign(subject=subject)
            tables.append(table.set_axis([f"{subject} {i}" for i in table.index]))
        fields, label = ("question", "choices"), "answer"
        columns = {"choices": "choices", "subject": "subject"}
        return Items(pd.concat(tables), fields, label, **columns)

    first = planted["botany"]
    sides = {side: join(side) for side in ("train", "test")}
    return replace(first, name="subjects", roles={"id": "id"}, **sides)


def ground(n, clusters, margin=0.0):
    ids = tuple(map(str, range(n)))
    chance = pd.Series(0.25, index=list(ids))
    return LeakageBaselines(ids, chance, np.zeros(n), clusters, None, margin, 2.0, 1)


def test_steps_stop_at_the_first_subject_that_is_not_sure():
    names, each = ["a", "b", "c"], 40
    subjects = pd.Series(np.repeat(names, each))
    right = np.concatenate(
        [np.arange(each) % 10 < 9, np.arange(each) % 2 < 1, np.arange(each) % 4 < 1]
    )
    baselines = ground(120, np.arange(120), margin=0.02)
    found = subject_findings("r", right.astype(float), subjects, names, baselines)
    assert [f.decision for f in found] == [LEAKS, LEAKS, "undecided"]
    assert [f.estimate.value for f in found] == [0.9, 0.5, 0.25]


@pytest.fixture(scope="module")
def report():
    benchmark = plant_subjects({"train": 300, "test": 150})
    settings = LeakageSettings(calibrate=False, tsne=False, controls="none")
    with open_experiment(benchmark) as experiment:
        return audit(experiment, {"tfidf": READERS.load("tfidf")}, settings)


def by_subject(report):
    return {
        f.condition: f for f in report.findings if f.condition.startswith("subject=")
    }


@pytest.mark.slow
def test_the_subject_that_leaks_is_told_from_the_others(report):
    found = by_subject(report)
    assert [*found] == ["subject=botany", "subject=law", "subject=music"]
    assert found["subject=botany"].decision == LEAKS
    estimate = found["subject=botany"].estimate
    assert estimate.low <= LEAKY.truth["choices_only"] <= estimate.high
    assert {found[f"subject={s}"].decision for s in ("law", "music")} != {LEAKS}
    assert all(f.statistic == "choices_only" for f in found.values())


@pytest.mark.slow
def test_the_verdict_and_a_chart_name_the_worst_subject(report):
    assert "of 3 subjects 1 surely leaks, most 'botany'" in report.verdict.reason
    (chart,) = (e for e in report.exhibits if e.name == "subjects")
    assert chart.kind == "bars"
    assert chart.table["bar"].tolist()[0] == "botany"


@pytest.mark.slow
def test_items_that_fall_without_the_question_are_shown(report):
    column = report.highlight.column
    shown = report.items[report.items[column]]
    assert "choices alone" in report.highlight.note
    # Nine of ten test items of botany, and a quarter of the others.
    assert 0.5 < shown.index.str.startswith("botany").mean() < 0.8
    assert shown.index.str.contains("test-").all()


@pytest.mark.slow
def test_small_subjects_are_counted_and_not_stated():
    benchmark = plant_subjects({"train": 60, "test": 12})
    settings = LeakageSettings(calibrate=False, tsne=False, controls="none")
    with open_experiment(benchmark) as experiment:
        small = audit(experiment, {"tfidf": READERS.load("tfidf")}, settings)
    assert not by_subject(small)
    assert "hang apart" in small.not_run["subjects of tfidf"]


@pytest.mark.slow
def test_subjects_of_chance_raise_an_alarm_in_no_more_than_one_of_twenty_sets():
    rng, runs, count, each = np.random.default_rng(0), 400, 12, 40
    n, alarms = count * each, 0
    names = [f"s{number}" for number in range(count)]
    subjects = pd.Series(np.repeat(names, each))
    clusters = np.arange(n) // 2  # items come in pairs
    baselines = ground(n, clusters)
    for _ in range(runs):
        alike = (rng.random(n // 2) < 0.5)[clusters]
        lots = np.where(alike, rng.random(n // 2)[clusters], rng.random(n))
        right = (lots < 0.25).astype(float)
        found = subject_findings("r", right, subjects, names, baselines)
        alarms += any(f.decision == LEAKS for f in found)
    # At a true rate of 0.05 more than 31 of 400 are seen once in a hundred times.
    assert alarms <= 31
