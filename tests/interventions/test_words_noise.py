"""Noise of form."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from measurand.interventions.words import (
    FormatNoise,
    add_format_noise,
    reorder_sentences,
    toggle_full_stop,
)
from measurand.text.words import words

SENTENCES = "Dr. No is in. J. Smith is out. Why?  Done!"


@given(
    st.text("aB .?é猫\n", min_size=1, max_size=20).filter(str.strip), st.integers(0, 50)
)
def test_every_text_changes_and_comes_back_with_the_same_seed(text, seed):
    changed = add_format_noise(text, np.random.default_rng(seed))
    assert changed != text
    assert changed == add_format_noise(text, np.random.default_rng(seed))


@given(st.lists(st.text("aBcé", min_size=2, max_size=6), min_size=1, max_size=9))
def test_noise_keeps_every_word(said):
    text = " ".join(said) + "."
    assert words(add_format_noise(text, np.random.default_rng(3))) == words(text)


@pytest.mark.parametrize("mark", "?!")
def test_a_mark_that_means_something_stays(mark):
    for seed in range(20):
        assert mark in add_format_noise(f"Is it so{mark}", np.random.default_rng(seed))
    assert toggle_full_stop(f"so {mark}", 0) == f"so{mark}"


def test_sentences_change_places_and_nothing_else():
    for seed in range(20):
        told = reorder_sentences(SENTENCES, np.random.default_rng(seed))
        assert told != SENTENCES
        assert sorted(told.split()) == sorted(SENTENCES.split())
        assert "Dr. No is in." in told
        assert "J. Smith is out." in told
    assert reorder_sentences("One alone.", np.random.default_rng(0)) == "One alone."


def test_a_query_without_words_stays_and_moves_no_other(items):
    some = items.with_field("claim", ["", *items.column("claim")[1:]])
    change = FormatNoise("claim", "proof")
    whole = change(items, np.random.default_rng(0)).column("claim")
    part = change(some, np.random.default_rng(0)).column("claim")
    assert part.iloc[0] == ""
    assert part[1:].equals(whole[1:])


def test_without_evidence_only_the_query_changes(items, rng):
    changed = FormatNoise("claim")(items, rng)
    assert (changed.column("claim") != items.column("claim")).all()
    assert changed.column("proof").equals(items.column("proof"))
