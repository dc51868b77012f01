"""Answers that are taken away or told otherwise: who follows what."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from measurand.audits.evidence import EvidenceSettings, audit
from measurand.audits.evidence.answer_changes import followed_memory
from measurand.benchmarks.synthetic_choices import NAMES
from measurand.core.benchmark import Benchmark
from measurand.core.errors import Undefined
from measurand.core.items import LETTERS, Items, pack_choices
from measurand.experiment.ask import Predictions
from measurand.experiment.experiment import open_experiment
from measurand.readers import READERS

PAGES = 40  # items of one document


def plant_names(n, side, told, seed=0):
    """Who came? The passage says it in a share of the items, the question in others."""
    rng, rows = np.random.default_rng([seed, n]), []
    for number in range(n):
        names = [NAMES[i] for i in rng.choice(len(NAMES), 5, replace=False)]
        gold = int(rng.integers(4))
        by_text = rng.random() < told
        witness, asked = (names[gold], names[4]) if by_text else (names[4], names[gold])
        rows.append(
            {
                "question": f"Who met {asked} at stop {number}?",
                "evidence": f"Day {number} was wet. Then {witness} came by {side}.",
                "choices": pack_choices(names[:4]),
                "answer": LETTERS[gold],
                "page": f"page {number // PAGES}",
                "theme": f"theme {number}",
            }
        )
    table = pd.DataFrame(rows, index=[f"{side}{number}" for number in range(n)])
    fields = ("question", "evidence", "choices")
    columns = {"choices": "choices", "document": "page", "subject": "theme"}
    return Items(table, fields, "answer", **columns)


def audit_names(told):
    train, test = plant_names(500, "bus", told), plant_names(400, "tram", told)
    benchmark = Benchmark("names", train, test, "question", "evidence")
    settings = EvidenceSettings(calibrate=False, shuffles=4)
    with open_experiment(benchmark) as experiment:
        report = audit(experiment, {"cross": READERS.load("cross")}, settings)
    found = {(f.statistic, f.condition): f.estimate for f in report.findings}
    return report, found


@pytest.fixture(scope="module")
def reading():
    return audit_names(1.0)


def test_who_reads_the_passage_follows_it(reading):
    _, found = reading
    memory = found["followed_memory", "answer swapped"]
    assert memory.value < 0.02
    assert memory.n > 350
    assert memory.method.startswith("Wilson")


def test_an_answer_that_is_deleted_is_lost(reading):
    _, found = reading
    loss = found["delta_evi", "answer deleted"]
    assert loss.low <= 0.75 <= loss.high
    assert loss.n > 350


def test_another_passage_of_the_document_is_as_wrong_as_any(reading):
    _, found = reading
    within, plain = (found["delta_evi", c] for c in ("within-document", "plain"))
    assert within.low <= plain.value <= within.high


def test_no_figure_is_made_of_too_few_items(reading):
    report, found = reading
    assert ("delta_evi", "within-subject") not in found
    assert report.not_run["within-subject of cross"].startswith("0 items share it")


def test_who_never_met_the_choice_takes_none_of_these_where_nothing_else_fits(reading):
    _, found = reading
    assert found["accuracy", "gold removed"].value > 0.25


@pytest.mark.slow
def test_who_has_the_answer_from_the_question_keeps_it():
    # Half of the answers stand in the question: no passage holds one to be swapped.
    _, found = audit_names(0.5)
    assert found["followed_memory", "answer swapped"].n < 250


def test_items_of_classes_are_asked_nothing_of_this(reading):
    items = plant_names(60, "bus", 1.0)
    classes = replace(items, fields=("question", "evidence"), choices=None)
    benchmark = Benchmark("classes", classes, classes, "question", "evidence")
    settings = EvidenceSettings(calibrate=False, shuffles=2)
    with open_experiment(benchmark) as experiment:
        report = audit(experiment, {"tfidf": READERS.load("tfidf")}, settings)
    assert not any("answer" in f.condition for f in report.findings)


def predictions(gold, answers):
    shares = np.eye(4, dtype=np.float32)[answers][None]
    ids = tuple(f"i{n}" for n in range(len(gold)))
    return Predictions(ids, tuple("ABCD"), gold, shares)


def test_the_share_counts_who_answered_right_and_then_either():
    gold, n = np.zeros(160, np.int64), 160
    new = np.where(np.arange(n) < 120, 1, -1)
    first = np.where(np.arange(n) % 4 == 3, 2, 0)  # a quarter was wrong before
    then = np.where(np.arange(n) % 4 == 0, 0, np.where(np.arange(n) % 4 == 1, 1, 3))
    estimate = followed_memory(
        predictions(gold, first), predictions(gold, then), new, np.arange(n)
    )
    assert (estimate.value, estimate.n) == (0.5, 60)
    with pytest.raises(Undefined, match="are needed"):
        followed_memory(
            predictions(gold, first), predictions(gold, then), -gold - 1, np.arange(n)
        )


@pytest.mark.slow
@pytest.mark.parametrize("truth", [0.02, 0.3])
def test_the_interval_of_followed_memory_covers_as_often_as_it_says(truth):
    rng, runs, n, covered = np.random.default_rng(1), 400, 120, 0
    gold = np.zeros(n, np.int64)
    for _ in range(runs):
        # Items come in groups of three, of which half answer all alike.
        groups = np.repeat(np.arange(n // 3), 3)
        alike = (rng.random(n // 3) < 0.5)[groups]
        lots = np.where(alike, rng.random(n // 3)[groups], rng.random(n))
        then = np.where(lots < truth, 0, 1)
        estimate = followed_memory(
            predictions(gold, gold), predictions(gold, then), gold + 1, groups
        )
        covered += estimate.low <= truth <= estimate.high
    # At a true 95 % fewer than 369 of 400 are seen once in a hundred times.
    assert covered >= 369
