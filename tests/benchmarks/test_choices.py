"""Choices in every layout, found by their names, and what is refused."""

import json

import pandas as pd
import pytest

import measurand as ms
from measurand.core.errors import AmbiguousRoles, BadInput, NoField
from tests.shared_data import needs_data, path

N = 24
TEXTS = [[f"boat {i}", f"mast {i}", f"sail {i}", f"oar {i}"] for i in range(N)]
GOLD = [i % 4 for i in range(N)]
QUESTIONS = [f"What floats on lake {i}?" for i in range(N)]


def rows(**columns):
    table = {"question": QUESTIONS, "choices": TEXTS, "answer": GOLD, **columns}
    return pd.DataFrame({name: cells for name, cells in table.items() if cells})


def check_boats(benchmark, field="choices"):
    """The choices and letters are those of TEXTS and GOLD, whatever they came from."""
    for items in (benchmark.train, benchmark.test):
        assert items.choices == field
        assert items.fields[-1] == field
        places = [QUESTIONS.index(q) for q in items.column(benchmark.query)]
        assert items.choice_texts == [TEXTS[place] for place in places]
        assert [*items.labels] == ["ABCD"[GOLD[place]] for place in places]


def problem(**columns):
    with pytest.raises(BadInput) as refused:
        ms.load(rows(**columns))
    assert "\n" not in str(refused.value)
    return str(refused.value)


def change_row(values, row, value):
    return [value if number == row else cell for number, cell in enumerate(values, 1)]


def test_a_column_of_lists_is_found_and_said():
    loaded = ms.load(rows(category=["a"] * N, source=["b"] * N, title=QUESTIONS))
    check_boats(loaded)
    assert loaded.roles["choices"] == "choices (4 each)"
    assert loaded.roles["label"] == "answer (index)"
    assert loaded.notes["duplicate_choices"] == loaded.notes["several_right"] == 0


@pytest.mark.parametrize("name", ["options", "endings", "Choices", "answer_options"])
def test_plain_names_of_choices(name):
    check_boats(ms.load(rows(choices=None, **{name: TEXTS})), name)


LISTS = {
    "json": [json.dumps(texts) for texts in TEXTS],
    "dict of lists": [{"text": t, "label": [*"ABCD"]} for t in TEXTS],
    "list of objects": [
        [{"text": text, "label": mark} for text, mark in zip(t, "ABCD", strict=True)]
        for t in TEXTS
    ],
    "by letter": [dict(zip("ABCD", t, strict=True)) for t in TEXTS],
    "as Python prints it": [str(t) for t in TEXTS],
}


@pytest.mark.parametrize("cells", LISTS.values(), ids=LISTS)
def test_layouts_of_a_cell(cells):
    check_boats(ms.load(rows(choices=cells)))


GOLDS = {
    "index": GOLD,
    "index from 1": [place + 1 for place in GOLD],
    "letter": ["abcd"[place] for place in GOLD],
    "text": [texts[place].upper() for texts, place in zip(TEXTS, GOLD, strict=True)],
}


@pytest.mark.parametrize("way", GOLDS)
def test_the_gold_is_an_index_a_letter_or_a_text(way):
    loaded = ms.load(rows(answer=GOLDS[way]))
    check_boats(loaded)
    assert loaded.roles["label"] == f"answer ({way})"
    check_boats(ms.load(rows(answer=[*map(str, GOLDS[way])])))


MARKED = {
    "in brackets": "({})",
    "before a bracket": "{})",
    "before a point": "{}.",
    "before its text": "{}. {}",
    "in brackets before its text": "({}) {}",
}


