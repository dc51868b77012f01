"""The layouts of the pages, each read without an option or with one printed line."""

import csv
import json

import pytest

import measurand as ms
from measurand.core.errors import BadInput
from tests.benchmarks.trees import (
    CHOICES,
    LETTERS,
    PLACES,
    QUESTIONS,
    RIGHT,
    N,
)
from tests.shared_data import DATA, needs_data, path

ROWS = [*zip(QUESTIONS, CHOICES, PLACES, RIGHT, LETTERS, strict=True)]
WORDS = ["A", "B", "C", "D"]


def by_row(make):
    """A row of each question, its choices, and the right one: place, text, letter."""
    return [{"question": row[0], **make(*row[1:])} for row in ROWS]


def write_lines(file, rows):
    file.write_text("\n".join(map(json.dumps, rows)), "utf-8")


def write_values(separator, header=True):
    def write(file, rows):
        with file.open("w", encoding="utf-8", newline="") as stream:
            writer = csv.DictWriter(stream, [*rows[0]], delimiter=separator)
            if header:
                writer.writeheader()
            writer.writerows(rows)

    return write


def write_json(wrap):
    return lambda file, rows: file.write_text(json.dumps(wrap(rows)), "utf-8")


def spread(names, choices):
    return dict(zip(names, choices, strict=True))


def wrong(choices, right):
    return [text for text in choices if text != right]


LISTS = by_row(lambda texts, place, *_: {"choices": texts, "answer": place})
COLUMNS = by_row(
    lambda texts, _, __, letter: {**spread(WORDS, texts), "answer": letter}
)
FLAGS = by_row(
    lambda texts, place, *_: {
        "answers_list": [
            {"text": text, "correct": j == place} for j, text in enumerate(texts)
        ]
    }
)
WRONGS = by_row(
    lambda texts, _, right, __: {
        "correct_answer": right,
        **spread(("distractor1", "distractor2", "distractor3"), wrong(texts, right)),
    }
)
WRONG_LISTS = by_row(
    lambda texts, _, right, __: {
        "correct_answer": right,
        "incorrect_answers": wrong(texts, right),
    }
)
ARC = [
    {
        "question": {
            "stem": question,
            "choices": [
                {"label": mark, "text": text}
                for mark, text in zip(WORDS, texts, strict=True)
            ],
        },
        "answerKey": letter,
    }
    for question, texts, _, _, letter in ROWS
]
ARC_LISTS = by_row(
    lambda texts, _, __, letter: {
        "choices": {"text": texts, "label": WORDS},
        "answerKey": letter,
    }
)
LETTERED = by_row(
    lambda texts, _, __, letter: {"options": spread(WORDS, texts), "answer": letter}
)
PREFIXED = by_row(
    lambda texts, _, __, letter: {
        "options": [f"{m}) {t}" for m, t in zip(WORDS, texts, strict=True)],
        "answer": letter,
    }
)
TEXTS = by_row(lambda texts, _, right, __: {"options": texts, "answer": right})
ENDINGS = by_row(
    lambda texts, place, *_: {
        **spread([f"ending{j}" for j in range(4)], texts),
        "label": place,
    }
)
FAMILY = by_row(
    lambda texts, place, *_: {
        **spread([f"mc_answer{j + 1}" for j in range(4)], texts),
        "correct_answer_num": place + 1,
    }
)
RACE = [
    {
        "article": f"Trees {i} and {i + 1}.",
        "questions": QUESTIONS[i : i + 2],
        "options": CHOICES[i : i + 2],
        "answers": LETTERS[i : i + 2],
    }
    for i in range(0, N, 2)
]
QUALITY = [
    {
        "article": f"Trees {i} and {i + 1}.",
        "questions": [
            {"question": q, "options": texts, "gold_label": place + 1}
            for q, texts, place, _, _ in ROWS[i : i + 2]
        ],
    }
    for i in range(0, N, 2)
]
PRINTED = by_row(lambda texts, place, *_: {"choices": str(texts), "answer": place})
MMLU = [
    {"question": q, **spread(WORDS, texts), "answer": letter}
    for q, texts, _, _, letter in ROWS
]
CODAH = [
    {"kind": "on"[i % 2], "question": q, **spread(WORDS, texts), "place": place}
    for i, (q, texts, place, _, _) in enumerate(ROWS)
]
LAYOUTS = {
    "lists and an index.jsonl": (write_lines, LISTS),
    "a list of objects.json": (write_json(lambda rows: rows), LISTS),
    "under data.json": (write_json(lambda rows: {"data": rows, "v": 1}), LISTS),
    "one list.json": (write_json(lambda rows: {"name": "x", "trees": rows}), LISTS),
    "an object of columns.json": (
        write_json(lambda rows: {k: [row[k] for row in rows] for k in rows[0]}),
        LISTS,
    ),
    "lines named.json": (write_lines, LISTS),
    "columns and a letter.csv": (write_values(","), COLUMNS),
    "columns and a letter.tsv": (write_values("\t"), COLUMNS),
    "tabs named.csv": (write_values("\t"), COLUMNS),
    "semicolons named.csv": (write_values(";"), COLUMNS),
    "lists as printed.csv": (write_values(","), PRINTED),
    "MMLU.csv": (write_values(",", header=False), MMLU),
    "endings.csv": (write_values(","), ENDINGS),
    "right and wrongs.csv": (write_values(","), WRONGS),
    "objects of text and label.jsonl": (write_lines, ARC_LISTS),
    "a question of stem and choices.jsonl": (write_lines, ARC),
    "an object by letter.jsonl": (write_lines, LETTERED),
    "marks before texts.jsonl": (write_lines, PREFIXED),
    "the text of the right one.jsonl": (write_lines, TEXTS),
    "lists of questions.jsonl": (write_lines, RACE),
    "questions of an article.jsonl": (write_lines, QUALITY),
}
# Read with the first command that the refusal prints.
PROPOSED = {
    "flags.jsonl": (write_lines, FLAGS),
    "right and a list of wrongs.jsonl": (write_lines, WRONG_LISTS),
    "a family of columns.csv": (write_values(","), FAMILY),
    "no header.tsv": (write_values("\t", header=False), CODAH),
}


