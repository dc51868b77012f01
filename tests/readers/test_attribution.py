"""What each word adds: exact for the linear reader, gradients for an encoder."""

import numpy as np
import pandas as pd
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from measurand.core.errors import BadInput
from measurand.core.items import Items
from measurand.core.reader import AttributesWords
from measurand.readers.attribution import sum_subwords
from measurand.readers.baselines import MajorityReader
from measurand.readers.cross import CrossReader
from measurand.readers.encoder import EncoderReader
from measurand.readers.encoder_fitted import WORD_STEPS
from measurand.readers.linear import TfidfReader
from measurand.text.words import WORD
from tests.conftest import small_items
from tests.models import tiny_encoder
from tests.models.rounding import path_terms, rounding

TEXTS = ["no dog, no cat", "a dog", "no bird ever", "a cat and a dog"] * 5
LABELS = ["bad", "good", "bad", "odd"] * 5


def made(texts, labels=None):
    table = pd.DataFrame({"text": texts, "label": labels or ["bad"] * len(texts)})
    return Items(table.set_index(table.index.astype(str)), ("text",))


FITTED = TfidfReader().fit(made(TEXTS, LABELS), np.random.default_rng(0))


def logits(items):
    return FITTED.read(items)["text"] + FITTED.linear.bias


@given(
    st.lists(
        st.sampled_from(
            ["no", "dog", "cat", "bird", "a", "and", "ever", "İ", "new", "...", "Ǆ"]
        )
    )
)
def test_words_and_the_bias_add_up_to_the_score(words):
    items = made([" ".join(words)])
    (scores,) = FITTED.word_scores(items)
    assert len(scores) == len(WORD.findall(" ".join(words)))
    total = scores.sum(axis=0) + FITTED.linear.bias
    np.testing.assert_allclose(total, logits(items)[0], atol=1e-12)


def test_a_pair_is_halved_between_its_two_words():
    (scores,) = FITTED.word_scores(made(["a dog"]))
    known, weights = FITTED.vocabularies["text"], FITTED.blocks["text"]
    row = known.counts(["a dog"]).toarray()[0]
    a, dog, pair = (row[known.names.index(g)] for g in ("a", "dog", "a dog"))
    of = {name: weights[known.names.index(name)] for name in ("a", "dog", "a dog")}
    np.testing.assert_allclose(scores[0], a * of["a"] + pair * of["a dog"] / 2)
    np.testing.assert_allclose(scores[1], dog * of["dog"] + pair * of["a dog"] / 2)


def test_a_word_that_stands_twice_shares_what_it_adds():
    (scores,) = FITTED.word_scores(made(["dog ... unheard dog"]))
    np.testing.assert_allclose(scores[0], scores[2])
    assert not scores[1].any()


def test_a_letter_that_grows_in_lower_case_stays_one_word():
    (scores,) = FITTED.word_scores(made(["no İdog dog"]))
    assert scores.shape == (3, 3)
    assert np.abs(scores[2]).sum() > 0


def test_only_some_readers_score_words_and_only_of_one_field():
    items = small_items()
    assert isinstance(FITTED, AttributesWords)
    majority = MajorityReader().fit(items, np.random.default_rng(0))
    assert not isinstance(majority, AttributesWords)
    pair = TfidfReader().fit(items, np.random.default_rng(0))
    with pytest.raises(BadInput, match="these items have claim, proof; keep one"):
        pair.word_scores(items)


def test_sub_words_belong_to_the_word_they_begin_in():
    spans = [(0, 2), (2, 4), (5, 6), (7, 10), (10, 10)]
    scores = np.arange(5.0)[:, None] + 1
    assert sum_subwords(spans, scores, "cats, dog").ravel().tolist() == [3.0, 4.0]
    assert sum_subwords([], scores[:0], "cats").tolist() == [[0.0]]


@pytest.fixture(scope="module")
def encoder(tmp_path_factory):
    torch.set_num_threads(1)
    place = tiny_encoder.save(tmp_path_factory.mktemp("encoder"))
    reader = EncoderReader(place, epochs=2, batch=8, rate=3e-3, length=16)
    items = small_items(20).keep_fields("claim")
    return reader.fit(items, np.random.default_rng(0))


def test_an_encoder_adds_up_the_gradients_of_a_words_pieces(encoder):
    items = (
        small_items(20).keep_fields("claim").with_field("claim", ["Bad, xy! good"] * 20)
    )
    found = encoder.word_scores(items)[0]
    assert found.shape == (3, 2)
    for column, label in enumerate(encoder.classes):
        one = encoder.attribute(items, label, WORD_STEPS)[0]
        pieces = dict(zip(one.tokens, one.scores, strict=True))
        assert one.tokens[1:-1] == ("bad", "[UNK]", "x", "##y", "[UNK]", "good")
        by_hand = [pieces["bad"], pieces["x"] + pieces["##y"], pieces["good"]]
        terms = path_terms(encoder.model.config, encoder.length, 1) + WORD_STEPS
        limit = rounding(terms, max(map(abs, by_hand)))
        np.testing.assert_allclose(found[:, column], by_hand, rtol=0, atol=limit)
    assert encoder.remarks()["attribution_gap"] < 0.05


def test_words_beyond_the_cut_and_empty_texts_add_nothing(encoder):
    texts = ["good " * 30, "", "..."] + ["bad"] * 17
    items = small_items(20).keep_fields("claim").with_field("claim", texts)
    long, empty, dots, *_ = encoder.word_scores(items)
    assert long[:14].any(axis=1).all()
    assert not long[14:].any()
    assert (len(empty), len(dots)) == (0, 0)


def test_a_text_that_stands_in_many_items_has_one_score(encoder):
    texts = ["bad", "xy good", "bad", "xy good"] * 5
    items = small_items(20).keep_fields("claim").with_field("claim", texts)
    found = encoder.word_scores(items)
    assert [len(scores) for scores in found] == [1, 2, 1, 2] * 5
    alone = encoder.word_scores(items.rows(np.array([1, 2])))
    terms = path_terms(encoder.model.config, encoder.length, 1) + WORD_STEPS
    limit = rounding(terms, abs(alone[0]).max())
    np.testing.assert_allclose(found[3], alone[0], rtol=0, atol=limit)
    np.testing.assert_array_equal(found[0], found[18])


def test_with_one_field_the_cross_reader_scores_words_as_the_linear_one():
    items = made(TEXTS, LABELS)
    crossed = CrossReader().fit(items, np.random.default_rng(0))
    for own, other in zip(
        crossed.word_scores(items), FITTED.word_scores(items), strict=True
    ):
        np.testing.assert_allclose(own, other, atol=1e-9)
