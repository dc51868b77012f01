"""The items in an order, and their labels under names, that no accident has a say in.

Rows are put in the order of what they say, labels are numbered by how common they are.
So the order of the file and the words for the labels change no figure.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd

from measurand.core.arrays import Ints
from measurand.core.benchmark import Benchmark
from measurand.core.items import Items, with_columns
from measurand.core.seeds import generator
from measurand.selections.rows import Split

ALL = "all"  # the part that holds the training items and then the test items


@dataclass(frozen=True, eq=False)
class CanonicalBenchmark:
    """A benchmark in its settled order.

    Attributes:
        benchmark: Train and test; both together can be asked about as another part,
            and so can the test parts beside the first.
        pool: All items, where we drew the split ourselves; else None.
        labels: The name that each number of a label stands for.
        rows: What each training and each test item is called where it came from.
        other_tests: The test parts beside the first, by what findings call them.
    """

    benchmark: Benchmark
    pool: Items | None
    labels: Mapping[str, str]
    rows: tuple[list[str], list[str]] = field(default_factory=lambda: ([], []))
    other_tests: Mapping[str, Items] = field(default_factory=dict)

    @property
    def fields(self) -> tuple[str, ...]:
        """The text fields."""
        return self.benchmark.test.fields

    @property
    def has_choices(self) -> bool:
        """Whether items bring their own choices."""
        return self.benchmark.test.choices is not None

    @property
    def parts(self) -> tuple[str, ...]:
        """The fields that are read alone; of items with choices, these."""
        choices = self.benchmark.test.choices
        return self.fields if choices is None else (choices,)

    @property
    def scored_items(self) -> Items:
        """The items that readers are scored on: all where none were set apart."""
        return self.benchmark.test if self.pool is None else self.pool


def canonical_benchmark(benchmark: Benchmark, seed: int) -> CanonicalBenchmark:
    """The benchmark in its settled order; a split that was drawn is drawn anew."""
    sides = [benchmark.train, benchmark.test]
    others = {f"part={name}": items for name, items in benchmark.test_parts.items()}
    digests = [_text_digests(items) for items in (*sides, *others.values())]
    labels = pd.concat([items.labels for items in (*sides, *others.values())])
    numbers = _number_labels(labels, np.concatenate(digests))
    if benchmark.train.choices is not None:
        # A letter says where its choice stands: it has no other name.
        numbers = {letter: letter for letter in benchmark.classes}
    digests, other_digests = digests[:2], digests[2:]
    has_ids = "id" in benchmark.roles
    if benchmark.drawn_by:
        pool = join_items(sides)
        ids = [str(item_id) for items in sides for item_id in items.ids]
        if has_ids:
            pool = pool.with_table(pool.table.set_axis(ids, axis="index"))
        order = _settled_order(pool, np.concatenate(digests), numbers, has_ids)
        pool = _order_items(pool, np.concatenate(digests), numbers, has_ids)
        called = dict(zip(pool.ids, (ids[n] for n in order), strict=True))
        halves = [
            Split(benchmark.drawn_by, side)(pool, generator(seed, "split"))
            for side in ("train", "test")
        ]
        rows = [[called[item_id] for item_id in half.ids] for half in halves]
    else:
        pool = None
        halves = [
            _order_items(items, item_digests, numbers, has_ids)
            for items, item_digests in zip(sides, digests, strict=True)
        ]
        rows = [
            [str(items.ids[n]) for n in _settled_order(items, made, numbers, has_ids)]
            for items, made in zip(sides, digests, strict=True)
        ]
    train, test = halves
    other_tests = {
        name: _order_items(items, item_digests, numbers, has_ids)
        for (name, items), item_digests in zip(
            others.items(), other_digests, strict=True
        )
    }
    also = {ALL: join_items([train, test]), **other_tests}
    canonical = replace(
        benchmark, train=train, test=test, test_parts=also, protocol=None
    )
    names = {number: name for name, number in numbers.items()}
    return CanonicalBenchmark(canonical, pool, names, (rows[0], rows[1]), other_tests)


def _text_digests(items: Items) -> "np.ndarray[tuple[int], np.dtype[np.str_]]":
    """A digest of what each item says: its texts and its group, not its label."""
    columns = [*items.fields, *([items.group] if items.group else [])]
    rows = zip(*(items.column(column).tolist() for column in columns), strict=True)
    return np.array(
        [
            hashlib.sha256(repr(row).encode("utf-8", "backslashreplace")).hexdigest()
            for row in rows
        ]
    )


def _number_labels(
    labels: "pd.Series[str]", digests: "np.ndarray[tuple[int], np.dtype[np.str_]]"
) -> dict[str, str]:
    """A number for each label: the commoner first, ties by what their items say."""
    gold = labels.to_numpy(object)
    order = sorted(
        pd.unique(gold),
        key=lambda label: (
            -int((gold == label).sum()),
            hashlib.sha256("".join(sorted(digests[gold == label])).encode()).digest(),
        ),
    )
    width = len(str(len(order)))
    return {label: f"{number:0{width}d}" for number, label in enumerate(order)}


def _order_items(
    items: Items,
    digests: "np.ndarray[tuple[int], np.dtype[np.str_]]",
    numbers: Mapping[str, str],
    has_ids: bool,
) -> Items:
    """The items by what they say, then by label; ids are made of it where none were."""
    labels = items.labels.map(dict(numbers))
    columns = _kept_columns(items)
    table = with_columns(items.table[columns], {items.label: labels})
    order = _settled_order(items, digests, numbers, has_ids)
    table = table.iloc[order]
    if not has_ids:
        made_ids = pd.Series(
            [
                f"{digest[:12]}-{n}"
                for digest, n in zip(digests[order], table[items.label], strict=True)
            ]
        )
        repeats = made_ids.groupby(made_ids).cumcount()
        made_ids = made_ids.where(repeats == 0, made_ids + "-" + repeats.astype(str))
        table = table.set_axis(
            pd.Index(made_ids.to_numpy(object), name="id"), axis="index"
        )
    return _keep_roles(items, table)


def _settled_order(
    items: Items,
    digests: "np.ndarray[tuple[int], np.dtype[np.str_]]",
    numbers: Mapping[str, str],
    has_ids: bool,
) -> Ints:
    """Where each item of the settled order stood before."""
    labels = items.labels.map(dict(numbers)).to_numpy(str)
    ids = items.ids.astype(str).to_numpy() if has_ids else np.full(len(items), "")
    return np.lexsort([ids, labels, digests])


def _kept_columns(items: Items) -> list[str]:
    """The columns of a settled table, beside the label."""
    columns = [*items.fields, items.group, items.subject]
    return [*dict.fromkeys(column for column in columns if column is not None)]


def _keep_roles(items: Items, table: pd.DataFrame) -> Items:
    """The items of a settled table, without their metadata."""
    return replace(items, table=table, metadata=(), contest=None, document=None)


def join_items(sides: list[Items]) -> Items:
    """All items in one table."""
    first = sides[0]
    columns = _kept_columns(first)
    table = pd.concat([items.table[[*columns, first.label]] for items in sides])
    # An id may stand on both sides; here nobody is asked for by id.
    table = table.set_axis([str(n) for n in range(len(table))], axis="index")
    return _keep_roles(first, table)
