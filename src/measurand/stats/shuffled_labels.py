"""What clusters seem to give away when labels are shuffled, among all or in groups."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd

from measurand.core.reader import Floats
from measurand.stats.contingency import Cells
from measurand.stats.divergences import (
    Divergence,
    Summary,
    kl_cluster,
    mean_squared,
    shares,
)

BLOCK = 4_000_000  # numbers drawn at a time


@dataclass(frozen=True, eq=False)
class Null:
    """What shuffled labels give.

    Attributes:
        values: The score of each shuffle.
        squares: The part of `weighted` squares that is noise alone.
        others: The figures that stand beside the score, in columns.
        each: The mean divergence of each cluster.
    """

    values: Floats
    squares: Floats
    others: Floats
    each: Floats

    @property
    def mean(self) -> float:
        """The mean score of shuffled labels."""
        return float(self.values.mean())


def expected_squares(cells: Cells, measure: Divergence) -> Floats:
    """The exact mean of each cluster's squared distance over permutations."""
    sizes = cells.table.sum(axis=1)
    overall = cells.by_group.sum(axis=0) / cells.n
    away = ((cells.mean / sizes[:, None] - overall) ** 2).sum(axis=1)
    noise = cells.freedom * (1 - (cells.mixed**2).sum(axis=1))
    squares = away + np.bincount(cells.cluster, noise) / sizes**2
    return np.asarray(squares / (len(overall) if measure is mean_squared else 1))


def shuffled(
    cells: Cells,
    measure: Divergence,
    summary: Summary,
    permutations: int,
    rng: np.random.Generator,
) -> Null:
    """The scores of shuffled labels."""
    sizes = cells.table.sum(axis=1)
    values, squares, others, each = [], [], [], np.zeros(len(sizes))
    for tables in null_tables(cells, permutations, rng):
        divergences = measure(tables)
        values.append(summary(divergences, sizes / cells.n))
        noise = ((tables - cells.mean) ** 2).sum(axis=-1) / sizes
        squares.append(100 * noise.sum(axis=-1) / cells.n)
        others.append(beside(tables))
        each += divergences.sum(axis=0) / permutations
    first, second, third = map(np.concatenate, (values, squares, others))
    return Null(first, second, third, each)


def null_tables(
    cells: Cells, permutations: int, rng: np.random.Generator
) -> Iterator[Floats]:
    """Tables of shuffled labels, many at a time: shuffles × clusters × labels."""
    size, groups = cells.table.size, len(cells.by_group)
    # The cost of one does not depend on how many items there are, that of the other
    # not on how many groups.
    direct = groups == 1 or groups * size <= cells.n
    block = max(1, BLOCK // size)
    for start in range(0, permutations, block):
        many = min(block, permutations - start)
        yield drawn(cells, many, rng) if direct else permuted(cells, many, rng)


def drawn(cells: Cells, many: int, rng: np.random.Generator) -> Floats:
    """Random tables with the margins of each group, summed over groups.

    Cell by cell, hypergeometric. `scipy.stats.random_table` is as quick, but where all
    is in one row or column its tables do not have the margins asked for.
    """
    tables = np.zeros((many, *cells.table.shape))
    for group, columns in enumerate(cells.by_group.astype(np.int64)):
        rows = cells.group == group
        left = np.tile(columns, (many, 1))  # labels not yet given away
        *others, last = zip(
            cells.cluster[rows], cells.counts[rows].sum(axis=1), strict=True
        )
        for cluster, size in others:
            needed = np.full(many, int(size))
            for label in range(len(columns) - 1):
                rest = left[:, label + 1 :].sum(axis=1)
                given = rng.hypergeometric(left[:, label], rest, needed)
                tables[:, cluster, label] += given
                left[:, label] -= given
                needed -= given
            tables[:, cluster, -1] += needed
            left[:, -1] -= needed
        tables[:, last[0]] += left
    return tables


def permuted(cells: Cells, many: int, rng: np.random.Generator) -> Floats:
    """The same by shuffling the labels of all items within their groups."""
    labels = cells.counts.shape[1]
    items = np.repeat(np.arange(cells.counts.size), cells.counts.ravel().astype(int))
    row, label = items // labels, items % labels
    place, group = cells.cluster[row] * labels, cells.group[row]
    tables = np.empty((many, *cells.table.shape))
    for table in tables:
        order = np.argsort(group + rng.random(cells.n))
        counts = np.bincount(place + label[order], minlength=table.size)
        table[:] = counts.reshape(table.shape)
    return tables


def beside(tables: Floats) -> Floats:
    """Mutual information in bits, Cramer's V and cluster-majority accuracy."""
    sizes, (within, overall) = tables.sum(axis=-1), shares(tables)
    n = sizes.sum(axis=-1)
    bits = (sizes * kl_cluster(tables)).sum(axis=-1) / n
    square = (sizes * ((within - overall) ** 2 / overall).sum(axis=-1)).sum(axis=-1)
    most = min(tables.shape[-2:]) - 1
    v = np.sqrt(square / n / most) if most else np.full_like(n, np.nan)
    majority = tables.max(axis=-1).sum(axis=-1) / n
    return np.stack([bits, v, majority], axis=-1)


def compared(cells: Cells, null: Null) -> pd.DataFrame:
    """The figures beside the score: as seen, as shuffled labels give them, and p."""
    seen = beside(cells.table)
    p = [share_over(*pair) for pair in zip(null.others.T, seen, strict=True)]
    table = {"value": seen, "chance": null.others.mean(axis=0), "p": p}
    names = ["mutual_information", "cramers_v", "majority_accuracy"]
    return pd.DataFrame(table, index=names)


def share_over(null: Floats, seen: float) -> float:
    """The p-value: how often shuffled labels reach what was seen, itself counted."""
    reached = null >= seen - 1e-12 * max(1.0, abs(seen))
    return float((1 + reached.sum()) / (1 + len(null)))
