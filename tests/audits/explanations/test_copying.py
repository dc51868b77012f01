"""Near-copies of the input, and fields that hold a rationale."""

import numpy as np
import pytest

from measurand.audits.explanations.copying import fields_without, near_copies, word_f1
from measurand.explainers.distortions import CopyCipher
from tests.audits.explanations.handmade import items

CLAIM = ["the red car was parked near the old stone bridge in town"] * 2


def test_shuffled_words_with_a_few_edits_are_still_a_copy():
    """D18a: the cipher of the review, words shuffled and four of twelve replaced."""
    shuffled = " ".join(reversed(CLAIM[0].split()))
    edited = f"{' '.join(CLAIM[0].split()[:8])} one two three four"
    found = near_copies([shuffled, edited], items(2, claim=CLAIM), ["claim"])
    assert found.tolist() == [True, True]


def test_a_reason_in_words_of_its_own_is_no_copy():
    texts = ["somebody left the car there", ""]
    assert not near_copies(texts, items(2, claim=CLAIM), ["claim"]).any()
    assert word_f1([], []) == 0


def test_the_copy_cipher_is_a_near_copy_of_most_queries():
    one = items(2, claim=CLAIM)
    texts = CopyCipher("claim").explain(one, np.random.default_rng(0))
    labels = one.labels.tolist()
    assert texts[labels.index("no")] == CLAIM[0]
    assert texts[labels.index("yes")] != CLAIM[0]
    assert near_copies(texts, one, ["claim"]).all()


@pytest.mark.parametrize(
    ("why", "kept"),
    [
        (["it rained.", "it SNOWED"], ("claim",)),
        (["no reason", "it snowed"], ("claim", "fact")),
        (["", ""], ("claim", "fact")),
    ],
)
def test_a_field_that_holds_the_rationales_is_left_out(why, kept):
    facts = ["Today it rained.", "Now it snowed!"]
    assert fields_without(why, items(2, fact=facts), ["claim", "fact"]) == kept


def test_where_all_fields_hold_them_none_is_left_out():
    assert fields_without(["claim 0", "claim 1"], items(2), ["claim"]) == ("claim",)
