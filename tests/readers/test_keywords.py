"""The reader of a few words."""

import numpy as np
import pandas as pd
import pytest

from measurand.benchmarks.assemble import from_frames
from measurand.core.items import Items
from measurand.readers.keywords import (
    KeyWordsReader,
    remove_words,
    telling_words,
)

RNG = np.random.default_rng(0)
WORDS = ["apple", "river", "stone", "cloud", "table", "green", "paper", "chair"]


def accuracy(write):
    labels = RNG.choice(["no", "yes"], 600)
    frame = pd.DataFrame({"query": [write(label) for label in labels], "label": labels})
    benchmark = from_frames(frame.iloc[:300], frame.iloc[300:], name="words")
    fitted = KeyWordsReader().fit(benchmark.train, np.random.default_rng(0))
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
        ("Never! A boat sails.", " A boat sails."),
        ("A boat, never, sails.", "A boat, sails."),
        ("A boat never sails.", "A boat sails."),
        ("A boat sails never.", "A boat sails."),
        ("A boat sails... Well.", "A boat sails... Well."),
        ("<never>A boat</never> never sails", "<never>A boat</never> sails"),
    ],
)
def test_the_mark_of_a_removed_sentence_goes_with_it(text, left):
    table = pd.DataFrame({"query": [text], "label": ["no"]}, index=["one"])
    removed = remove_words(Items(table, ("query",)), {"query": frozenset({"never"})})
    assert removed.column("query").iloc[0] == left


def test_markup_is_no_word():
    texts = ["<p>a boat</p>", "<p>a mast</p>", "a boat", "a mast &amp; oar"]
    words = telling_words(texts, np.array([0, 0, 1, 1]), 9)
    assert words.isdisjoint({"p", "amp"})
