"""The lexicon: sets of words that say the same."""

from measurand.core.words import (
    canonical_word,
    lexicon_lines,
    representatives,
    synonyms,
)


def test_a_word_and_its_synonyms_have_one_representative():
    assert canonical_word("Kids") == canonical_word("children") == "children"
    assert canonical_word("shop") == canonical_word("store")
    assert canonical_word("gravel") == "gravel"


def test_what_also_means_something_else_is_put_in_and_never_taken_out():
    assert synonyms("store") == ("shop",)
    assert synonyms("shop") == ()


def test_every_word_is_replaced_by_one_line_and_never_by_itself():
    replaced = [word for both, _ in lexicon_lines() for word in both]
    assert len(replaced) == len(set(replaced))
    for both, put in lexicon_lines():
        whole = [*both, *put]
        assert len(whole) == len(set(whole)) > 1
        assert all(word == word.lower().strip() != "" for word in whole)


def test_a_representative_stands_for_itself():
    assert all(canonical_word(first) == first for first in representatives().values())
    assert len(lexicon_lines()) > 300
