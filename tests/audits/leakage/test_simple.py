"""What readers without words find, and that a memory of texts is no leak."""

import numpy as np
import pandas as pd
import pytest

from measurand.api.source import load
from measurand.audits.leakage import LeakageSettings, audit
from measurand.benchmarks.assemble import from_frames
from measurand.experiment.experiment import open_experiment
from measurand.readers import READERS

# Of so many words, no text is nearly a copy of another.
WORDS = [a + b + c for a in ("ba", "re", "tilo") for b in "kmnprst" for c in "aeiou"]


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


def documents(texts, labels, rng):
    """The report of items whose texts train and test share, each with its label."""

    def table(n):
        numbers = rng.integers(len(texts), size=n)
        hints = [f"case {rng.integers(1000)}" for _ in range(n)]
        columns = {"query": hints, "evidence": [texts[i] for i in numbers]}
        return pd.DataFrame(columns).assign(label=labels[numbers])

    benchmark = from_frames(table(600), table(400), name="documents")
    settings = LeakageSettings(calibrate=False, tsne=False, controls="none")
    with open_experiment(benchmark) as experiment:
        return audit(experiment, {"tfidf": READERS.load("tfidf")}, settings)


@pytest.mark.slow
def test_a_right_choice_that_is_always_the_last_one_leaks_by_its_position():
    """Of two to eight choices: no letter is right more often than the others."""
    rng = np.random.default_rng(0)
    rows = [
        {
            "question": " ".join(rng.choice(WORDS, 6)),
            "choices": [" ".join(rng.choice(WORDS, 3)) for _ in range(count)],
            "answer": "ABCDEFGH"[count - 1],
        }
        for count in np.tile(np.arange(2, 9), 20)
    ]
    settings = LeakageSettings(calibrate=False, controls="none", brief=True, draws=1)
    with open_experiment(load(pd.DataFrame(rows), name="last")) as experiment:
        report = audit(experiment, {"tfidf": READERS.load("tfidf")}, settings)
    assert report.verdict.label == "leaks"
    assert report.verdict.stage == "position"
    assert report.finding("position", "rule", "choices").estimate.value > 0.9


@pytest.mark.slow
def test_a_length_that_is_known_by_heart_is_no_leak():
    """Texts of many lengths: who knows the length of each knows its label."""
    rng = np.random.default_rng(0)
    texts = [" ".join(rng.choice(WORDS, n)) for n in rng.integers(15, 120, 50)]
    report = documents(texts, rng.choice(["no", "yes"], 50), rng)
    length = report.finding("over_majority", "length", "evidence")
    assert length.estimate.low > 0.1
    assert length.decision == "remembered"
    assert report.verdict.label == "undecided"
    assert "may remember rather than read evidence" in report.verdict.reason


@pytest.mark.slow
def test_words_that_tell_any_text_are_the_cause_though_texts_return():
    rng = np.random.default_rng(0)
    labels = rng.choice(["no", "yes"], 200)
    texts = [
        " ".join([*rng.choice(WORDS, size), "ever" if label == "yes" else "never"])
        for label, size in zip(labels, rng.integers(5, 12, 200), strict=True)
    ]
    report = documents(texts, labels, rng)
    assert report.verdict.label == "leaks"
    assert "by words such as 'never', 'ever'" in report.verdict.reason
    assert "memory" not in report.verdict.reason
    assert "length" not in report.verdict.reason
