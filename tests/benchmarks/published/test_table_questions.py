"""Every published format of questions, in look-alikes of its files."""

import csv
import json

import datasets
import pandas as pd
import pytest

from measurand.audits.leakage.choices import find_published
from measurand.benchmarks.load import load_benchmark
from measurand.benchmarks.published.table import PUBLISHED
from tests.benchmarks.lookalikes import lines, sizes

SIDES = {"train": 16, "dev": 6, "test": 8}


@pytest.fixture(autouse=True)
def _no_folder_is_named(monkeypatch):
    monkeypatch.delenv("MEASURAND_DATA", raising=False)


def texts(side, i):
    """The choices of an item; the right one is the (i % 4)th."""
    return [f"{word} of {side} {i}" for word in ("boat", "mast", "sail", "oar")]


def key(i, marks="ABCD"):
    return marks[i % 4]


def marked(side, i):
    """Choices as objects with a mark; every fifth item counts, as some of ARC's do."""
    marks = "1234" if i % 5 == 4 else "ABCD"
    pairs = zip(texts(side, i), marks, strict=True)
    return [{"text": text, "label": mark} for text, mark in pairs], key(i, marks)


def stem(side, i, **more):
    choices, answer = marked(side, i)
    question = {"stem": f"What of {side} {i}?", "choices": choices, **more}
    return {"id": f"{side}-{i}", "question": question, "answerKey": answer}


def hellaswag(side, i):
    return {
        "ind": i // 2,
        "activity_label": f"Rowing {i % 3}",
        "ctx_a": "On a lake.",
        "ctx_b": "a man",
        "ctx": f"What of {side} {i}?",
        "split": "val" if side == "dev" else side,
        "split_type": "indomain",
        "label": i % 4,
        "endings": texts(side, i),
        "source_id": f"activitynet~{i}",
    }


def sciq(side, i):
    right, *wrong = texts(side, i)[i % 4 :] + texts(side, i)[: i % 4]
    names = ("distractor3", "distractor1", "distractor2")
    return {
        "question": f"What of {side} {i}?",
        **dict(zip(names, wrong, strict=True)),
        "correct_answer": right,
        "support": f"It is {right}." if i % 4 else "",
    }


def race(side, i):
    """An article with two questions."""
    pair = (2 * i, 2 * i + 1)
    return {
        "article": f"On {side} {i}.",
        "id": f"high{i}.txt",
        "questions": [f"What of {side} {n}?" for n in pair],
        "options": [texts(side, n) for n in pair],
        "answers": [key(n) for n in pair],
    }


def quality(side, i):
    """An article with two questions, their golds counted from 1."""
    questions = [
        {
            "question": f"What of {side} {n}?",
            "question_unique_id": f"{side}_{n}",
            "options": texts(side, n),
            "writer_label": 1,
            "gold_label": n % 4 + 1,
            "validation": [{"untimed_answer": 1}],
            "difficult": n % 2,
        }
        for n in (2 * i, 2 * i + 1)
    ]
    about = {"article_id": f"5{i // 2}", "title": "Lakes", "topic": f"T{i % 2}"}
    return {**about, "article": f"On {side} {i}.", "questions": questions}


def check_golds(made, side="test"):
    """Every right choice of the test items is the one that `texts` says."""
    assert len(made.test) > 5
    questions = made.test.column(made.query)
    golds = zip(questions, made.test.labels, made.test.choice_texts, strict=True)
    for question, letter, choices in golds:
        name, number = question.removeprefix("What of ").removesuffix("?").split()
        assert name == side
        assert {*choices} == {*texts(side, int(number))}
        right = texts(side, int(number))[int(number) % 4]
        assert choices["ABCD".index(letter)] == right


