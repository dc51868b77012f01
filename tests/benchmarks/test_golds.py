"""Golds of every kind lead to the choice that is meant, or are refused in one line."""

import json

import numpy as np
import pandas as pd
import pytest

import measurand as ms
from measurand.core.errors import BadInput

N = 40
TEXTS = [[f"boat {i}", f"mast {i}", f"sail {i}", f"oar {i}"] for i in range(N)]
GOLD = [i * 7 // 3 % 4 for i in range(N)]
INNER = [1 + i % 2 for i in range(N)]  # neither the first nor the last of four


def rows(**columns):
    questions = [f"What floats on lake {i}?" for i in range(N)]
    table = {"question": questions, "choices": TEXTS, "answer": GOLD, **columns}
    return pd.DataFrame({name: cells for name, cells in table.items() if cells})


def right_texts(table):
    """The right choice of each row, and how the golds were read."""
    loaded = ms.load(table)
    right = {
        query: texts["ABCD".index(letter)]
        for items in (loaded.train, loaded.test)
        for query, texts, letter in zip(
            items.column("question"), items.choice_texts, items.labels, strict=True
        )
    }
    return [right[query] for query in table["question"]], loaded.roles["label"]


def pick(texts, places):
    return [row[place] for row, place in zip(texts, places, strict=True)]


def refusal(table):
    with pytest.raises(BadInput) as refused:
        ms.load(table)
    assert "\n" not in str(refused.value)
    return str(refused.value)


WORDS = [["True", "False"], ["false", "true"], ["yes", "no"], ["No", "Yes"]]


@pytest.mark.parametrize("words", [*WORDS, [True, False]], ids=str)
def test_true_and_false_are_the_choice_that_says_so(words):
    golds = [bool(place % 2) for place in GOLD]
    table = rows(choices=[words] * N, answer=golds)
    texts, way = right_texts(table)
    assert [text.lower() in ("true", "yes") for text in texts] == golds
    assert way == "answer (text)"
    assert right_texts(table.assign(answer=[np.bool_(g) for g in golds]))[0] == texts


def test_true_and_false_are_no_index():
    table = rows(answer=[bool(place % 2) for place in GOLD])
    assert refusal(table).startswith(
        "40 of 40 label cells in column 'answer' are true or false, first in rows 1, 2"
    )
    marks = [[number == place for number in range(4)] for place in GOLD]
    assert right_texts(rows(answer=marks))[0] == pick(TEXTS, GOLD)


@pytest.mark.parametrize("start", [0, 1])
@pytest.mark.parametrize("places", [GOLD, INNER], ids=["all", "inner"])
def test_numbers_that_mark_the_choices_come_before_their_places(start, places):
    orders = [np.random.default_rng(i).permutation(4).tolist() for i in range(N)]
    cells = [
        {str(k + start): texts[k] for k in order}
        for texts, order in zip(TEXTS, orders, strict=True)
    ]
    table = rows(choices=cells, answer=[place + start for place in places])
    assert right_texts(table) == (
        pick(TEXTS, places),
        "answer (as its choices are marked)",
    )


def test_numbers_that_may_count_from_0_or_1_are_refused():
    assert refusal(rows(answer=INNER)) == (
        "the golds in column 'answer' are 1 to 2 of 4 choices, and may count from 0 or "
        "from 1; give letters or the texts of the right choices"
    )


def test_a_list_of_zeros_and_a_1_counts_from_0():
    marks = [[int(number == place) for number in range(4)] for place in INNER]
    assert right_texts(rows(answer=marks)) == (pick(TEXTS, INNER), "answer (index)")


@pytest.mark.parametrize("start", [0, 1])
def test_numbered_columns_or_the_right_text_tell_where_counting_starts(start):
    columns = {f"option{k + start}": [t[k] for t in TEXTS] for k in range(4)}
    expected = pick(TEXTS, [place - start for place in INNER])
    table = rows(choices=None, answer=INNER, **columns)
    assert right_texts(table)[0] == expected
    beside = rows(answer=None, answer_idx=INNER, solution=expected)
    assert right_texts(beside)[0] == expected


ALIKE = [
    ["River", "river", "RIVER", "rivers"],
    ["if x:\n  y", "if x:\ny", " if x:", "y"],
]


@pytest.mark.parametrize("texts", ALIKE, ids=lambda texts: texts[0])
def test_the_exact_text_comes_before_one_in_other_case_or_spacing(texts):
    table = rows(choices=[texts] * N, answer=pick([texts] * N, GOLD))
    assert right_texts(table)[0] == [*table["answer"]]
    notes = ms.load(table).notes
    assert notes["duplicate_choices"] == notes["several_right"] == 0


def test_a_text_that_is_like_several_choices_is_refused():
    golds = pick([ALIKE[0]] * N, GOLD)
    table = rows(choices=[ALIKE[0]] * N, answer=[*golds[:5], "rIVER", *golds[6:]])
    assert "to several that differ in case or spacing, first in row 6: 'rIVER'" in (
        refusal(table)
    )


TURNED = {
    "numbers": ([3, 0, 2, 1], [0, 1, 2, 3], "(text) or '3' (index); give letters"),
    "numbers as texts": (["3", "0", "2", "1"], [*"0123"], "(index); give letters"),
    "letters": ([*"BADC"], [*"ABCD"], "(text) or 'B' (letter); give indexes from 0"),
}


@pytest.mark.parametrize(("choices", "golds", "said"), TURNED.values(), ids=TURNED)
def test_golds_that_two_ways_lead_to_unlike_choices_are_refused(choices, golds, said):
    table = rows(choices=[choices] * N, answer=[golds[place] for place in GOLD])
    assert said in refusal(table)
    straight = table.assign(choices=[sorted(choices)] * N)
    assert right_texts(straight)[0] == [*map(str, straight["answer"])]


def test_the_way_that_fits_all_golds_comes_before_one_that_fits_some():
    texts = [[3, 0, 2, 1]] * (N - 2) + [[7, 0, 2, 1]] * 2
    table = rows(choices=texts, answer=[*GOLD[:-2], 7, 7])
    assert right_texts(table) == ([*map(str, table["answer"])], "answer (text)")
    table = rows(choices=[*texts[:-1], [7, 5, 6, 4]], answer=[*GOLD[:-1], 0])
    indexed = pick([[*map(str, row)] for row in table["choices"]], table["answer"])
    assert right_texts(table) == (indexed, "answer (index)")


def test_a_right_column_among_the_choices_is_its_text_though_it_is_a_number():
    wrong = {f"distractor{k}": [str((i + k) % 4) for i in range(N)] for k in (1, 2, 3)}
    table = rows(choices=None, answer=None, **wrong)
    table = table.assign(correct_answer=[i % 4 for i in range(N)])
    assert right_texts(table)[0] == [str(i % 4) for i in range(N)]


def test_train_and_test_are_read_the_same_way():
    table = rows(answer=[place + 1 for place in INNER])
    loaded = ms.load(table[:30].assign(answer=1), table[30:].assign(answer=4))
    assert loaded.roles["label"] == "answer (index from 1)"
    assert {*loaded.train.labels} == {"A"}
    assert {*loaded.test.labels} == {"D"}


def test_golds_in_json_are_read_alike(tmp_path):
    path = tmp_path / "words.jsonl"
    golds = [bool(place % 2) for place in GOLD]
    table = rows(choices=[["True", "False"]] * N, answer=golds)
    path.write_text("\n".join(map(json.dumps, table.to_dict("records"))))
    loaded = ms.load(path)
    assert loaded.train.digest == ms.load(table).train.digest


def test_whole_numbers_with_a_point_are_indexes_as_tables_of_floats_are_saved():
    told, way = right_texts(rows(answer=[f"{place}.0" for place in GOLD]))
    assert told == pick(TEXTS, GOLD)
    assert "index" in way
