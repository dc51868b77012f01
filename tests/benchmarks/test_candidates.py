"""Choices that nobody named, and the column that would say which is right."""

import pandas as pd
import pytest

import measurand as ms
from measurand.core.errors import AmbiguousRoles
from tests.benchmarks.trees import CHOICES, LETTERS, PLACES, RIGHT, N, rows

GOLDS = {
    "letters": LETTERS,
    "marked": [f"({'abcd'[place]})" for place in PLACES],
    "places": PLACES,
    "from one": [str(place + 1) for place in PLACES],
    "texts": RIGHT,
}
LISTS = {
    "texts": CHOICES,
    "printed": [*map(str, CHOICES)],
    "objects": [[{"text": text} for text in texts] for texts in CHOICES],
    "by letter": [dict(zip("ABCD", texts, strict=True)) for texts in CHOICES],
}


def spread(names, choices=CHOICES):
    return dict(zip(names, zip(*choices, strict=True), strict=True))


@pytest.mark.parametrize("golds", GOLDS.values(), ids=GOLDS)
@pytest.mark.parametrize("lists", LISTS.values(), ids=LISTS)
def test_lists_that_the_label_points_at_are_to_be_named(lists, golds):
    table = rows(alternatives=lists, answer=golds)
    named = "`choices` 'alternatives' and `label` 'answer'"
    with pytest.raises(AmbiguousRoles, match=f"name {named}"):
        ms.load(table)
    loaded = ms.load(table, choices="alternatives", label="answer")
    assert loaded.roles["choices"] == "alternatives (4 each)"


@pytest.mark.parametrize("name", ["label", "class", "answer"])
def test_a_label_that_was_named_points_no_less(name):
    table = rows(alternatives=CHOICES, **{name: GOLDS["letters"]})
    with pytest.raises(AmbiguousRoles, match="`choices` 'alternatives'"):
        ms.load(table, label=name)
    loaded = ms.load(table, label=name, metadata=["alternatives"])
    assert "choices" not in loaded.roles


@pytest.mark.parametrize(
    "names",
    ["mc_answer1 mc_answer2 mc_answer3 mc_answer4", "alt_a alt_b alt_c alt_d"],
)
def test_columns_that_the_label_points_at_are_to_be_named(names):
    table = rows(label=PLACES, **spread(names.split()))
    listed = ", ".join(f"`choices` '{name}'" for name in names.split())
    with pytest.raises(AmbiguousRoles, match=f"name {listed} and `label` 'label'"):
        ms.load(table)
    assert ms.load(table, choices=names.split(), label="label").columns["choices"]


def test_columns_that_the_label_names_are_to_be_named():
    table = rows(answer=["甲乙丙丁"[place] for place in PLACES], **spread("甲乙丙丁"))
    with pytest.raises(AmbiguousRoles, match="names columns '甲' to '丁'"):
        ms.load(table)


