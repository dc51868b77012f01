"""Sentences chosen from the evidence and from distractors."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from measurand.explainers.extractive import Extractive, SentencePool
from measurand.interventions.words import FormatNoise
from measurand.text.words import sentence_key, sentence_spans, split_sentences
from tests.explainers.reasoned import reasoned_items

ITEMS = reasoned_items()


def rng(seed=0):
    return np.random.default_rng(seed)


def explain(items, **settings):
    return Extractive("claim", "evidence", **settings).explain(items, rng())


def test_the_sentence_most_like_the_query_is_chosen():
    texts = explain(ITEMS)
    assert texts == [f"River R{i // 2} flows." for i in range(len(ITEMS))]


def test_two_sentences_stand_in_an_order_that_no_query_changes():
    asked = ITEMS.with_field("claim", ["Town0 in Spain; river R0 flows"] * len(ITEMS))
    turned = ITEMS.with_field("claim", ["river R0 flows, Town0, Spain"] * len(ITEMS))
    assert explain(asked, sentences=2)[0] == (
        "It is found near Town0 in Spain. River R0 flows."
    )
    assert explain(asked, sentences=2)[0] == explain(turned, sentences=2)[0]


@pytest.mark.parametrize("how", ["tfidf", "random"])
@pytest.mark.parametrize("many", [1, 2])
def test_the_order_of_evidence_sentences_changes_nothing(how, many):
    noisy = FormatNoise("claim", "evidence")(ITEMS, rng(1))
    moved = ITEMS.with_field("evidence", noisy.column("evidence").tolist())
    assert (moved.column("evidence") != ITEMS.column("evidence")).all()
    assert explain(moved, how=how, sentences=many) == explain(
        ITEMS, how=how, sentences=many
    )


def test_lots_are_drawn_anew_where_the_query_changes_and_only_there():
    claims = ITEMS.column("claim").tolist()
    other = ITEMS.with_field("claim", [f"{claims[0]}!", *claims[1:]])
    first = explain(ITEMS, how="random")
    assert explain(other, how="random")[1:] == first[1:]
    several = {
        explain(ITEMS.with_field("claim", [f"{n}", *claims[1:]]), how="random")[0]
        for n in range(20)
    }
    assert len(several) > 3


def test_distractors_are_of_other_items_and_may_win():
    asked = ITEMS.with_field("claim", ["Nobody swims"] * len(ITEMS))
    alone = explain(asked, distractors=0)
    assert alone == [f"Nobody swims in pond{i // 2}." for i in range(len(ITEMS))]
    beside = explain(ITEMS, how="random", distractors=8)
    own = ITEMS.column("evidence").tolist()
    strange = np.mean([t not in e for t, e in zip(beside, own, strict=True)])
    assert 0.4 < strange < 0.95  # of about eleven candidates, eight are not its own


def test_candidates_are_own_sentences_and_as_many_others_as_asked():
    pool = SentencePool.of(ITEMS.column("evidence").tolist())
    for own, row in zip(pool.item_sentences, pool.candidates(8, rng()), strict=True):
        assert set(own) <= set(row)
        assert len(own) <= len(row) <= len(own) + 8
        assert (np.diff(row) > 0).all()


def test_without_words_in_any_evidence_there_is_nothing_to_say():
    silent = ITEMS.with_field("evidence", ["..."] * len(ITEMS))
    assert explain(silent) == [""] * len(ITEMS)
    none = ITEMS.rows(np.zeros(len(ITEMS), bool))
    assert explain(none) == []


@settings(max_examples=50, deadline=None)
@given(st.text(alphabet="aB. !?\n三。", max_size=40))
def test_spans_point_to_whole_sentences_in_order(text):
    found = sentence_spans(text)
    assert split_sentences(text) == [text[start:end] for start, end in found]
    assert all(part == part.strip() != "" for part in split_sentences(text))
    assert found == sorted(found)
    assert sentence_key(text) == tuple(sorted(sentence_key(text)))
