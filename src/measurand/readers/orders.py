"""Choices shown in several orders: letters have places, and models like some better.

Each order is turned further than the one before, and the shares of a choice are
averaged: as many orders as there are choices give each of them every letter once.
"""

from collections.abc import Callable

import numpy as np

from measurand.core.arrays import Floats, Ints
from measurand.core.items import Items, pack_choices


def read_in_orders(
    read: Callable[[Items], Floats], items: Items, orders: int
) -> Floats:
    """The share of each choice, over so many orders, and no more than choices."""
    counts = items.choice_counts
    orders = min(orders, int(counts.max(initial=1)))
    if orders == 1:
        return read(items)
    turns = [turn * counts // orders for turn in range(orders)]
    shares = [
        turn_back(read(turn_choices(items, turn)), counts, turn) for turn in turns
    ]
    total = np.sum(shares, axis=0)
    return np.asarray(total / total.sum(axis=1, keepdims=True))


def turn_choices(items: Items, turn: Ints) -> Items:
    """The items with their choices so many places further to the front."""
    rows = zip(items.choice_texts, turn.tolist(), strict=True)
    cells = [pack_choices([*texts[by:], *texts[:by]]) for texts, by in rows]
    return items.with_field(str(items.choices), cells)


def turn_back(shares: Floats, counts: Ints, turn: Ints) -> Floats:
    """The shares of turned choices where these stood before.

    >>> turn_back(np.array([[0.6, 0.3, 0.1]]), np.array([3]), np.array([1]))
    array([[0.1, 0.6, 0.3]])
    """
    width = shares.shape[1]
    places = (np.arange(width) - turn[:, None]) % counts[:, None]
    back = np.take_along_axis(shares, np.minimum(places, width - 1), axis=1)
    absent = (np.arange(width) >= counts[:, None]) | (places >= width)
    return np.asarray(np.where(absent, 0.0, back))
