"""What readers know by heart is told apart from what they could learn."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from measurand.audits.leakage import LeakageSettings, audit
from measurand.audits.leakage.asking import ask_alone, open_evaluation
from measurand.audits.leakage.canonical import canonical_benchmark
from measurand.audits.leakage.memory import recall_parts
from measurand.audits.leakage.scores import leakage_baselines
from measurand.benchmarks.assemble import from_frames
from measurand.experiment.experiment import open_experiment
from measurand.interventions.fields import Keep
from measurand.readers import READERS
from measurand.readers.baselines import LookupReader

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
    of_all = report.finding("over_majority", "tfidf", "query")
    assert of_all.decision == "leaks"
    of_new = report.finding("over_majority", "tfidf", "query, texts=new").estimate
    assert 80 < of_new.n <= 120  # some are like others by chance
    assert of_new.value < of_all.estimate.value
    stated = f"of the {of_new.n} items whose text of it is new, {of_new}"
    assert stated in report.verdict.reason


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


def with_families(hinted, *, split, families=120, size=6, seed=0):
    """Copies of claims with one word of 14 changed; a label is a coin for a family."""
    rng = np.random.default_rng(seed)
    many = [a + b for a in WORDS for b in WORDS]
    rows = []
    for _ in range(families):
        base, label = rng.choice(many, 14), rng.choice(["no", "yes"])
        for _ in range(size):
            words = base.copy()
            words[rng.integers(14)] = rng.choice(many)
            right = rng.random() < 0.95
            hint = "north" if (label == "yes") == right else "south"
            query = " ".join([*words, hint] if hinted else words)
            rows.append((query, " ".join(rng.choice(WORDS, 7)), label))
    table = pd.DataFrame(rows, columns=["query", "evidence", "label"])
    table = table.sample(frac=1, random_state=seed).reset_index(drop=True)
    half = len(table) // 2
    test = table[half:].reset_index(drop=True) if split else None
    return from_frames(table[:half] if split else table, test, name="families")


@pytest.mark.slow
@pytest.mark.parametrize("split", [True, False])
def test_copies_with_a_word_changed_are_remembered_too(split):
    report = audited(with_families(False, split=split, families=80))
    assert report.verdict.label == "undecided"
    assert report.finding("over_majority", "tfidf", "query").decision == "remembered"


@pytest.mark.slow
@pytest.mark.parametrize("split", [True, False])
def test_a_word_that_tells_every_family_leaks_though_no_text_is_new(split):
    report = audited(with_families(True, split=split, families=160, size=4))
    assert report.verdict.label == "leaks"
    apart = report.finding("over_majority", "tfidf", "query, texts=apart").estimate
    assert apart.low > 0.1
    stated = f"(split so that its copies stay together, {apart})"
    assert stated in report.verdict.reason


@pytest.mark.slow
@pytest.mark.parametrize("known", [True, False])
def test_right_choices_known_by_heart_are_no_leak(known):
    """A word that tells new choices too is one, whatever is copied."""
    rng = np.random.default_rng(0)

    def side(n):
        gold = rng.integers(3, size=n)
        options = rng.choice(9999, (n, 3, 4)).astype(str)
        if not known:
            options[np.arange(n), gold, 0] = "north"
        return pd.DataFrame(
            {
                "question": [f"is it {i}" for i in rng.choice(10**6, n)],
                "options": [[" ".join(texts) for texts in row] for row in options],
                "answer": gold,
            }
        )

    train = side(300)
    test = pd.concat([train.sample(230, random_state=0), side(20)], ignore_index=True)
    settings = replace(SETTINGS, brief=True)
    with open_experiment(from_frames(train, test, name="copied")) as experiment:
        report = audit(experiment, {"tfidf": READERS.load("tfidf")}, settings)
    assert report.finding("choices_only", "tfidf", "options").estimate.low > 0.6
    if known:
        assert report.verdict.label == "undecided"
        assert "remember rather than read options: only 20 of" in report.verdict.reason
    else:
        assert report.verdict.label == "leaks"


@pytest.mark.slow
def test_copies_of_choices_with_a_word_changed_are_remembered_too():
    rng = np.random.default_rng(0)
    rows = []
    for item in range(150):
        options, gold = rng.choice(9999, (4, 8)).astype(str), int(rng.integers(4))
        for copy in range(3):
            changed = options.copy()
            changed[:, copy] = rng.choice(9999, 4).astype(str)
            texts = [" ".join(row) for row in changed]
            rows.append((f"is it {item} or {copy}", texts, gold))
    table = pd.DataFrame(rows, columns=["question", "options", "answer"])
    benchmark = from_frames(table.sample(frac=1, random_state=0), name="near")
    settings = replace(SETTINGS, brief=True, folds=3, draws=1)
    with open_experiment(benchmark) as experiment:
        report = audit(experiment, {"tfidf": READERS.load("tfidf")}, settings)
    assert report.finding("choices_only", "tfidf", "options").estimate.low > 0.4
    assert report.verdict.label == "undecided"
    assert "may remember rather than read options" in report.verdict.reason


def test_a_memory_knows_choices_of_signs_alone_apart():
    """Nothing in them is a word, so that only the signs say which was right."""
    rng = np.random.default_rng(0)
    signs = rng.choice([*"+-=*/<>&%!"], (200, 3, 6))
    table = pd.DataFrame(
        {
            "question": [f"is it {i}" for i in rng.choice(10**6, 200)],
            "options": [["".join(text) for text in row] for row in signs],
            "answer": rng.integers(3, size=200),
        }
    )
    copied = from_frames(table, table[:100], name="signs")
    canonical = canonical_benchmark(copied, 0)
    with (
        open_experiment(copied) as experiment,
        open_evaluation(experiment, canonical, 3, 1) as evaluation,
    ):
        reader = LookupReader("options")
        runs = {"options": ask_alone(evaluation, reader, Keep("options"))}
        ground = leakage_baselines(canonical.scored_items, np.arange(100), None)
        found = recall_parts(evaluation, ("by", reader), runs, ground)
    assert runs["options"].right.mean() > 0.9
    assert found.remembered == {"options": (0, 100)}


def test_choices_that_all_items_share_are_no_copies():
    rng = np.random.default_rng(0)
    gold = (rng.random(600) < 0.3).astype(int)
    table = pd.DataFrame(
        {
            "question": [f"is it {i}" for i in rng.choice(10**6, 600)],
            "options": [["yes indeed", "not at all"]] * 600,
            "answer": gold,
        }
    )
    shared = from_frames(table[:300], table[300:], name="shared")
    with open_experiment(shared) as experiment:
        settings = replace(SETTINGS, brief=True)
        report = audit(experiment, {"tfidf": READERS.load("tfidf")}, settings)
    assert report.finding("choices_only", "tfidf", "options").estimate.low > 0.6
    assert report.verdict.label == "leaks"
    assert "remember" not in report.verdict.reason
