"""Encoders of fewer fields than they learned, and of more than two."""

import numpy as np
import pytest

from measurand.core.errors import BadInput
from measurand.core.reader import Embedder
from measurand.models.encoder import tokenizer
from measurand.readers.encoder import EncoderReader
from tests.conftest import small_items
from tests.models import tiny_encoder
from tests.models.rounding import path_terms, rounding

PAIR = small_items()
THREE = small_items().with_field("source", [f"number{i % 9} yes" for i in range(60)])


def rng(seed=0):
    return np.random.default_rng(seed)


pytestmark = pytest.mark.usefixtures("one_thread")


@pytest.fixture(scope="module")
def reader(tmp_path_factory):
    place = tiny_encoder.save(tmp_path_factory.mktemp("encoder"))
    return EncoderReader(place, epochs=15, batch=16, rate=3e-3, length=32)


@pytest.fixture(scope="module")
def pair(reader):
    return reader.fit(PAIR, rng())


@pytest.fixture(scope="module")
def three(reader):
    return reader.fit(THREE, rng())


def ids(fitted, items):
    data = fitted.read(items).joined
    made, _, there = data.block(np.arange(len(items)), int(data.lengths.max()))
    return [row[real].tolist() for row, real in zip(made, there, strict=True)]


@pytest.mark.slow
@pytest.mark.parametrize("field", ["claim", "proof"])
def test_a_pair_reader_reads_one_field_as_the_tokenizer_does_one(pair, field):
    alone = PAIR.keep_fields(field)
    assert isinstance(pair, Embedder)
    assert (
        ids(pair, alone)
        == tokenizer(pair.name)(alone.column(field).tolist())["input_ids"]
    )
    assert pair.embed(alone).shape == (60, 32)
    np.testing.assert_allclose(pair.predict(alone).sum(axis=1), 1)
    assert {*pair.saliency(alone)[0].fields} == {"", field}


def test_fields_are_read_in_the_readers_order_and_others_are_not(pair):
    other = THREE.keep_fields("source", "proof", "claim")
    np.testing.assert_array_equal(pair.predict(other), pair.predict(PAIR))


def test_items_with_none_of_the_fields_are_one_line(pair):
    line = (
        r"^this reader learned the fields claim, proof, and [^\n]+ have source; [^\n]+$"
    )
    with pytest.raises(BadInput, match=line):
        pair.embed(THREE.keep_fields("source"))


@pytest.mark.slow
def test_an_encoder_learns_from_three_fields(three):
    right = three.predict(THREE).argmax(axis=1) == THREE.gold(three.classes)
    assert right.mean() > 0.9
    assert three.predict(THREE.keep_fields("claim", "source")).shape == (60, 2)


def test_each_token_is_marked_with_its_field_of_three(three):
    words = tokenizer(three.name)
    for row, one in enumerate(three.saliency(THREE.rows(np.arange(4)))):
        for field in THREE.fields:
            mine = [
                token
                for token, source in zip(one.tokens, one.fields, strict=True)
                if source == field
            ]
            assert mine == words.tokenize(THREE.column(field).iloc[row])
        special = [token in ("[CLS]", "[SEP]") for token in one.tokens]
        assert list(one.special) == special
        assert sum(special) == 4


@pytest.mark.parametrize("field", ["claim", "proof", "source"])
def test_rereading_one_of_three_fields_equals_reading_again(three, field):
    orders = np.stack([rng(i).permutation(60) for i in range(2)]).astype(np.int32)
    texts = THREE.column(field).to_numpy(object)
    said = three.predict_rearranged(three.read(THREE), field, orders)
    for order, shares in zip(orders, said, strict=True):
        again = three.predict(THREE.with_field(field, texts[order].tolist()))
        limit = rounding(path_terms(three.model.config, three.length))
        np.testing.assert_allclose(shares, again, atol=limit)


def test_three_long_fields_are_cut_alike(three):
    long = THREE.rows(np.arange(1))
    for field in THREE.fields:
        long = long.with_field(field, ["good " * 40])
    assert three.read(long).joined.sizes[:, 0].tolist() == [10, 9, 9]
    assert three.remarks()["truncated"] == 1
