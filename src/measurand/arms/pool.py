"""Pool: train, test and all other parts of a benchmark as one table.

Whether a part gives the label away is a property of the benchmark and not of its test
file, so all items are read together. Rows stand in the order of what they say, columns
and labels have names of ours: the order of a file, its format and what its columns and
labels are called change no figure.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from measurand.arms.families import (
    FEWEST_EVEN,
    FEWEST_FAMILIES,
    ITEM,
    PAIR,
    Family,
    find_family,
    find_loose_family,
    join_families,
)
from measurand.benchmarks.metadata import metadata_schema
from measurand.core.benchmark import Benchmark
from measurand.core.clusters import linked_clusters
from measurand.core.items import Items
from measurand.core.names import own_column

FOLDS = 5
FEWEST_APART = 50  # items of a test file that are also looked at alone
QUERY, EVIDENCE, CHOICES, LABEL = "query", "evidence", "choices", "label"
GROUP = "group"  # the family of the column that the user named


@dataclass(frozen=True, eq=False)
class Pool:
    """All items of a benchmark, and which of them count as one.

    Attributes:
        benchmark: Both sides hold all items; families are columns of ours.
        origin: The part that each item came from: train, test or another's name.
        families: By part; PAIR of items that share a text in any part, ITEM of whole
            copies, GROUP where the user named a column.
        names: What each of our columns is called in the file.
        labels: What each of our labels is called in the file.
        ids: What each item is called in the file.
        given: Whether train and test were separated by whoever made the file.
    """

    benchmark: Benchmark
    origin: "NDArray[np.str_]"
    families: Mapping[str, Family]
    names: Mapping[str, str]
    labels: Mapping[str, str]
    ids: tuple[str, ...]
    given: bool = False

    @property
    def items(self) -> Items:
        """The items, in their settled order."""
        return self.benchmark.test

    def __len__(self) -> int:
        """How many items there are."""
        return len(self.items)

    @property
    def test(self) -> "Pool | None":
        """The items of the test file by themselves; none where it is no part apart."""
        inside = self.origin == "test"
        if not self.given or inside.sum() < FEWEST_APART or inside.all():
            return None
        return self.take(inside)

    @property
    def effective(self) -> float:
        """How many independent families of one size the items are worth, at most.

        By items that share a text, by the user's group, and by parts whose near copies
        predict the label: what is learned of one holds for the others.
        """
        gold = self.items.numbers
        fields = (p for p in self.items.fields if self.items.column(p).nunique() > 1)
        telling = (f for p in fields if (f := self.families[p]).tells(gold))
        named = (self.families[p] for p in (PAIR, GROUP) if p in self.families)
        return min(family.effective for family in (*named, *telling))

    @property
    def parts(self) -> tuple[str, ...]:
        """What is read alone: the text fields or, of items with choices, these."""
        choices = self.items.choices
        return self.items.fields if choices is None else (choices,)

    def fold_family(self, part: str) -> str:
        """Whose families folds keep together for a part.

        Those of PAIR where they deal evenly, so that arms of several parts share
        folds; else those of the part, few of either, or copies of whole items.
        """
        chosen = _most_even([self.families[part] for part in (PAIR, part)])
        return ITEM if chosen is None else chosen.part

    def take(self, chosen: NDArray[np.bool_]) -> "Pool":
        """The pool of some items, with the families that they had."""
        items = self.items.rows(chosen)
        families = {
            part: Family(part, pd.factorize(family.numbers[chosen])[0].astype(np.int64))
            for part, family in self.families.items()
        }
        ids = tuple(
            i for i, is_chosen in zip(self.ids, chosen, strict=True) if is_chosen
        )
        return replace(
            self,
            benchmark=replace(self.benchmark, train=items, test=items),
            origin=self.origin[chosen],
            families=families,
            ids=ids,
        )

    def with_items(self, items: Items) -> "Pool":
        """The same pool with other texts or labels: a blank or a planted control."""
        return replace(self, benchmark=replace(self.benchmark, train=items, test=items))

    def with_families(self, families: Mapping[str, Family]) -> "Pool":
        """The same pool with more families, each with a column to fold by."""
        columns = {family_column(name): f.numbers for name, f in families.items()}
        table = self.items.table.assign(
            **{name: numbers.astype(str) for name, numbers in columns.items()}
        )
        pool = self.with_items(self.items.with_table(table))
        return replace(pool, families={**self.families, **families})


def family_column(part: str) -> str:
    """The column of ours that holds the families of a part."""
    return own_column("family", part)


def open_pool(benchmark: Benchmark) -> Pool:
    """The pool of all parts of a benchmark, in its settled order."""
    parts = {
        "train": benchmark.train,
        "test": benchmark.test,
        **benchmark.test_parts,
    }
    names = _column_names(benchmark)
    table = pd.concat([items.table[[*names.values()]] for items in parts.values()])
    table.columns = pd.Index([*names])
    origin = np.repeat([*parts], [len(items) for items in parts.values()])
    ids = np.array([str(i) for items in parts.values() for i in items.ids], object)
    fields = tuple(n for n in names if n in (QUERY, EVIDENCE, CHOICES) or "." in n)
    fields = tuple(n for n in fields if not n.startswith("metadata."))
    digests = _text_digests(table, fields)
    has_choices = benchmark.test.choices is not None
    labels = {} if has_choices else _number_labels(table[LABEL], digests)
    if labels:
        table[LABEL] = table[LABEL].map(labels)
    # Rows that say the same may differ in metadata: the file's order must not decide.
    ties = _text_digests(table, tuple(n for n in names if n not in (*fields, LABEL)))
    order = np.lexsort([ties, origin, table[LABEL].to_numpy(str), digests])
    table = table.iloc[order].set_axis([str(n) for n in range(len(table))])
    families = _find_families(table, fields, GROUP in names)
    for part, family in families.items():
        table[family_column(part)] = family.numbers.astype(str)
    items = Items(
        table,
        fields,
        LABEL,
        tuple(n for n in names if n.startswith("metadata.")),
        choices=CHOICES if has_choices else None,
    )
    joined = Benchmark(
        benchmark.name,
        items,
        items,
        QUERY,
        EVIDENCE if EVIDENCE in names else None,
        planted=benchmark.planted,
    )
    called = {number: label for label, number in labels.items()}
    return Pool(
        joined,
        origin[order],
        families,
        names,
        called,
        tuple(ids[order].tolist()),
        given=not benchmark.drawn_by,
    )


def _column_names(benchmark: Benchmark) -> dict[str, str]:
    """What each of our columns is called in the file, in the order readers read."""
    test, names = benchmark.test, {}
    roles = {
        benchmark.query: QUERY,
        benchmark.evidence: EVIDENCE,
        test.choices: CHOICES,
    }
    for number, field in enumerate(test.fields):
        names[roles.get(field, f"field.{number}")] = field
    names[LABEL] = test.label
    # What was derived from the texts is read there, and what was derived from the
    # evidence cannot show that it is not needed.
    derived = metadata_schema(benchmark.evidence, test.choices)
    apart = [
        column
        for column in test.metadata
        if benchmark.schema.get(column, "") != derived.get(column)
    ]
    for number, column in enumerate(apart):
        names[f"metadata.{number}"] = column
    if test.group:
        names[GROUP] = test.group
    return names


def _find_families(
    table: pd.DataFrame, fields: tuple[str, ...], has_group: bool
) -> dict[str, Family]:
    """The families of each part, and of items that share a text in any part."""
    group = table[GROUP] if has_group else None
    gold = pd.factorize(table[LABEL])[0].astype(np.int64)
    families = {
        field: find_family(field, table[field].tolist(), group, gold)
        for field in fields
    }
    # A text that most items share tells none of them from another.
    rows = pd.Series(list(zip(*(table[f] for f in fields), strict=True)))
    by_item = Family(ITEM, pd.factorize(rows)[0].astype(np.int64))
    most = len(table) / FOLDS
    texts = {field: table[field].value_counts() for field in fields}
    telling = [
        family
        for field, family in families.items()
        if max(texts[field].max(), family.sizes.max()) <= most
    ]
    # Nor are items independent because a part has values, which join nobody.
    alone = [f for f in telling if len(f.sizes) <= len(texts[f.part])]
    joined = [join_families(PAIR, telling)] if telling else []
    pair = _most_even([*joined, *alone]) or by_item
    families |= {PAIR: Family(PAIR, pair.numbers), ITEM: by_item}
    if group is not None:
        families[GROUP] = Family(GROUP, linked_clusters([group]))
    return families


def _most_even(families: Sequence[Family]) -> Family | None:
    """The first that deals evenly; else the first of few, as a fold may cut none."""
    return next(
        (
            family
            for fewest in (FEWEST_EVEN, FEWEST_FAMILIES)
            for family in families
            if family.deals_evenly(FOLDS, fewest)
        ),
        None,
    )


def _text_digests(table: pd.DataFrame, columns: Sequence[str]) -> "NDArray[np.str_]":
    """A digest of what each item says in these columns."""
    rows = zip(*(table[column].tolist() for column in columns), strict=True)
    texts = [repr(row) for row in rows] if columns else [""] * len(table)
    return np.array(
        [
            hashlib.sha256(text.encode("utf-8", "backslashreplace")).hexdigest()
            for text in texts
        ]
    )


def _number_labels(
    labels: "pd.Series[str]", digests: "NDArray[np.str_]"
) -> dict[str, str]:
    """A number for each label: the commoner first, ties by what their items say."""
    gold = labels.to_numpy(object)

    def rank(label: str) -> tuple[int, bytes]:
        texts = "".join(sorted(digests[gold == label]))
        return -int((gold == label).sum()), hashlib.sha256(texts.encode()).digest()

    order = sorted(pd.unique(gold), key=rank)
    width = len(str(len(order)))
    return {label: f"{number:0{width}d}" for number, label in enumerate(order)}


LOOSE = "loose"


def loosen(pool: Pool, part: str) -> Pool | None:
    """The pool with families that hold together what shares rare words in a part."""
    texts = pool.items.column(part).tolist()
    copies = find_family(part, texts, None, pool.items.numbers)
    family = find_loose_family(copies, texts)
    if family is None:
        return None
    pair = pool.families[PAIR]
    joined = join_families(LOOSE, [family, pair])
    fits = joined.sizes.max() <= len(pool) / FOLDS
    return pool.with_families(
        {LOOSE: joined if fits else Family(LOOSE, family.numbers)}
    )
