import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.sparse import csr_array

from measurand.core.errors import BadInput, BadOption, Undefined
from measurand.stats.specificity import (
    cosines,
    draw_negatives,
    nearest_inputs,
    rescale_auc,
    specificity_auc,
)

EYE = np.eye(6)
LABELS = np.array([0, 0, 0, 1, 1, 2])  # the last is alone with its label


def unit(rows):
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def test_ties_count_one_half_by_default_and_nothing_in_the_paper():
    own, others = np.array([0.3]), np.array([[0.1, 0.3, 0.3, 0.9]])
    assert specificity_auc(own, others).tolist() == [0.5]
    assert specificity_auc(own, others, ties=0).tolist() == [0.25]


def test_no_negatives_have_no_specificity():
    with pytest.raises(Undefined, match="two items"):
        specificity_auc(np.array([0.3]), np.empty((1, 0)))
    with pytest.raises(BadInput, match="a row each"):
        specificity_auc(np.array([0.3]), np.empty((2, 3)))


@given(arrays(float, (5, 4), elements=st.sampled_from([0.0, 0.5, 1.0])))
def test_turning_the_similarity_round_turns_the_auc_round(like):
    own, others = like[:, 0], like[:, 1:]
    turned = specificity_auc(-own, -others)
    np.testing.assert_allclose(specificity_auc(own, others) + turned, 1.0)


@given(st.floats(0, 1))
def test_the_gate_is_zero_up_to_chance_and_one_at_the_top(auc):
    assert rescale_auc(auc) == pytest.approx(max(0.0, 2 * auc - 1))


def test_every_stratum_keeps_its_promise_and_never_takes_the_item_itself(rng):
    chosen = draw_negatives(EYE, LABELS, 8, rng)
    mine = np.arange(6)[:, None]
    assert all((rows != mine).all() for rows in chosen.values())
    assert {name: rows.shape for name, rows in chosen.items()} == {
        "random": (6, 8),
        "label": (6, 8),
        "near": (6, 5),  # there are no more than five others
    }
    assert (LABELS[chosen["label"]] == LABELS[:, None])[:5].all()


@pytest.mark.parametrize("kind", [np.asarray, csr_array])
def test_the_nearest_come_in_order_and_what_reads_the_same_comes_last(rng, kind):
    rows = unit(np.array([[1, 0, 0], [1, 0, 0], [1, 1, 0], [1, 3, 0], [0, 0, 1.0]]))
    found = nearest_inputs(kind(rows), 4, rng)
    assert found[0].tolist() == [2, 3, 4, 1]
    assert found[2].tolist() == [3, 0, 1, 4]


def test_of_many_inputs_the_nearest_are_looked_for_in_a_part(rng, monkeypatch):
    monkeypatch.setattr("measurand.stats.specificity.POOL", 3)
    found = nearest_inputs(unit(rng.random((20, 4))), 2, rng)
    assert len(np.unique(found)) <= 3
    assert (found != np.arange(20)[:, None]).all()


def test_sparse_and_dense_rows_have_the_same_cosines(rng):
    a, b = unit(rng.random((7, 5))), unit(rng.random((7, 5)))
    chosen = rng.integers(7, size=(7, 3))
    expected = (a[:, None] * b[chosen]).sum(axis=2)
    for kind in (np.asarray, csr_array):
        np.testing.assert_allclose(cosines(kind(a), kind(b), chosen), expected)
        np.testing.assert_allclose(cosines(kind(a), kind(b)), (a * b).sum(axis=1))


def test_what_cannot_be_compared_is_refused_in_one_line(rng):
    with pytest.raises(Undefined, match="another item"):
        draw_negatives(EYE[:1], LABELS[:1], 2, rng)
    with pytest.raises(BadOption, match="at least 1"):
        draw_negatives(EYE, LABELS, 0, rng)
    with pytest.raises(BadInput, match="embed both alike"):
        cosines(EYE, EYE[:, :3])


def test_the_same_seed_chooses_the_same_negatives():
    one, two = (
        draw_negatives(EYE, LABELS, 3, np.random.default_rng(7)) for _ in range(2)
    )
    assert all((one[name] == two[name]).all() for name in one)
