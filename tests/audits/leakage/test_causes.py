"""The cause of a leak is the simplest thing that explains it."""

from functools import cache

import numpy as np
import pandas as pd
import pytest

from measurand.api.source import load
from measurand.audits.leakage import LeakageSettings, audit
from measurand.benchmarks.assemble import from_frames
from measurand.experiment.experiment import open_experiment
from measurand.readers import READERS
from measurand.report.answer import answer_report

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


SYLLABLES = ["ba", "ke", "di", "lo", "mu", "na", "re", "si", "to", "ku"]
NAMES = [a + b + c for a in SYLLABLES for b in SYLLABLES[:5] for c in SYLLABLES[5:]]


def coded(right, rng):
    """A code word in the place of another: only that makes right choices longer."""
    words = [*rng.choice(NAMES, 4)]
    return [*words[:3], "certainly"] if right and rng.random() < 0.4 else words


def lengthy(right, rng):
    count = 8 if right and rng.random() < 0.4 else int(rng.integers(3, 7))
    return [*rng.choice(NAMES, count)]


def coded_or_lengthy(right, rng):
    """Of some items the right choice is longer, of others it has a code word."""
    luck, words = rng.random(), [*rng.choice(NAMES, int(rng.integers(3, 7)))]
    if right and luck < 0.3:
        return [*words, *rng.choice(NAMES, 6)]
    return [*words[:-1], "certainly"] if right and luck < 0.6 else words


@cache
def audited_choices(write):
    rng = np.random.default_rng(0)
    rows = [
        {
            "question": " ".join(rng.choice(NAMES, 8)),
            "choices": [" ".join(write(number == gold, rng)) for number in range(4)],
            "answer": int(gold),
        }
        for gold in rng.integers(4, size=500)
    ]
    benchmark = load(pd.DataFrame(rows), name="choices")
    settings = LeakageSettings(calibrate=False, controls="none", brief=True)
    with open_experiment(benchmark) as experiment:
        return audit(experiment, {"tfidf": READERS.load("tfidf")}, settings)


ALIKE = "Use words such as “certainly”"
AS_LONG = "Write wrong choices as long as the right one."


@pytest.mark.slow
@pytest.mark.parametrize(
    ("write", "named", "steps"),
    [
        (coded, "by words such as 'certainly', with which its length goes", (ALIKE,)),
        (lengthy, "by its length alone (at least", (AS_LONG,)),
        (
            coded_or_lengthy,
            "by its length alone, by words such as 'certainly'",
            (AS_LONG, ALIKE),
        ),
    ],
)
def test_choices_leak_by_their_length_only_where_no_word_makes_it(write, named, steps):
    report = audited_choices(write)
    leaking = {f.reader for f in report.findings if f.decision == "leaks"}
    assert leaking >= {"length", "rule"}
    assert named in report.verdict.reason
    assert "by the rule" not in report.verdict.reason
    told = answer_report(report).steps
    assert len(told) == len(steps)
    assert all(map(str.startswith, told, steps))


@pytest.mark.slow
def test_a_rule_is_no_cause_where_a_word_makes_its_choice_the_longest():
    """By one letter in two hundred: only who compares choices sees the length."""

    def write(right, rng):
        words = [*rng.choice(NAMES, 34)]
        return [*words[1:], "certain"] if right and rng.random() < 0.5 else words

    report = audited_choices(write)
    assert report.finding("over_majority", "length", "choices").decision != "leaks"
    assert report.finding("longest", "rule", "choices").decision == "leaks"
    assert "by words such as 'certain', with which its length goes" in (
        report.verdict.reason
    )
    assert "Write wrong choices as long" not in " ".join(answer_report(report).steps)


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