@pytest.mark.parametrize(
    ("name", "part", "home", "files", "write"),
    [
        (
            "hellaswag",
            "dev",
            "hellaswag/data",
            ("hellaswag_train.jsonl", "hellaswag_val.jsonl"),
            hellaswag,
        ),
        *(
            (
                f"arc-{level.lower()}",
                part,
                f"ARC-V1-Feb2018-2/ARC-{level}",
                (f"ARC-{level}-Train.jsonl", f"ARC-{level}-{part.title()}.jsonl"),
                stem,
            )
            for level in ("Challenge", "Easy")
            for part in ("test", "dev")
        ),
        (
            "openbookqa",
            "test",
            "OpenBookQA-V1-Sep2018/Data/Main",
            ("train.jsonl", "test.jsonl"),
            stem,
        ),
        (
            "commonsenseqa",
            "dev",
            "commonsenseqa",
            ("train_rand_split.jsonl", "dev_rand_split.jsonl"),
            lambda side, i: stem(side, i, question_concept="lake"),
        ),
    ],
)
def test_files_of_one_item_a_line(tmp_path, name, part, home, files, write):
    for file, side in zip(files, ("train", part), strict=True):
        rows = [write(side, i) for i in range(SIDES[side])]
        lines(tmp_path / home / file, rows)
    made = load_benchmark(name, data=tmp_path, part=part)
    assert sizes(made) == (SIDES["train"], SIDES[part])
    check_golds(made, part)
    assert made.roles["read from"] == ", ".join(files)
    assert (made.evidence, made.elicited) == (None, None)
    ids = made.test.ids
    assert name == "hellaswag" or list(ids[:2]) == [f"{part}-0", f"{part}-1"]


def test_hellaswag_keeps_its_name_and_its_activities(tmp_path):
    for side, file in (("train", "train"), ("dev", "val")):
        rows = [hellaswag(side, i) for i in range(SIDES[side])]
        lines(tmp_path / f"hellaswag_{file}.jsonl", rows)
    made = load_benchmark("hellaswag", data=tmp_path)
    assert (made.name, made.roles["test part"]) == ("hellaswag", "dev")
    assert (made.query, made.test.subject) == ("ctx", "activity_label")
    assert find_published(made.name).accuracy == 0.872


@pytest.mark.parametrize(("part", "file"), [("test", "test"), ("dev", "valid")])
def test_sciq_draws_the_order_of_its_choices(tmp_path, part, file):
    for side, name in (("train", "train"), (part, file)):
        rows = [sciq(side, i) for i in range(SIDES[side])]
        path = tmp_path / "SciQ dataset-2 3" / f"{name}.json"
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps(rows))
    made = load_benchmark("sciq", data=tmp_path, part=part)
    assert sizes(made) == (SIDES["train"], SIDES[part])
    check_golds(made, part)
    assert made.evidence == "support"
    assert made.test.column("support").iloc[1] == f"It is mast of {part} 1."
    assert len({*made.train.labels}) > 1  # the right one stands last in the files


