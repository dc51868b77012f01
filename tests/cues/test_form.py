"""How a text is written down."""

import pytest

from measurand.cues.form import describe_form, form_candidates
from tests.cues.rows import plain_rows


def find(*texts):
    return form_candidates(plain_rows(texts))


def test_texts_that_differ_in_form_alone_have_other_signs():
    candidates = find(*["is it a boat?", "It is a boat."] * 10)
    marks = candidates.marks.toarray()
    apart = (marks[0] != marks[1]).sum()
    assert apart >= 2
    assert (marks[::2] == marks[0]).all()


def test_no_word_is_a_sign_of_form():
    plain = find(*["Is it a boat?"] * 10), find(*["Is it a mast?"] * 10)
    assert plain[0].names == plain[1].names
    assert not {"boat", "mast"} & {*plain[0].names}


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("mark2cba", "the mark , between spaces"),
        ("mark1f600ba", "the mark \U0001f600 between spaces"),
        ("mark10ffffba", "the mark 10ffffba"),
    ],
)
def test_a_mark_of_any_script_is_named_with_the_spaces_beside_it(name, said):
    assert describe_form(name) == said
