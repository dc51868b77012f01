"""The given split in the pool: what readers answered that are not cross-fitted."""

from dataclasses import dataclass

import numpy as np

from measurand.arms.families import PAIR, Family
from measurand.arms.pool import Pool
from measurand.benchmarks.split import FOLD
from measurand.core.arrays import Bools, Ints
from measurand.core.benchmark import Benchmark

FEWEST_NEW = 100  # test items of new texts that the gain of a dear reader needs


@dataclass(frozen=True, eq=False)
class SplitItems:
    """The items that were asked about as the split was given, in the pool.

    Attributes:
        rows: Where each of them stands in the pool.
        new: Which of them share no text, or nearly, with what was learned from.
        family: The families of these items.
    """

    rows: Ints
    new: Bools
    family: Family


def find_split_items(pool: Pool, tested: Benchmark) -> SplitItems:
    """The test items in the pool, and which of them training has not seen nearly."""
    cut = tested.folds > 1
    places = {
        name: row
        for row, (name, origin) in enumerate(zip(pool.ids, pool.origin, strict=True))
        if cut or origin == "test"
    }
    rows = np.array([places[str(name)] for name in tested.test.ids])
    families = pool.families[PAIR].numbers
    # Who was tested in a fold learned from the others; else from train alone.
    fold = np.full(len(pool), -1)
    fold[rows] = tested.test.column(FOLD).astype(int) if cut else 0
    learned = np.ones(len(pool), bool) if cut else pool.origin == "train"
    highest = np.full(families.max() + 1, -2)
    np.maximum.at(highest, families[learned], fold[learned])
    lowest = np.full(families.max() + 1, len(pool))
    np.minimum.at(lowest, families[learned], fold[learned])
    item_families = families[rows]
    apart = (highest[item_families] == fold[rows]) & (
        lowest[item_families] == fold[rows]
    )
    return SplitItems(
        rows, apart | (highest[item_families] == -2), Family(PAIR, item_families)
    )
