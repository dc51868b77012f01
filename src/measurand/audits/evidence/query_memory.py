"""Whether readers may remember queries, so that wrong evidence costs them nothing.

Who has learned a query with its label, or a copy of it with some words changed, needs
no evidence. Nor does who reads a label off the query: a coupling, which is a finding.
The two part where no copy is at hand: a coupling holds for queries without kin in
training, and for all of them once the items are split so that families stay together.
Who remembers is less often right then.
"""

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from measurand.audits.evidence.reading import correct_by_item
from measurand.audits.evidence.settings import FOLDS, NEW_ITEMS
from measurand.benchmarks.screening import screen_parts
from measurand.benchmarks.split import FOLD
from measurand.core.arrays import Bools, Ints
from measurand.core.benchmark import Benchmark
from measurand.core.choices import guess_scores
from measurand.core.clusters import count_clusters, linked_clusters
from measurand.core.estimate import Estimate
from measurand.core.items import Items, with_columns
from measurand.core.names import FAMILY
from measurand.core.seeds import generator
from measurand.experiment.ask import Ask
from measurand.experiment.experiment import Experiment, ask_all, reopen_experiment
from measurand.interventions.fields import Keep
from measurand.readers import READERS
from measurand.selections.rows import can_split, fold_numbers
from measurand.stats.paired import difference, gain_over

MOST = 0.5  # share of remembered queries from which more items would not decide


@dataclass(frozen=True, eq=False)
class QueryMemory:
    """What a memory of queries is right about, of the items that figures are of.

    Attributes:
        gain: What it has over the majority.
        fresh: Which items have a query of which training has no copy.
        majority: Which items are right by the commonest label.
        clusters: Which items hang together.
        apart: What the best of light readers of queries alone has over the majority
            where no family of queries stands on two sides; None where there is nothing
            to remember, or no such split.
        lost: How much more the best of them has as items were split.
    """

    gain: Estimate
    fresh: Bools
    majority: "pd.Series[float]"
    clusters: Ints
    apart: Estimate | None = None
    lost: Estimate | None = None

    @property
    def holds_most(self) -> bool:
        """Whether most queries stand in training."""
        return float(self.fresh.mean()) < 1 - MOST

    def is_coupling(self, margin: float) -> bool:
        """Whether queries tell as much without any copy, as far as can be seen."""
        if self.apart is None or self.lost is None:
            return False
        return self.apart.low > 0 and self.lost.low <= margin

    def may_explain(
        self, right: "pd.Series[float]", shuffled: "pd.Series[float]", margin: float
    ) -> bool:
        """Whether wrong evidence may cost nothing because queries are remembered.

        It may unless queries tell their labels without copies, or items with new
        queries show the same: that the reader is better than guessing, and that it
        loses no more than the margin.

        Args:
            right: Whether each item was answered right.
            shuffled: The share of shuffles in which it was.
            margin: Accuracy that still counts as nothing.
        """
        if self.gain.low <= margin or self.is_coupling(margin):
            return False
        rows = self.fresh
        if rows.sum() < NEW_ITEMS:
            return True
        here, rng = self.clusters[rows], generator(0, "evidence", "queries")
        if not is_above(right[rows], self.majority[rows], here, rng):
            return True
        loss = difference(
            right[rows], shuffled[rows], rng=rng, clusters=here, level=0.9
        )
        return not loss.within(margin)

    def clause(self) -> str:
        """What a verdict says where it may."""
        return (
            f"readers may remember the query rather than read: {self.fresh.sum():,} of "
            f"{len(self.fresh):,} test items have one of which training has no copy, "
            "and in these it is not sure that wrong evidence costs nothing (a memory "
            f"of queries is {self.gain} above the majority)"
        )


def is_above(
    right: "pd.Series[float]",
    majority: "pd.Series[float]",
    clusters: Ints,
    rng: np.random.Generator,
) -> bool:
    """Whether answers are surely above the majority."""
    if len(right) == 0 or count_clusters(clusters) < 2:
        return False
    return gain_over(right, majority, rng=rng, clusters=clusters).low > 0


def recall_queries(
    experiment: Experiment,
    remembered: "pd.Series[float]",
    fresh: Bools,
    families: Ints,
    rows: Bools,
    margin: float,
) -> QueryMemory:
    """What a memory of queries is right about, of these test items.

    Args:
        experiment: The benchmark as it is.
        remembered: Whether a memory of families is right about each test item.
        fresh: Which test items have a query of a family that training has not.
        families: The family of each query, those of training first.
        rows: The test items that figures are of.
        margin: Accuracy that still counts as nothing: who remembers no more explains
            nothing, and nobody is asked apart.
    """
    benchmark = experiment.benchmark
    majority = guess_scores(benchmark.test)[rows]
    clusters = benchmark.clusters(benchmark.test)[rows]
    rng = generator(experiment.seed, "evidence", "query memory")
    gain = gain_over(remembered[rows], majority, rng=rng, clusters=clusters)
    memory = QueryMemory(gain, fresh[rows], majority, clusters)
    names = families.astype(str)
    if gain.low <= margin or not can_split(pd.Series(names)):
        return memory
    split = _fold_by_family(benchmark, names, experiment.seed)
    as_split, without_kin = (
        _read_queries(experiment, cut, benchmark.test)[rows]
        for cut in (benchmark, split)
    )
    kin = linked_clusters([pd.Series(names[len(benchmark.train) :][rows])])
    return replace(
        memory,
        apart=gain_over(without_kin, majority, rng=rng, clusters=kin),
        lost=difference(as_split, without_kin, rng=rng, clusters=kin),
    )


def _fold_by_family(
    benchmark: Benchmark, names: NDArray[np.str_], seed: int
) -> Benchmark:
    """All items, test items last, in folds of which each family has one."""
    pool = benchmark.test
    table = pool.table
    if benchmark.folds == 1:
        table = pd.concat([benchmark.train.table, table])
    # An id may stand on both sides; here nobody is asked for by id.
    table = table.set_axis([str(n) for n in range(len(table))], axis="index")
    pool = pool.with_table(with_columns(table, {FAMILY: names[-len(table) :]}))
    numbers = fold_numbers(pool, (FAMILY,), FOLDS, generator(seed, "families"))
    folds = {FOLD: numbers.astype(str)}
    pool = pool.with_table(with_columns(pool.table, folds))
    if pool.answers is not None:  # wrong ones are to be as new as the right one
        rng = generator(seed, "screening", "families")
        pool = screen_parts(pool, numbers.tolist(), rng)
    return replace(benchmark, train=pool, test=pool, test_parts={}, folds=FOLDS)


def _read_queries(
    experiment: Experiment, cut: Benchmark, test: Items
) -> "pd.Series[float]":
    """Whether the best light reader of queries alone is right about each test item."""
    # Words of a choice tell nothing of the question, how they meet its words does.
    words = "tfidf" if cut.test.choices is None else "cross"
    keep = Keep(cut.query)
    asks = [
        Ask(READERS.load(name), fitted_under=keep, under=keep)
        for name in (words, "surface")
    ]
    with reopen_experiment(experiment, cut) as split:
        answers = ask_all(split, asks)
    rights = [correct_by_item(answer)[-len(test) :] for answer in answers]
    return max(rights, key=lambda right: right.mean()).set_axis(test.table.index)
