"""Robustness by hand: over changes, beside other items, and of what is not there."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from measurand.audits.explanations.corpus import (
    measure_drift,
    measure_robustness,
    other_item_likeness,
    rewrite_likeness,
)
from measurand.experiment.experiment import open_experiment
from measurand.judges.lexical import LexicalJudge, Rouge
from tests.audits.explanations.handmade import benchmark, wrote


def same(pairs):
    return np.array([float(a == b) for a, b in pairs])


def lengths(pairs):
    """1 for the same length, less for any other: not a matter of words."""
    return np.array([1 / (1 + abs(len(a) - len(b))) for a, b in pairs])


def likened(one, measure):
    return rewrite_likeness(one.test, one.again, one.has_change, measure)


def judged(made, surfaces=None):
    size = len(next(iter(made.values())).test)
    with open_experiment(benchmark(size)) as running:
        return measure_robustness(running, made, LexicalJudge(), surfaces or {})


def test_r_is_the_mean_over_the_changes_that_an_item_has():
    one = wrote(
        *("a", "b", "c"),
        again=[["a", "x", "c"], ["x", "x", "y"]],
        asked=[[True, True, True], [True, True, False]],
    )
    assert likened(one, same).tolist() == [0.5, 0.0, 1.0]


def test_an_item_that_was_never_changed_has_no_r():
    one = wrote("a", "b", again=[["a", "b"]], asked=[[True, False]])
    assert likened(one, same).tolist() == pytest.approx([1.0, np.nan], nan_ok=True)
    assert np.isnan(likened(wrote("a", "b"), same)).all()


def test_what_is_not_there_is_compared_with_nothing():
    one = wrote("", " ", "c", again=[["", "x", ""]])
    assert likened(one, same).tolist() == pytest.approx(
        [np.nan, np.nan, 0.0], nan_ok=True
    )


def test_similarity_is_the_mean_of_both_directions():
    # red dog => dog 1; dog => red dog 10 / 20.
    found = judged({"one": wrote("red dog", again=[["dog"]])})["one"]
    assert found.robustness.tolist() == [0.75]


def test_a_drift_is_held_against_its_origin_and_that_is_no_robustness():
    drift = wrote("he is not out", unstable="fixed", origin=["he is out"])
    with open_experiment(benchmark(1)) as running:
        found = measure_drift(running, drift, LexicalJudge(), {"rouge_l": Rouge()})
        assert measure_drift(running, None, LexicalJudge(), {}) == {}
    assert found["entailment"].tolist() == [0.0]
    assert found["rouge_l"].tolist() == pytest.approx([6 / 7])
    assert np.isnan(judged({"drift": drift})["drift"].robustness).all()


def test_what_others_wrote_of_the_same_input_is_agreement_and_never_r():
    one = wrote("red dog", "cat", unstable="fixed", written=[["dog", " "]])
    found = judged({"given": one})["given"]
    assert found.agreement.tolist() == pytest.approx([0.75, np.nan], nan_ok=True)
    assert np.isnan(found.robustness).all()


def test_the_baseline_is_of_other_items_and_never_of_the_item_itself():
    assert other_item_likeness(0, ["a", "b", "c", "d"], same).tolist() == [0.0] * 4
    assert other_item_likeness(0, ["a", "a"], same).tolist() == [1.0] * 2
    assert other_item_likeness(0, ["ab", "a"], lengths).tolist() == [0.5] * 2


def test_the_baseline_of_one_rationale_is_no_number():
    assert np.isnan(other_item_likeness(0, ["a"], same)).all()
    assert np.isnan(other_item_likeness(0, ["a", "", " "], same)).all()
    # Two texts without words are no two rationales that agree.
    assert other_item_likeness(0, ["a", "", "b", ""], same).tolist() == pytest.approx(
        [0.0, np.nan, 0.0, np.nan], nan_ok=True
    )


@given(st.lists(st.text("ab ", max_size=3), max_size=12), st.integers(0, 9))
def test_baselines_are_shares_wherever_there_are_two_rationales(texts, seed):
    found = other_item_likeness(seed, texts, lengths)
    told = np.array([bool(text.strip()) for text in texts], bool)
    assert (np.isfinite(found) == (told & (told.sum() > 1))).all()
    assert ((found[np.isfinite(found)] >= 0) & (found[np.isfinite(found)] <= 1)).all()


def test_an_item_without_a_rationale_gets_the_mean_baseline():
    again = [["red dog", "blue cat", "so"]]
    found = judged({"one": wrote("red dog", "blue cat", "", again=again)})["one"]
    assert found.robustness.tolist() == [1.0, 1.0, 0.0]
    like = judged({"one": wrote("a dog", "the dog", "", again=again)})["one"]
    # dog 10 of a dog 11, both ways.
    assert like.robustness[2] == pytest.approx(10 / 11, abs=1e-6)


def test_given_rationales_without_others_have_no_r_even_where_they_are_empty():
    found = judged({"given": wrote("a", "b", "", unstable="one alone")})["given"]
    assert np.isnan(found.robustness).all()


def test_nothing_but_empty_rationales_has_neither_r_nor_baseline():
    found = judged({"no": wrote("", "", again=[["", ""]])}, {"rouge_l": Rouge()})["no"]
    assert np.isnan(found.robustness).all()
    assert np.isnan(found.baseline).all()
    assert np.isnan(found.surface["rouge_l"]).all()


def test_a_surface_measure_stands_in_the_judges_place():
    made = {"one": wrote("he is out", again=[["he is not out"]])}
    found = judged(made, {"rouge_l": Rouge()})["one"]
    assert found.robustness.tolist() == [0.0]
    assert found.surface["rouge_l"].tolist() == pytest.approx([6 / 7])


def test_a_constant_rationale_is_robust_and_so_is_its_baseline():
    found = judged({"all": wrote(*["it is so"] * 9, again=[["it is so"] * 9])})["all"]
    assert set(found.robustness) == set(found.baseline) == {1.0}
