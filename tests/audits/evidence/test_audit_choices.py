"""The evidence audit of items with choices: known answers, in their own words."""

from dataclasses import replace

import pytest

from measurand.audits.evidence import EvidenceSettings, audit
from measurand.benchmarks.synthetic_choices import (
    CLOSED_BOOK,
    READING,
    plant_choice_benchmark,
)
from measurand.experiment.experiment import open_experiment
from measurand.readers import READERS

SIZES = {"train": 600, "test": 400}


def audit_choices(plan, *, metadata=True, **settings):
    benchmark = plant_choice_benchmark("planted", plan, sizes=SIZES)
    if not metadata:  # a reader is trained for each of their values
        sides = ("train", "test")
        plain = {side: replace(getattr(benchmark, side), metadata=()) for side in sides}
        benchmark = replace(benchmark, **plain)
    chosen = EvidenceSettings(calibrate=False, shuffles=4, margin=0.05, **settings)
    with open_experiment(benchmark) as experiment:
        return audit(experiment, {"cross": READERS.load("cross")}, chosen)


def figures(report):
    return {(f.statistic, f.reader): f.estimate for f in report.findings}


@pytest.mark.slow
def test_a_passage_that_tells_is_required():
    report = audit_choices(READING, metadata=False)
    found = figures(report)
    assert report.verdict.label == "needed"
    assert found["closed_book", "cross"].value == pytest.approx(
        READING.truth["closed_book"], abs=0.1
    )
    assert found["chance", "chance"].value == 0.25
    assert ("query_only", "cross") not in found
    parts = report.exhibits[0]
    assert parts.settings["baseline"] == "chance"
    assert parts.table["part"].tolist() == [
        "question + choices",
        "evidence + choices",
        "question + evidence + choices",
    ]


@pytest.mark.slow
def test_a_passage_that_adds_nothing_is_not_required():
    report = audit_choices(CLOSED_BOOK)
    assert report.verdict.label in ("used, not needed", "not needed")
    assert report.verdict.bound.value < 0.05
    assert figures(report)["closed_book", "cross"].low > 0.9
