"""ROUGE-L against the definition, by hand and by the usual table."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from measurand.core.explainer import Likeness
from measurand.judges.lexical import Rouge, common_length

WORDS = st.lists(st.sampled_from("abcd"), max_size=90)


def table(a, b):
    """The longest common subsequence as textbooks have it."""
    row = [0] * (len(b) + 1)
    for word in a:
        before = 0
        for j, other in enumerate(b, start=1):
            above = row[j]
            row[j] = before + 1 if word == other else max(above, row[j - 1])
            before = above
    return row[-1]


@pytest.mark.parametrize(
    ("a", "b", "score"),
    [
        ("police killed the gunman", "police kill the gunman", 6 / 8),
        ("police killed the gunman", "the gunman kill police", 4 / 8),
        ("The dog.", "the DOG", 1),
        ("a b c", "d", 0),
        ("", "", 1),
        ("a", "...", 0),
    ],
)
def test_the_score_is_the_f1_of_the_longest_common_subsequence(a, b, score):
    assert Rouge().alike([(a, b), (b, a)]).tolist() == [score, score]


@given(WORDS, WORDS)
def test_the_bits_count_what_the_table_counts(a, b):
    assert common_length(a, b) == common_length(b, a) == table(a, b)


def test_a_drift_by_one_word_stays_alike():
    assert isinstance(Rouge(), Likeness)
    drift = ("a man is sleeping on a bench", "a man is not sleeping on a bench")
    assert Rouge().alike([drift])[0] > 0.9
    assert Rouge().alike([]).shape == (0,)
