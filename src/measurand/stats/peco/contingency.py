"""Items counted: how often each label stands in each cluster of each group."""

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from measurand.core.arrays import Floats, Ints
from measurand.core.errors import BadInput, Undefined
from measurand.stats.resampling import sum_clusters

Column = Iterable[Hashable] | NDArray[Any]


@dataclass(frozen=True, eq=False)
class Cells:
    """How often each label stands in each cluster of each group.

    Attributes:
        counts: One row for each cluster of each group, one column a label.
        cluster: The cluster of each row.
        group: The group of each row; rows are sorted by it. One group is none.
        names: The names of the clusters, sorted.
    """

    counts: Floats
    cluster: Ints
    group: Ints
    names: list[Hashable]

    @property
    def n(self) -> int:
        """How many items there are."""
        return int(self.counts.sum())

    @cached_property
    def table(self) -> Floats:
        """One row a cluster, one column a label."""
        return sum_clusters(self.counts, self.cluster)

    @cached_property
    def by_group(self) -> Floats:
        """One row a group, one column a label."""
        return sum_clusters(self.counts, self.group)

    @property
    def is_grouped(self) -> bool:
        """Whether groups, and not items, are what was sampled."""
        return len(self.by_group) > 1

    @cached_property
    def shares(self) -> Floats:
        """The label shares of all items."""
        return np.asarray(self.by_group.sum(axis=0) / self.n)

    @cached_property
    def mean(self) -> Floats:
        """What `table` is expected to be when labels are shuffled."""
        return np.asarray(self.table.sum(axis=1, keepdims=True) * self.shares)

    @cached_property
    def freedom(self) -> Floats:
        """What a label's variance in a cluster is, over that of one item of all."""
        sizes = self.table.sum(axis=1)
        return np.asarray(sizes * (self.n - sizes) / max(self.n - 1, 1))


def count_cells(clusters: Column, labels: Column, groups: Column | None) -> Cells:
    """The items counted; neither their order nor the labels' names matter."""
    cluster, names = column_codes(clusters, "cluster")
    label, _ = column_codes(labels, "label")
    group = np.zeros_like(label) if groups is None else column_codes(groups, "group")[0]
    if len(np.unique(group)) == len(group):
        group = np.zeros_like(group)  # groups of one item are items
    if not len(cluster) == len(label) == len(group):
        raise BadInput(
            f"{len(cluster)} clusters, {len(label)} labels and {len(group)} groups "
            "are not of the same items"
        )
    if len(label) == 0:
        raise Undefined("no items to score; widen the selection")
    if (kinds := int(label.max()) + 1) < 2:
        raise Undefined("all items have one label, so no cluster can give it away")
    rows, row = np.unique(group * len(names) + cluster, return_inverse=True)
    size = len(rows) * kinds
    counts = np.bincount(row * kinds + label, minlength=size).reshape(-1, kinds)
    # Labels in an order of their counts: their names then move no random number.
    columns = [np.ascontiguousarray(column) for column in counts.T]
    columns.sort(key=lambda column: (-int(column.sum()), column.tobytes()))
    table = np.column_stack(columns).astype(np.float64)
    return Cells(table, rows % len(names), rows // len(names), names)


def column_codes(values: Column, what: str) -> tuple[Ints, list[Hashable]]:
    """A number for each value, and the values in the order of their numbers."""
    is_array = isinstance(values, np.ndarray | pd.Series)
    column = pd.Series(values if is_array else list(values))
    codes, unique = pd.factorize(column)
    if (codes < 0).any():
        raise BadInput(f"{(codes < 0).sum()} items have no {what}; leave them out")
    names = unique.tolist()
    try:
        order = sorted(range(len(names)), key=names.__getitem__)
    except TypeError:  # names of several types have no order of their own
        order = sorted(
            range(len(names)), key=lambda i: (str(type(names[i])), str(names[i]))
        )
    return np.argsort(order)[codes], [names[i] for i in order]
