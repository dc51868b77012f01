"""What readers know by heart is told apart from what they could learn."""

import numpy as np
import pandas as pd
import pytest

from measurand.audits.leakage import LeakageSettings, audit
from measurand.benchmarks.assemble import from_frames
from measurand.experiment.experiment import open_experiment
from measurand.readers import READERS

WORDS = [
    a + b for a in ("ba", "ko", "ri", "tu", "me") for b in ("lo", "sa", "ne", "vi")
]
SETTINGS = LeakageSettings(calibrate=False, tsne=False, controls="none")


def made(new_share, *, hinted, n=300, seed=0):
    """Test claims, most of them known from training; a label is a coin for a claim."""
    rng = np.random.default_rng(seed)

    def claims(count):
        labels = rng.choice(["no", "yes"], count)
        texts = [" ".join(rng.choice(WORDS, 8)) for _ in range(count)]
        if hinted:
            right = rng.random(count) < 0.85
            hints = np.where((labels == "yes") == right, "north", "south")
            texts = [f"{text} {hint}" for text, hint in zip(texts, hints, strict=True)]
        return pd.DataFrame({"query": texts, "label": labels})

    def with_evidence(table):
        evidence = [" ".join(rng.choice(WORDS, 7)) for _ in range(len(table))]
        return table.assign(evidence=evidence)

    train, new = claims(n), claims(int(n * new_share))
    known = train.sample(n - len(new), random_state=seed)
    test = pd.concat([known, new], ignore_index=True)
    return from_frames(with_evidence(train), with_evidence(test), name="made")


def audited(benchmark):
    with open_experiment(benchmark) as experiment:
        return audit(experiment, {"tfidf": READERS.load("tfidf")}, SETTINGS)


@pytest.mark.slow
@pytest.mark.parametrize("new_share", [0.0, 0.4])
def test_labels_known_by_heart_are_no_leak(new_share):
    report = audited(made(new_share, hinted=False))
    assert report.verdict.label == "undecided"
    assert "may remember rather than read query" in report.verdict.reason
    assert report.finding("over_majority", "tfidf", "query").decision == "remembered"
    assert "leaks" not in {finding.decision for finding in report.findings}
    assert "repair" in report.not_run


@pytest.mark.slow
def test_a_word_that_tells_new_claims_too_leaks_whatever_is_remembered():
    report = audited(made(0.4, hinted=True))
    assert report.verdict.label == "leaks"
    assert report.finding("over_majority", "tfidf", "query").decision == "leaks"


@pytest.mark.slow
def test_blank_texts_that_tell_a_label_are_read_and_not_remembered():
    whole = made(1.0, hinted=False)

    def blank_noes(items):
        table = items.table[["query", "evidence", "label"]].reset_index(drop=True)
        return table.assign(
            evidence=table["evidence"].where(table["label"] == "yes", "")
        )

    halved = from_frames(blank_noes(whole.train), blank_noes(whole.test), name="half")
    report = audited(halved)
    assert report.verdict.label == "leaks"
    assert report.finding("over_majority", "tfidf", "evidence").decision == "leaks"
