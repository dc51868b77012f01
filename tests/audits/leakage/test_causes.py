"""The cause of a leak is the simplest thing that explains it."""

from functools import cache

import numpy as np
import pandas as pd
import pytest

from measurand.audits.leakage import LeakageSettings, audit
from measurand.benchmarks.assemble import from_frames
from measurand.experiment.experiment import open_experiment
from measurand.readers import READERS

WORDS = [
    "apple",
    "river",
    "stone",
    "cloud",
    "table",
    "green",
    "paper",
    "chair",
    "night",
    "bread",
]


def made(write, n=500, seed=0):
    """Claims written by their label, with evidence that says nothing."""
    rng = np.random.default_rng(seed)
    labels = rng.choice(["no", "yes"], n)

    def some(count):
        return list(rng.choice(WORDS, count))

    frame = pd.DataFrame(
        {
            "query": [write(label == "yes", some, rng) for label in labels],
            "evidence": [" ".join(some(9)) + f" {i}" for i in range(n)],
            "label": labels,
        }
    )
    return from_frames(frame.iloc[: n // 2], frame.iloc[n // 2 :], name="made")


def spaced(yes, some, rng):
    comma = " ," if yes == (rng.random() < 0.8) else ","
    first, *rest = some(int(rng.integers(6, 9)))
    return f"{first}{comma} {' '.join(rest)}."


def longer(yes, some, rng):
    return " ".join(some(int(rng.integers(6, 10)) + 3 * yes)) + "."


def worded(yes, some, rng):
    hint = "north" if yes == (rng.random() < 0.8) else "south"
    return " ".join([*some(int(rng.integers(6, 9))), hint]) + "."


def stated(yes, some, rng):
    verdict = "true" if yes == (rng.random() < 0.8) else "false"
    return f"{' '.join(some(int(rng.integers(6, 9))))} is {verdict}."


def denied(yes, some, rng):
    """Claims of one length but for a word: the word is the cause, not the length."""
    return f"{' '.join(some(6))} is {'not ' if yes else ''}here."


def half_and_half(yes, some, rng):
    """Half of the labels are told by length, the others by a word."""
    if rng.random() < 0.5:
        return " ".join(some(int(rng.integers(4, 7)) + 8 * yes))
    return " ".join([*some(int(rng.integers(7, 10))), "ever" if yes else "never"])


def far_longer(yes, some, rng):
    """So many words are drawn for one label that common ones stand in nearly all."""
    often = rng.choice(["the", "of", "and"], int(rng.integers(1, 3)) + 12 * yes)
    seldom = rng.integers(100, 999, int(rng.integers(4, 7)) + 30 * yes)
    return " ".join([*often, *(f"word{number}" for number in seldom)])


@cache
def audited(write):
    settings = LeakageSettings(calibrate=False, tsne=False, controls="none")
    with open_experiment(made(write)) as experiment:
        return audit(experiment, {"tfidf": READERS.load("tfidf")}, settings)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("write", "cause"),
    [
        (spaced, "by its form alone"),
        (longer, "by its length alone"),
        (far_longer, "by its length alone"),
    ],
)
def test_a_leak_without_words_is_found_and_its_cause_named(write, cause):
    report = audited(write)
    assert report.verdict.label == "leaks"
    assert "query alone is" in report.verdict.reason
    assert cause in report.verdict.reason
    assert "by words such as" not in report.verdict.reason


@pytest.mark.slow
def test_spacing_is_seen_by_form_alone():
    report = audited(spaced)
    assert report.verdict.stage == "surface"
    assert report.finding("over_majority", "tfidf", "query").decision != "leaks"
    assert report.finding("over_majority", "surface", "query").decision == "leaks"
    assert report.finding("over_majority", "length", "query").decision != "leaks"


@pytest.mark.slow
@pytest.mark.parametrize("write", [worded, stated])
def test_words_are_the_cause_where_form_explains_nothing(write):
    report = audited(write)
    assert report.verdict.label == "leaks"
    assert "by words such as" in report.verdict.reason
    assert "alone (" not in report.verdict.reason


@pytest.mark.slow
def test_what_goes_with_a_telling_word_is_not_the_cause():
    report = audited(denied)
    assert "'not'" in report.verdict.reason
    assert "with which its length goes" in report.verdict.reason
    assert "by its length alone" not in report.verdict.reason


@pytest.mark.slow
def test_as_many_bits_of_other_items_explain_nothing():
    """Length tells nearly as many bits as the words do, of the other half."""
    report = audited(half_and_half)
    told = {
        name: report.finding("v_information", name, "query").estimate.value
        for name in ("length", "tfidf")
    }
    assert told["length"] > 0.7 * told["tfidf"]
    assert "% of what it tells by its length alone, by words such as" in (
        report.verdict.reason
    )
    assert "'never'" in report.verdict.reason


@pytest.mark.slow
def test_what_tells_nothing_itself_is_no_cause_of_bits_below_zero():
    """A word that is right in all of training and in three of four test items."""
    rng = np.random.default_rng(0)

    def table(n, right):
        labels = rng.choice(["no", "yes"], n)
        claims = [
            " ".join([*rng.choice(WORDS, 8), "north" if yes == luck else "south"])
            for yes, luck in zip(labels == "yes", rng.random(n) < right, strict=True)
        ]
        return pd.DataFrame({"query": claims, "label": labels})

    benchmark = from_frames(table(500, 1.0), table(300, 0.75), name="drifted")
    settings = LeakageSettings(calibrate=False, tsne=False, controls="none")
    with open_experiment(benchmark) as experiment:
        report = audit(experiment, {"tfidf": READERS.load("tfidf")}, settings)
    assert report.finding("v_information", "tfidf", "query").estimate.high < 0
    assert report.verdict.label == "leaks"
    assert "by words such as" in report.verdict.reason
    assert "length" not in report.verdict.reason
