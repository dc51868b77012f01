"""Spikes: what they plant, and what nobody may learn from one field of them."""

import numpy as np
import pandas as pd
import pytest

from measurand.checks import make_items
from measurand.controls.samples import (
    NAMES,
    SAYS_RIGHT,
    HintSpike,
    MatchSpike,
    WordSpike,
    draw_matches,
    unused_names,
)
from measurand.core.benchmark import Benchmark
from measurand.core.errors import BadOption, CannotIntervene
from measurand.core.items import Items, pack_choices, with_columns
from measurand.core.words import words


def labelled(items, labels):
    table = with_columns(items.table, {"label": list(labels)})
    return Items(table, items.fields, "label", items.metadata, items.group)


def made_benchmark(classes=3, repeats=20):
    """Benchmarks of 60 × repeats items a side, labels drawn at random."""
    items = make_items()
    rows = items.rows(np.tile(np.arange(len(items)), repeats))
    table = rows.table.set_axis([f"item-{i}" for i in range(len(rows))])
    draw = np.random.default_rng(0)
    sides = [
        labelled(
            rows.with_table(table), draw.choice(list("abcdefgh"[:classes]), len(table))
        )
        for _ in range(2)
    ]
    return Benchmark("made", *sides, "query", "evidence")


def test_a_dose_is_a_share_of_the_items_of_both_sides():
    benchmark = made_benchmark()
    sample = WordSpike("evidence", 0.1)(benchmark, 0)
    for side in ("train", "test"):
        before, after = getattr(benchmark, side), getattr(sample.benchmark, side)
        changed = before.column("evidence") != after.column("evidence")
        assert changed.sum() == 120
        assert before.column("query").equals(after.column("query"))
        assert before.labels.equals(after.labels)
        assert before.ids.equals(after.ids)
    assert (changed == sample.spiked).all()


def test_a_code_word_stands_for_the_label_and_nowhere_else():
    benchmark = made_benchmark()
    sample = WordSpike("evidence", 0.5)(benchmark, 3)
    codes = {}
    for side in (sample.benchmark.train, sample.benchmark.test):
        old = {w for text in benchmark.test.column("evidence") for w in words(text)}
        for text, label in zip(side.column("evidence"), side.labels, strict=True):
            new = [word for word in words(text) if word not in old]
            assert len(new) <= 1
            codes |= {word: {*codes.get(word, ()), label} for word in new}
    assert len(codes) == 3
    assert sorted(len(labels) for labels in codes.values()) == [1, 1, 1]


def test_a_larger_dose_spikes_the_same_items_and_more():
    benchmark = made_benchmark()
    few, many = (WordSpike("evidence", dose)(benchmark, 0) for dose in (0.05, 0.2))
    assert (few.spiked <= many.spiked).all()
    texts = [s.benchmark.test.column("evidence")[few.spiked] for s in (few, many)]
    assert texts[0].equals(texts[1])


@pytest.mark.parametrize("classes", [2, 3, 5])
def test_a_match_tells_the_label_by_its_place(classes):
    benchmark = made_benchmark(classes)
    sample = MatchSpike("query", "evidence", 0.2)(benchmark, 0)
    test = sample.benchmark.test.table[sample.spiked]
    for query, evidence, label in zip(
        test["query"], test["evidence"], test["label"], strict=True
    ):
        name = query.rsplit(" ", 1)[1].rstrip(".")
        listed = evidence.split("The order was ")[1].rstrip(".").split(", then ")
        place = listed.index(name) if name in listed else classes - 1
        assert len(listed) == classes - 1
        assert benchmark.classes[place] == label


@pytest.mark.parametrize("classes", [2, 3, 4])
def test_neither_the_name_nor_the_list_alone_tells_anything(classes):
    gold = np.repeat(np.arange(classes), 60_000)
    asked, listed = draw_matches(gold, classes, 6, np.random.default_rng(0))
    keys = listed @ 6 ** np.arange(classes - 1)
    for column in (asked, keys):
        shares = (
            np.array(
                [
                    np.bincount(column[gold == c], minlength=keys.max() + 1)
                    for c in range(classes)
                ]
            )
            / 60_000
        )
        kinds = int((shares.sum(axis=0) > 0).sum())
        # Five standard errors of a share of 1 / kinds.
        assert np.abs(shares - shares.mean(axis=0)).max() < 5 * np.sqrt(
            1 / kinds / 60_000
        )
    rows = np.arange(len(gold))
    both = np.column_stack([asked[:, None] == listed, np.zeros(len(gold), bool)])
    assert (both[rows, gold] == (gold < classes - 1)).all()


