"""Several columns that could say which choice is right."""

import pandas as pd
import pytest

import measurand as ms
from measurand.core.errors import AmbiguousRoles

N = 40
CHOICES = [[f"{wood} {i}" for wood in ("oak", "ash", "elm", "fir")] for i in range(N)]
PLACES = [i * 7 % 4 for i in range(N)]
RIGHT = [texts[place] for texts, place in zip(CHOICES, PLACES, strict=True)]


def rows(**columns):
    questions = [f"Which tree stands at house {i}?" for i in range(N)]
    return pd.DataFrame({"question": questions, "choices": CHOICES, **columns})


FLAGS = {
    "label": [i % 3 % 2 for i in range(N)],
    "target": [i % 4 for i in range(1, N + 1)],
    "answer_id": [i // 3 % 4 for i in range(N)],
}


@pytest.mark.parametrize("name", FLAGS)
@pytest.mark.parametrize("answers", [RIGHT, ["ABCD"[place] for place in PLACES]])
def test_golds_that_disagree_are_refused_by_name(name, answers):
    table = rows(answer=answers, **{name: FLAGS[name]})
    with pytest.raises(AmbiguousRoles, match=rf"{name}, answer; .* with `label`"):
        ms.load(table)
    assert ms.load(table, label="answer").columns["label"] == ("answer",)


def test_a_flag_of_true_and_false_is_no_gold_of_other_choices():
    table = rows(answer=RIGHT, gold=[i % 3 == 0 for i in range(N)])
    assert ms.load(table).columns["label"] == ("answer",)


AGREEING = {
    "answer_index": PLACES,
    "correct": ["ABCD"[place] for place in PLACES],
    "label": PLACES,
}


@pytest.mark.parametrize("name", AGREEING)
def test_golds_that_agree_are_read_as_one(name):
    loaded = ms.load(rows(answer=RIGHT, **{name: AGREEING[name]}))
    for items in (loaded.train, loaded.test):
        for question, texts, letter in zip(
            items.column("question"), items.choice_texts, items.labels, strict=True
        ):
            house = int(question.rstrip("?").split()[-1])
            assert texts["ABCD".index(letter)] == RIGHT[house]


@pytest.mark.parametrize(
    "other",
    [[f"Since tree {i} is old." for i in range(N)], [*range(100, 100 + N)]],
    ids=["explanation", "number"],
)
def test_a_column_that_leads_to_no_choice_is_no_rival(other):
    loaded = ms.load(rows(answer=RIGHT, answer_id=other))
    assert loaded.columns["label"] == ("answer",)


def test_the_same_text_twice_is_the_same_choice():
    table = rows(answer=RIGHT, answer_index=PLACES)
    table["choices"] = [
        [right, *texts[1:3], right] for texts, right in zip(CHOICES, RIGHT, strict=True)
    ]
    table["answer_index"] = 3
    assert ms.load(table).columns["label"] == ("answer_index",)
