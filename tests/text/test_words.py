from hypothesis import example, given, settings
from hypothesis import strategies as st

from measurand.text.words import ASCII_WORD, WORD, surface_words, words


@settings(max_examples=40)
@given(st.text(st.characters(codec="ascii")) | st.text())
@example("Don't 'quote' rock'n'roll's _x_ 1'2")
@example("\u212a is no k, and \u2019 is no '")  # the Kelvin sign is k in lower case
def test_the_short_cut_for_plain_text_finds_the_same_words(text):
    assert words(text) == WORD.findall(text.lower())


@settings(max_examples=40)
@given(st.text(st.characters(codec="ascii")))
def test_the_short_cut_needs_no_lower_case(text):
    assert ASCII_WORD.findall(text) == WORD.findall(text)


def test_tags_are_told_apart_by_their_names_alone():
    assert surface_words("<b>x</b>") != surface_words("<i>x</i>")
    assert surface_words("<B class='y'>x") == surface_words("<b id='z'>x")
