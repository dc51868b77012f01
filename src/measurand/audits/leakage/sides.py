"""The published protocol on the pool: learn from train, be asked about test.

A benchmark without a given split has one drawn here, so that no family of texts stands
on both sides. Rows stand in the order of the pool, and columns and labels have its
names; `Sides` knows what they are called in the file.
"""

import hashlib
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from measurand.arms.families import PAIR
from measurand.arms.pool import Pool, family_column
from measurand.core.arrays import Bools, Ints
from measurand.core.benchmark import Benchmark
from measurand.core.items import Items
from measurand.core.names import name_condition
from measurand.core.seeds import generator
from measurand.selections.rows import Split

ALL = "all"  # the part that holds the training items and then the test items
GROUP = "family"  # the column of the families of whole items


@dataclass(frozen=True, eq=False)
class Sides:
    """Training and test items of a pool.

    Attributes:
        pool: All items, and what columns and labels are called in the file.
        benchmark: Train and test; both together are the part ALL, and other test parts
            have the names by which findings call them.
        places: Where each training and each test item stands in the pool.
    """

    pool: Pool
    benchmark: Benchmark
    places: tuple[Ints, Ints]

    @property
    def rows(self) -> tuple[list[str], list[str]]:
        """What each training and each test item is called in the file."""
        train, test = ([self.pool.ids[n] for n in places] for places in self.places)
        return train, test

    @property
    def fields(self) -> tuple[str, ...]:
        """The text fields."""
        return self.benchmark.test.fields

    @property
    def parts(self) -> tuple[str, ...]:
        """The fields that are read alone; of items with choices, these."""
        return self.pool.parts

    @property
    def has_choices(self) -> bool:
        """Whether items bring their own choices."""
        return self.benchmark.test.choices is not None

    @property
    def other_tests(self) -> dict[str, Items]:
        """The test parts besides the first, by what findings call them."""
        parts = self.benchmark.test_parts.items()
        return {name: items for name, items in parts if name != ALL}

    def column(self, field: str) -> str:
        """What a field is called in the file."""
        return self.pool.names.get(field, field)

    def condition(self, field: str) -> str:
        """What findings call a field."""
        return name_condition(self.column(field))

    def label(self, number: str) -> str:
        """What a label is called in the file."""
        return self.pool.labels.get(number, number)


def open_sides(pool: Pool, original: Benchmark, seed: int) -> Sides:
    """The pool's training and test items: as they were given, or drawn by family."""
    items = _identify_items(pool, has_ids="id" in original.roles)
    sides = ("train", "test")
    masks = {name: pool.origin == name for name in (*sides, *original.test_parts)}
    if not pool.given:
        in_test = _draw_test(pool, seed)
        masks |= {"train": ~in_test, "test": in_test}
    train, test = (items.rows(masks[side]) for side in sides)
    others = {f"part={n}": items.rows(masks[n]) for n in original.test_parts}
    benchmark = replace(
        pool.benchmark,
        train=train,
        test=test,
        test_parts={ALL: join_sides(train, test), **others},
    )
    places = np.flatnonzero(masks["train"]), np.flatnonzero(masks["test"])
    return Sides(pool, benchmark, places)


def family_numbers(items: Items) -> Ints:
    """Which items are of one family of texts."""
    return np.asarray(pd.factorize(items.column(GROUP))[0], np.int64)


def text_group(field: str) -> str:
    """The column of the families of one field."""
    return f"{GROUP}.{field}"


def join_sides(train: Items, test: Items) -> Items:
    """The items of both sides in one table, under numbers."""
    table = pd.concat([train.table, test.table])
    # An id may stand on both sides; here nobody is asked for by id.
    return train.with_table(table.set_axis([str(n) for n in range(len(table))]))


def _draw_test(pool: Pool, seed: int) -> Bools:
    """The test items of a seeded split that cuts no family."""
    split = Split((family_column(PAIR),), "test")
    test = split(pool.items, generator(seed, "split"))
    return np.asarray(pool.items.ids.isin(test.ids))


def _identify_items(pool: Pool, *, has_ids: bool) -> Items:
    """The pool's items by their own ids, or by ids made of what they say."""
    items = pool.items.keep_fields(*pool.items.fields)
    families = {GROUP: pool.families[PAIR]}
    families |= {text_group(field): pool.families[field] for field in items.fields}
    table = items.table.assign(
        **{name: family.numbers.astype(str) for name, family in families.items()}
    )
    ids = pd.Series(pool.ids, dtype=object)
    if not has_ids:
        rows = zip(*(table[column] for column in items.fields), strict=True)
        digests = [
            hashlib.sha256(repr(row).encode("utf-8", "backslashreplace")).hexdigest()
            for row in rows
        ]
        labels = zip(digests, items.labels, strict=True)
        ids = pd.Series([f"{digest[:12]}-{label}" for digest, label in labels])
        repeats = ids.groupby(ids).cumcount()
        ids = ids.where(repeats == 0, ids + "-" + repeats.astype(str))
    index = pd.Index(ids.to_numpy(object), name="id")
    return replace(items, table=table.set_axis(index, axis="index"), group=GROUP)
