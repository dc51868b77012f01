"""Scores of written answers, against the rules that SQuAD's own script follows."""

import collections
import re
import string

import pytest

from measurand.stats.scores import (
    commonest_answer_scores,
    exact_match,
    squad_form,
    token_f1,
)

FORMS = {
    "The Eiffel Tower": "eiffel tower",
    "an apple": "apple",
    "A": "",
    "a.b.c.": "abc",
    "U.S.A": "usa",
    "don't": "dont",
    "  many   spaces\tand\nlines ": "many spaces and lines",
    "theatre": "theatre",
    "the-end": "theend",
    "$1,000.50": "100050",
    "snake_case": "snakecase",
    "“curly” – dash": "“curly” – dash",
    "ÉCOLE": "école",
    "Answer: the one": "answer one",
    "": "",
}
CASES = [
    ("Denver Broncos", ["Denver Broncos", "the Broncos"], 1, 1),
    ("broncos", ["Denver Broncos", "The Broncos."], 1, 1),
    ("Broncos", ["Denver Broncos"], 0, 2 / 3),
    ("the Denver Broncos of Denver", ["Denver Broncos"], 0, 2 / 3),
    ("Carolina", ["Denver Broncos"], 0, 0),
    ("", ["Denver"], 0, 0),
    ("the", ["a"], 1, 1),
    ("", [""], 1, 1),
    ("four four", ["four"], 0, 2 / 3),
    ("it was 23 years", ["23 years", "23"], 0, 2 / 3),
]


def squad_script(text):
    """The normalisation as SQuAD v1.1's evaluation writes it."""
    without = "".join(c for c in text.lower() if c not in set(string.punctuation))
    return " ".join(re.sub(r"\b(a|an|the)\b", " ", without).split())


def squad_f1(answer, gold):
    """The F1 as SQuAD v2.0's evaluation writes it."""
    gold_tokens, tokens = squad_script(gold).split(), squad_script(answer).split()
    common = collections.Counter(gold_tokens) & collections.Counter(tokens)
    same = sum(common.values())
    if not gold_tokens or not tokens:
        return int(gold_tokens == tokens)
    if same == 0:
        return 0
    precision, recall = same / len(tokens), same / len(gold_tokens)
    return (2 * precision * recall) / (precision + recall)


@pytest.mark.parametrize("text", FORMS)
def test_an_answer_is_compared_as_squad_compares_it(text):
    assert squad_form(text) == squad_script(text) == FORMS[text]


@pytest.mark.parametrize(("answer", "accepted", "exact", "shared"), CASES)
def test_the_best_of_the_accepted_answers_counts(answer, accepted, exact, shared):
    assert exact_match(answer, accepted) == exact
    assert token_f1(answer, accepted) == pytest.approx(shared)
    assert token_f1(answer, accepted) == pytest.approx(
        max(squad_f1(answer, gold) for gold in accepted)
    )


def test_the_commonest_answer_is_what_most_items_accept():
    accepted = [["2", "two"], ["Two."], ["Oslo"], ["the Oslo"], ["2"], ["two"]]
    assert commonest_answer_scores(accepted).tolist() == [1, 1, 0, 0, 0, 1]
