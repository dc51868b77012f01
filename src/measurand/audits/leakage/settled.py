"""The items in an order, and their labels under names, that no accident has a say in.

Rows are put in the order of what they say, labels are numbered by how common they are.
So the order of the file and the words for the labels change no figure.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from measurand.core.benchmark import Benchmark
from measurand.core.items import Items
from measurand.core.seeds import generator
from measurand.selections.folds import Split

ALL = "all"  # the part that holds the training items and then the test items


@dataclass(frozen=True, eq=False)
class Settled:
    """A benchmark in its settled order.

    Attributes:
        benchmark: Train and test; both together can be asked about as another part.
        whole: All items, where we drew the split ourselves; else None.
        labels: The name that each number of a label stands for.
    """

    benchmark: Benchmark
    whole: Items | None
    labels: Mapping[str, str]

    @property
    def fields(self) -> tuple[str, ...]:
        """The text fields."""
        return self.benchmark.test.fields

    @property
    def evaluated(self) -> Items:
        """The items that readers are scored on: all where none were set apart."""
        return self.benchmark.test if self.whole is None else self.whole


def settled(benchmark: Benchmark, seed: int) -> Settled:
    """The benchmark in its settled order; a split that was drawn is drawn anew."""
    sides = [benchmark.train, benchmark.test]
    texts = [said(items) for items in sides]
    numbers = numbered(
        pd.concat([items.labels for items in sides]), np.concatenate(texts)
    )
    named = "id" in benchmark.roles
    if benchmark.drawn_by:
        whole = joined(sides)
        if named:
            ids = [str(one) for items in sides for one in items.ids]
            whole = whole.with_table(whole.table.set_axis(ids, axis="index"))
        whole = ordered(whole, np.concatenate(texts), numbers, named)
        cut = [
            Split(benchmark.drawn_by, side)(whole, generator(seed, "split"))
            for side in ("train", "test")
        ]
    else:
        whole = None
        cut = [
            ordered(items, text, numbers, named)
            for items, text in zip(sides, texts, strict=True)
        ]
    train, test = cut
    also = {ALL: joined([train, test])}
    made = replace(benchmark, train=train, test=test, test_parts=also, protocol=None)
    return Settled(made, whole, {number: name for name, number in numbers.items()})


def said(items: Items) -> "np.ndarray[tuple[int], np.dtype[np.str_]]":
    """A digest of what each item says: its texts and its group, not its label."""
    columns = [*items.fields, *([items.group] if items.group else [])]
    rows = zip(*(items.column(column).tolist() for column in columns), strict=True)
    return np.array(
        [
            hashlib.sha256(repr(row).encode("utf-8", "backslashreplace")).hexdigest()
            for row in rows
        ]
    )


def numbered(
    labels: "pd.Series[str]", texts: "np.ndarray[tuple[int], np.dtype[np.str_]]"
) -> dict[str, str]:
    """A number for each label: the commoner first, ties by what their items say."""
    gold = labels.to_numpy(object)
    order = sorted(
        pd.unique(gold),
        key=lambda label: (
            -int((gold == label).sum()),
            hashlib.sha256("".join(sorted(texts[gold == label])).encode()).digest(),
        ),
    )
    width = len(str(len(order)))
    return {label: f"{number:0{width}d}" for number, label in enumerate(order)}


def ordered(
    items: Items,
    texts: "np.ndarray[tuple[int], np.dtype[np.str_]]",
    numbers: Mapping[str, str],
    named: bool,
) -> Items:
    """The items by what they say, then by label; ids are made of it where none were."""
    labels = items.labels.map(dict(numbers))
    columns = [*items.fields, *([items.group] if items.group else [])]
    table = items.table[columns].assign(**{items.label: labels})
    ids = items.ids.astype(str).to_numpy() if named else np.full(len(items), "")
    order = np.lexsort([ids, labels.to_numpy(str), texts])
    table = table.iloc[order]
    if not named:
        made = pd.Series(
            [
                f"{text[:12]}-{n}"
                for text, n in zip(texts[order], table[items.label], strict=True)
            ]
        )
        again = made.groupby(made).cumcount()
        made = made.where(again == 0, made + "-" + again.astype(str))
        table = table.set_axis(pd.Index(made.to_numpy(object), name="id"), axis="index")
    return Items(table, items.fields, items.label, (), items.group)


def joined(sides: list[Items]) -> Items:
    """All items in one table."""
    first = sides[0]
    columns = [*first.fields, first.label, *([first.group] if first.group else [])]
    table = pd.concat([items.table[columns] for items in sides])
    # An id may stand on both sides; here nobody is asked for by id.
    table = table.set_axis([str(n) for n in range(len(table))], axis="index")
    return Items(table, first.fields, first.label, (), first.group)
