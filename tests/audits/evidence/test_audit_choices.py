"""The evidence audit of items with choices: known answers, in their own words."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from measurand.api.source import load
from measurand.audits.evidence import EvidenceSettings, audit
from measurand.benchmarks.synthetic_choices import (
    CLOSED_BOOK,
    READING,
    plant_choice_benchmark,
)
from measurand.experiment.experiment import open_experiment
from measurand.readers import READERS
from measurand.report.answer import answer_report

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
    assert report.verdict.label == "evidence-sensitive"
    assert found["closed_book", "cross"].value == pytest.approx(
        READING.truth["closed_book"], abs=0.1
    )
    assert found["chance", "chance"].value == 0.25
    assert ("query_only", "cross") not in found
    recovered = [f for f in report.findings if f.statistic == "recovery"]
    assert all(f.condition.startswith("match") for f in recovered)


@pytest.mark.slow
def test_a_passage_that_adds_nothing_is_not_required():
    report = audit_choices(CLOSED_BOOK)
    assert report.verdict.label in ("direct coupling", "latent coupling")
    assert figures(report)["closed_book", "cross"].low > 0.9


@pytest.mark.slow
def test_an_answer_that_stands_in_the_question_is_named_and_no_letter_balanced():
    """Free answers, whose letters are drawn here."""
    rng = np.random.default_rng(0)
    names = [a + b + c for a in ("ba", "re", "lo") for b in "kmnprst" for c in "aeiou"]
    rows = [
        {
            "question": f"Is the word {answer} said by {rng.choice(names)}, or what?",
            "passage": " ".join(rng.choice(names, 20)),
            "answers": [answer],
        }
        for answer in rng.choice(names, 300)
    ]
    settings = EvidenceSettings(calibrate=False, shuffles=4, margin=0.05)
    with open_experiment(load(pd.DataFrame(rows), name="asked")) as experiment:
        report = audit(experiment, {"cross": READERS.load("cross")}, settings)
    assert report.verdict.label == "direct coupling"
    assert "; overlap_choice names the right choice in" in report.verdict.reason
    assert answer_report(report).steps == (
        "Take the words of the right answer out of the question, then run the audit "
        "again.",
    )
