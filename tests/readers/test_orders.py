"""Choices in several orders: who likes a letter is at chance over all of them."""

import numpy as np
import pytest

from measurand.readers.orders import read_in_orders
from tests.core.test_choices import choice_items

ROWS = [["red", "blue", "green", "grey"], ["one", "two", "three"], ["no", "yes"]]
ITEMS = choice_items(ROWS, [1, 0, 1])


def like_first(items):
    shares = np.zeros((len(items), 4))
    shares[:, 0] = 1
    return shares


def like_blue_and_two(items):
    shares = np.zeros((len(items), 4))
    for row, texts in enumerate(items.choice_texts):
        liked = [text in ("blue", "two", "yes") for text in texts]
        shares[row, : len(texts)] = liked
    return shares


def test_who_likes_the_first_letter_is_at_chance_over_all_orders():
    shares = read_in_orders(like_first, ITEMS, 4)
    np.testing.assert_allclose(shares[0], [0.25] * 4)
    np.testing.assert_allclose(shares[2], [0.5, 0.5, 0, 0])
    np.testing.assert_allclose(read_in_orders(like_first, ITEMS, 1), like_first(ITEMS))


@pytest.mark.parametrize("orders", [1, 2, 3, 4, 26])
def test_who_goes_by_the_text_says_the_same_in_any_number_of_orders(orders):
    shares = read_in_orders(like_blue_and_two, ITEMS, orders)
    np.testing.assert_allclose(shares, like_blue_and_two(ITEMS))


def test_there_are_no_more_orders_than_choices():
    seen = []
    read_in_orders(lambda items: seen.append(items) or like_first(items), ITEMS, 26)
    assert len(seen) == 4
