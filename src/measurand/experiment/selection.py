"""The rows that asks are about, and that readers learn from, selected once."""

from weakref import WeakKeyDictionary

from measurand.core.intervention import Selection
from measurand.core.items import Items
from measurand.core.recipe import identity
from measurand.core.seeds import generator

MOST_ROWS = 200_000  # of the selections that are kept of one table
KEPT: WeakKeyDictionary[Items, dict[tuple[str, int], Items]] = WeakKeyDictionary()


def select_rows(selection: Selection, items: Items, seed: int) -> Items:
    """The items that the selection takes, the same for every reader.

    An audit asks dozens of times about the same rows, and looks them up again to read
    each answer.
    """
    kept, key = KEPT.setdefault(items, {}), (identity(selection), seed)
    if key in kept:
        return kept[key]
    rows = selection(items, generator(seed, "select"))
    if rows is items:  # which would keep itself for ever
        return items
    if sum(map(len, kept.values())) + len(rows) > MOST_ROWS:
        kept.clear()
    kept[key] = rows
    return rows
