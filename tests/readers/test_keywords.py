"""The reader of a few words."""

import numpy as np
import pandas as pd
import pytest

from measurand.benchmarks.assemble import from_frames
from measurand.core.items import Items
from measurand.readers.keywords import (
    KeyWordsReader,
    KeyWordsRemovedReader,
    Removal,
    choose_removal,
    telling_words,
)

RNG = np.random.default_rng(0)
READER = KeyWordsReader()
WORDS = ["apple", "river", "stone", "cloud", "table", "green", "paper", "chair"]


def accuracy(write, reader=READER):
    labels = RNG.choice(["no", "yes"], 600)
    frame = pd.DataFrame({"query": [write(label) for label in labels], "label": labels})
    benchmark = from_frames(frame.iloc[:300], frame.iloc[300:], name="words")
    fitted = reader.fit(benchmark.train, np.random.default_rng(0))
    answers = fitted.predict(benchmark.test).argmax(axis=1)
    return (answers == benchmark.test.gold(fitted.classes)).mean()


def test_a_telling_word_is_read():
    def write(label):
        return " ".join([*RNG.choice(WORDS, 6), *["not"] * (label == "yes")])

    assert accuracy(write) > 0.95


def test_length_is_hardly_read():
    def write(label):
        return " ".join(RNG.choice(WORDS, RNG.integers(5, 9) + 4 * (label == "yes")))

    assert accuracy(write) < 0.8


@pytest.mark.parametrize("texts", [["", ""], ["...", "!"]])
def test_texts_without_words_have_no_telling_one(texts):
    assert telling_words(texts, np.array([0, 1]), 2) == frozenset()


def test_a_word_tells_also_by_being_absent():
    texts = ["a b", "a b", "b", "b c"]
    assert telling_words(texts, np.array([0, 0, 1, 1]), 1) == {"a"}


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("A boat sails. Never.", "A boat sails."),
        ("Never! A boat sails.", "A boat sails."),
        ("Never boats sail.", "Boats sail."),
        ("never, boats sail.", "boats sail."),
        ("A boat, never, sails.", "A boat, sails."),
        ("A boat never sails.", "A boat sails."),
        ("A boat sails never.", "A boat sails."),
        ("A boat sails... Well.", "A boat sails... Well."),
        ("<never>A boat</never> never sails", "<never>A boat</never> sails"),
    ],
)
def test_the_mark_of_a_removed_sentence_goes_with_it(text, left):
    assert Removal(frozenset({"never"}))(text) == left


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("Never! A boat sails.", "Xxx! A boat sails."),
        ("A boat NEVER sails.", "A boat XXX sails."),
        ("Never never sails it", "Xxx xxx sails it"),
        ("<never>A boat</never> sails", "<never>A boat</never> sails"),
    ],
)
def test_what_has_the_place_of_a_word_has_its_case_and_space(text, left):
    assert Removal(frozenset({"never"}), 3)(text) == left


def test_what_has_the_place_of_a_word_is_as_long_as_words_are():
    texts = ["certainly one two", "certainly red", "red one", "one two two"]
    table = pd.DataFrame({"query": texts, "label": ["yes", "yes", "no", "no"]})
    items = Items(table.set_axis([*"abcd"], axis="index"), ("query",))
    replaced = choose_removal(items, "query", 1, replaced=True)
    assert replaced == Removal(frozenset({"certainly"}), 3)
    assert choose_removal(items, "query", 1, replaced=False).size == 0


@pytest.mark.parametrize("added", [True, False])
def test_length_tells_nothing_once_the_word_that_made_it_is_gone(added):
    """A word that was added is taken out; one in the place of another is replaced."""

    def write(label):
        telling = ["certainly"] if label == "yes" else []
        return " ".join([*RNG.choice(WORDS, 5), *telling][-5 - added * len(telling) :])

    left = accuracy(write, KeyWordsRemovedReader(True, replaced=not added))
    other = accuracy(write, KeyWordsRemovedReader(True, replaced=added))
    assert left < 0.6
    assert other > 0.95


def test_markup_is_no_word():
    texts = ["<p>a boat</p>", "<p>a mast</p>", "a boat", "a mast &amp; oar"]
    words = telling_words(texts, np.array([0, 0, 1, 1]), 9)
    assert words.isdisjoint({"p", "amp"})