def headless(path, side, n):
    """Write questions in the manner of MMLU: no header."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="") as file:
        rows = [[f"What of {side} {i}?", *texts(side, i), key(i)] for i in range(n)]
        csv.writer(file).writerows(rows)


def test_mmlu_names_its_subjects_in_its_file_names(tmp_path):
    for subject in ("anatomy", "world_religions"):
        for side in ("test", "dev", "val"):
            path = tmp_path / "data" / side / f"{subject}_{side}.csv"
            headless(path, side, 5)
    headless(tmp_path / "data" / "auxiliary_train" / "arc_easy.csv", "train", 20)
    made = load_benchmark("mmlu", data=tmp_path)
    assert sizes(made) == (20, 10)
    check_golds(made)
    assert made.test.column("subject").value_counts().to_dict() == {
        "anatomy": 5,
        "world_religions": 5,
    }
    assert made.roles["read from"] == "dev/*_dev.csv, val/*_val.csv, test/*_test.csv"
    other = load_benchmark("mmlu", data=tmp_path, part="auxiliary")
    assert other.train.column("question").iloc[0] == "What of train 0?"
    assert (sizes(other), other.test.subject) == ((20, 10), "subject")
    assert find_published(other.name).accuracy == 0.39


def test_a_first_question_of_letters_is_no_header_of_mmlu(tmp_path):
    for side in ("test", "dev"):
        headless(tmp_path / side / f"anatomy_{side}.csv", side, 11)
        path = tmp_path / side / f"virology_{side}.csv"
        path.write_text('"Which letter, of these?",A,B,C,D,B\n')
    made = load_benchmark("mmlu", data=tmp_path)
    assert sizes(made) == (12, 12)
    assert made.test.column("question").iloc[-1] == "Which letter, of these?"
    assert made.test.labels.iloc[-1] == "B"


@pytest.mark.parametrize(
    ("part", "expected"), [(None, (32, 16)), ("middle", (16, 8)), ("high", (16, 8))]
)
def test_race_is_a_folder_of_articles(tmp_path, part, expected):
    for side, n in (("train", 8), ("test", 4), ("dev", 1)):
        for level, start in (("middle", 0), ("high", n)):
            for i in range(start, start + n):
                path = tmp_path / "RACE" / side / level / f"{i}.txt"
                lines(path, [race(side, i)])
    made = load_benchmark("race", data=tmp_path, part=part)
    assert sizes(made) == expected
    check_golds(made)
    article = "On test 4." if part == "high" else "On test 0."
    assert made.test.column("article").iloc[:2].tolist() == [article] * 2
    assert (made.evidence, made.test.document) == ("article", "id")
    level = part or "middle"
    assert f"train/{level}/*.txt" in made.roles["read from"]


def test_quality_counts_its_golds_from_one(tmp_path):
    for side in ("train", "dev"):
        rows = [quality(side, i) for i in range(SIDES[side])]
        home = tmp_path / "QuALITY.v1.0.1"
        lines(home / f"QuALITY.v1.0.1.htmlstripped.{side}", rows)
    made = load_benchmark("quality", data=tmp_path)
    assert sizes(made) == (2 * SIDES["train"], 2 * SIDES["dev"])
    check_golds(made, "dev")
    assert made.roles["label"] == "gold_label (index from 1)"
    assert (made.evidence, made.test.document) == ("article", "article_id")
    assert (made.test.subject, made.test.ids[3]) == ("topic", "dev_3")
    assert made.test.column("article").iloc[3] == "On dev 1."


def squad(side, answers):
    """Paragraphs in the manner of SQuAD, with two questions each."""
    paragraphs = [
        {
            "context": f"On {side} {i} stand boat {i} and mast {i}.",
            "qas": [
                {
                    "id": f"{side}{i}{word}",
                    "question": f"Which {word} of {side} {i}?",
                    "answers": answers(f"{word} {i}"),
                }
                for word in ("boat", "mast")
            ],
        }
        for i in range(SIDES[side])
    ]
    halves = paragraphs[::2], paragraphs[1::2]
    data = [{"title": f"T{n}", "paragraphs": half} for n, half in enumerate(halves)]
    return {"version": "1.1", "data": data}


def spans(text):
    return [
        {"text": text, "answer_start": 3},
        {"text": f"the {text}", "answer_start": 0},
    ]


@pytest.mark.parametrize(("name", "version"), [("squad", "v1.1"), ("squad-v2", "v2.0")])
def test_squad_answers_are_screened(tmp_path, name, version):
    def answers(text):
        return [] if name == "squad-v2" and text == "mast 3" else spans(text)

    for side in ("train", "dev"):
        path = tmp_path / f"{side}-{version}.json"
        path.write_text(json.dumps(squad(side, answers)))
    made = load_benchmark(name, data=tmp_path)
    none = 2 if name == "squad-v2" else 0  # one a side
    assert made.notes.get("dropped_no_answer", 0) == none
    assert sum(sizes(made)) == 2 * (SIDES["train"] + SIDES["dev"]) - none
    assert (made.evidence, made.test.document) == ("context", "title")
    row = list(made.test.ids).index("dev2boat")
    right = made.test.choice_texts[row]["ABCD".index(made.test.labels.iloc[row])]
    assert right == "boat 2"
    assert made.test.column("context").iloc[row].startswith("On dev 2 stand")


def hotpotqa(side, i):
    return {
        "_id": f"{side}{i}",
        "question": f"Which of {side} {i}?",
        "answer": "no" if i % 4 == 0 else f"boat {i}",
        "type": "bridge",
        "level": "hard",
        "supporting_facts": [["A", 0], ["B", 0]],
        "context": [["A", [f"{side} {i}.", " More."]], ["B", ["Other."]]],
    }


@pytest.mark.parametrize("part", ["distractor", "fullwiki"])
def test_hotpotqa_has_answers_too(tmp_path, part):
    files = {"train": "hotpot_train_v1.1.json", "dev": f"hotpot_dev_{part}_v1.json"}
    for side, file in files.items():
        rows = [hotpotqa(side, i) for i in range(SIDES[side])]
        (tmp_path / file).write_text(json.dumps(rows))
    made = load_benchmark("hotpotqa-answers", data=tmp_path, part=part)
    assert sizes(made) == (SIDES["train"], SIDES["dev"])
    assert made.test.column("context").iloc[2] == "A: dev 2. More. B: Other."
    assert {*made.test.choice_texts[0]} == {"yes", "no"}
    right = made.test.choice_texts[1]["ABCD".index(made.test.labels.iloc[1])]
    assert right == "boat 1"
    assert made.protocol is None


@pytest.mark.parametrize("name", ["openbookqa", "commonsenseqa", "race", "mmlu"])
def test_simple_files_hold_question_choices_and_answer(tmp_path, name):
    part = next(iter(PUBLISHED[name].parts))
    for side, file in (("train", "train"), (part, "val" if part == "dev" else part)):
        rows = [
            {"question": f"What of {side} {i}?", "choices": texts(side, i)}
            for i in range(SIDES[side])
        ]
        golds = [{**row, "answer": i % 4} for i, row in enumerate(rows)]
        lines(tmp_path / f"{name}_{file}.jsonl", golds)
    made = load_benchmark(name, data=tmp_path)
    assert sizes(made) == (SIDES["train"], SIDES[part])
    check_golds(made, part)


HUB = {
    "hellaswag": (
        "Rowan/hellaswag",
        lambda s, i: {**hellaswag(s, i), "label": str(i % 4)},
    ),
    "openbookqa": (
        "allenai/openbookqa",
        lambda s, i: {
            "question_stem": f"What of {s} {i}?",
            "choices": {"text": texts(s, i), "label": [*"ABCD"]},
            "answerKey": key(i),
        },
    ),
    "arc-easy": (
        "allenai/ai2_arc",
        lambda s, i: {
            "id": f"{s}-{i}",
            "question": f"What of {s} {i}?",
            "choices": {"text": texts(s, i), "label": [*"ABCD"]},
            "answerKey": key(i),
        },
    ),
    "quality": (
        "emozilla/quality",
        lambda s, i: {
            "article": f"On {s} {i // 2}.",
            "question": f"What of {s} {i}?",
            "options": texts(s, i),
            "answer": i % 4,
            "hard": i % 2 == 0,
        },
    ),
    "sciq": ("allenai/sciq", sciq),
    "race": (
        "ehovy/race",
        lambda s, i: {
            "example_id": f"high{i // 2}.txt",
            "article": f"On {s} {i // 2}.",
            "answer": key(i),
            "question": f"What of {s} {i}?",
            "options": texts(s, i),
        },
    ),
    "mmlu": (
        "cais/mmlu",
        lambda s, i: {
            "question": f"What of {s} {i}?",
            "subject": "anatomy" if i % 2 else "virology",
            "choices": texts(s, i),
            "answer": i % 4,
        },
    ),
}


@pytest.mark.parametrize("name", HUB)
def test_the_hub_is_asked_where_no_folder_is_named(tmp_path, monkeypatch, name):
    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    hub, write = HUB[name]
    part = next(iter(PUBLISHED[name].parts))
    sources = PUBLISHED[name].parts[part].hub
    config = sources[0].partition("@")[0].partition(":")[2]
    files = {"train": "train", "dev": "validation", "test": "test"}
    if name == "mmlu":  # its train part is dev and validation
        files = {"train": "dev", "dev": "validation", "test": "test"}
    home = tmp_path / hub
    home.mkdir(parents=True)
    for side, file in files.items():
        table = pd.DataFrame([write(side, i) for i in range(SIDES[side])])
        table.to_parquet(home / f"{file}.parquet")
    splits = [{"split": f, "path": f"{f}.parquet"} for f in files.values()]
    configs = [{"config_name": config or "default", "data_files": splits}]
    (home / "README.md").write_text(f"---\nconfigs: {json.dumps(configs)}\n---\n")
    made = load_benchmark(name)
    train = SIDES["train"] + (SIDES["dev"] if name == "mmlu" else 0)
    assert sizes(made) == (train, SIDES[part])
    check_golds(made, part)
    assert made.roles["read from"] == ", ".join(sources)
