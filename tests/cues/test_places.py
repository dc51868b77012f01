"""Where a word stands."""

from measurand.cues.places import ending_candidates, place_candidates
from tests.cues.rows import plain_rows


def find(texts, candidates=place_candidates):
    return candidates(plain_rows(texts))


def test_a_word_is_told_by_its_half_and_by_both_ends():
    candidates = find(["Boat one two mast"] * 4 + ["mast one two boat"] * 4 + ["sail"])
    marks = dict(zip(candidates.names, candidates.marks.toarray().T, strict=True))
    early = [1] * 4 + [0] * 5
    late = [0] * 4 + [1] * 4 + [0]
    assert marks["boat in the first half"].tolist() == early
    assert marks["boat in the second half"].tolist() == late
    assert marks["mast at the end"].tolist() == early
    assert marks["boat at the end"].tolist() == late
    assert not any("sail" in name for name in marks)  # in fewer than four texts


def test_longer_words_are_told_by_their_endings():
    candidates = find(["a boat sailing"] * 4 + ["a mast sailed"] * 4, ending_candidates)
    marks = dict(zip(candidates.names, candidates.marks.toarray().T, strict=True))
    assert {*marks} == {"…ng", "…ing", "…ed", "…led"}
    assert marks["…ing"].tolist() == [1] * 4 + [0] * 4


def test_texts_without_a_word_have_no_places():
    assert find(["?"] * 5).marks.shape[1] == 0
    assert find([]).marks.shape[1] == 0