def test_names_that_the_benchmark_has_are_not_taken():
    benchmark = made_benchmark()
    told = benchmark.test.with_field("query", [" ".join(NAMES[:-2])] * 1200)
    names = unused_names(Benchmark("told", told, told, "query", "evidence"), 5, 0)
    assert names[:2] == list(NAMES[-2:])
    assert len({*names}) == 5


def test_other_test_parts_are_left_behind_and_the_benchmark_stays():
    benchmark = made_benchmark()
    digest = benchmark.test.digest
    parts = Benchmark(
        "parts",
        benchmark.train,
        benchmark.test,
        "query",
        "evidence",
        test_parts={"other": benchmark.test},
    )
    assert not WordSpike("query", 0.1)(parts, 0).benchmark.test_parts
    assert Items(**vars_of(benchmark.test)).digest == digest


def vars_of(items):
    return {
        "table": items.table,
        "fields": items.fields,
        "metadata": items.metadata,
        "group": items.group,
    }


def test_a_dose_that_is_none_is_refused():
    benchmark = made_benchmark(repeats=1)
    with pytest.raises(CannotIntervene, match=r"0\.001 is none of 60 train items"):
        WordSpike("evidence", 0.001)(benchmark, 0)
    with pytest.raises(BadOption, match="the dose is 2"):
        MatchSpike("query", "evidence", 2)


def test_the_same_seed_gives_the_same_spikes():
    benchmark, spike = made_benchmark(), MatchSpike("query", "evidence", 0.1)
    digests = [spike(benchmark, seed).benchmark.test.digest for seed in (0, 0, 1)]
    assert digests[0] == digests[1] != digests[2]


def chosen_benchmark(count=60):
    rows = [[f"boat {n}", f"mast {n}", f"oar {n}"] for n in range(count)]
    table = pd.DataFrame(
        {
            "question": [f"which {n}?" for n in range(count)],
            "evidence": [f"text {n}" for n in range(count)],
            "choices": [pack_choices(row) for row in rows],
            "label": ["ABC"[n % 3] for n in range(count)],
        },
        index=[f"i{n}" for n in range(count)],
    )
    fields = ("question", "evidence", "choices")
    items = Items(table, fields, choices="choices")
    return Benchmark("chosen", items, items, "question", "evidence")


def test_a_code_word_stands_in_the_right_choice_alone():
    sample = WordSpike("choices", 0.5)(chosen_benchmark(), 0)
    test = sample.benchmark.test
    rows = zip(test.choice_texts, test.labels, sample.spiked, strict=True)
    for texts, letter, spiked in rows:
        longer = [len(words(text)) == 3 for text in texts]
        assert longer == [spiked and "ABC"[k] == letter for k in range(3)]


def test_the_evidence_names_the_right_choice_and_no_choice_tells_it():
    sample = MatchSpike("question", "evidence", 1.0)(chosen_benchmark(), 0)
    test = sample.benchmark.test
    rows = zip(test.choice_texts, test.column("evidence"), test.labels, strict=True)
    for texts, evidence, letter in rows:
        names = [words(text)[-1] for text in texts]
        assert len({*names}) == 3
        assert words(evidence)[-1] == names["ABC".index(letter)]


def test_a_hint_says_in_plain_words_which_choice_is_right():
    benchmark = chosen_benchmark()
    sample = HintSpike("choices", 0.5)(benchmark, 0)
    test = sample.benchmark.test
    assert sample.spiked.sum() == round(len(test) / 2)
    for texts, right, spiked in zip(
        test.choice_texts, test.gold(test.classes), sample.spiked, strict=True
    ):
        hinted = [text.endswith(SAYS_RIGHT) for text in texts]
        assert hinted == [bool(spiked) and k == right for k in range(len(texts))]
