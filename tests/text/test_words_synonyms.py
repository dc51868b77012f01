"""The lexicon: sets of words that say the same."""

from measurand.text.words import lexicon_lines, representatives, synonyms


def test_a_word_and_its_synonyms_have_one_representative():
    known = representatives()
    assert known["kids"] == known["children"] == "children"
    assert known["shop"] == known["store"]
    assert "gravel" not in known


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
    known = representatives()
    assert all(known[first] == first for first in known.values())
    assert len(lexicon_lines()) > 300
