"""What is named where no column is plainly the label, and that it then loads."""

import re

import pytest

import measurand as ms
from measurand.core.errors import BadInput
from tests.benchmarks.trees import CHOICES, LETTERS, PLACES, RIGHT, N, check_golds, rows

ONE_HOT = [[int(j == place) for j in range(4)] for place in PLACES]


def each(make):
    return [make(texts, place) for texts, place in zip(CHOICES, PLACES, strict=True)]


FLAGGED = each(
    lambda texts, place: [
        {"text": text, "correct": j == place} for j, text in enumerate(texts)
    ]
)
TARGETS = each(
    lambda texts, place: {"choices": texts, "labels": ONE_HOT[int(texts[0].split()[1])]}
)
WRONG = each(lambda texts, place: [t for j, t in enumerate(texts) if j != place])
FAMILY = {f"mc_answer{j + 1}": [texts[j] for texts in CHOICES] for j in range(4)}
KEYED = each(
    lambda texts, place: [
        {"key": letter, "option": text}
        for letter, text in zip("ABCD", texts, strict=True)
    ]
)
NAMED = each(
    lambda texts, place: dict(zip(["one", "two", "three", "four"], texts, strict=True))
)
SINGLE = each(lambda texts, place: [{k: t} for k, t in zip("ABCD", texts, strict=True)])
PAIR = {
    **{f"warrant{k}": [texts[k] for texts in CHOICES] for k in range(2)},
    "correctLabelW0orW1": [place % 2 for place in PLACES],
}
LAYOUTS = {
    "flags": {"choices": FLAGGED},
    "mc1": {"mc1_targets": TARGETS},
    "right beside wrong": {"correct_answer": RIGHT, "incorrect_answers": WRONG},
    "family": {**FAMILY, "correct_answer_num": [str(p + 1) for p in PLACES]},
    "list": {"选项": CHOICES, "答案": LETTERS},
    "other keys": {"choices": KEYED, "answer": LETTERS},
    "texts and labels": {
        "options": each(lambda texts, _: {"texts": texts, "labels": [*"ABCD"]}),
        "answer": LETTERS,
    },
    "keys": {"options": NAMED, "answer": LETTERS},
    "single keys": {"choices": SINGLE, "answer": LETTERS},
}


def follow(table, message):
    """The benchmark that loads as a message says."""
    named: dict[str, list[str]] = {}
    for part, name in re.findall(r"`(\w+)` '([^']+)'", message):
        named.setdefault(part, []).append(name)
    choices = named.pop("choices", None)
    single = {part: names[0] for part, names in named.items()}
    return ms.load(table, **single, **({"choices": choices} if choices else {}))


def refusal(table, **named):
    with pytest.raises(BadInput) as refused:
        ms.load(table, **named)
    assert "\n" not in str(refused.value)
    return str(refused.value)


@pytest.mark.parametrize("columns", LAYOUTS.values(), ids=LAYOUTS)
def test_what_is_said_of_choices_leads_to_the_right_ones(columns):
    table = rows(**columns)
    loaded = follow(table, refusal(table))
    check_golds(loaded)


ANSWERS = {
    "lists": {"answer": [[text, text.upper()] for text in RIGHT]},
    "value": {"answer": [{"value": t, "kind": "tree"} for t in RIGHT]},
    "spans": {"answers_spans": [{"spans": [t], "types": ["span"]} for t in RIGHT]},
    "scores": {"answers": [[{"answer": t, "score": 1}] for t in RIGHT]},
    "nested": {"data": [{"Answer": {"Value": t}} for t in RIGHT]},
    "some yes": {"answer": [t if i % 2 else "yes" for i, t in enumerate(RIGHT)]},
}


@pytest.mark.parametrize("columns", ANSWERS.values(), ids=ANSWERS)
def test_what_is_said_of_free_answers_leads_to_them(columns):
    table = rows(**columns)
    loaded = follow(table, refusal(table))
    accepted = {text for texts in loaded.test.accepted_answers for text in texts[:1]}
    assert accepted <= {*RIGHT, "yes"}
    assert loaded.notes["items_screened"] == N


def test_a_right_answer_that_was_named_does_not_lose_the_wrong_ones():
    table = rows(correct_answer=RIGHT, incorrect_answers=WRONG)
    message = refusal(table, label="correct_answer")
    assert "`choices` 'correct_answer', `choices` 'incorrect_answers[0]'" in message
    assert ms.load(table, answers="correct_answer").columns["answers"]


@pytest.mark.parametrize(
    "answers",
    [
        [[{"input_text": "oak"}, {"input_text": "yes"}]] * N,
        [{"input_text": ["oak", "yes"], "answer_start": [1, 2]}] * N,
    ],
    ids=["objects", "lists"],
)
@pytest.mark.parametrize(
    "named", [{}, {"query": "questions[].input_text", "answers": "answers"}]
)
def test_rows_of_several_questions_are_refused(answers, named):
    questions = [
        [{"input_text": f"What is {i}?"}, {"input_text": "Why?"}] for i in range(N)
    ]
    table = rows(questions=questions, answers=answers).drop(columns="question")
    assert "one item a question is needed" in refusal(table, **named)


def test_one_of_two_columns_that_is_called_correct_is_a_choice():
    table = rows(**PAIR)
    loaded = follow(table, refusal(table))
    assert loaded.columns["choices"] == ("warrant0", "warrant1")
    bare = rows(text1=PAIR["warrant0"], text2=PAIR["warrant1"], kind=[0, 1] * (N // 2))
    assert "`choices`" not in refusal(bare)
