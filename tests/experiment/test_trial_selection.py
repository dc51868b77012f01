import gc
import weakref
from dataclasses import dataclass
from typing import ClassVar

import pandas as pd

from measurand.core.items import Items
from measurand.experiment import trial as module
from measurand.experiment.trial import select_rows
from measurand.selections.rows import Everything, Sample

CALLS = []


@dataclass(frozen=True)
class Watched:
    kind: ClassVar[str] = "watched"
    size: int

    def __call__(self, items, rng):
        CALLS.append(self.size)
        return Sample(self.size)(items, rng)


def items(n=30):
    table = pd.DataFrame({"text": [f"text {i}" for i in range(n)], "label": "a"})
    return Items(table, ("text",))


def test_rows_are_selected_once_of_one_table_and_by_one_seed():
    CALLS.clear()
    first, second = items(), items()
    rows = select_rows(Watched(5), first, 0)
    assert select_rows(Watched(5), first, 0) is rows
    assert select_rows(Watched(5), first, 1).digest != rows.digest
    assert select_rows(Watched(5), second, 0).digest == rows.digest
    assert len(select_rows(Watched(6), first, 0)) == 6
    assert CALLS == [5, 5, 5, 6]


def test_what_is_kept_goes_with_the_items_and_never_grows_past_its_room(monkeypatch):
    monkeypatch.setattr(module, "MOST_ROWS", 12)
    table = items()
    for size in (5, 6, 7):
        select_rows(Watched(size), table, 0)
    assert [len(rows) for rows in module.KEPT[table].values()] == [7]
    assert select_rows(Everything(), table, 0) is table
    gone = weakref.ref(table)
    del table
    gc.collect()
    assert gone() is None
