"""Names that nearly say a part, and several that say which choice is right."""

import pandas as pd
import pytest

import measurand as ms
from measurand.benchmarks.roles import NamedColumns, infer_roles
from measurand.benchmarks.unread import misspelt_parts
from measurand.core.errors import AmbiguousRoles
from tests.benchmarks.trees import (
    CHOICES,
    PLACES,
    QUESTIONS,
    RIGHT,
    N,
    check_golds,
    rows,
)


def quiz(**columns):
    return rows(choices=CHOICES, **columns)


FLAGS = {
    "label": [i % 3 % 2 for i in range(N)],
    "target": [i % 4 for i in range(1, N + 1)],
    "answer_id": [i // 3 % 4 for i in range(N)],
}


@pytest.mark.parametrize("name", FLAGS)
@pytest.mark.parametrize("answers", [RIGHT, ["ABCD"[place] for place in PLACES]])
def test_golds_that_disagree_are_refused_by_name(name, answers):
    table = quiz(answer=answers, **{name: FLAGS[name]})
    with pytest.raises(AmbiguousRoles, match=rf"{name}, answer; .* with `label`"):
        ms.load(table)
    assert ms.load(table, label="answer").columns["label"] == ("answer",)


def test_a_flag_of_true_and_false_is_no_gold_of_other_choices():
    table = quiz(answer=RIGHT, gold=[i % 3 == 0 for i in range(N)])
    assert ms.load(table).columns["label"] == ("answer",)


AGREEING = {
    "answer_index": PLACES,
    "correct": ["ABCD"[place] for place in PLACES],
    "label": PLACES,
}


@pytest.mark.parametrize("name", AGREEING)
def test_golds_that_agree_are_read_as_one(name):
    loaded = ms.load(quiz(answer=RIGHT, **{name: AGREEING[name]}))
    check_golds(loaded)


@pytest.mark.parametrize(
    "other",
    [[f"Since tree {i} is old." for i in range(N)], [*range(100, 100 + N)]],
    ids=["explanation", "number"],
)
def test_a_column_that_leads_to_no_choice_is_no_rival(other):
    loaded = ms.load(quiz(answer=RIGHT, answer_id=other))
    assert loaded.columns["label"] == ("answer",)


def test_the_same_text_twice_is_the_same_choice():
    table = quiz(answer=RIGHT, answer_index=PLACES)
    table["choices"] = [
        [right, *texts[1:3], right] for texts, right in zip(CHOICES, RIGHT, strict=True)
    ]
    table["answer_index"] = 3
    assert ms.load(table).columns["label"] == ("answer_index",)


def test_a_gold_under_another_name_is_a_rival_too():
    table = quiz(correct_answer_index=PLACES, label=FLAGS["label"])
    with pytest.raises(AmbiguousRoles, match=r"label, correct_answer_index; .*`label`"):
        ms.load(table)


def test_a_flag_is_not_read_for_a_gold_that_leads_nowhere():
    told = [f"Option {'ABCD'[place]}" for place in PLACES]
    with pytest.raises(AmbiguousRoles, match="'answer' leads to no choice"):
        ms.load(quiz(answer=told, label=[i % 2 for i in range(N)]))
    two = pd.DataFrame(
        {
            "question": QUESTIONS,
            "choices": [texts[:2] for texts in CHOICES],
            "answer": ["It grows there, as everybody knows."] * N,
            "label": [i * 3 % 5 % 2 for i in range(N)],
        }
    )
    assert ms.load(two).columns["label"] == ("label",)


def test_golds_that_agree_in_training_and_not_in_test_are_refused():
    test = quiz(answer=RIGHT, label=[0] * N)
    test["question"] = [f"And at house {i}?" for i in range(N)]
    with pytest.raises(AmbiguousRoles, match="label, answer"):
        ms.load(quiz(answer=RIGHT, label=PLACES), test)


def test_the_name_of_its_column_is_a_gold():
    first, second = ([texts[n] for texts in CHOICES] for n in (0, 1))
    told = ["choice1" if i % 3 else "choice2" for i in range(N)]
    table = pd.DataFrame(
        {
            "question": QUESTIONS,
            "choice1": first,
            "choice2": second,
            "label": told,
        }
    )
    loaded = ms.load(table)
    for items in (loaded.train, loaded.test):
        for question, letter in zip(
            items.column("question"), items.labels, strict=True
        ):
            number = int(question.split()[-1].rstrip("?"))
            assert letter == ("A" if number % 3 else "B")


def test_a_misspelt_column_is_named_where_its_part_is_left_out():
    columns = ["claim", "Evidense", "label", "explanaton", "context_id"]
    roles = infer_roles(columns)
    assert misspelt_parts(columns, roles) == [
        "'Evidense' could be the evidence",
        "'explanaton' could be the rationale",
    ]
    named = infer_roles(columns, NamedColumns(metadata=("Evidense", "explanaton")))
    assert misspelt_parts(columns, named) == []
