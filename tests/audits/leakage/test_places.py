"""A place that is right in the test items, where training has another."""

import numpy as np
import pytest

from measurand.api.source import load
from measurand.audits.leakage import LeakageSettings, audit
from measurand.audits.leakage.canonical import canonical_benchmark
from measurand.audits.leakage.places import (
    add_place,
    find_test_place,
    place_warnings,
)
from measurand.audits.leakage.scores import BELOW, LEAKS, UNDECIDED
from measurand.core.finding import Verdict
from measurand.experiment.experiment import open_experiment
from measurand.readers import READERS
from measurand.report.answer import answer_report
from tests.audits.leakage.test_rules import planted_rows


def put_at(rows, place, share, seed=0):
    """The rows with the right choice at one place in so many of them."""
    rng = np.random.default_rng(seed)
    rows = rows.copy()
    for row in np.flatnonzero(rng.random(len(rows)) < share):
        choices, gold = rows.at[row, "choices"], rows.at[row, "answer"]
        choices[gold], choices[place] = choices[place], choices[gold]
        rows.at[row, "answer"] = place
    return rows


def keep(choices, gold):
    """Nothing is planted."""


def sides(trained, tested, count=200):
    train, test = (planted_rows(count, keep, seed) for seed in (1, 2))
    return load(put_at(train, 0, trained), put_at(test, 3, tested), name="made")


def found(benchmark):
    return find_test_place(canonical_benchmark(benchmark, 0), 0.02)


def test_the_commonest_place_of_the_test_items_is_told_where_training_has_another():
    place = found(sides(0.7, 0.7))
    assert (place.letter, place.trained, place.leaks) == ("D", "A", True)
    assert place.finding.estimate.value == pytest.approx(0.775, abs=0.1)
    (warning,) = place_warnings(place)
    assert warning.startswith(f"always taking D is right in {place.finding.estimate}")
    assert "put the choices of each item in a random order" in warning


def test_the_last_of_unlike_numbers_of_choices_is_a_place_too():
    train, test = (planted_rows(120, keep, seed) for seed in (1, 2))
    for rows, to_last in ((train, False), (test, True)):
        for row in range(len(rows)):
            right = rows.at[row, "choices"].pop(rows.at[row, "answer"])
            wrong = rows.at[row, "choices"][: 1 + row % 3]
            rows.at[row, "choices"] = [*wrong, right] if to_last else [right, *wrong]
            rows.at[row, "answer"] = len(wrong) if to_last else 0
    place = found(load(train, test, name="made"))
    assert (place.letter, place.trained, place.leaks) == ("the last", "A", True)
    assert place.finding.estimate.value == 1.0


def test_a_place_by_chance_is_no_leak_and_no_warning():
    places = [found(sides(0.0, 0.0, 120))]
    places += [
        found(
            load(planted_rows(120, keep, s), planted_rows(120, keep, s + 50), name="x")
        )
        for s in range(10)
    ]
    some = [place for place in places if place is not None]
    assert len(some) > 3
    assert not any(place.leaks or place_warnings(place) for place in some)
    undecided = Verdict(UNDECIDED, UNDECIDED, None, "too few items")
    assert add_place(undecided, some[0]) == undecided


def test_one_file_and_one_place_on_both_sides_are_left_to_the_reader_of_positions():
    assert found(load(put_at(planted_rows(200, keep), 3, 0.7), name="one")) is None
    train, test = (put_at(planted_rows(200, keep, s), 3, 0.7) for s in (1, 2))
    assert found(load(train, test, name="both")) is None


def test_a_leak_keeps_its_reason_and_gains_the_place():
    place = found(sides(0.7, 0.7))
    leaky = Verdict(LEAKS, LEAKS, "tfidf", "tfidf: choices alone is 0.2 over chance")
    told = add_place(leaky, place)
    assert told.stage == "tfidf"
    assert told.reason == f"{leaky.reason}; {place.clause()}"


def test_the_report_says_where_right_choices_stand_and_what_to_do():
    chosen = LeakageSettings(calibrate=False, tsne=False, brief=True, controls="none")
    with open_experiment(sides(0.7, 0.7)) as experiment:
        report = audit(experiment, {"tfidf": READERS.load("tfidf")}, chosen)
    assert report.verdict.label == LEAKS
    assert "always taking D is right in" in report.verdict.reason
    assert any("in other places there than in training" in w for w in report.warnings)
    assert report.finding("position", "rule").decision == BELOW
    answer = answer_report(report)
    assert "one and the same place is right in" in answer.sentence
    assert answer.steps == ("Put the choices of each item in a random order.",)
