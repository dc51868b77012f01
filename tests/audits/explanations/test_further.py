"""Rationale columns beside the first: each is asked what it gives away."""

import dataclasses

import pytest

from measurand.audits.explanations.corpus import collect_corpus
from measurand.audits.explanations.further import (
    further_findings,
    further_leaks,
    leaking_columns,
)
from measurand.audits.explanations.settings import ExplanationsSettings
from measurand.benchmarks.synthetic_rationales import plant_rationales
from measurand.experiment.experiment import open_experiment
from measurand.readers.linear import TfidfReader

SIZES = {"train": 200, "test": 100}
SETTINGS = ExplanationsSettings(explainers=("given",), count=1)


def stating(items):
    """The items, the second column of which states the label; the third is empty."""
    said = [f"So it is {label}." for label in items.labels]
    return items.with_table(items.table.assign(rationale_2=said, rationale_3=""))


@pytest.fixture(scope="module")
def honest():
    return plant_rationales("made", leaky=False, seed=5, sizes=SIZES)


def leaks_of(benchmark):
    with open_experiment(benchmark) as running:
        corpus = collect_corpus(running, SETTINGS)
        return further_leaks(running, "tfidf", TfidfReader(), corpus)


def test_a_column_that_states_the_label_is_found_though_it_is_not_the_first(honest):
    changes = {"train": stating(honest.train), "test": stating(honest.test)}
    leaks = leaks_of(dataclasses.replace(honest, **changes))
    assert [*leaks] == ["rationale_2"], "nothing can be asked of an empty column"
    (told,) = leaking_columns(leaks)
    assert told.startswith("rationale_2 alone gives 1.000")
    findings = {(f.statistic, f.condition): f for f in further_findings(leaks)}
    assert findings["rationale_only", "given, rationale_2"].decision == "leaks"


def test_honest_columns_are_named_for_nothing(honest):
    leaks = leaks_of(honest)
    assert [*leaks] == ["rationale_2", "rationale_3"]
    assert leaking_columns(leaks) == ()
