"""The blank: training labels dealt anew, so that there is nothing to be learned."""

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from measurand.core.arrays import Ints
from measurand.core.benchmark import Benchmark
from measurand.core.clusters import linked_clusters
from measurand.core.control import ControlSample
from measurand.core.items import LETTERS, with_columns
from measurand.core.seeds import generator

LEAST_PEERS = 10  # clusters of one size that can exchange their labels as they are


@dataclass(frozen=True)
class Blank:
    """Training labels dealt anew; test items, and all texts, stay.

    Items that share a query, evidence or group are a cluster. Clusters of one size
    exchange their labels as they are, and each hands out in random order what it got:
    how labels go together in clusters stays, which texts have them does not. Clusters
    of a size that fewer than ten have put their labels together, and these are dealt
    item by item. Of items with choices, any one is called the right one.

    Attributes:
        draw: Which deal this is.
    """

    kind: ClassVar[str] = "blank"
    draw: int = 0

    def __call__(self, benchmark: Benchmark, seed: int) -> ControlSample:
        """The benchmark with other training labels, as many of each as before."""
        train = benchmark.train
        columns = [train.column(benchmark.query)]
        columns += [train.column(benchmark.evidence)] if benchmark.evidence else []
        columns += [train.column(train.group)] if train.group else []
        rng = generator(seed, "control", "blank", self.draw)
        if train.choices is not None:
            # Any of its own choices: a letter of another item may be beyond them.
            places = rng.integers(train.choice_counts)
            labels = np.array(list(LETTERS), object)[places]
        else:
            order = deal_rows(linked_clusters(columns), rng)
            labels = train.labels.to_numpy(object)[order]
        dealt = train.with_table(with_columns(train.table, {train.label: labels}))
        blank = replace(benchmark, train=dealt, test_parts={})
        return ControlSample(blank, np.zeros(len(benchmark.test), bool))

    def __str__(self) -> str:
        """The name in reports."""
        return f"blank {self.draw + 1}"


def deal_rows(clusters: Ints, rng: np.random.Generator) -> Ints:
    """For each item, the item whose label it gets."""
    numbers = np.unique(clusters, return_inverse=True)[1]
    sizes = np.bincount(numbers)
    peers = np.bincount(sizes)[sizes]
    order = np.empty(len(numbers), np.int64)
    alone = np.flatnonzero(peers[numbers] < LEAST_PEERS)
    order[alone] = rng.permutation(alone)
    # In random order, and then by cluster: each cluster's items stand together, mixed.
    mixed = rng.permutation(len(numbers))
    by_cluster = mixed[np.argsort(numbers[mixed], kind="stable")]
    for size in np.unique(sizes[peers >= LEAST_PEERS]):
        rows = by_cluster[sizes[numbers[by_cluster]] == size].reshape(-1, size)
        order[rows] = rows[rng.permutation(len(rows))]
    return order
