"""What clusters seem to give away when labels are shuffled, by items or whole groups.

Items of a group share a text, and often with it a label: what is exchangeable is the
group. So groups of one size exchange their labels, and each hands out in random order
what it got. Sizes that fewer than `PEERS` groups have are put together with the next;
there a smaller group takes some of the labels of a larger one, and a larger one takes
those of a smaller one more than once, so that labels of a group stay together.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd

from measurand.core.arrays import Floats, Ints
from measurand.stats.peco.contingency import (
    Cells,
    Divergence,
    Summary,
    kl_cluster,
    label_shares,
)

BLOCK = 4_000_000  # numbers drawn at a time
PEERS = 10  # groups of like size that exchange their labels, at least


@dataclass(frozen=True, eq=False)
class LabelNull:
    """What shuffled labels give.

    Attributes:
        values: The score of each shuffle.
        associations: The figures that stand next to the score, in columns.
        by_cluster: The mean divergence of each cluster.
        tables: The shuffled tables themselves, where groups were shuffled.
    """

    values: Floats
    associations: Floats
    by_cluster: Floats
    tables: Floats | None = None

    @property
    def mean(self) -> float:
        """The mean score of shuffled labels."""
        return float(self.values.mean())


def expected_squares(cells: Cells) -> Floats:
    """The exact mean of each cluster's squared distance over permutations of items."""
    sizes = cells.table.sum(axis=1)
    return np.asarray(cells.freedom * (1 - (cells.shares**2).sum()) / sizes**2)


def shuffle_labels(
    cells: Cells,
    measure: Divergence,
    summary: Summary,
    permutations: int,
    rng: np.random.Generator,
) -> LabelNull:
    """The scores of shuffled labels."""
    sizes = cells.table.sum(axis=1)
    values, associations, by_cluster = [], [], np.zeros(len(sizes))
    shuffled = []
    for tables in _null_tables(cells, permutations, rng):
        shuffled += [tables] if cells.is_grouped else []
        divergences = measure(tables)
        values.append(summary(divergences, sizes / cells.n))
        associations.append(_association_figures(tables))
        by_cluster += divergences.sum(axis=0) / permutations
    label_tables = np.concatenate(shuffled) if shuffled else None
    scores, figures = np.concatenate(values), np.concatenate(associations)
    return LabelNull(scores, figures, by_cluster, label_tables)


