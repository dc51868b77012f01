"""Marks of choices: beside their texts under any key, or in the texts themselves."""

import numpy as np
import pandas as pd
import pytest

import measurand as ms
from measurand.core.errors import BadInput

N = 24
WORDS = [[f"boat {i}", f"mast {i}", f"sail {i}", f"oar {i}"] for i in range(N)]
# The marks in the order in which the choices stand, another one in every item.
ORDERS = [[(k * (1 + i % 2 * 2) + i) % 4 for k in range(4)] for i in range(N)]
GOLD = [i // 2 % 4 for i in range(N)]  # the mark that is right


def load_right(cells, golds, **roles):
    """The right choice of each row, and how the golds were read."""
    questions = [f"What floats on lake {i}?" for i in range(N)]
    table = pd.DataFrame({"question": questions, "choices": cells, "answer": golds})
    loaded = ms.load(table, **roles)
    right = {
        query: texts["ABCD".index(letter)]
        for items in (loaded.train, loaded.test)
        for query, texts, letter in zip(
            items.column("question"), items.choice_texts, items.labels, strict=True
        )
    }
    return [right[query] for query in questions], loaded.roles["label"]


def marked(marks):
    """The marks of every item's choices, and the golds."""
    return [[marks[k] for k in order] for order in ORDERS], [marks[k] for k in GOLD]


RIGHT = [
    texts[order.index(gold)]
    for texts, order, gold in zip(WORDS, ORDERS, GOLD, strict=True)
]


def objects(key, rows, text="text"):
    return [
        [{key: mark, text: word} for mark, word in zip(marks, words, strict=True)]
        for marks, words in zip(rows, WORDS, strict=True)
    ]


@pytest.mark.parametrize("key", ["label", "id", "key", "letter", "option_id", "name"])
@pytest.mark.parametrize(
    "marks", ["ABCD", "1234", [0, 1, 2, 3], ["a.", "b.", "c.", "d."]]
)
def test_golds_are_what_objects_say_of_themselves(key, marks):
    rows, golds = marked(marks)
    right, way = load_right(objects(key, rows), golds)
    assert right == RIGHT
    assert way.startswith("answer (as its choices are marked")


@pytest.mark.parametrize("gold", ["({})", "{}.", "{}) {}"])
def test_a_mark_may_be_bracketed_and_its_text_may_follow(gold):
    rows, golds = marked("ABCD")
    written = [gold.format(*pair) for pair in zip(golds, RIGHT, strict=True)]
    assert load_right(objects("id", rows), written)[0] == RIGHT


def test_marks_stand_beside_a_path_too():
    rows, golds = marked("ABCD")
    cells = objects("key", rows, text="option")
    assert load_right(cells, golds, choices="choices[].option") == (
        RIGHT,
        "answer (as its choices are marked by key)",
    )
    lists = [
        {"texts": texts, "labels": marks}
        for texts, marks in zip(WORDS, rows, strict=True)
    ]
    assert load_right(lists, golds, choices="choices.texts")[0] == RIGHT


def test_marks_that_golds_are_not_are_no_marks():
    cells = objects("id", [[f"{i}-{k}" for k in range(4)] for i in range(N)])
    by_place = [words[gold] for words, gold in zip(WORDS, GOLD, strict=True)]
    assert load_right(cells, GOLD) == (by_place, "answer (index)")


def test_a_key_that_is_not_plainly_a_mark_is_refused_where_it_says_otherwise():
    rows, golds = marked([0, 1, 2, 3])
    with pytest.raises(BadInput, match=r"\(index\) or '.*' \(by the rank of its choi"):
        load_right(objects("rank", rows), golds)
    odd, golds = marked(["w", "x", "y", "z"])
    assert load_right(objects("rank", odd), golds)[0] == RIGHT


def prefix(form, marks):
    rows, golds = marked(marks)
    cells = [
        [form.format(*pair) for pair in zip(marks, words, strict=True)]
        for marks, words in zip(rows, WORDS, strict=True)
    ]
    right = [
        cell[order.index(gold)]
        for cell, order, gold in zip(cells, ORDERS, GOLD, strict=True)
    ]
    return cells, golds, right


@pytest.mark.parametrize("form", ["{}. {}", "({}) {}", "{}) {}", "[{}] {}", "{}: {}"])
@pytest.mark.parametrize("marks", ["ABCD", "abcd", "1234", [0, 1, 2, 3]])
def test_a_letter_before_its_text_is_the_mark(form, marks):
    cells, golds, right = prefix(form, marks)
    way = "answer (as its choices are marked in their text)"
    assert load_right(cells, golds) == (right, way)
    assert load_right(cells, right) == (right, "answer (text)")


def test_letters_before_some_texts_are_no_marks():
    cells, golds, _ = prefix("{}. {}", "ABCD")
    cells[4] = WORDS[4]
    by_place = [cell[gold] for cell, gold in zip(cells, GOLD, strict=True)]
    assert load_right(cells, golds) == (by_place, "answer (letter)")


def test_numbers_before_a_point_are_no_marks():
    cells = [[f"{k + 1}.5 m" for k in order] for order in ORDERS]
    golds = [*GOLD[:-1], 0]
    by_place = [cell[gold] for cell, gold in zip(cells, golds, strict=True)]
    assert load_right(cells, golds) == (by_place, "answer (index)")


def test_a_list_as_numpy_prints_it_is_read():
    cells = [str(np.array(words, dtype=object)) for words in WORDS]
    by_place = [words[gold] for words, gold in zip(WORDS, GOLD, strict=True)]
    assert load_right(cells, GOLD)[0] == by_place


def test_a_list_that_numpy_cut_short_is_refused_with_its_row():
    cells = [str(np.array(words, dtype=object)) for words in WORDS]
    cells[2] = "['an oak' ... 'an ash']"
    with pytest.raises(BadInput, match=r"row 3 of the choices: .* looks like a list"):
        load_right(cells, GOLD)
