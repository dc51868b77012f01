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

UNITS = 30  # groups below which items, not groups, are what was sampled


@dataclass(frozen=True, eq=False)
class Cells:
    """How often each label stands in each cluster of each group.

    Attributes:
        counts: One row for each cluster of each group, one column a label.
        cluster: The cluster of each row.
        group: The group of each row; rows are sorted by it.
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
    def has_many_groups(self) -> bool:
        """Whether there are groups enough to be what was sampled."""
        return len(self.by_group) >= UNITS

    @cached_property
    def group_shares(self) -> Floats:
        """The label shares of the group of each row."""
        shares = self.by_group / self.by_group.sum(axis=1, keepdims=True)
        return np.asarray(shares[self.group])

    @cached_property
    def freedom(self) -> Floats:
        """What a label's variance in a row is, over that of one item of its group."""
        size = self.counts.sum(axis=1)
        group_sizes = self.by_group.sum(axis=1)[self.group]
        return np.asarray(size * (group_sizes - size) / np.maximum(group_sizes - 1, 1))

    @cached_property
    def mean(self) -> Floats:
        """What `table` is expected to be when labels are shuffled within groups."""
        return sum_clusters(
            self.counts.sum(axis=1, keepdims=True) * self.group_shares, self.cluster
        )


def count_cells(clusters: Column, labels: Column, groups: Column | None) -> Cells:
    """The items counted; neither their order nor the labels' names matter."""
    cluster, names = column_codes(clusters, "cluster")
    label, _ = column_codes(labels, "label")
    group = np.zeros_like(label) if groups is None else column_codes(groups, "group")[0]
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
