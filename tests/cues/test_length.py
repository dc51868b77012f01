"""How long a text is."""

from measurand.cues.length import length_candidates
from tests.cues.rows import plain_rows


def find(texts):
    return length_candidates(plain_rows(texts))


def test_each_decile_cuts_short_from_long():
    candidates = find([" ".join(["boat"] * n) for n in range(1, 101)])
    assert candidates.marks.shape == (100, 18)
    names = [*candidates.names]
    short = candidates.marks[:, [names.index("at most 50 words")]].toarray().ravel()
    long = candidates.marks[:, [names.index("more than 50 words")]].toarray().ravel()
    assert short.tolist() == [1] * 50 + [0] * 50
    assert (short + long == 1).all()


def test_texts_of_one_length_are_all_at_most_as_long():
    candidates = find(["a boat"] * 20)
    assert candidates.names == ["at most 2 words", "more than 2 words"]
    assert candidates.marks.toarray().sum(axis=0).tolist() == [20, 0]


def test_no_text_has_no_length():
    assert find([]).marks.shape[1] == 0
