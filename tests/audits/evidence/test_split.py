"""What training has seen of the test items, and what then may be said."""

import numpy as np
import pandas as pd
import pytest

from measurand.audits.evidence import EvidenceSettings, audit
from measurand.benchmarks.assemble import from_frames
from measurand.experiment.experiment import open_experiment
from measurand.readers import READERS
from measurand.readers.lookup import LookupReader


def remembered_items(seen, n=1200, seed=0):
    """Evidence that says nothing, each text with one label; so many stand in train."""
    rng = np.random.default_rng(seed)
    texts = [" ".join(rng.choice(list("abcdefghij"), 8)) + f" {i}" for i in range(400)]
    labels = rng.choice(["no", "yes"], len(texts))
    train = rng.integers(300, size=n)
    fresh = rng.random(n) >= seen
    test = np.where(fresh, rng.integers(300, 400, size=n), rng.integers(300, size=n))

    def table(numbers):
        hints = rng.choice(["maybe", "perhaps"], len(numbers))
        return pd.DataFrame(
            {
                "query": [f"is it {h} {i}" for i, h in enumerate(hints)],
                "evidence": [texts[number] for number in numbers],
                "label": labels[numbers],
            }
        )

    return from_frames(table(train), table(test), name="remembered")


def audited(benchmark, **settings):
    chosen = {"shuffles": 5, "strongest": "cross", "controls": "none", **settings}
    with open_experiment(benchmark) as experiment:
        return audit(
            experiment, {"tfidf": READERS.load("tfidf")}, EvidenceSettings(**chosen)
        )


@pytest.mark.parametrize("seen", [0.9, 0.97])
def test_evidence_seen_in_training_is_never_called_sensitive(seen):
    report = audited(remembered_items(seen), calibrate=False)
    assert report.findings[0].statistic == "seen"
    share = report.finding("seen", "lookup", "evidence").estimate
    assert share.low <= seen + 0.03
    assert share.high >= seen - 0.03
    assert report.finding("accuracy", "lookup", "evidence").estimate.value > 0.8
    assert report.verdict.label != "evidence-sensitive"
    assert any("stands in training too" in warning for warning in report.warnings)


def test_headline_figures_are_of_new_evidence_and_all_items_stand_beside():
    report = audited(remembered_items(0.5), calibrate=False)
    new = report.finding("accuracy", "tfidf", "full").estimate
    whole = report.finding("accuracy", "tfidf", "part=all items").estimate
    assert 500 < new.n < 700
    assert whole.n == 1200
    assert whole.low > new.high
    assert "whose evidence is new to training" in report.verdict.reason


def test_a_lookup_knows_texts_again_by_their_words():
    frame = pd.DataFrame(
        {
            "query": ["A dog , barks!", "a cat sleeps"] * 6,
            "evidence": [f"text {i}" for i in range(12)],
            "label": ["yes", "no"] * 6,
        }
    )
    other = frame.assign(query=["a dog, barks", "a bird flies"] * 6)
    benchmark = from_frames(frame, other, name="lookup")
    fitted = LookupReader("query").fit(benchmark.train, np.random.default_rng(0))
    shares = fitted.predict(benchmark.test)
    assert shares[0].argmax() == fitted.classes.index("yes")
    assert shares[1].tolist() == [0.5, 0.5]