@pytest.mark.parametrize("form", MARKED.values(), ids=MARKED)
def test_a_letter_may_be_marked_and_followed_by_its_text(form):
    golds = [
        form.format("ABCD"[place], texts[place].upper())
        for texts, place in zip(TEXTS, GOLD, strict=True)
    ]
    loaded = ms.load(rows(answer=golds))
    check_boats(loaded)
    assert loaded.roles["label"] == "answer (letter)"
    other = TEXTS[2][(GOLD[2] + 1) % 4]
    wrong = change_row(golds, 3, f"{golds[2][:2]}. {other}")
    assert "cells in column 'answer' name none of their item's choices, first in " in (
        problem(answer=wrong)
    )


ONE_HOT = [[float(place == number) for number in range(4)] for place in GOLD]


@pytest.mark.parametrize("golds", [[[place] for place in GOLD], ONE_HOT])
def test_the_gold_may_be_a_list_of_one_or_the_place_of_the_only_1(golds):
    check_boats(ms.load(rows(answer=golds)))
    check_boats(ms.load(rows(answer=[json.dumps(gold) for gold in golds])))


def test_the_marks_of_choices_may_differ_from_item_to_item():
    marks = ["ABCD" if i % 2 else "1234" for i in range(N)]
    cells = [
        {"text": t, "label": [*mark]} for t, mark in zip(TEXTS, marks, strict=True)
    ]
    keys = [mark[place] for mark, place in zip(marks, GOLD, strict=True)]
    table = rows(choices=cells, answer=None, answerKey=keys)
    check_boats(ms.load(table))
    check_boats(ms.load(table, choices="choices.text"), "choices.text")


def test_numbers_as_choices_are_texts_where_all_golds_are_choices():
    texts = [[str((i + k) % 7) for k in range(4)] for i in range(N)]
    golds = [t[place] for t, place in zip(texts, GOLD, strict=True)]
    loaded = ms.load(rows(choices=texts, answer=golds))
    assert loaded.roles["label"] == "answer (text)"
    assert ms.load(rows(choices=texts)).roles["label"] == "answer (index)"


FAMILIES = ["ABCD", ["option_a", "option_b", "option_c", "option_d"]]
FAMILIES += [["opa", "opb", "opc", "opd"], ["ending0", "ending1", "ending2", "ending3"]]
FAMILIES += [["choice1", "choice2", "choice3", "choice4"]]
FAMILIES += [[f"alternative_{n}" for n in range(1, 5)]]
FAMILIES += [["Option A", "Option B", "Option C", "Option D"]]


@pytest.mark.parametrize("names", FAMILIES, ids=lambda names: names[0])
def test_a_column_for_each_choice(names):
    columns = dict(zip(names, map(list, zip(*TEXTS, strict=True)), strict=True))
    loaded = ms.load(rows(choices=None, **columns))
    check_boats(loaded)
    assert loaded.roles["choices"] == f"{', '.join(names)} (4 each)"
    check_boats(ms.load(rows(choices=None, **columns), choices=list(names)))


def test_two_alternatives_are_choices_and_no_classes():
    columns = {f"alternative{k + 1}": [t[k] for t in TEXTS] for k in range(2)}
    golds = [i % 2 for i in range(N)]
    loaded = ms.load(rows(choices=None, answer=None, label=golds, **columns))
    assert loaded.roles["choices"] == "alternative1, alternative2 (2 each)"
    assert loaded.roles["label"] == "label (index)"


def test_columns_may_end_early_but_hold_no_gap():
    columns = dict(zip("ABCD", map(list, zip(*TEXTS, strict=True)), strict=True))
    columns["D"] = [None if place < 3 else "oar" for place in GOLD]
    loaded = ms.load(rows(choices=None, **columns))
    assert loaded.roles["choices"] == "A, B, C, D (3 to 4 each)"
    columns["B"] = [""] * N
    assert "empty or no text, first in rows 1, 2, 3" in problem(choices=None, **columns)


