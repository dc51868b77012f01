from dataclasses import replace

import numpy as np
import pytest

from measurand.audits.explanations.specificity import (
    difference_from_copy,
    draw_contrasts,
)
from measurand.core.errors import BadInput, BadOption
from measurand.stats.specificity import rescale_auc
from tests.shared_data import needs_data, path

PLACES = ("park", "street", "school", "garden", "station")
N = 120
QUERIES = [f"someone{i} waits" for i in range(N)]
INPUTS = [
    f"the man is in the {PLACES[i % 5]} of town{i % 30} {query}"
    for i, query in enumerate(QUERIES)
]
LABELS = ["yes" if i % 2 else "no" for i in range(N)]
VACUOUS = ["the answer follows from the text"] * N
PSEUDO = [f"because the text mentions {PLACES[i % 5]} it follows" for i in range(N)]
GOOD = [f"someone{i} is in the {PLACES[i % 5]} of town{i % 30}" for i in range(N)]


@pytest.fixture(scope="module")
def against():
    return draw_contrasts(INPUTS, LABELS, np.random.default_rng(0))


def test_good_rationales_are_specific_and_vacuous_ones_are_not(against):
    good, vacuous = (against.of(said).auc.mean() for said in (GOOD, VACUOUS))
    assert rescale_auc(good) > 0.9
    assert rescale_auc(vacuous) < 0.1


def test_near_negatives_see_through_a_named_entity(against):
    near = replace(against, negatives={"near": against.negatives["near"]})
    assert against.of(PSEUDO, "paper").auc.mean() > 0.8
    assert near.of(PSEUDO).auc.mean() < 0.65
    assert against.of(PSEUDO).auc.mean() < against.of(GOOD).auc.mean() - 0.1


def test_the_paper_gives_nothing_for_ties(against):
    found = against.of(VACUOUS, "paper")
    assert found.auc.mean() < against.of(VACUOUS).auc.mean()


def test_an_empty_rationale_is_scored_as_chance(against):
    nothing = against.of([""] * N)
    assert set(nothing.auc) == {0.5}


def test_copying_the_query_is_no_gain_over_copying_the_query(against, rng):
    same = difference_from_copy(against.of(QUERIES), QUERIES, against, rng=rng)
    assert (same.low, same.value, same.high) == (0, 0, 0)
    assert difference_from_copy(against.of(PSEUDO), QUERIES, against, rng=rng).high < 0


@pytest.mark.parametrize("texts", [["?!"] * 4, [""] * 4])
def test_inputs_without_words_leave_every_rationale_at_chance(texts, rng):
    found = draw_contrasts(texts, LABELS[:4], rng).of(["a b"] * 4)
    assert set(found.auc) == {0.5}


def test_vectors_may_take_the_place_of_words(rng):
    def letters(texts):
        return np.array([[text.count(c) for c in "abcd"] for text in texts], float)

    contrasts = draw_contrasts(["a", "b", "c", "d"], list("xyxy"), rng, embed=letters)
    found = contrasts.of(["aa", "bb", "c", " "])
    assert found.auc.tolist() == [1, 1, 1, 0.5]


def test_what_is_asked_wrongly_is_refused_in_one_line(against):
    with pytest.raises(BadOption, match="default, paper"):
        against.of(GOOD, "papers")
    with pytest.raises(BadInput, match="one each"):
        against.of(GOOD[:3])


@needs_data
def test_human_explanations_are_more_specific_than_a_template(rng):
    import pandas as pd

    rows = pd.read_json(path("nli/esnli_test.jsonl.gz"), lines=True)[:600]
    inputs = (rows["premise"] + " " + rows["hypothesis"]).tolist()
    against = draw_contrasts(inputs, rows["label"].tolist(), rng)
    assert against.of(rows["explanation_1"].tolist(), "paper").auc.mean() > 0.98
    assert against.of(VACUOUS * 5, "paper").auc.mean() < 0.5
