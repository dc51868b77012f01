import threading

import numpy as np
import pytest

from measurand.readers import ngrams
from measurand.readers.ngrams import number_words
from measurand.text.words import words

TEXTS = ["the cat saw the dog", "", "The DOG ran", "a cat, a cat", "猫 ran"]


def plain_numbers(texts, vocabulary, *, grow):
    """What is to come out, a word at a time."""
    if grow:
        for word in (word for text in texts for word in words(text)):
            vocabulary.setdefault(word, len(vocabulary))
    return [[vocabulary.get(word, -1) for word in words(text)] for text in texts]


def as_lists(numbers):
    return [part.tolist() for part in np.split(numbers.ids, numbers.starts[1:-1])]


@pytest.fixture(autouse=True)
def _nothing_is_remembered():
    ngrams.MEMORY.forget()


@pytest.mark.parametrize("most", [0, 20, 2_000_000])
def test_a_text_has_the_same_numbers_however_often_it_was_read(monkeypatch, most):
    monkeypatch.setattr(ngrams, "MOST_REMEMBERED", most)
    ngrams.MEMORY.forget()
    for texts in (TEXTS, TEXTS[::-1], TEXTS[2:], TEXTS):
        ours, theirs = {"ran": 0}, {"ran": 0}
        expected = plain_numbers(texts, theirs, grow=True)
        assert as_lists(number_words(texts, ours, grow=True)) == expected
        assert [*ours.items()] == [*theirs.items()]
        known = plain_numbers(TEXTS, {"cat": 0, "ran": 1}, grow=False)
        found = number_words(TEXTS, {"cat": 0, "ran": 1}, grow=False)
        assert as_lists(found) == known


def test_no_more_is_remembered_than_there_is_room_for(monkeypatch):
    monkeypatch.setattr(ngrams, "MOST_REMEMBERED", 100)
    ngrams.MEMORY.forget()
    for start in range(0, 500, 50):
        texts = [f"text {i}" for i in range(start, start + 50)]
        number_words(texts, {}, grow=True)
        assert len(ngrams.MEMORY.texts) <= 6
        assert len(ngrams.MEMORY.spellings) <= 51


def test_threads_do_not_number_words_for_each_other():
    number_words(TEXTS, {}, grow=True)
    kept = []
    other = threading.Thread(target=lambda: kept.extend(ngrams.MEMORY.texts))
    other.start()
    other.join()
    assert ngrams.MEMORY.texts
    assert not kept
