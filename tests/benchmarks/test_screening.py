"""Free answers among answers of like items."""

import numpy as np
import pandas as pd
import pytest

import measurand as ms
from measurand.benchmarks.assemble import sample_benchmark
from measurand.benchmarks.metadata import longest_choice
from measurand.benchmarks.screening import (
    answer_type,
    draw_choices,
    normalise_answer,
)
from measurand.benchmarks.split import FOLD, fold_benchmark
from measurand.core.choices import fit_to
from measurand.core.errors import BadInput, BadOption
from measurand.readers.linear import TfidfReader

N = 80
NAMES = [f"{a}{b} Lake" for a in ("Ash", "Oak", "Elm", "Fir") for b in range(20)]
ANSWERS = [[NAMES[i]] if i % 2 else [str(1900 + i), "long ago"] for i in range(N)]


def rows(answers=ANSWERS, name="answers", **columns):
    questions = [f"Which or when was thing {i}?" for i in range(N)]
    contexts = [f"Thing {i} was at {cell}." for i, cell in enumerate(answers)]
    table = {"question": questions, "context": contexts, name: answers}
    return pd.DataFrame({**table, "title": "A title", **columns})


def gold_texts(items):
    return [
        texts["ABCD".index(letter)]
        for texts, letter in zip(items.choice_texts, items.labels, strict=True)
    ]


def test_the_gold_stands_among_answers_of_its_type():
    loaded = ms.load(rows())
    assert loaded.roles["answers"] == (
        "answers (screened: the gold among up to 4 answers of like items)"
    )
    assert loaded.notes["items_screened"] == N
    for items in (loaded.train, loaded.test):
        assert items.fields == ("question", "context", "choices")
        for gold, texts in zip(gold_texts(items), items.choice_texts, strict=True):
            assert [gold] in [accepted[:1] for accepted in ANSWERS]
            assert len({normalise_answer(text) for text in texts}) == 4
            assert {answer_type(text) for text in texts} == {answer_type(gold)}


CELLS = {
    "squad": [{"text": a, "answer_start": [0] * len(a)} for a in ANSWERS],
    "objects": [[{"text": text} for text in a] for a in ANSWERS],
    "text": [a[0] for a in ANSWERS],
    "printed": [str(a) for a in ANSWERS],
}


@pytest.mark.parametrize("cells", CELLS.values(), ids=CELLS)
def test_layouts_of_answers_give_the_same_choices(cells):
    plain = ms.load(rows([a[:1] for a in ANSWERS]))
    loaded = ms.load(rows(cells))
    assert [*loaded.test.column("choices")] == [*plain.test.column("choices")]


