import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from measurand.core.errors import BadInput
from measurand.stats.agreement import Relevance, relevance_agreement

LENGTHS = st.lists(st.integers(0, 1000).map(lambda size: size / 100), max_size=6)


def tra(pair, pair_part, single):
    """The agreement on one item, whose part is field 0 and the rest field 1."""
    scores, part, alone = np.array([pair], float), np.array([pair_part]), [single]
    alone = np.array(alone, float)
    found = relevance_agreement(
        scores, np.where(part, 0, 1), alone, np.zeros(alone.shape), 0
    )
    return Relevance(*(float(values[0]) for values in found))


def test_agreement_by_hand():
    seen = tra([1, 2, 2, 4], [False, False, True, True], [1, 1])
    assert seen.full == pytest.approx(6 / (5 * np.sqrt(2)))
    assert seen.within == pytest.approx(6 / (np.sqrt(20) * np.sqrt(2)))
    assert seen.mass == pytest.approx(6 / 9)


def test_a_part_in_front_is_padded_behind():
    front = tra([2, 4, 1, 2], [True, True, False, False], [1, 1])
    behind = tra([1, 2, 2, 4], [False, False, True, True], [1, 1])
    assert front == pytest.approx(behind)


def test_a_truncated_part_is_compared_on_what_both_have_read():
    whole = tra([1, 3, 4], [False, True, True], [3, 4, 9])
    assert whole.within == pytest.approx(1)
    assert whole.full == pytest.approx(25 / (np.sqrt(26) * 5))
    other = tra([1, 3, 4, 7], [False, True, True, True], [3, 4])
    assert (other.within, other.full) == pytest.approx((whole.within, whole.full))
    assert other.mass == pytest.approx(14 / 15)  # all that the pair reader has read


@settings(deadline=None)
@given(LENGTHS, LENGTHS, LENGTHS, st.floats(0.01, 100))
def test_scale_changes_nothing_and_full_is_never_more_than_within(
    rest, part, single, by
):
    marks = [False] * len(rest) + [True] * len(part)
    seen = tra([*rest, *part], marks, single)
    again = tra(by * np.array([*rest, *part]), marks, by * np.array(single))
    assert seen == pytest.approx(again, nan_ok=True)
    if np.isfinite(seen.within):
        assert -1e-9 <= seen.full <= seen.within + 1e-9 <= 1 + 2e-9
    if len(part) == len(single) and np.isfinite(seen.within):
        squares = np.array([*rest, *part]) ** 2
        held = np.sqrt(squares[len(rest) :].sum() / squares.sum())
        assert seen.full == pytest.approx(seen.within * held, abs=1e-9)
    if len(part) and np.isfinite(seen.mass):
        assert -1e-9 <= seen.mass <= 1 + 1e-9


@pytest.mark.parametrize(
    ("pair", "part", "single", "missing"),
    [
        ([1, 2], [False, False], [1], "full within mass"),  # no token of the part
        ([1, 2], [False, True], [], "full within mass"),
        ([0, 0], [False, True], [1], "full within mass"),  # no relevance at all
        ([1, 2], [False, True], [0], "full within"),
        ([1, 0], [False, True], [1], "within"),  # the pair reader looks elsewhere
    ],
)
def test_where_there_is_nothing_to_compare_there_is_no_number(
    pair, part, single, missing
):
    seen = tra(pair, part, single)._asdict()
    assert [name for name, value in seen.items() if np.isnan(value)] == missing.split()


def test_relevances_are_lengths_of_the_tokens_given():
    with pytest.raises(BadInput, match="below 0"):
        tra([1, -2], [False, True], [1])
    grid = np.ones((2, 3))
    with pytest.raises(BadInput, match="2 items in pairs and 1 alone"):
        relevance_agreement(grid, grid, grid[:1], grid[:1], 1)
    with pytest.raises(BadInput, match="do not fit"):
        relevance_agreement(grid, grid[:, :2], grid, grid, 1)


def stored(rng, premise, hypothesis, longest):
    """One item as it is stored: special, premise, special, hypothesis, special."""
    fields = [-1, *[0] * premise, -1, *[1] * hypothesis, -1]
    fields += [-2] * (longest - len(fields))
    scores = rng.random(longest)
    return np.where(np.array(fields) == -2, np.nan, scores), np.array(fields)


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.tuples(*[st.integers(0, 4)] * 3), min_size=1, max_size=5),
    st.integers(0, 1),
    st.integers(0, 99),
)
def test_stored_items_agree_as_they_do_one_by_one(sizes, field, seed):
    rng = np.random.default_rng(seed)
    pairs = [stored(rng, a, b, 12) for a, b, _ in sizes]
    alone = [stored(rng, size, 0, 9) for *_, size in sizes]
    (scores, fields), (single, marks) = (
        map(np.array, zip(*rows, strict=True)) for rows in (pairs, alone)
    )
    found = np.array(relevance_agreement(scores, fields, single, marks, field))
    for item in range(len(sizes)):
        read = fields[item] >= 0
        by_hand = tra(
            scores[item][read],
            (fields[item] == field)[read],
            single[item][marks[item] == 0],
        )
        np.testing.assert_allclose(found[:, item], by_hand, atol=1e-12)


def test_special_tokens_and_padding_change_nothing(rng):
    scores, fields = (row[None] for row in stored(rng, 3, 4, 12))
    single, marks = (row[None] for row in stored(rng, 4, 0, 9))
    once = relevance_agreement(scores, fields, single, marks, 1)
    loud = np.where(fields < 0, 1e6, scores)
    twice = relevance_agreement(
        loud.astype(np.float32), fields.astype(np.int8), single, marks, 1
    )
    np.testing.assert_allclose(np.array(once), np.array(twice), rtol=1e-6)
