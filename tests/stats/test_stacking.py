"""What two readers tell together."""

import numpy as np
import pytest

from measurand.stats.stacking import stacked_bits

RNG = np.random.default_rng(0)
N = 4000
GOLD = RNG.integers(2, size=N)
EVEN = np.full((N, 2), 0.5)


def reader(seen, right=0.9):
    """A reader that is sure of some items, and knows nothing of the others."""
    sure = np.where(RNG.random(N) < right, GOLD, 1 - GOLD)
    told = np.where(sure[:, None] == [0, 1], right, 1 - right)
    return np.where(seen[:, None], told, 0.5)


def bits(probabilities):
    return 1 + np.log2(probabilities[np.arange(N), GOLD]).mean()


def test_a_reader_beside_one_that_knows_nothing_tells_what_it_told():
    first = reader(np.ones(N, bool))
    both = stacked_bits(first, EVEN, EVEN, GOLD, N)
    assert both == pytest.approx(bits(first), abs=0.01)


def test_the_same_reader_twice_tells_it_once():
    first = reader(np.ones(N, bool))
    assert stacked_bits(first, first, EVEN, GOLD, N) == pytest.approx(
        bits(first), abs=0.01
    )


def test_readers_of_other_items_tell_the_sum():
    half = np.arange(N) % 2 == 0
    first, second = reader(half), reader(~half)
    both = stacked_bits(first, second, EVEN, GOLD, N)
    assert both == pytest.approx(bits(first) + bits(second), abs=0.02)


def test_readers_of_nothing_promise_nothing():
    """What is taken off is a little more than such powers promise too much."""

    def of_noise():
        gold = RNG.integers(2, size=60)
        shares = RNG.uniform(0.3, 0.7, (2, 60, 1))
        first, second = np.concatenate([shares, 1 - shares], axis=2)
        return stacked_bits(first, second, np.full((60, 2), 0.5), gold, 60)

    told = np.array([of_noise() for _ in range(400)])
    assert -1 / (60 * np.log(2)) < told.mean() < 0