CLASSES = {
    "votes": {"votes": [["yes", "no", "yes"]] * N, "label": ["yes", "no"] * (N // 2)},
    "same classes": {"classes": [["yes", "no"]] * N, "label": [0, 1] * (N // 2)},
    "words": {"words": [["a", "tree"] * (i % 9 + 1) for i in range(N)]},
    "sentences": {
        "sentences": [texts * (i % 3 + 1) for i, texts in enumerate(CHOICES)]
    },
    "true": {"pair": [texts[:2] for texts in CHOICES], "label": [True, False] * 30},
    "scores": {f"score{i}": [i * 0.5] * N for i in range(3)},
    "pair": spread(["tag1", "tag2"], [texts[:2] for texts in CHOICES]),
}


@pytest.mark.parametrize("columns", CLASSES.values(), ids=CLASSES)
def test_classes_beside_other_lists_stay_classes(columns):
    loaded = ms.load(rows(**{"label": [0, 1] * (N // 2), **columns}))
    assert "choices" not in loaded.roles
    assert "answers" not in loaded.roles


CLAIMS = {
    "annotators": [["w1", "w2", f"w{i}"] for i in range(3, N + 3)],
    "tags": [[["sport", "tech"][i % 2], f"tag {i}"] for i in range(N)],
}


@pytest.mark.parametrize("query", ["hypothesis", "text"])
@pytest.mark.parametrize(
    ("name", "labels"),
    [
        ("annotators", [i % 3 for i in range(N)]),
        ("annotators", ["ABC"[i % 3] for i in range(N)]),
        ("tags", ["sport", "tech"] * (N // 2)),
    ],
)
def test_lists_beside_what_is_classified_are_no_choices(query, name, labels):
    texts = [f"A tree stands at house {i}." for i in range(N)]
    table = pd.DataFrame({query: texts, "label": labels, name: CLAIMS[name]})
    assert ms.load(table).columns["label"] == ("label",)


def test_objects_of_settings_are_no_choices():
    settings = [{"lang": "en", "version": i % 2} for i in range(N)]
    table = rows(options=settings, label=["good", "bad"] * (N // 2))
    assert "choices" not in ms.load(table).roles


@pytest.mark.parametrize(
    "lists",
    [
        [
            [{"id": k, "content": t} for k, t in zip("ABCD", texts, strict=True)]
            for texts in CHOICES
        ],
        [[*texts, None] for texts in CHOICES],
    ],
)
def test_objects_and_padded_lists_that_the_label_points_at_are_refused(lists):
    with pytest.raises(AmbiguousRoles, match="`choices` 'alternatives'"):
        ms.load(rows(alternatives=lists, answer=GOLDS["letters"]))


@pytest.mark.parametrize(
    "name", ["answer", "answerKey", "correct_answer", "label", "correct_answer_id"]
)
@pytest.mark.parametrize("golds", ["letters", "places", "texts"])
def test_answers_beside_a_column_that_picks_one_are_refused(name, golds):
    table = rows(answers=CHOICES, **{name: GOLDS[golds]})
    with pytest.raises(
        AmbiguousRoles, match=f"`choices` 'answers' and `label` '{name}'"
    ):
        ms.load(table)
    assert ms.load(table, choices="answers", label=name).columns["label"] == (name,)
    assert ms.load(table, answers="answers").columns["answers"] == ("answers",)


def test_the_first_answer_given_once_more_picks_none():
    firsts = [texts[0] for texts in CHOICES]
    loaded = ms.load(rows(answers=CHOICES, answer=firsts))
    assert loaded.columns["answers"] == ("answers",)


@pytest.mark.parametrize("golds", ["letters", "places"])
def test_letters_are_no_free_answers_beside_choices(golds):
    table = rows(choices=CHOICES, answer=GOLDS[golds])
    with pytest.raises(AmbiguousRoles, match="drop `answers` and name `choices`"):
        ms.load(table, answers="answer")


def test_texts_are_free_answers_where_they_are_named_so():
    loaded = ms.load(rows(choices=CHOICES, answer=GOLDS["texts"]), answers="answer")
    assert loaded.roles["answers"].startswith("answer (screened")
    assert loaded.columns["answers"] == ("answer",)
    assert "choices" not in loaded.columns


def candidates(name="answer", **columns):
    questions = [f"Which tree stands at house {i // 3}?" for i in range(N)]
    texts = {name: [f"tree {i} of the lane" for i in range(N)]}
    return rows(**{"question": questions, "label": [0, 0, 1] * 20, **texts, **columns})


@pytest.mark.parametrize("name", ["answer", "Candidate", "response"])
def test_candidates_that_nobody_reads_are_named_with_what_reads_them(name):
    loaded = ms.load(candidates(name))
    way = f"question+{name}"
    assert loaded.roles["left out"] == (
        f"'{name}' tells rows of one 'question' apart; to read it, name the query "
        f"'{way}'"
    )
    followed = ms.load(candidates(name), query=way)
    assert "left out" not in followed.roles
    assert followed.test.column(way).str.endswith(" of the lane").all()


@pytest.mark.parametrize(
    "columns",
    [
        {"question": [f"Which tree stands at house {i}?" for i in range(N)]},
        {"answer": ["no", "no", "yes"] * 20},
        {"answer": [f"tree {i // 3}" for i in range(N)]},
        {"answer": range(N)},
    ],
    ids=["own questions", "classes", "one a question", "numbers"],
)
def test_an_answer_that_tells_no_rows_apart_is_no_candidate(columns):
    assert "left out" not in ms.load(candidates(**columns)).roles
