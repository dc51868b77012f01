"""Models that turn one text into another."""

import pytest
from transformers import AutoTokenizer, BartConfig, BartForConditionalGeneration

from measurand.core.errors import MissingWeights
from measurand.models.seq2seq import rewritings
from tests.models import tiny_decoder, tiny_seq2seq

TEXTS = ["claim about a thing", "bad", "", "number " * 40]

PARTS = ("layers", "attention_heads")


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    return tiny_seq2seq.save(tmp_path_factory.mktemp("t5"))


@pytest.mark.parametrize("seed", [None, 0])
def test_each_text_gets_so_many_ways_and_the_same_again(model, seed):
    ways = rewritings(model, TEXTS, count=3, length=6, seed=seed)
    assert [len(more) for more in ways] == [3] * 4
    assert ways == rewritings(model, TEXTS, count=3, length=6, seed=seed)


def test_what_a_text_becomes_does_not_depend_on_the_others(model):
    alone = rewritings(model, TEXTS[:1], count=2, length=6)
    assert rewritings(model, TEXTS[::-1], count=2, length=6)[-1:] == alone


def test_another_seed_draws_other_ways(model):
    drawn = [rewritings(model, TEXTS, count=2, length=8, seed=s) for s in (0, 1)]
    assert drawn[0] != drawn[1]


def test_no_text_needs_no_work(model):
    assert rewritings(model, [], count=2, length=4) == []


def test_what_cannot_be_loaded_is_named_in_one_line(tmp_path):
    decoder = tiny_decoder.save(tmp_path / "decoder")
    with pytest.raises(MissingWeights, match="is a llama model, which does not turn"):
        rewritings(decoder, TEXTS, count=1, length=4)
    with pytest.raises(MissingWeights, match="no model directory"):
        rewritings(str(tmp_path / "none"), TEXTS, count=1, length=4)
    with pytest.raises(MissingWeights, match="cannot load a seq2seq model"):
        rewritings(str(tmp_path), TEXTS, count=1, length=4)


def test_a_text_longer_than_the_model_is_cut_to_its_positions(tmp_path):
    place = tiny_seq2seq.save(tmp_path)
    words = AutoTokenizer.from_pretrained(place)
    sizes = {f"{side}_{name}": 2 for side in ("encoder", "decoder") for name in PARTS}
    config = BartConfig(
        vocab_size=len(words),
        d_model=32,
        max_position_embeddings=20,
        encoder_ffn_dim=32,
        decoder_ffn_dim=32,
        pad_token_id=0,
        bos_token_id=1,
        eos_token_id=1,
        decoder_start_token_id=1,
        forced_eos_token_id=1,
        **sizes,
    )
    BartForConditionalGeneration(config).save_pretrained(place)
    words.save_pretrained(place)
    assert len(rewritings(place, ["a claim " * 90], count=2, length=64)[0]) == 2