@pytest.mark.parametrize("name", ["option{}", "Option {:02}", "answer_{}"])
def test_columns_past_nine_stand_in_the_order_of_their_numbers(name):
    names = [name.format(k) for k in range(1, 13)]
    columns = {
        name: [f"boat {k}-{i}" for i in range(N)] for k, name in enumerate(names)
    }
    golds = [i % 12 + 1 for i in range(N)]
    loaded = ms.load(rows(choices=None, answer=golds, **dict(sorted(columns.items()))))
    assert loaded.roles["choices"] == f"{', '.join(names)} (12 each)"
    for texts in loaded.test.choice_texts:
        assert [text.split("-")[0] for text in texts] == [
            f"boat {k}" for k in range(12)
        ]


def test_two_families_of_columns_are_refused():
    letters = dict(zip("ABCD", map(list, zip(*TEXTS, strict=True)), strict=True))
    numbers = {f"option{k}": ["hull"] * N for k in (1, 2, 3)}
    refused = problem(choices=None, **letters, **numbers)
    assert "A to D, option1 to option3; name the columns of one with" in refused


def test_a_right_column_among_wrong_ones_is_dealt_out():
    wrong = {f"distractor{k}": [t[k] for t in TEXTS] for k in (1, 2, 3)}
    table = rows(choices=None, answer=None, correct_answer=[t[0] for t in TEXTS])
    table = table.assign(support="It floats.", **wrong)
    loaded = ms.load(table)
    assert loaded.evidence == "support"
    assert loaded.classes == tuple("ABCD")
    assert loaded.roles["choices"].endswith("(4 each, in an order that was drawn)")
    for letter, texts in zip(
        loaded.train.labels, loaded.train.choice_texts, strict=True
    ):
        assert texts["ABCD".index(letter)].startswith("boat")
    assert loaded.train.labels.nunique() > 1
    assert ms.load(table, seed=0).train.digest == loaded.train.digest


def test_items_may_have_unlike_numbers_of_choices():
    texts = [t[: 2 + i % 3] for i, t in enumerate(TEXTS)]
    loaded = ms.load(rows(choices=texts, answer=[i % 2 for i in range(N)]))
    assert loaded.roles["choices"] == "choices (2 to 4 each)"
    assert loaded.classes == tuple("ABCD")


def test_a_path_into_nested_cells():
    question = [
        {"stem": q, "choices": [{"text": text} for text in t]}
        for q, t in zip(QUESTIONS, TEXTS, strict=True)
    ]
    table = rows(question=question, choices=None)
    names = {"query": "question.stem", "choices": "question.choices[].text"}
    check_boats(ms.load(table, **names), "question.choices[].text")
    with pytest.raises(NoField, match="did you mean"):
        ms.load(table, **names | {"choices": "question.choice[].text"})


def test_train_and_test_of_their_own():
    loaded = ms.load(rows()[:20], rows()[20:])
    assert (len(loaded.train), len(loaded.test)) == (20, 4)
    check_boats(loaded)


def test_counts_take_choices_as_an_input_in_any_order():
    twice = pd.concat([rows(), rows()], ignore_index=True)
    assert ms.load(twice).notes["duplicates"] == N
    turned = [t[1:] + t[:1] for t in TEXTS]
    other = rows(choices=turned, answer=[(place - 1) % 4 for place in GOLD])
    assert ms.load(rows(), other).notes["overlap"] == N
    assert ms.load(rows(), other).notes["conflicts"] == 0
    assert ms.load(rows(), rows(choices=turned)).notes["conflicts"] == 2 * N


def test_choices_that_stand_twice_are_counted():
    texts = change_row(TEXTS, 1, ["boat", "boat ", "sail", "oar"])
    texts = change_row(texts, 2, ["boat", "sail", "oar", "oar"])
    texts = change_row(texts, 3, ["RR", "Rr", "rr", "r  r"])  # four that differ
    notes = ms.load(rows(choices=texts)).notes
    assert (notes["duplicate_choices"], notes["several_right"]) == (2, 1)


