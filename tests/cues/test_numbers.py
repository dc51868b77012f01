"""How large the one number of a text is."""

from measurand.cues.numbers import number_candidates
from tests.cues.rows import plain_rows


def find(texts):
    return number_candidates(plain_rows(texts))


def test_quantiles_cut_small_from_large_and_only_texts_with_one_number():
    candidates = find([f"it costs {n} coins" for n in range(1, 101)] + ["no", "1 or 2"])
    names = [*candidates.names]
    low = candidates.marks[:, [names.index("at most 50")]].toarray().ravel()
    high = candidates.marks[:, [names.index("more than 50")]].toarray().ravel()
    assert low.tolist() == [1] * 50 + [0] * 52
    assert high.tolist() == [0] * 50 + [1] * 50 + [0, 0]


def test_texts_of_several_numbers_are_told_by_their_order():
    candidates = find(["a boat", "1 or 2", "3 of 2, or 1", "4 to 4"])
    assert candidates.names == ["the first below the last", "the first above the last"]
    assert candidates.marks.toarray().tolist() == [[0, 0], [1, 0], [0, 1], [0, 0]]


def test_no_text_has_no_number():
    assert find([]).marks.sum() == 0
