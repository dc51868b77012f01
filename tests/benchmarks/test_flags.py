"""Objects of which a flag or a score says which is right."""

import pytest

import measurand as ms
from measurand.core.errors import BadInput
from tests.benchmarks.trees import CHOICES, PLACES, check_golds, rows


def objects(key, text="text", flag=lambda right: right):
    return [
        [{text: wood, key: flag(j == place)} for j, wood in enumerate(texts)]
        for texts, place in zip(CHOICES, PLACES, strict=True)
    ]


@pytest.mark.parametrize("flag", [bool, int, float])
@pytest.mark.parametrize("key", ["correct", "is_correct", "isCorrect", "score"])
def test_answers_with_flags_are_choices(key, flag):
    table = rows(answers=objects(key, flag=flag))
    paths = {"choices": "answers[].text", "label": f"answers[].{key}"}
    advice = " and ".join(f"`{part}` '{path}'" for part, path in paths.items())
    with pytest.raises(BadInput) as refused:
        ms.load(table)
    assert advice in str(refused.value)
    check_golds(ms.load(table, **paths))


def test_answers_with_lists_of_flags_are_choices():
    cells = [
        {"text": texts, "correct": [j == place for j in range(4)]}
        for texts, place in zip(CHOICES, PLACES, strict=True)
    ]
    with pytest.raises(BadInput, match=r"'answers.text' and `label` 'answers.correct'"):
        ms.load(rows(answers=cells))


def test_scores_that_pick_none_are_refused_without_a_path():
    cells = objects("score", flag=lambda right: 0.7 if right else 0.0)
    with pytest.raises(BadInput, match="'score' says; give the accepted answers only"):
        ms.load(rows(answers=cells))


def test_answers_that_are_all_right_are_accepted():
    loaded = ms.load(rows(answers=objects("score", flag=lambda right: 1)))
    assert loaded.columns["answers"] == ("answers",)
    assert len(loaded.test.accepted_answers[0]) == 4


def test_points_for_one_of_the_answers_say_that_the_others_are_wrong():
    table = rows(answers=objects("points", flag=lambda right: 10 * right))
    with pytest.raises(BadInput, match=r"not all of the answers .* 'points' says"):
        ms.load(table)
