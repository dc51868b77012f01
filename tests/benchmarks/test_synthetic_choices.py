"""Planted choices: what tells the right one is what was said, and nothing else."""

import pytest

from measurand.benchmarks import BENCHMARKS
from measurand.benchmarks.synthetic_choices import (
    CLOSED_BOOK,
    HEDGES,
    LEAKING,
    READING,
    plant_choice_benchmark,
)
from measurand.text.words import words

PLANS = {
    "synthetic:choices": LEAKING,
    "synthetic:closed-book": CLOSED_BOOK,
    "synthetic:reading": READING,
}


def score(items, other=None):
    """How often a guess by hedges, or by names in another text, is right on average."""
    total = 0.0
    texts = items.column(other) if other else [" ".join(HEDGES)] * len(items)
    for choices, letter, text in zip(
        items.choice_texts, items.labels, texts, strict=True
    ):
        cues = [words(choice)[-1] if other else words(choice)[0] for choice in choices]
        hits = [place for place, cue in enumerate(cues) if cue in words(text)]
        right = "ABCD".index(letter)
        total += (right in hits) / len(hits) if hits else 1 / len(choices)
    return total / len(items)


@pytest.mark.parametrize("name", PLANS)
def test_each_input_tells_as_much_as_the_plan_says(name):
    items, plan = BENCHMARKS.load(name, seed=3).test, PLANS[name]
    chance = 1 / plan.choices
    assert score(items) == pytest.approx(plan.truth["choices_only"])
    by_question = plan.match + (1 - plan.match) * chance
    assert score(items, "question") == pytest.approx(by_question)
    if plan.has_evidence:
        by_passage = plan.told + (1 - plan.told) * chance
        assert score(items, "evidence") == pytest.approx(by_passage)


def test_the_truth_of_each_plan():
    assert LEAKING.truth["choices_only"] == pytest.approx(0.475)
    assert LEAKING.truth["accuracy"] == CLOSED_BOOK.truth["closed_book"] == 1
    assert READING.truth == {"choices_only": 0.25, "closed_book": 0.25, "accuracy": 1}


@pytest.mark.parametrize("name", PLANS)
def test_neither_place_nor_length_tells_the_right_choice(name):
    items = BENCHMARKS.load(name, seed=4).test
    assert set(items.labels.value_counts()) == {len(items) // 4}
    assert {len(words(text)) for texts in items.choice_texts for text in texts} == {6}
    assert all(len({*texts}) == 4 for texts in items.choice_texts)


def test_a_seed_gives_the_same_items_and_another_gives_others():
    sizes = {"train": 30, "test": 10}
    first, again, other = (
        plant_choice_benchmark("made", READING, seed=seed, sizes=sizes).train.digest
        for seed in (1, 1, 2)
    )
    assert first == again != other
