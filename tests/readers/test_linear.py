"""What the linear reader shows of itself."""

import numpy as np
import pandas as pd
import pytest

from measurand.core.errors import BadInput
from measurand.core.items import Items
from measurand.core.reader import Embedder, Salient
from measurand.readers.linear import TfidfReader

TABLE = pd.DataFrame(
    {
        "premise": ["a man walks", "a dog runs", "a man sits", "a dog sleeps"] * 10,
        "hypothesis": ["he never moves", "it moves", "nobody sits", "it rests"] * 10,
        "label": ["no", "yes", "no", "yes"] * 10,
    },
    index=[str(n) for n in range(40)],
)
ITEMS = Items(TABLE, ("premise", "hypothesis"))
RNG = np.random.default_rng(0)
FITTED = TfidfReader().fit(ITEMS, RNG)


def test_it_embeds_and_explains():
    assert isinstance(FITTED, Embedder)
    assert isinstance(FITTED, Salient)


def test_features_bear_the_names_of_their_words():
    (first, *_) = FITTED.saliency(ITEMS)
    said = {(t, f) for t, f in zip(first.tokens, first.fields, strict=True)}
    assert {("man walks", "premise"), ("never", "hypothesis")} <= said
    assert min(first.scores) >= 0


def test_a_part_read_alone_has_the_features_it_has_in_the_pair():
    alone = TfidfReader().fit(ITEMS.keep_fields("hypothesis"), RNG)
    pair, single = (
        FITTED.saliency(ITEMS),
        alone.saliency(ITEMS.keep_fields("hypothesis")),
    )
    for whole, part in zip(pair, single, strict=True):
        shared = [
            t for t, f in zip(whole.tokens, whole.fields, strict=True) if f != "premise"
        ]
        assert shared == list(part.tokens)


def test_an_embedding_of_one_part_looks_at_that_part_alone():
    part = FITTED.embed(ITEMS.keep_fields("hypothesis"))
    other = ITEMS.with_field("premise", ["something else"] * 40)
    np.testing.assert_array_equal(FITTED.embed(other.keep_fields("hypothesis")), part)
    distances = np.linalg.norm(part[:, None] - part[None], axis=2)
    assert distances[0, 4] < 1e-9 < distances[0, 1]


def test_empty_texts_are_embedded_as_nothing():
    empty = ITEMS.with_field("premise", [""] * 40).keep_fields("premise")
    assert not FITTED.embed(empty).any()


def test_items_without_a_known_field_are_refused():
    other = Items(TABLE.rename(columns={"premise": "text"}), ("text",))
    with pytest.raises(BadInput, match="the reader learned premise, hypothesis"):
        FITTED.embed(other)
