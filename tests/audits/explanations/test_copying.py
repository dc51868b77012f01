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


PIERS = [f"boat b{n} lies at pier p{n % 7} today" for n in range(20)]


def test_padding_that_all_rationales_share_makes_a_copy_no_less_a_copy():
    """Seventeen words of filler before a claim, one of its words exchanged."""
    filler = "it should be noted for the record by all who may read this in years so"
    texts = [f"{filler} {claim[:-7]}9 today" for claim in PIERS]
    shared = word_f1(texts[0].split(), PIERS[0].split())
    assert shared < 0.6
    assert near_copies(texts, items(20, claim=PIERS), ["claim"]).all()


def test_a_reason_by_a_template_that_names_what_the_claim_names_is_no_copy():
    texts = [f"watchmen saw b{n} moored by quay p{n % 7} at noon" for n in range(20)]
    assert not near_copies(texts, items(20, claim=PIERS), ["claim"]).any()


def test_a_claim_quoted_in_a_reason_with_words_of_its_own_is_no_copy():
    texts = [
        f"{claim} since {' '.join(f'{word}{n}' for word in 'abcdefghijkl')}"
        for n, claim in enumerate(PIERS)
    ]
    assert not near_copies(texts, items(20, claim=PIERS), ["claim"]).any()


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
