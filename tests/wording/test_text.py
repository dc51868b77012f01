"""Text shows itself, whatever is in it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from measurand.wording.text import plain_text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\x1b[31mb\x1b[0m", "ab"),
        ("\x1b]0;title\x07a\x1b]8;;http://x\x1b\\b", "ab"),
        ("a\x9b31mb\x85c", "ab c"),
        ("a\r\nb\tc\u2028d", "a b c d"),
        ("\u202ea\u2066b\u200fc\ufeff", "abc"),
        ("\ud800a\x00\x7f", "a"),
        ("نص‌ها", "نص‌ها"),
        (None, "None"),
    ],
)
def test_plain_text_shows_what_it_holds(text, shown):
    assert plain_text(text) == shown


@given(st.text(st.characters(exclude_characters="\x07\x1b\x9b"), max_size=40))
def test_plain_text_is_the_same_by_the_short_way_and_the_long(text):
    # What is taken off at the end sends it the long way, which all texts once went.
    assert plain_text(text, 99) == plain_text(f"{text}\x1b[0m", 99)


def test_plain_text_is_cut():
    assert plain_text("x" * 1_000_000, 10) == "x" * 9 + "…"
    assert len(plain_text("\x1b[31m" * 100_000 + "x")) <= 60