def test_lists_that_are_filled_up_with_nothing_have_fewer_choices():
    texts = change_row(TEXTS, 3, [*TEXTS[2][:3], None])
    gold = change_row(GOLD, 3, 0)
    loaded = ms.load(rows(choices=texts, answer=gold))
    counts = [*loaded.train.choice_counts, *loaded.test.choice_counts]
    assert sorted(counts) == [3, *[4] * (N - 1)]


BROKEN = {
    "hold fewer than 2 choices, first in rows 3": {
        "choices": change_row(TEXTS, 3, ["boat"])
    },
    "hold more than 26 choices, first in rows 3": {
        "choices": change_row(TEXTS, 3, [f"boat {i}" for i in range(27)])
    },
    "lack the right choice, first in rows 5": {"answer": change_row(GOLD, 5, None)},
    "first in row 5: '4', while its choices are A to D": {
        "answer": change_row(GOLD, 5, 4)
    },
    "first in row 6: 'F', while its choices are A to D": {
        "answer": change_row(GOLDS["letter"], 6, "F")
    },
    "first in row 7: 'a raft', while": {
        "answer": change_row(GOLDS["text"], 7, "a raft")
    },
    "name none or several right choices, first in rows 4": {
        "answer": change_row(ONE_HOT, 4, [0.0, 1.0, 1.0, 0.0])
    },
    "name none or several right choices, first in rows 2": {
        "answer": change_row(ONE_HOT, 2, [0, 1])  # two indexes, and no mark of four
    },
    "is called like choices and the label counts or letters them": {
        "choices": ["|".join(texts) for texts in TEXTS]
    },
    "empty or no text, first in rows 3": {
        "choices": change_row(TEXTS, 3, ["boat", None, "sail", "oar"])
    },
    "empty or no text, first in rows 2": {
        "choices": change_row(TEXTS, 2, ["boat", " ", "sail", "oar"])
    },
    "hold objects, not text; name a path, such as `choices` 'choices[].body'": {
        "choices": [[{"body": text} for text in t] for t in TEXTS]
    },
}


@pytest.mark.parametrize("said", BROKEN)
def test_what_cannot_be_chosen_from_is_one_line(said):
    assert said in problem(**BROKEN[said])


def test_unclear_choices_are_refused_with_a_list():
    with pytest.raises(AmbiguousRoles, match="could be the choices: choices, options"):
        ms.load(rows(options=TEXTS))
    with pytest.raises(AmbiguousRoles, match="no column is plainly the label"):
        ms.load(rows(answer=None))


def test_a_column_without_values_plays_no_part():
    loaded = ms.load(rows(passage=[None] * N, label=[None] * N))
    check_boats(loaded)
    assert "evidence" not in loaded.roles


def test_what_is_no_list_or_was_named_otherwise_is_no_choice():
    labels = ["yes", "no"] * (N // 2)
    table = rows(choices=["one word"] * N, answer=None, label=labels)
    assert ms.load(table).train.choices is None
    fields = ["question", "choices"]
    assert ms.load(rows(answer=None, label=labels), fields=fields).train.choices is None


@needs_data
@pytest.mark.parametrize("name", ["arc_challenge_test", "openbookqa_test", "sciq_1000"])
def test_real_choices_load_without_a_word(name):
    loaded = ms.load(path(f"choices/{name}.jsonl.gz"))
    assert loaded.roles["label"] == "answer (index)"
    assert loaded.train.choices == "choices"
    assert (loaded.evidence == "evidence") == (name == "sciq_1000")


@needs_data
def test_real_answers_and_classes_load_without_a_word():
    loaded = ms.load(path("choices/freeform_qa.jsonl.gz"))
    assert loaded.notes["items_screened"] == 5155
    for name in ("bioasq_yesno", "qasper_yesno"):
        classes = ms.load(path(f"questions/{name}.jsonl.gz"))
        assert classes.classes == ("no", "yes")
        assert classes.train.choices is None
