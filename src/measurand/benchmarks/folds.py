"""Folds: every item of a file is tested by readers that learned without its fold.

The fold of each item stands in a column of its own, not in a recipe: a control that
changes texts or labels of one side must cut both sides in the same places.
"""

from dataclasses import replace

import pandas as pd

from measurand.core.benchmark import Benchmark
from measurand.core.clusters import linked_clusters
from measurand.core.items import with_columns
from measurand.core.names import own_column
from measurand.core.seeds import generator
from measurand.selections.rows import fold_numbers

FOLD = own_column("fold")


def fold_benchmark(benchmark: Benchmark, folds: int, seed: int) -> Benchmark:
    """The benchmark whose split we drew, with all its items on both sides, in folds.

    Items that share a value in a column that the split was drawn by share a fold. With
    one fold, or where the sides were given, it is the benchmark itself.

    Args:
        benchmark: The benchmark as it was split.
        folds: How many folds; fewer where fewer groups of items hang together.
        seed: For the order in which groups go to folds.
    """
    if not benchmark.drawn_by or folds < 2:
        return benchmark
    table = pd.concat([benchmark.train.table, benchmark.test.table])
    pool = benchmark.train.with_table(table)
    columns = benchmark.drawn_by
    groups = linked_clusters([pool.column(column) for column in columns])
    count = min(folds, int(groups.max()) + 1)
    numbers = fold_numbers(pool, columns, count, generator(seed, "folds"))
    pool = pool.with_table(with_columns(table, {FOLD: numbers.astype(str)}))
    way = f"all items, in {count} folds, by {' and '.join(columns)}"
    roles = {**benchmark.roles, "split": way}
    return replace(benchmark, train=pool, test=pool, folds=count, roles=roles)
