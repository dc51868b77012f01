"""Leaks in accuracy and in bits: skewed labels hide none, and nothing invents one."""

import numpy as np
import pytest

from measurand.audits.explanations.estimates import detection_leak
from measurand.audits.explanations.leaks import (
    bits_limit,
    label_logs,
    read_detector,
)
from tests.audits.explanations.handmade import leak


def shares(gold, rare, surely):
    """Answers that tell the rare label with this probability, and else the prior."""
    told = np.where(gold == rare, surely, 0.02)
    return np.column_stack([1 - told, told]).astype(np.float32)


def test_a_rare_label_that_is_told_leaks_in_bits_though_never_in_accuracy():
    gold = (np.arange(400) % 25 == 0).astype(np.int64)
    prior = label_logs(gold, 2)
    found = read_detector(shares(gold, 1, 0.9), gold, prior)
    assert found.right.mean() == 1 < 0.96 + 0.05
    assert found.bits > 0.2 > bits_limit(found.null, 2)
    assert found.leaks(gold)


def test_a_rare_label_leaks_where_its_detector_never_says_it():
    gold = (np.arange(400) % 25 == 0).astype(np.int64)
    found = read_detector(shares(gold, 1, 0.4), gold, label_logs(gold, 2))
    assert found.right.mean() == 0.96
    assert found.leaks(gold)


@pytest.mark.parametrize("share", [0.5, 0.9, 0.98])
def test_answers_by_lot_tell_no_bits(share):
    rng = np.random.default_rng(0)
    gold = (rng.random(600) > share).astype(np.int64)
    sure = rng.beta(1, 1, 600)
    lot = np.column_stack([sure, 1 - sure]).astype(np.float32)
    found = read_detector(lot, gold, label_logs(gold, 2))
    assert abs(found.bits) < bits_limit(found.null, 2)


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


def test_the_limit_is_a_tenth_of_a_bit_of_two_even_labels():
    assert bits_limit(np.log(np.full(4, 0.5)), 2) == pytest.approx(0.1)
    assert bits_limit(np.log(np.full(3, 1 / 3)), 3) == pytest.approx(0.075 * np.log2(3))


def test_of_one_label_no_bits_are_a_leak():
    """Where training has others, even a sure answer tells bits of it."""
    gold, prior = np.zeros(40, np.int64), np.log([0.5, 0.5])
    detection = read_detector(shares(gold, 1, 0.9), gold, prior)
    assert detection.bits > 0.1
    assert not detection.leaks(gold)
    assert not detection_leak(detection, gold).is_sure


DECISIONS = {
    "hidden": leak(0.5, 0.47, 0.53),
    "leaks": leak(0.96, 0.95, 0.97, majority=0.96, bits=(0.2, 0.15, 0.25)),
    "undecided": leak(0.96, 0.95, 0.97, majority=0.96, bits=(0.1, 0.05, 0.15)),
}


@pytest.mark.parametrize("decision", DECISIONS)
def test_with_a_rare_label_either_is_a_leak_and_only_both_hide_it(decision):
    found = DECISIONS[decision]
    assert found.decision == found.bits_decision == decision


def test_of_even_labels_accuracy_shows_what_is_hidden():
    """Of few clusters bits are never certain, though accuracy is."""
    found = leak(0.5, 0.47, 0.53, bits=(0.0, -0.2, 0.2))
    assert (found.decision, found.bits_decision) == ("hidden", "undecided")


def test_nothing_is_hidden_where_form_gives_the_label_away():
    found = leak(0.5, 0.47, 0.53)
    assert found.after_mask(form_leaks=False) == ("hidden", "hidden")
    assert found.after_mask(form_leaks=True) == ("form leaks", "form leaks")
    assert DECISIONS["leaks"].after_mask(form_leaks=True) == ("leaks", "leaks")


def test_bits_are_named_where_accuracy_shows_nothing():
    assert "tells 0.200 [0.150, 0.250] bits" in str(DECISIONS["leaks"])
    assert "bits" not in str(leak(0.9, 0.85, 0.95, bits=(0.2, 0.15, 0.25)))
    assert DECISIONS["undecided"].doubt == "0.100 [0.050, 0.150] bits may be over 0.100"
