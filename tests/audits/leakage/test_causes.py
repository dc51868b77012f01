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


@cache
def audited(write):
    settings = LeakageSettings(calibrate=False, tsne=False, controls="none")
    with open_experiment(made(write)) as experiment:
        return audit(experiment, {"tfidf": READERS.load("tfidf")}, settings)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("write", "cause"),
    [(spaced, "by its form alone"), (longer, "by its length alone")],
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
def test_what_only_a_memory_of_texts_tells_is_called_remembered_and_no_leak():
    rng = np.random.default_rng(0)
    texts = [" ".join(rng.choice(list("abcdefghijklmnop"), 6)) for _ in range(60)]
    labels = rng.choice(["no", "yes"], 60)

    def table(n):
        numbers = rng.integers(60, size=n)
        hints = [f"case {rng.integers(1000)}" for _ in range(n)]
        columns = {"query": hints, "evidence": [texts[i] for i in numbers]}
        return pd.DataFrame(columns).assign(label=labels[numbers])

    benchmark = from_frames(table(400), table(300), name="remembered")
    settings = LeakageSettings(calibrate=False, tsne=False, controls="none")
    with open_experiment(benchmark) as experiment:
        report = audit(experiment, {"tfidf": READERS.load("tfidf")}, settings)
    memory = [f for f in report.findings if f.reader == "lookup"]
    assert "remembered" in {f.decision for f in memory}
    assert "leaks" not in {f.decision for f in report.findings}
    assert report.verdict.label == "undecided"
    assert "may remember rather than read evidence" in report.verdict.reason
