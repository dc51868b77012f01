"""Leaks in accuracy and in bits: skewed labels hide none, and nothing invents one."""

import numpy as np
import pytest

from measurand.audits.explanations.leaks import label_logs, read_detector


def shares(gold, rare, surely):
    """Answers that tell the rare label with this probability, and else the prior."""
    told = np.where(gold == rare, surely, 0.02)
    return np.column_stack([1 - told, told]).astype(np.float32)


def test_a_rare_label_that_is_told_is_worth_bits_though_little_accuracy():
    gold = (np.arange(400) % 25 == 0).astype(np.int64)
    prior = label_logs(gold, 2)
    found = read_detector(shares(gold, 1, 0.9), gold, prior)
    assert found.right.mean() == 1
    assert found.bits > 0.2


def test_a_rare_label_is_worth_bits_where_its_detector_never_says_it():
    gold = (np.arange(400) % 25 == 0).astype(np.int64)
    found = read_detector(shares(gold, 1, 0.4), gold, label_logs(gold, 2))
    assert found.right.mean() == 0.96
    assert found.bits > 0.05


@pytest.mark.parametrize("share", [0.5, 0.9, 0.98])
def test_answers_by_lot_tell_no_bits(share):
    rng = np.random.default_rng(0)
    gold = (rng.random(600) > share).astype(np.int64)
    sure = rng.beta(1, 1, 600)
    lot = np.column_stack([sure, 1 - sure]).astype(np.float32)
    found = read_detector(lot, gold, label_logs(gold, 2))
    assert abs(found.bits) < 0.02


def test_no_more_than_the_shares_of_labels_is_nothing_exactly():
    gold = np.arange(30) % 3
    prior = label_logs(gold, 3)
    known = np.tile(np.exp(prior), (30, 1)).astype(np.float32)
    assert read_detector(known, gold, prior).bits == pytest.approx(0, abs=1e-6)


def test_a_label_that_training_lacks_has_a_share_all_the_same():
    assert np.exp(label_logs(np.zeros(9, np.int64), 2)).round(3).tolist() == [
        0.947,
        0.053,
    ]
