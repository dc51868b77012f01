"""Fields joined to one sequence: in which order, with what between, cut how."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from measurand.models.encoder import joint, tokenize_texts, tokenizer
from measurand.models.sequences import fair_lengths, join_fields
from tests.models import tiny_encoder

SIZES = st.lists(st.integers(0, 60), min_size=1, max_size=5)


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    return tiny_encoder.save(tmp_path_factory.mktemp("encoder"))


def test_two_fields_are_cut_as_they_always_were():
    full = np.indices((30, 30)).reshape(2, -1)
    for room in range(40):
        first = np.minimum(full[0], np.maximum(room - full[1], room - room // 2))
        second = np.minimum(full[1], room - first)
        np.testing.assert_array_equal(fair_lengths(full, room), [first, second])
        np.testing.assert_array_equal(
            fair_lengths(full[:1], room), np.minimum(full[:1], room)
        )


@given(SIZES, st.integers(0, 100))
def test_no_room_is_wasted_and_the_long_share_equally(sizes, room):
    full = np.array(sizes)
    kept = fair_lengths(full[:, None], room)[:, 0]
    assert (kept >= 0).all()
    assert (kept <= full).all()
    assert kept.sum() == min(room, full.sum())
    cut = kept[kept < full]
    if len(cut):
        assert cut.max() - cut.min() <= 1
        assert (np.diff(cut) <= 0).all()  # what is left over goes to the first
        assert kept.max() <= cut.min() + 1  # nobody who was not cut has more


def test_beyond_two_fields_the_first_stands_against_the_others(place):
    texts = ["claim about thing1", "the proof", "thing2 is good", "no"]
    parts = [tokenize_texts(place, [text], 32) for text in texts]
    ids, kinds, there = join_fields(parts, joint(place, 4), 32).block(np.array([0]), 16)
    whole = tokenizer(place)(texts[0], " [SEP] ".join(texts[1:]))
    assert ids[0][there[0]].tolist() == whole["input_ids"]
    assert kinds[0][there[0]].tolist() == whole["token_type_ids"]
    assert not ids[0][~there[0]].any()


def test_a_tokenizer_without_separator_marks_more_fields_as_it_marks_two(place):
    words = tokenizer(place)
    before, words.sep_token = words.sep_token, None
    try:
        assert joint(place, 3).pieces == ((2,), (3,), (3,), (3,))
    finally:
        words.sep_token = before
