"""Interventions on the right answer: what is changed, and what is right then."""

import numpy as np
import pandas as pd
import pytest

from measurand.checks import check_intervention
from measurand.core.items import Items, pack_choices
from measurand.interventions.answers import (
    NONE_OF_THESE,
    DeleteAnswer,
    RemoveGold,
    SwapAnswer,
)

ROWS = [
    ("They flew to Oslo. It was cold.", ["Oslo", "Rome", "Lima"], "A"),
    ("They flew to Oslo and Rome.", ["Rome", "Oslo"], "B"),  # both are spoken of
    ("They flew somewhere.", ["Oslo", "Rome"], "A"),  # the answer does not stand there
    ("No, it was in 1903.", ["No", "Yes"], "A"),  # "no" may stand anywhere
    ("It began in 1903. The war ended it.", ["1903", "Rome", "1911"], "A"),
    ("It is a\\d boat.", ["a\\d boat", "a\\d mast"], "A"),
]


def made(rows=ROWS):
    texts, choices, labels = zip(*rows, strict=True)
    table = pd.DataFrame(
        {
            "question": [f"Where was trip {n}?" for n in range(len(rows))],
            "evidence": texts,
            "choices": [pack_choices(row) for row in choices],
            "label": labels,
        },
        index=[f"i{n}" for n in range(len(rows))],
    )
    return Items(table, ("question", "evidence", "choices"), choices="choices")


def changed(change):
    return change(made(), np.random.default_rng(0))


def test_the_sentence_that_holds_the_answer_is_deleted():
    texts = changed(DeleteAnswer("evidence")).column("evidence").tolist()
    assert texts[0] == "It was cold."
    assert texts[1] == ""
    assert texts[2:4] == [ROWS[2][0], ROWS[3][0]]
    assert DeleteAnswer("evidence").right_after(made()).tolist() == [0, 1, -1, -1, 0, 0]


def test_the_answer_is_swapped_for_another_choice_of_its_type():
    change = SwapAnswer("evidence")
    texts = changed(change).column("evidence").tolist()
    new = change.right_after(made())
    assert texts[0] == f"They flew to {ROWS[0][1][new[0]]}. It was cold."
    assert new[0] in (1, 2)
    assert texts[4] == "It began in 1911. The war ended it."
    assert texts[5] == "It is a\\d mast."
    assert new.tolist()[1:] == [-1, -1, -1, 2, 1]


def test_the_right_choice_becomes_none_of_these():
    after = changed(RemoveGold())
    assert after.choice_texts[1] == ["Rome", NONE_OF_THESE]
    assert after.labels.equals(made().labels)


@pytest.mark.parametrize(
    "change", [RemoveGold(), DeleteAnswer("evidence"), SwapAnswer("evidence")], ids=str
)
def test_what_is_changed_follows_from_the_item_alone(change):
    check_intervention(change, made())
    whole = changed(change).table
    apart = [change(made([row]), np.random.default_rng(7)).table for row in ROWS]
    for column in ("evidence", "choices"):
        assert [t[column].iloc[0] for t in apart] == whole[column].tolist()
