"""Benchmarks of choices and answers in their authors' layouts, with invented rows."""

import csv
import json

import pandas as pd
import pytest

import measurand as ms
from measurand.benchmarks.nested import unfold_rows
from measurand.core.errors import BadInput

N = 24
TEXTS = [[f"boat {i}", f"mast {i}", f"sail {i}", f"oar {i}"] for i in range(N)]
GOLD = [i % 4 for i in range(N)]
QUESTIONS = [f"What floats on lake {i}?" for i in range(N)]
KEYS = ["ABCD"[place] for place in GOLD]
MARKED = [{"text": texts, "label": [*"ABCD"]} for texts in TEXTS]
OBJECTS = [
    [{"text": text, "label": mark} for text, mark in zip(t, "ABCD", strict=True)]
    for t in TEXTS
]


def stems(objects=OBJECTS, **more):
    return [
        {"stem": q, "choices": o, **more}
        for q, o in zip(QUESTIONS, objects, strict=True)
    ]


LAYOUTS = {
    "hellaswag": {
        "ind": range(N),
        "activity_label": "Rowing",
        "ctx_a": "On a lake.",
        "ctx_b": "a man",
        "ctx": QUESTIONS,
        "split": "val",
        "split_type": "indomain",
        "endings": TEXTS,
        "source_id": [f"activitynet~{i}" for i in range(N)],
        "label": [*map(str, GOLD)],
    },
    "arc": {"id": [f"Q{i}" for i in range(N)], "question": stems(), "answerKey": KEYS},
    "arc on the hub": {"question": QUESTIONS, "choices": MARKED, "answerKey": KEYS},
    "openbookqa on the hub": {
        "question_stem": QUESTIONS,
        "choices": MARKED,
        "answerKey": KEYS,
        "fact1": [f"Boats float on lake {i}." for i in range(N)],
        "humanScore": 1.0,
    },
    "commonsenseqa": {"answerKey": KEYS, "question": stems(question_concept="lake")},
    "mmlu on the hub": {
        "question": QUESTIONS,
        "subject": "sailing",
        "choices": TEXTS,
        "answer": GOLD,
    },
    "race on the hub": {
        "example_id": "high1.txt",
        "article": [f"Lake {i} is deep." for i in range(N)],
        "answer": KEYS,
        "question": QUESTIONS,
        "options": TEXTS,
    },
    "medqa": {
        "question": QUESTIONS,
        "answer": [texts[place] for texts, place in zip(TEXTS, GOLD, strict=True)],
        "options": [dict(zip("ABCD", texts, strict=True)) for texts in TEXTS],
        "answer_idx": KEYS,
    },
    "piqa": {
        "goal": QUESTIONS,
        "sol1": "a boat",
        "sol2": "a mast",
        "label": [0, 1] * 12,
    },
}


def check_choices(benchmark, count=4):
    """Every right choice is the one that GOLD says."""
    for items in (benchmark.train, benchmark.test):
        for question, letter, texts in zip(
            items.column(benchmark.query), items.labels, items.choice_texts, strict=True
        ):
            row = QUESTIONS.index(question)
            if count == 4:
                assert texts == TEXTS[row]
                assert letter == KEYS[row]
            else:
                assert letter == "AB"[row % 2]


@pytest.mark.parametrize("name", LAYOUTS)
def test_layouts_load_without_a_word(name, tmp_path):
    table = pd.DataFrame(LAYOUTS[name])
    check_choices(ms.load(table), 2 if name == "piqa" else 4)
    table.to_json(tmp_path / "x.jsonl", orient="records", lines=True)
    check_choices(ms.load(tmp_path / "x.jsonl"), 2 if name == "piqa" else 4)
    table.to_parquet(tmp_path / "x.parquet")
    check_choices(ms.load(tmp_path / "x.parquet"), 2 if name == "piqa" else 4)


