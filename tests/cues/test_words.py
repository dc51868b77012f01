"""Words, phrases and pairs of words."""

import numpy as np

from measurand.cues.candidates import PartTexts
from measurand.cues.words import LEAST, WINDOW, pair_candidates, word_candidates


def rows(*texts):
    labels = np.zeros(len(texts), int)
    return PartTexts(texts, np.arange(len(texts)), labels, ("0", "1"), contests=False)


def test_words_and_phrases_stand_in_enough_texts():
    texts = ["the red boat"] * LEAST + ["a mast"] * (LEAST - 1)
    names = word_candidates(rows(*texts)).names
    assert {*names} == {"the", "red", "boat", "the red", "red boat"}


def test_a_word_said_twice_is_one_mark():
    candidates = word_candidates(rows(*["boat boat"] * LEAST))
    assert candidates.marks.toarray().max() == 1
    assert [*candidates.names] == ["boat", "boat boat"]


def test_pairs_have_an_order_and_a_reach():
    names = pair_candidates(rows(*["red sails a boat"] * LEAST)).names
    assert "red … boat" in names
    assert "boat … red" not in names
    assert all("…" in name for name in names)
    between = " ".join(["x"] * (WINDOW - 1))
    assert "red … boat" in pair_candidates(rows(*[f"red {between} boat"] * LEAST)).names
    too_far = [f"red {between} x boat"] * LEAST
    assert "red … boat" not in pair_candidates(rows(*too_far)).names


def test_marks_are_of_the_texts_that_have_them():
    candidates = word_candidates(rows(*["a boat", "a mast"] * LEAST))
    column = [*candidates.names].index("boat")
    assert candidates.marks[:, [column]].toarray().ravel().tolist() == [1, 0] * LEAST
