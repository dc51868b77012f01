"""BERTScore on a tiny encoder, and its F1 by hand."""

import numpy as np
import pytest
import torch

from measurand.core.errors import MissingWeights
from measurand.core.explainer import Likeness
from measurand.core.recipe import TORCH, traits_of
from measurand.judges import LIKENESSES, neural
from measurand.judges.neural import BertScore, match_f1, token_vectors
from measurand.models.encoder import encoder_checkpoint, tokenizer
from tests.models import tiny_encoder

ONE, TWO = "claim about thing1 is good", "the proof is bad"


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    return tiny_encoder.save(tmp_path_factory.mktemp("encoder"))


def test_every_token_is_matched_with_its_best():
    a = np.array([[1, 0], [0.6, 0.8]], np.float32)
    b = np.array([[0, 1]], np.float32)
    # Best of a: 0 and 0.8, mean 0.4; best of b: 0.8.
    assert match_f1(a, b) == pytest.approx(2 * 0.4 * 0.8 / 1.2)
    assert match_f1(a, a) == pytest.approx(1)
    assert match_f1(b, -b) == 0


def test_vectors_are_of_the_texts_own_tokens(place):
    (whole,) = token_vectors(place, [ONE], 32)
    made = tokenizer(place)(ONE, return_tensors="pt")
    with torch.no_grad():
        last = (
            encoder_checkpoint(place, 2)
            .base_model.eval()(**made)
            .last_hidden_state[0, 1:-1]
        )
    expected = torch.nn.functional.normalize(last, dim=-1).numpy()
    np.testing.assert_allclose(whole, expected, atol=1e-6)
    assert [len(v) for v in token_vectors(place, ["", "a b c d e"], 6)] == [0, 4]


def test_likeness_is_1_for_the_same_text_and_the_same_either_way_round(place):
    score = BertScore(place, length=32)
    pairs = [(ONE, ONE), (ONE, TWO), (TWO, ONE), ("", ""), (ONE, ""), ("", TWO)]
    same, one, other, *empty = score.alike(pairs)
    assert same == pytest.approx(1)
    assert 0 <= one < 1
    assert one == pytest.approx(other)
    assert empty == [1, 0, 0]
    assert score.alike([]).shape == (0,)


def test_reading_a_few_pairs_at_a_time_changes_nothing(place, monkeypatch):
    pairs = [(f"claim about thing{i}", f"number{i} {TWO}") for i in range(9)]
    before = BertScore(place).alike(pairs)
    monkeypatch.setattr(neural, "AT_ONCE", 60)
    assert 3 < len(list(neural.pair_blocks(pairs))) < 9
    np.testing.assert_allclose(BertScore(place).alike(pairs), before, atol=1e-6)


def test_bertscore_is_a_likeness_with_weights_to_be_had(place):
    assert isinstance(LIKENESSES.load("bertscore"), Likeness)
    assert traits_of(BertScore(place)).packages == TORCH
    BertScore(place).check_weights()
    with pytest.raises(MissingWeights, match="no model directory"):
        BertScore("/no/such/encoder").alike([(ONE, TWO)])


def test_a_text_longer_than_the_encoder_reads_is_cut(place):
    (vectors,) = token_vectors(place, ["good " * 600], 4096)
    most = encoder_checkpoint(place, 2).config.max_position_embeddings
    assert 0 < len(vectors) < most
    assert BertScore(place, 4096).alike([("good " * 600, "good")])[0] > 0.5
