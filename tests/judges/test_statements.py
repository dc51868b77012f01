"""Which sentences say the same, by rule: the packaged pairs, and properties."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from measurand.audits.explanations.instrument import minimal_pairs
from measurand.judges.statements import keeps_facts, same_statement, statement_form

PAIRS = minimal_pairs()


def accepted(held_out, same):
    chosen = [p for p in PAIRS if p.held_out is held_out and (p.change == "") is same]
    return np.mean([same_statement(pair.first, pair.second) for pair in chosen])


@pytest.mark.parametrize("held_out", [False, True])
def test_no_pair_with_another_meaning_is_taken_for_a_paraphrase(held_out):
    """D14: by shared words alone two of three were."""
    assert accepted(held_out, same=False) <= 0.05


def test_most_true_paraphrases_are_taken_for_such():
    assert accepted(False, same=True) >= 0.85
    assert accepted(True, same=True) >= 0.6


REVIEWED = [  # D14, word for word
    ("A man bites a dog", "A dog bites a man"),
    ("Two men are here", "Three men are here"),
    ("He was born in 1994", "He was born in 1996"),
    ("All dogs bark", "Some dogs bark"),
    ("She left before noon", "She left after noon"),
    ("A black cat sleeps", "A white cat sleeps"),
]


@pytest.mark.parametrize(("first", "second"), REVIEWED)
def test_what_was_accepted_once_is_refused_both_ways(first, second):
    assert not same_statement(first, second)
    assert not same_statement(second, first)
    assert same_statement(first, first)


def test_numbers_dates_quantifiers_and_negations_are_facts():
    kinds = "number", "date", "quantifier", "negation"
    kept = [keeps_facts(p.first, p.second) for p in PAIRS if p.change in kinds]
    assert np.mean(kept) <= 0.05
    said = [keeps_facts(p.first, p.second) for p in PAIRS if not p.change]
    assert np.mean(said) >= 0.8


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Few men came.", "A few men came."),
        ("Little was done.", "A little was done."),
        ("He has little money.", "He has a little money."),
    ],
)
def test_a_few_and_a_little_are_not_few_and_little(first, second):
    assert not same_statement(first, second)
    assert not keeps_facts(first, second)
    assert same_statement(first, first.upper())


def test_a_little_one_is_a_small_one():
    assert same_statement("A little girl sat.", "A small girl sat.")
    assert same_statement("Two little dogs ran.", "Two small dogs ran.")


@given(st.text("ab ,.'not", max_size=30))
def test_any_text_has_a_form_and_says_the_same_as_itself(text):
    assert same_statement(text, text)
    assert statement_form(text) == statement_form(f" {text.upper()} ")