def test_a_column_of_answers_that_stand_once_is_no_class():
    texts = [a[0] for a in ANSWERS]
    assert (
        ms.load(rows(texts, "answer")).roles["answers"].startswith("answer (screened")
    )
    classes = ms.load(rows(["yes", "no"] * (N // 2), "answer"))
    assert classes.train.choices is None
    named = ms.load(rows(["yes", "no"] * (N // 2), "reply"), answers="reply")
    assert named.roles["answers"].startswith("reply (screened")
    assert ms.load(rows(label=["yes", "no"] * (N // 2))).train.choices is None


def test_yes_and_no_have_only_each_other():
    drawn = draw_choices([["Yes."], ["no"], ["red boat"]], np.random.default_rng(0))
    assert [sorted(texts) for texts, _ in drawn[:2]] == [["No.", "Yes."], ["no", "yes"]]


def test_one_of_another_type_stands_in_where_none_is_alike():
    answers = [["1903"], ["a red boat"], ["the mast"], ["a long oar"]]
    alone, *others = draw_choices(answers, np.random.default_rng(0))
    assert len(alone[0]) == 2
    for texts, _ in others:
        assert len(texts) == 3
        assert "1903" not in texts


def test_no_accepted_answer_is_among_the_wrong_ones():
    answers = [
        ["The Mast", "oars", "sail"],
        *([word] for word in ("mast", "Oars", "sail")),
    ]
    answers += [["boat"], ["keel"], ["The Rope"]]
    for seed in range(20):
        texts, place = draw_choices(answers, np.random.default_rng(seed))[0]
        wrong = {*texts[:place], *texts[place + 1 :]}
        assert wrong
        assert wrong <= {"boat", "keel", "The Rope"}


def test_the_gold_is_as_long_as_any_other():
    rng = np.random.default_rng(5)
    letters = [chr(97 + i % 26) + str(i) for i in range(3000)]
    answers = [[word + "x" * int(rng.integers(20))] for word in letters]
    drawn = draw_choices([["a " + text] for (text,) in answers], rng)
    ranks = [
        sorted(texts, key=lambda text: (len(text), text)).index(texts[place])
        for texts, place in drawn
    ]
    # 3,000 draws of one in four: a standard error is 0.008.
    assert np.bincount(ranks) / len(ranks) == pytest.approx([0.25] * 4, abs=0.03)


def test_rows_without_an_answer_are_left_out_and_counted():
    cells = [[] if i % 4 == 0 else answers for i, answers in enumerate(ANSWERS)]
    loaded = ms.load(rows(cells))
    assert loaded.notes["dropped_no_answer"] == N // 4
    assert loaded.notes["items_screened"] == len(loaded.train) + len(loaded.test)


def test_sides_and_splits_are_screened_by_themselves():
    table = rows(split=["train", "test"] * (N // 2))
    loaded = ms.load(table)
    train, test = set(gold_texts(loaded.train)), set(gold_texts(loaded.test))
    assert all({*texts} <= train for texts in loaded.train.choice_texts)
    assert all({*texts} <= test for texts in loaded.test.choice_texts)
    two = ms.load(table.drop(columns="split")[:60], table.drop(columns="split")[60:])
    assert all({*texts} <= {*gold_texts(two.test)} for texts in two.test.choice_texts)


def test_a_drawn_split_keeps_the_choices_of_a_side_to_its_own_answers():
    loaded = ms.load(rows())
    train, test = set(gold_texts(loaded.train)), set(gold_texts(loaded.test))
    assert all({*texts} <= train for texts in loaded.train.choice_texts)
    assert all({*texts} <= test for texts in loaded.test.choice_texts)


def numbered(seed, n=300):
    rng = np.random.default_rng(seed)
    numbers = rng.choice(9000, n, replace=False) + 1000
    words = rng.integers(500, size=(n, 2))
    return pd.DataFrame(
        {
            "question": [
                f"How many w{a} had w{b} here {i}?" for i, (a, b) in enumerate(words)
            ],
            "passage": [f"There were {number}." for number in numbers],
            "answers": [[str(number)] for number in numbers],
        }
    )


def test_folds_have_choices_of_their_own_answers():
    cut = fold_benchmark(ms.load(numbered(0)), 5, 0).test
    golds, folds = gold_texts(cut), cut.column(FOLD).tolist()
    fold_of = dict(zip(golds, folds, strict=True))
    for texts, fold in zip(cut.choice_texts, folds, strict=True):
        assert {fold_of[text] for text in texts} == {fold}
    longest = [longest_choice(texts) for texts in cut.choice_texts]
    assert cut.column("longest_choice").tolist() == longest


def test_who_learned_answers_that_are_right_elsewhere_is_at_chance():
    def right(seed):
        cut = fold_benchmark(ms.load(numbered(seed)), 5, seed).test
        folds, scores = cut.column(FOLD), []
        for fold in sorted(folds.unique()):
            there = (folds == fold).to_numpy()
            reader = fit_to(TfidfReader(), cut.rows(~there), np.random.default_rng(0))
            asked = cut.rows(there)
            answers = reader.predict(asked).argmax(axis=1)
            scores += (answers == asked.gold(cut.classes)).tolist()
        return np.mean(scores)

    # 900 answers of one in four: a standard error is 0.014. Where choices were drawn
    # before the folds were cut, 0.06 were right.
    assert np.mean([right(seed) for seed in range(3)]) == pytest.approx(0.25, abs=0.045)


@pytest.mark.parametrize(("folds", "choices", "types"), [(4, 2, 1), (8, 2, 2)])
def test_few_of_a_type_in_a_fold_are_fewer_choices_and_none_from_elsewhere(
    folds, choices, types
):
    answers = [[str(1000 + i)] for i in range(8)] + [
        [f"a red boat {i}"] for i in range(8)
    ]
    parts = [i % folds for i in range(16)]
    part = {text: number for (text,), number in zip(answers, parts, strict=True)}
    for texts, _ in draw_choices(answers, np.random.default_rng(0), parts):
        assert len(texts) == choices
        assert len({answer_type(text) for text in texts}) == types
        assert len({part[text] for text in texts}) == 1


def test_drawn_choices_are_no_input_that_is_counted():
    twice = pd.concat([rows(), rows()], ignore_index=True)
    assert ms.load(twice).notes["duplicates"] == N


def test_what_cannot_be_screened_is_one_line():
    with pytest.raises(BadInput, match="no row has an answer in column 'answers'"):
        ms.load(rows([[] for _ in range(N)]))
    with pytest.raises(BadInput, match="all items have the answer 'oar'"):
        ms.load(rows([["oar"]] * N))
    with pytest.raises(BadOption, match="both `answers` and `label`"):
        ms.load(rows(), answers="answers", label="title")


def test_a_sample_counts_what_is_left():
    few = sample_benchmark(ms.load(rows()), train=20, test=10, seed=0)
    assert few.notes["items_screened"] == 30
