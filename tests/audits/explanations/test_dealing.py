"""Rationales dealt anew: the same texts, other items; and the zero that they give."""

import numpy as np
import pytest
from bench.nulls import make_side, run_once

from measurand.audits.explanations.dealing import (
    NullGain,
    deal_texts,
    dealt_rationales,
    repeated_fields,
)
from tests.audits.explanations.handmade import items

TEXTS = [f"text {n}" for n in range(40)]
NOBODY = np.zeros(40, bool)


def test_all_texts_are_dealt_and_none_is_lost():
    deals = dealt_rationales(0, (TEXTS, TEXTS), (NOBODY, NOBODY), 3)
    assert len(deals) == 3
    assert all(sorted(side) == sorted(TEXTS) for deal in deals for side in deal)
    assert deals[0] != deals[1]
    assert deals[0][0] != deals[0][1]
    assert deals == dealt_rationales(0, (TEXTS, TEXTS), (NOBODY, NOBODY), 3)


def test_within_the_label_a_text_goes_to_an_item_of_its_label():
    sides = items(40), items(40)
    labels = dict(zip(TEXTS, sides[0].labels, strict=True))
    fixed = NOBODY, NOBODY
    ((train, test),) = dealt_rationales(0, (TEXTS, TEXTS), fixed, 1, sides)
    assert [labels[text] for text in train] == sides[0].labels.tolist()
    assert test != TEXTS


def test_what_repeats_a_field_stays_where_it_is():
    one = items(3)
    texts = ["Claim 0.", "claim 2", "claim 2"]
    stays = repeated_fields(texts, one, ["claim"])
    assert stays.tolist() == [True, False, True]
    groups = np.where([True, False, True, False], -1, 0)
    dealt = deal_texts(["a", "b", "c", "d"], np.random.default_rng(0), groups)
    assert [dealt[0], dealt[2]] == ["a", "c"]


def test_one_more_deal_lies_as_far_as_deals_lie_from_each_other():
    logs = np.array([[0.0, 0.0], [1.0, 1.0], [2.0, 2.0]])
    assert NullGain(logs).variance == pytest.approx(1 * (1 + 1 / 3))
    assert NullGain(logs[:1]).variance == 0


def test_evidence_read_twice_is_among_the_null_rationales():
    side = make_side(np.random.default_rng(0), 20, "train")
    assert repeated_fields(side.column("again"), side, ("claim", "evidence")).all()
    assert not repeated_fields(side.column("idle"), side, ("claim", "evidence")).any()


@pytest.mark.slow
def test_null_rationales_hold_zero_at_the_nominal_rate():
    """D10: 5 of 7 intervals of an exact null excluded 0. 400 runs: `bench.nulls`."""
    held = [run_once(number) for number in range(40)]
    shares = {kind: np.mean([one[kind] for one in held]) for kind in held[0]}
    assert shares["again"] == 1
    assert min(shares.values()) >= 0.85  # 40 runs at 95 %: under 0.85 in 1 of 150
