"""What clusters seem to give away when labels are shuffled, among all or in groups."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd

from measurand.core.arrays import Floats
from measurand.stats.peco.contingency import Cells
from measurand.stats.peco.divergences import (
    Divergence,
    Summary,
    kl_cluster,
    label_shares,
    mean_squared_difference,
)

BLOCK = 4_000_000  # numbers drawn at a time


@dataclass(frozen=True, eq=False)
class LabelNull:
    """What shuffled labels give.

    Attributes:
        values: The score of each shuffle.
        squares: The part of the weighted squares that is noise alone.
        associations: The figures that stand beside the score, in columns.
        by_cluster: The mean divergence of each cluster.
    """

    values: Floats
    squares: Floats
    associations: Floats
    by_cluster: Floats

    @property
    def mean(self) -> float:
        """The mean score of shuffled labels."""
        return float(self.values.mean())


def expected_squares(cells: Cells, measure: Divergence) -> Floats:
    """The exact mean of each cluster's squared distance over permutations."""
    sizes = cells.table.sum(axis=1)
    overall = cells.by_group.sum(axis=0) / cells.n
    away = ((cells.mean / sizes[:, None] - overall) ** 2).sum(axis=1)
    noise = cells.freedom * (1 - (cells.group_shares**2).sum(axis=1))
    squares = away + np.bincount(cells.cluster, noise) / sizes**2
    return np.asarray(
        squares / (len(overall) if measure is mean_squared_difference else 1)
    )


def shuffle_labels(
    cells: Cells,
    measure: Divergence,
    summary: Summary,
    permutations: int,
    rng: np.random.Generator,
) -> LabelNull:
    """The scores of shuffled labels."""
    sizes = cells.table.sum(axis=1)
    values, squares, associations, by_cluster = [], [], [], np.zeros(len(sizes))
    for tables in _null_tables(cells, permutations, rng):
        divergences = measure(tables)
        values.append(summary(divergences, sizes / cells.n))
        noise = ((tables - cells.mean) ** 2).sum(axis=-1) / sizes
        squares.append(100 * noise.sum(axis=-1) / cells.n)
        associations.append(_association_figures(tables))
        by_cluster += divergences.sum(axis=0) / permutations
    first, second, third = map(np.concatenate, (values, squares, associations))
    return LabelNull(first, second, third, by_cluster)


def _null_tables(
    cells: Cells, permutations: int, rng: np.random.Generator
) -> Iterator[Floats]:
    """Tables of shuffled labels, many at a time: shuffles × clusters × labels."""
    size, groups = cells.table.size, len(cells.by_group)
    # The cost of one does not depend on how many items there are, that of the other
    # not on how many groups.
    direct = groups == 1 or groups * size <= cells.n
    block = max(1, BLOCK // size)
    for start in range(0, permutations, block):
        shuffles = min(block, permutations - start)
        yield (
            draw_tables(cells, shuffles, rng)
            if direct
            else permute_tables(cells, shuffles, rng)
        )


def draw_tables(cells: Cells, shuffles: int, rng: np.random.Generator) -> Floats:
    """Random tables with the margins of each group, summed over groups.

    Cell by cell, hypergeometric. `scipy.stats.random_table` is as quick, but where all
    is in one row or column its tables do not have the margins asked for.
    """
    tables = np.zeros((shuffles, *cells.table.shape))
    for group, columns in enumerate(cells.by_group.astype(np.int64)):
        rows = cells.group == group
        remaining = np.tile(columns, (shuffles, 1))  # labels not yet given away
        *clusters, last = zip(
            cells.cluster[rows], cells.counts[rows].sum(axis=1), strict=True
        )
        for cluster, size in clusters:
            missing = np.full(shuffles, int(size))
            for label in range(len(columns) - 1):
                rest = remaining[:, label + 1 :].sum(axis=1)
                label_counts = rng.hypergeometric(remaining[:, label], rest, missing)
                tables[:, cluster, label] += label_counts
                remaining[:, label] -= label_counts
                missing -= label_counts
            tables[:, cluster, -1] += missing
            remaining[:, -1] -= missing
        tables[:, last[0]] += remaining
    return tables


def permute_tables(cells: Cells, shuffles: int, rng: np.random.Generator) -> Floats:
    """The same by shuffling the labels of all items within their groups."""
    labels = cells.counts.shape[1]
    items = np.repeat(np.arange(cells.counts.size), cells.counts.ravel().astype(int))
    row, label = items // labels, items % labels
    offsets, group = cells.cluster[row] * labels, cells.group[row]
    tables = np.empty((shuffles, *cells.table.shape))
    for table in tables:
        order = np.argsort(group + rng.random(cells.n))
        counts = np.bincount(offsets + label[order], minlength=table.size)
        table[:] = counts.reshape(table.shape)
    return tables


def _association_figures(tables: Floats) -> Floats:
    """Mutual information in bits, Cramer's V and cluster-majority accuracy."""
    sizes, (within, overall) = tables.sum(axis=-1), label_shares(tables)
    n = sizes.sum(axis=-1)
    bits = (sizes * kl_cluster(tables)).sum(axis=-1) / n
    square = (sizes * ((within - overall) ** 2 / overall).sum(axis=-1)).sum(axis=-1)
    most = min(tables.shape[-2:]) - 1
    v = np.sqrt(square / n / most) if most else np.full_like(n, np.nan)
    majority = tables.max(axis=-1).sum(axis=-1) / n
    return np.stack([bits, v, majority], axis=-1)


def association_table(cells: Cells, null: LabelNull) -> pd.DataFrame:
    """The figures beside the score: as seen, as shuffled labels give them, and p."""
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