def _null_tables(
    cells: Cells, permutations: int, rng: np.random.Generator
) -> Iterator[Floats]:
    """Tables of shuffled labels, many at a time: shuffles × clusters × labels."""
    block = max(1, BLOCK // cells.table.size)
    for start in range(0, permutations, block):
        shuffles = min(block, permutations - start)
        if cells.is_grouped:
            yield deal_tables(cells, shuffles, rng)
        else:
            margins = cells.table.sum(axis=1), cells.table.sum(axis=0)
            yield draw_tables(*margins, shuffles, rng)


def draw_tables(
    rows: Floats, columns: Floats, shuffles: int, rng: np.random.Generator
) -> Floats:
    """Random tables with these margins: shuffles × rows × columns.

    Cell by cell, hypergeometric. `scipy.stats.random_table` is as quick, but where all
    is in one row or column its tables do not have the margins asked for.
    """
    tables = np.zeros((shuffles, len(rows), len(columns)))
    # What is not yet given away: columns × shuffles, and in all, the same in each.
    remaining = np.tile(columns.astype(np.int64)[:, None], shuffles)
    left = int(columns.sum())
    for row, size in enumerate(rows[:-1].astype(np.int64)):
        missing, rest = np.full(shuffles, size), np.full(shuffles, left)
        for column, cells in enumerate(remaining[:-1]):
            rest -= cells
            drawn = rng.hypergeometric(cells, rest, missing)
            tables[:, row, column] = drawn
            cells -= drawn
            missing -= drawn
        tables[:, row, -1] = missing
        remaining[-1] -= missing
        left -= int(size)
    tables[:, -1] = remaining.T
    return tables


def deal_tables(cells: Cells, shuffles: int, rng: np.random.Generator) -> Floats:
    """Tables of labels that whole groups exchanged: shuffles × clusters × labels."""
    tables: Floats = np.zeros((shuffles, *cells.table.shape))
    # A group that lies in one cluster has one row.
    rows = np.bincount(cells.group, minlength=len(cells.by_group))
    cluster = np.zeros(len(rows), np.int64)
    cluster[cells.group] = cells.cluster
    sizes = cells.by_group.sum(axis=1).astype(np.int64)
    for groups in size_bins(sizes):
        kinds, counts = np.unique(cells.by_group[groups], axis=0, return_counts=True)
        like = np.ptp(sizes[groups]) == 0 and (rows[groups] == 1).all()
        if like and len(kinds) * len(cells.table) <= cells.n:
            # Groups with the same labels are interchangeable: how many of each kind
            # come to a cluster is hypergeometric, however many the items.
            receivers = np.bincount(cluster[groups], minlength=len(cells.table))
            drawn = draw_tables(
                receivers.astype(float), counts.astype(float), shuffles, rng
            )
            tables += np.asarray(drawn @ kinds, float)
        else:
            tables += _deal_bin(cells, groups, shuffles, rng)
    return tables


def _deal_bin(
    cells: Cells, groups: Ints, shuffles: int, rng: np.random.Generator
) -> Floats:
    """The part of the tables that some groups exchange item by item."""
    labels = cells.counts.shape[1]
    chosen = np.flatnonzero(np.isin(cells.group, groups))
    counts = cells.counts[chosen].astype(np.int64)
    row, label = np.divmod(np.repeat(np.arange(counts.size), counts.ravel()), labels)
    offsets, group = cells.cluster[chosen][row] * labels, cells.group[chosen][row]
    tables = np.empty((shuffles, *cells.table.shape))
    deal = group_dealer(group)
    for table in tables:
        counted = np.bincount(offsets + label[deal(rng)], minlength=table.size)
        table[:] = counted.reshape(table.shape)
    return tables


def size_bins(sizes: Ints) -> list[Ints]:
    """The groups in bins of like size, each of `PEERS` groups where there are so many.

    >>> [groups.tolist() for groups in size_bins(np.array([1] * 10 + [2] * 9 + [3]))]
    [[0, 1, 2, 3, 4, 5, 6, 7, 8, 9], [10, 11, 12, 13, 14, 15, 16, 17, 18, 19]]
    """
    bins: list[list[int]] = [[]]
    for size in np.unique(sizes):
        if len(bins[-1]) >= PEERS:
            bins.append([])
        bins[-1] += np.flatnonzero(sizes == size).tolist()
    if len(bins) > 1 and len(bins[-1]) < PEERS:
        last = bins.pop()
        bins[-1] += last
    return [np.array(groups) for groups in bins]


def group_dealer(group: Ints) -> Callable[[np.random.Generator], Ints]:
    """A function that draws, for each item, the item whose label it gets."""
    codes = np.unique(group, return_inverse=True)[1]
    sizes = np.bincount(codes)
    starts, bins = np.cumsum(sizes) - sizes, size_bins(sizes)
    giver, fixed = np.empty(len(sizes), np.int64), np.argsort(codes, kind="stable")
    receiver = np.repeat(np.arange(len(sizes)), sizes)
    offset = np.arange(len(codes)) - starts[receiver]

    def deal(rng: np.random.Generator) -> Ints:
        # The items of each group side by side, in random order.
        mixed = np.argsort(codes + rng.random(len(codes)))
        for groups in bins:
            giver[groups] = rng.permutation(groups)
        chosen = giver[receiver]
        order = np.empty(len(codes), np.int64)
        order[fixed] = mixed[starts[chosen] + offset % sizes[chosen]]
        return order

    return deal


def _association_figures(tables: Floats) -> Floats:
    """Mutual information in bits, Cramer's V and cluster-majority accuracy."""
    sizes, (within, overall) = tables.sum(axis=-1), label_shares(tables)
    n = sizes.sum(axis=-1)
    bits = (sizes * kl_cluster(tables)).sum(axis=-1) / n
    # Unlike groups that exchange labels may lose a rare one: it then adds nothing.
    excess = (within - overall) ** 2 / np.where(overall > 0, overall, 1)
    square = (sizes * excess.sum(axis=-1)).sum(axis=-1)
    labels = (tables.sum(axis=-2) > 0).sum(axis=-1)
    most = np.maximum(np.minimum(tables.shape[-2], labels) - 1, 1)
    defined = min(tables.shape[-2:]) > 1
    v = np.sqrt(square / n / most) if defined else np.full_like(n, np.nan)
    majority = tables.max(axis=-1).sum(axis=-1) / n
    return np.stack([bits, v, majority], axis=-1)


def association_table(cells: Cells, null: LabelNull) -> pd.DataFrame:
    """The figures next to the score: as seen, as shuffled labels give them, and p."""
    observed = _association_figures(cells.table)
    p = [
        permutation_p(*pair) for pair in zip(null.associations.T, observed, strict=True)
    ]
    table = {"value": observed, "chance": null.associations.mean(axis=0), "p": p}
    names = ["mutual_information", "cramers_v", "majority_accuracy"]
    return pd.DataFrame(table, index=names)


def permutation_p(null: Floats, observed: float) -> float:
    """The p-value: how often shuffled labels reach what was seen, itself counted."""
    reached = null >= observed - 1e-12 * max(1.0, abs(observed))
    return float((1 + reached.sum()) / (1 + len(null)))
