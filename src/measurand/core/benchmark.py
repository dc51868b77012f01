"""Benchmark: the thing that is audited."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from measurand.core.arrays import Ints
from measurand.core.clusters import cross_clusters, has_few_texts, linked_clusters
from measurand.core.items import Items

Renderings = Mapping[str, Mapping[str, tuple[str, ...]]]
Protocol = Callable[[Items], Sequence[str]]


@dataclass(frozen=True, eq=False)
class Benchmark:
    """Train and test items, and the part each column plays.

    Attributes:
        name: What reports call it; never a path.
        train: The items readers learn from.
        test: The items readers are asked about.
        query: The text field that asks or claims.
        evidence: The text field that should decide, if there is one.
        rationale: The column of explanations, if there is one; it may be the evidence.
        rationales: All columns of explanations, where an item has several.
        roles: Which column plays which part, and how test was split from train.
        columns: The columns of each part by themselves, as they are named to load it,
            and what a split that we drew went by.
        schema: What each metadata column means, one line each.
        notes: Counts about the rows: duplicates, conflicts, overlap.
        protocol: The rule that made the labels, where it can be called.
        renderings: The words by which a metadata value reaches the query.
        planted: Whether the right answer is known because we made the items.
        elicited: The field that annotators wrote for the label, where that is one.
        test_parts: Other test parts by name, on which fitted readers are reported too.
        drawn_by: Where we drew test from train: the columns of which no value stands
            on both sides. Empty where the two were given.
        folds: In how many folds items are learned from and tested: both sides hold all
            of them. 1 where train and test are apart.
    """

    name: str
    train: Items
    test: Items
    query: str
    evidence: str | None = None
    rationale: str | None = None
    rationales: tuple[str, ...] = ()
    roles: Mapping[str, str] = field(default_factory=dict)
    columns: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    schema: Mapping[str, str] = field(default_factory=dict)
    notes: Mapping[str, int] = field(default_factory=dict)
    protocol: Protocol | None = None
    renderings: Renderings = field(default_factory=dict)
    planted: bool = False
    elicited: str | None = None
    test_parts: Mapping[str, Items] = field(default_factory=dict)
    drawn_by: tuple[str, ...] = ()
    folds: int = 1

    def clusters(self, items: Items) -> Ints:
        """The clusters of each item: those that share a query, evidence or a group.

        One number per item, or two where queries and evidence cross: items × 2. A text
        that all items share distinguishes none of them, so it joins none; nor do
        a few question words next to evidence, which are asked about as they are.
        """
        group = [items.column(items.group)] if items.group else []
        fields = [f for f in (self.query, self.evidence) if f is not None]
        texts = [items.column(f) for f in fields if items.column(f).nunique() > 1]
        if len(texts) > 1 and has_few_texts(texts[0]):
            texts = texts[1:]
        ways = [linked_clusters([column, *group]) for column in texts]
        if len(ways) < 2:
            rest = linked_clusters(group) if group else np.arange(len(items))
            return ways[0] if ways else rest
        return cross_clusters(*ways)

    def describe(self) -> dict[str, object]:
        """The benchmark as a report states it: never a path."""
        counts = self.test.labels.value_counts()
        return {
            "name": self.name,
            "roles": dict(self.roles),
            "columns": {part: list(names) for part, names in self.columns.items()},
            "labels": {label: int(counts.get(label, 0)) for label in self.classes},
            "train": len(self.train),
            "test": len(self.test),
            "counts": dict(self.notes),
            "planted": self.planted,
            "digest": {"train": self.train.digest, "test": self.test.digest},
        }

    @property
    def metadata(self) -> tuple[str, ...]:
        """The metadata columns."""
        return self.train.metadata

    @property
    def classes(self) -> tuple[str, ...]:
        """Every label of the benchmark, sorted."""
        others = (label for part in self.test_parts.values() for label in part.classes)
        return tuple(sorted({*self.train.classes, *self.test.classes, *others}))
