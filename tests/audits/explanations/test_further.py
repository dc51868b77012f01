"""Rationale columns beside the first: each is asked what it gives away."""

import dataclasses
from collections import Counter

import pytest

from measurand.audits.explanations.audit import audit
from measurand.audits.explanations.corpus import collect_corpus
from measurand.audits.explanations.form import SURFACE
from measurand.audits.explanations.further import (
    further_findings,
    further_word_leaks,
    leaking_columns,
)
from measurand.benchmarks.synthetic_rationales import plant_rationales
from measurand.core.names import is_of_some
from measurand.experiment.experiment import open_experiment
from measurand.readers.linear import TfidfReader
from measurand.settings.explanations import ExplanationsSettings
from tests.audits.explanations.handmade import leak

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
    """What words and what form of further columns give away."""
    with open_experiment(benchmark) as running:
        corpus = collect_corpus(running, SETTINGS)
        columns = corpus.further, corpus.clusters
        return further_word_leaks(running, TfidfReader(), *columns), corpus.further_form


def test_a_column_that_states_the_label_is_found_though_it_is_not_the_first(honest):
    changes = {"train": stating(honest.train), "test": stating(honest.test)}
    words, forms = leaks_of(dataclasses.replace(honest, **changes))
    assert [*words] == ["rationale_2"], "nothing can be asked of an empty column"
    (told,) = leaking_columns(words, forms)
    assert told.startswith("rationale_2 alone gives 1.000")
    only, _ = further_findings(words, "rationale", "surface")
    assert (only.statistic, only.reader) == ("rationale_only", "surface")
    assert (only.condition, only.decision) == ("given, rationale_2", "leaks")
    by_form = further_findings(forms, "form", SURFACE)
    assert [f.statistic for f in by_form] == ["form_only", "form_bits"]


def test_honest_columns_are_named_for_nothing(honest):
    words, forms = leaks_of(honest)
    assert [*words] == [*forms] == ["rationale_2", "rationale_3"]
    assert leaking_columns(words, forms) == ()


def test_a_name_that_reads_as_a_part_is_no_part_of_a_condition():
    for finding in further_findings(
        {"a, part=b": leak(0.9, 0.8, 1.0)}, "rationale", "tfidf"
    ):
        assert finding.condition == "given, 'a, part=b'"
        assert not is_of_some(finding.condition)


def test_a_name_that_reads_as_a_fault_stands_in_quotes():
    sure = {"copying (edited)": leak(0.9, 0.85, 0.95)}
    (told,) = leaking_columns(sure, sure)
    assert told.startswith("'copying (edited)' alone gives 0.900")


def test_form_is_stated_once_however_many_readers_and_whatever_they_are_called(honest):
    readers = {"surface": TfidfReader(), "tfidf": TfidfReader()}
    with open_experiment(honest) as running:
        report = audit(running, readers, SETTINGS)
    further = [f for f in report.findings if f.condition == "given, rationale_2"]
    figures = Counter((f.statistic, f.reader) for f in further)
    for statistic in ("form_only", "form_bits"):
        assert figures[statistic, "surface"] == 1
    for reader in readers:
        assert figures["rationale_only", reader] == 1