def test_mmlu_has_no_header(tmp_path):
    rows = [[q, *t, key] for q, t, key in zip(QUESTIONS, TEXTS, KEYS, strict=True)]
    for name, lines in {
        "bare.csv": rows,
        "headed.csv": [["question", *"ABCD", "answer"], *rows],
    }.items():
        with (tmp_path / name).open("w", newline="") as file:
            csv.writer(file).writerows(lines)
        loaded = ms.load(tmp_path / name)
        check_choices(loaded)
        assert len(loaded.train) + len(loaded.test) == N
        assert loaded.roles["label"] == "answer (letter)"


def test_race_holds_lists_of_questions():
    table = pd.DataFrame(
        {
            "article": [f"Lakes {i} are deep." for i in range(N // 2)],
            "id": [f"high{i}.txt" for i in range(N // 2)],
            "questions": [QUESTIONS[i : i + 2] for i in range(0, N, 2)],
            "options": [TEXTS[i : i + 2] for i in range(0, N, 2)],
            "answers": [KEYS[i : i + 2] for i in range(0, N, 2)],
        }
    )
    loaded = ms.load(table)
    check_choices(loaded)
    assert loaded.evidence == "article"
    assert loaded.roles["id"].startswith("row numbers")


def test_quality_holds_questions_beside_an_article():
    questions = [
        {"question": q, "options": t, "gold_label": place + 1, "writer_label": 1}
        for q, t, place in zip(QUESTIONS, TEXTS, GOLD, strict=True)
    ]
    table = pd.DataFrame(
        {
            "article": [f"Lakes {i} are deep." for i in range(N // 2)],
            "questions": [questions[i : i + 2] for i in range(0, N, 2)],
        }
    )
    loaded = ms.load(table)
    check_choices(loaded)
    assert loaded.roles["label"] == "gold_label (index from 1)"


def squad(answers):
    paragraphs = [
        {
            "context": f"Lake {i} is in Oslo {i}.",
            "qas": [{"question": QUESTIONS[i], "id": f"q{i}", "answers": answers(i)}],
        }
        for i in range(N)
    ]
    return {"version": "2.0", "data": [{"title": "Lakes", "paragraphs": paragraphs}]}


def test_squad_is_nested_three_deep(tmp_path):
    path = tmp_path / "dev.json"
    path.write_text(
        json.dumps(
            squad(lambda i: [{"text": f"Oslo {i}", "answer_start": 13}] * (i > 2))
        )
    )
    loaded = ms.load(path)
    assert loaded.roles["answers"].startswith("answers (screened")
    assert loaded.evidence == "context"
    assert loaded.notes["dropped_no_answer"] == 3
    assert {*loaded.train.ids} | {*loaded.test.ids} == {f"q{i}" for i in range(3, N)}


def test_a_test_split_without_golds_is_left_out_and_counted():
    splits = ["train"] * 14 + ["validation"] * 6 + ["test"] * 4
    table = pd.DataFrame({"question": QUESTIONS, "choices": MARKED, "split": splits})
    for nothing in ("", "-1"):
        hidden = [*KEYS[:20], *[nothing] * 4]
        loaded = ms.load(table.assign(answerKey=hidden))
        check_choices(loaded)
        assert (len(loaded.train), len(loaded.test)) == (14, 6)
        assert loaded.notes["dropped_no_label"] == 4
    with pytest.raises(BadInput, match="lack the right choice, first in rows 3"):
        ms.load(table.assign(answerKey=[*KEYS[:2], "", *KEYS[3:]]))


def test_what_was_named_by_a_path_is_not_unfolded():
    table = pd.DataFrame(LAYOUTS["arc"])
    names = {"query": "question.stem", "choices": "question.choices"}
    assert unfold_rows(table, names.values()) is table
    check_choices(ms.load(table, **names))


def test_other_columns_of_these_names_stay():
    for cells in (["a text"] * N, [["a", "list"]] * N, [[{"page": 1}]] * N, [1] * N):
        table = pd.DataFrame({"questions": cells, "paragraphs": cells, "x": range(N)})
        assert unfold_rows(table) is table
