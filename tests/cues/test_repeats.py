"""Whether a word is said twice."""

import numpy as np

from measurand.cues.candidates import PartTexts
from measurand.cues.repeats import repeat_candidates


def test_function_words_may_stand_twice_and_words_of_content_are_counted():
    texts = ["the boat and the sea", "a Boat is a boat", "<b>boat</b> <b>sea</b>", ""]
    rows = PartTexts(texts, np.arange(4), np.zeros(4, int), ("0", "1"), contests=False)
    candidates = repeat_candidates(rows)
    assert candidates.marks.toarray().tolist() == [[0, 1], [1, 0], [0, 1], [0, 1]]
    assert candidates.names == ("a content word twice", "no content word twice")
