"""The lexical judge: words that were said before, and whether they were denied."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from measurand.core.explainer import Judge
from measurand.judges.lexical import LexicalJudge

WORDS = ["A", "dog's", "dogs", "run,", "running!", "isn't", "NEVER", "猫", "不", "42"]
TEXTS = st.lists(st.sampled_from(WORDS)).map(" ".join)
HELD = "A man is sleeping on a bench."


def entails(a, b):
    (score,) = LexicalJudge().entails([(a, b)])
    return score


def test_the_score_is_the_weighted_share_of_words():
    # a 1, dog 10, sleep 10, on 1, grass 10: dog and sleep were said.
    assert entails("The dogs were sleeping", "A dog sleeps on grass") == 20 / 32
    # the 1, dog 10, were 1, sleep 10: dog and sleep again.
    assert entails("A dog sleeps on grass", "The dogs were sleeping") == 20 / 22


def test_a_text_entails_its_parts_and_not_the_other_way_round():
    assert entails("A red dog sleeps on grass.", "a dog sleeps") == 1
    assert entails("a dog sleeps", "A red dog sleeps on grass.") < 0.7
    assert entails("a dog sleeps", "Banks raise rates") == 0


@pytest.mark.parametrize(
    "denied",
    [
        "A man is not sleeping on a bench.",
        "A man isn't sleeping on a bench.",
        "A man isn’t sleeping on a bench.",
        "A man is never sleeping on a bench.",
        "No man is sleeping on a bench.",
    ],
)
def test_a_negation_put_in_or_taken_out_ends_entailment(denied):
    assert entails(HELD, denied) == entails(denied, HELD) == 0
    assert entails(denied, denied) == 1


def test_other_ways_to_deny_are_the_same():
    for short, long in [
        ("isn't", "is not"),
        ("can't", "cannot"),
        ("won't", "will not"),
    ]:
        assert entails(f"it {short} good", f"it {long} good") == 1
        assert entails(f"it {long} good", f"it {short} good") == 1
    assert entails("Neither cats nor dogs", "No cats") == 1


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("A guy watched the movie", "A man watched a film"),
        ("The men and the guy", "The guys and a man"),  # forms of both words
        ("roughly 40 kids", "approximately 40 children"),
        ("a cop", "a policeman"),  # the lexicon's word for them is a phrase
    ],
)
def test_words_that_mean_the_same_are_one(one, other):
    content = [text.replace("The", "a").replace("the", "a") for text in (one, other)]
    assert entails(*content) == entails(*content[::-1]) == 1


def test_a_phrase_is_just_its_words():
    # close 10, to 1, a 1, park 10: the lexicon knows it as near, which weighs 1.
    assert entails("near a park", "close to a park") == 11 / 22


def test_two_negations_deny_nothing():
    assert entails("It is not so that he never ran", "he ran") == 1


@pytest.mark.parametrize(
    ("a", "b", "score"),
    [("", "", 1), ("a dog", "", 0), ("", "a dog", 0), ("...", " ", 1), ("x", "...", 0)],
)
def test_a_text_without_words_says_nothing(a, b, score):
    assert entails(a, b) == score


def test_characters_are_words_where_no_spaces_are_written():
    assert entails("猫吃鱼", "猫吃") == 1
    assert entails("猫吃鱼", "猫不吃鱼") == 0


@given(TEXTS, TEXTS, TEXTS)
def test_scores_are_shares_and_what_is_said_besides_takes_nothing_away(a, b, more):
    judge = LexicalJudge()
    alone, same, twice = judge.entails([(a, b), (a, a), (f"{a} {more} {more}", b)])
    assert 0 <= alone <= 1
    assert same == 1
    if b:
        assert twice >= alone


def test_a_score_depends_on_no_other_pair():
    pairs = [(HELD, "a man"), ("a dog", HELD), (HELD, "a man")]
    assert isinstance(LexicalJudge(), Judge)
    assert LexicalJudge().entails(pairs).tolist() == [entails(*pair) for pair in pairs]
    assert LexicalJudge().entails([]).shape == (0,)
