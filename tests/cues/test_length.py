"""How long a text is."""

import numpy as np

from measurand.cues.candidates import PartTexts
from measurand.cues.length import length_candidates


def find(texts):
    count = len(texts)
    rows = PartTexts(
        texts, np.arange(count), np.zeros(count, int), ("0", "1"), contests=False
    )
    return length_candidates(rows)


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
