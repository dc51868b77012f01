"""The words of planted benchmarks: each has one meaning, and no synonym."""

from collections import Counter

import pytest

from measurand.benchmarks.english import assign_words, english_lines
from measurand.core.errors import BadOption
from measurand.text.words import FUNCTION, NEGATIONS, lexicon_lines

MEANINGS = {m: w for m, w in english_lines().items() if not m.startswith("choice ")}


def test_no_word_has_two_meanings():
    counts = Counter(word for words in MEANINGS.values() for word in words)
    assert [word for word, count in counts.items() if count > 1] == []
    fill = {"nouns", "verbs", "adjectives"}
    assert {len(w) for m, w in MEANINGS.items() if m not in fill} == {12}


def test_no_word_is_rewritten_by_a_paraphrase_or_holds_a_sentence_together():
    known = {form for sets in lexicon_lines() for forms in sets for form in forms}
    for words in MEANINGS.values():
        assert not known.union(FUNCTION, NEGATIONS).intersection(words)


def test_values_of_ones_own_get_lines_that_are_free():
    lines = english_lines()
    words = assign_words(["wording of short", "wording of mine", "kind=x"])
    assert words["wording of short"] == lines["wording of short"]
    assert words["wording of mine"] == lines["wording of long"]
    assert words["kind=x"] == lines["answer_type=person"]
    with pytest.raises(BadOption, match="40 values or labels of its own"):
        assign_words([f"kind={number}" for number in range(40)])
