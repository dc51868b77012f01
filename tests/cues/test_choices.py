"""How a choice stands among the others of its item."""

import numpy as np
import pytest

from measurand.cues.candidates import NONE, PartTexts
from measurand.cues.choices import choice_candidates
from measurand.cues.words import word_candidates


def contest(*items):
    """Rows of items, each a list of choices of which the first is right."""
    texts = [text for item in items for text in item]
    item = np.repeat(np.arange(len(items)), [len(i) for i in items])
    gold = np.concatenate([[0] + [1] * (len(i) - 1) for i in items])
    return PartTexts(texts, item, gold, ("right", "wrong"), contests=True)


def marks(name, *items):
    """Which choices have the mark, item by item."""
    candidates = choice_candidates(contest(*items))
    column = candidates.marks[:, [candidates.names.index(name)]].toarray().ravel()
    ends = np.cumsum([len(i) for i in items])[:-1]
    return [part.astype(int).tolist() for part in np.split(column, ends)]


def test_a_place_is_counted_within_the_item():
    assert marks("choice 2", ["a", "b", "c"], ["d", "e"]) == [[0, 1, 0], [0, 1]]
    assert marks("choice 3", ["a", "b", "c"], ["d", "e"]) == [[0, 0, 1], [0, 0]]


def test_the_longest_and_the_shortest_stand_alone():
    items = ["boat", "a boat", "mast"], ["red", "green"]
    assert marks("the longest choice", *items) == [[0, 1, 0], [0, 1]]
    assert marks("the shortest choice", *items) == [[0, 0, 0], [1, 0]]


def test_likeness_is_of_words_that_others_have():
    item = ["the red boat", "the red mast", "some keel"]
    assert marks("least like the other choices", item) == [[0, 0, 1]]
    assert marks("most like the other choices", ["a b", "a c d e", "a f g"]) == [
        [1, 0, 0]
    ]


def test_the_alphabet_knows_no_case_and_no_first_of_equals():
    items = ["mast", "Keel", "boat"], ["oar", "Oar", "sail"]
    assert marks("first by the alphabet", *items) == [[0, 0, 1], [0, 0, 0]]
    assert marks("last by the alphabet", *items) == [[1, 0, 0], [0, 0, 1]]


def test_numbers_are_compared_where_all_choices_are_numbers():
    item = ["3", "$1,200", "-5", "7 %"]
    assert marks("the greatest number", item) == [[0, 1, 0, 0]]
    assert marks("the least number", item) == [[0, 0, 1, 0]]
    assert marks("between the other numbers", item) == [[1, 0, 0, 1]]


@pytest.mark.parametrize("other", ["none", "12.05.1999", "1.2.3", ""])
def test_an_item_with_a_choice_that_is_no_number_has_no_order(other):
    item = ["3", "5", "7", other]
    for name in (
        "the greatest number",
        "the least number",
        "between the other numbers",
    ):
        assert marks(name, item) == [[0, 0, 0, 0]]


def test_equal_numbers_are_neither_greatest_nor_between():
    assert marks("the greatest number", ["7", "7", "1"]) == [[0, 0, 0]]
    assert marks("between the other numbers", ["7", "7", "1"]) == [[0, 0, 0]]


def test_a_text_that_competes_with_none_has_no_such_cue():
    rows = PartTexts(["a", "b"], np.arange(2), np.arange(2), ("0", "1"), contests=False)
    assert choice_candidates(rows) is NONE
    assert word_candidates(rows).marks.shape == (2, 0)
