"""Whether a word is said twice."""

from measurand.cues.repeats import repeat_candidates
from tests.cues.rows import plain_rows


def test_function_words_may_stand_twice_and_words_of_content_are_counted():
    texts = ["the boat and the sea", "a Boat is a boat", "<b>boat</b> <b>sea</b>", ""]
    candidates = repeat_candidates(plain_rows(texts))
    assert candidates.marks.toarray().tolist() == [[0, 1], [1, 0], [0, 1], [0, 1]]
    assert candidates.names == ("a content word twice", "no content word twice")