def check_right(loaded):
    """Every right choice is the one that `RIGHT` says, whatever mark is before it."""
    for items in (loaded.train, loaded.test):
        for question, texts, letter in zip(
            items.column(loaded.query), items.choice_texts, items.labels, strict=True
        ):
            house = int(question.rstrip("?").split()[-1])
            assert len(texts) == len(WORDS)
            assert texts["ABCD".index(letter)].endswith(RIGHT[house])


@pytest.mark.parametrize("name", LAYOUTS)
def test_a_layout_of_the_pages_is_read_without_an_option(name, tmp_path):
    write, rows = LAYOUTS[name]
    write(tmp_path / name, rows)
    check_right(ms.load(tmp_path / name))


@pytest.mark.parametrize("name", PROPOSED)
def test_what_names_do_not_tell_is_read_with_what_the_refusal_proposes(name, tmp_path):
    write, rows = PROPOSED[name]
    write(tmp_path / name, rows)
    with pytest.raises(BadInput) as refused:
        ms.load(tmp_path / name)
    check_right(ms.load(tmp_path / name, **refused.value.proposals[0]))


# What is published and lies in the folder of real benchmarks: one file, or train and
# tests, and whether one printed command is needed.
TRAIN_AND_TEST = {
    "known/arct": ("known/arct_train.tsv.gz", "known/arct_dev.tsv.gz", True),
    "known/arct_adversarial": (
        "known/arct_adversarial_train.csv.gz",
        "known/arct_adversarial_test.csv.gz",
        True,
    ),
    "known/codah": ("known/codah_train.tsv.gz", "known/codah_test.tsv.gz", True),
    "known/dnc_sentiment": (
        "known/dnc_sentiment_train.json.gz",
        "known/dnc_sentiment_test.json.gz",
        False,
    ),
    "nli/cad": ("nli/cad_train.jsonl.gz", "nli/cad_test.jsonl.gz", False),
    "choices/openbookqa": (
        "choices/openbookqa_train.jsonl.gz",
        "choices/openbookqa_test.jsonl.gz",
        False,
    ),
}
# Files that one printed command reads: by their columns, or by another split.
ONE_COMMAND = {"arct", "codah", "climate"}


@needs_data
@pytest.mark.parametrize("sides", TRAIN_AND_TEST.values(), ids=TRAIN_AND_TEST)
def test_train_and_test_of_a_public_benchmark_are_read(sides):
    *names, is_proposed = sides
    files = [path(name) for name in names]
    if not is_proposed:
        assert len(ms.load(*files).test)
        return
    with pytest.raises(BadInput) as refused:
        ms.load(*files)
    loaded = ms.load(*files, **refused.value.proposals[0])
    assert {*loaded.test.labels} <= {*"ABCD"}


def proposals(file):
    """What is proposed for a file that is not read as it is; None where it is read."""
    try:
        ms.load(file)
    except BadInput as refused:
        return refused.proposals
    return None


@needs_data
@pytest.mark.slow
def test_every_public_file_is_read_as_it_is_or_with_one_printed_command():
    files = sorted(DATA.rglob("*.gz"))
    refused = {file: p for file in files if (p := proposals(file)) is not None}
    assert {file.name.partition("_")[0] for file in refused} <= ONE_COMMAND
    for file, proposed in refused.items():
        assert len(ms.load(file, **proposed[0]).test)
