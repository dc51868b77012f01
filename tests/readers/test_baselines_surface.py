"""What form gives away, and that no word does."""

import numpy as np
import pandas as pd
import pytest

from measurand.benchmarks.assemble import from_frames
from measurand.readers.baselines import SurfaceReader
from measurand.readers.linear import TfidfReader
from measurand.text.words import surface_words

RNG = np.random.default_rng(0)
WORDS = ["apple", "river", "stone", "cloud", "table", "green"]
UNLIKE = ["a", "sea", "harbour", "on", "wooden", "boat", "tide", "lighthouse"]


def spaced(label):
    """A sentence whose label is a space before its comma."""
    first, *rest = RNG.choice(WORDS, 6)
    comma = " ," if label == "yes" else ","
    return f"{first}{comma} {' '.join(rest)}."


def cased(label):
    text = " ".join(RNG.choice(WORDS, 6))
    return text.capitalize() if label == "yes" else text


def long_or_short(label):
    return " ".join(RNG.choice(WORDS, RNG.integers(9, 14) - 5 * (label == "yes")))


def worded(label):
    """A sentence whose label is one of two words of the same form."""
    return " ".join([*RNG.choice(WORDS, 5), "north" if label == "yes" else "south"])


def accuracy(reader, write):
    labels = RNG.choice(["no", "yes"], 600)
    frame = pd.DataFrame({"query": [write(label) for label in labels], "label": labels})
    benchmark = from_frames(frame.iloc[:300], frame.iloc[300:], name="forms")
    fitted = reader.fit(benchmark.train, np.random.default_rng(0))
    answers = fitted.predict(benchmark.test).argmax(axis=1)
    return (answers == benchmark.test.gold(fitted.classes)).mean()


@pytest.mark.parametrize("write", [spaced, cased, long_or_short])
def test_form_alone_gives_a_label_away(write):
    assert accuracy(SurfaceReader(), write) > 0.8


def stated(label):
    """A sentence whose label is one of two words of unlike lengths."""
    some = RNG.choice(UNLIKE, RNG.integers(4, 12))
    return " ".join([*some, "is", "true" if label == "yes" else "false"])


def negated(label):
    some = RNG.choice(UNLIKE, RNG.integers(4, 12))
    return " ".join([*some, RNG.choice(["is", "can"]) + "n't" * (label == "yes")])


def in_hindi(label):
    some = RNG.choice(["नाव", "घर", "नदी", "पेड़"], RNG.integers(4, 12))
    return " ".join([*some, "नहीं" if label == "yes" else "सदा"])


@pytest.mark.parametrize("write", [worded, stated, negated, in_hindi])
def test_a_word_is_not_seen_whatever_its_length(write):
    assert accuracy(SurfaceReader(), write) < 0.6
    assert accuracy(TfidfReader(), write) > 0.9


def test_readers_of_words_do_not_see_a_space():
    assert accuracy(TfidfReader(), spaced) < 0.6


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("a, b", "a , b"),
        ("a b", "a  b"),
        ("a 1", "a 12"),
        ("a", "a "),
        ("ab", "<b>ab"),
        ("a ☺", "a ☹"),
    ],
)
def test_forms_that_differ_are_told_apart(one, other):
    assert surface_words(one) != surface_words(other)


def test_a_field_that_is_handed_round_is_not_read_again():
    labels = RNG.choice(["no", "yes"], 60)
    table = pd.DataFrame(
        {
            "query": [f"{cased(label)} {i}" for i, label in enumerate(labels)],
            "evidence": [spaced(label) for label in labels],
            "label": labels,
        }
    )
    items = from_frames(table, name="form", split_by="query").train
    fitted = SurfaceReader(folds=0).fit(items, np.random.default_rng(0))
    order = RNG.permutation(len(items)).astype(np.int32)
    moved = items.with_field("evidence", items.column("evidence").iloc[order].tolist())
    (probabilities,) = fitted.predict_rearranged(
        fitted.read(items), "evidence", order[None]
    )
    np.testing.assert_allclose(probabilities, fitted.predict(moved), atol=1e-6)
    assert not np.allclose(probabilities, fitted.predict(items))
