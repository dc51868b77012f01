"""Examples: labelled items that are shown before the question."""

import numpy as np

from measurand.core.arrays import Ints
from measurand.core.errors import BadOption
from measurand.core.items import Items


def check_shots(shots: int) -> None:
    """Raise where fewer than no examples are asked for."""
    if shots < 0:
        raise BadOption(f"shots is {shots}; allowed are 0 or more")


def draw_shots(items: Items, shots: int, rng: np.random.Generator) -> Ints:
    """Positions of so many items, one label after the other, in a drawn order."""
    gold = items.gold(items.classes)
    order = rng.permutation(len(items))
    turn = np.empty(len(items), np.int64)  # the how-manieth of its label each item is
    for label in range(len(items.classes)):
        same_label = order[gold[order] == label]
        turn[same_label] = np.arange(len(same_label))
    first = rng.permutation(len(items.classes))[gold]
    positions = np.lexsort((first, turn))[:shots]
    return np.asarray(rng.permutation(positions), np.int64)
