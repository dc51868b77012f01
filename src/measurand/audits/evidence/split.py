"""The split first: what training has seen of the test items.

Where test evidence stands in training, word for word or nearly, with its labels, a
memory of texts loses on wrong evidence without reading any. So the headline figures are
of the items whose evidence is new, wherever there are enough; all items are another
test part beside them. Where families of texts tell the labels of those that pass for
new, what readers lose must show in the items whose evidence has no kin in training.
Where test queries stand there with their labels, who remembers them needs no evidence:
that wrong evidence costs nothing must then show in the items whose query is new.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from measurand.audits.evidence.query_memory import (
    QueryMemory,
    is_above,
    recall_queries,
)
from measurand.audits.evidence.reading import EvidenceReading, correct_by_item
from measurand.audits.evidence.settings import CLUSTERS, FOLDS, MARGIN, NEW_ITEMS
from measurand.benchmarks.split import FOLD, fold_benchmark
from measurand.core.arrays import Bools, Ints
from measurand.core.benchmark import Benchmark
from measurand.core.choices import guess_scores
from measurand.core.clusters import count_clusters
from measurand.core.errors import CannotIntervene, NotApplicable, quote
from measurand.core.estimate import Estimate
from measurand.core.finding import Finding
from measurand.core.items import Items
from measurand.core.names import ALL_ITEMS, NEW_TEXTS
from measurand.core.near_texts import compare_texts
from measurand.core.seeds import generator
from measurand.experiment.ask import Ask
from measurand.experiment.experiment import Experiment, ask_all, reopen_experiment
from measurand.interventions.shuffle import Shuffle
from measurand.readers.baselines import LookupReader, remembered_texts
from measurand.selections.rows import can_split
from measurand.stats.paired import difference, gain_over, mean_score
from measurand.stats.scores import wilson_share

FEW_SEEN = 0.01  # share of seen items that a verdict does not speak of; a warning does


@dataclass(frozen=True, eq=False)
class SplitCheck:
    """What training has seen of the test items.

    Attributes:
        benchmark: The benchmark whose test items have new evidence, where enough do.
        findings: Shares of test items whose texts stand in training, and what a memory
            of texts reaches.
        new: How many test items have new evidence.
        clusters: How many clusters they are; of few, no figure could be stated.
        total: How many there are.
        memory: What a memory of evidence is right above the majority, on all items.
        kinless: Which items that figures are of have evidence without kin in training;
            None where a memory of families tells nothing of them.
        queries: What a memory of queries is right about.
    """

    benchmark: Benchmark
    findings: Sequence[Finding]
    new: int
    total: int
    memory: Estimate
    clusters: int
    kinless: Bools | None = None
    queries: QueryMemory | None = None

    @property
    def enough(self) -> bool:
        """Whether the headline figures can be of new evidence."""
        several = self.clusters >= CLUSTERS or self.new == self.total
        return self.new >= min(NEW_ITEMS, self.total) and several

    @property
    def remembered(self) -> bool:
        """Whether a memory of texts alone may explain what readers find."""
        return not self.enough and self.memory.low > 0

    def shows_without_kin(
        self, right: "pd.Series[float]", shuffled: "pd.Series[float]"
    ) -> bool:
        """Whether a loss on wrong evidence is more than a memory of families.

        Args:
            right: Whether each item was answered right.
            shuffled: The share of shuffles in which it was.
        """
        loss = self.loss_without_kin(right, shuffled)
        return self.kinless is None or (loss is not None and loss.low > 0)

    def loss_without_kin(
        self, right: "pd.Series[float]", shuffled: "pd.Series[float]"
    ) -> Estimate | None:
        """What is lost where evidence has no kin; None where that cannot be told."""
        if self.kinless is None:
            return None
        clusters = self.benchmark.clusters(self.benchmark.test)[self.kinless]
        if not self.kinless.any() or count_clusters(clusters) < 2:
            return None
        rng = generator(0, "evidence", "kinless")
        here = right[self.kinless], shuffled[self.kinless]
        return difference(*here, rng=rng, clusters=clusters)

    def kinless_findings(
        self, readings: Iterable[EvidenceReading], shuffle: str
    ) -> list[Finding]:
        """What each reader loses where evidence has no kin, where families tell."""
        losses = (
            (r.name, self.loss_without_kin(r.right, r.shuffled))
            for r in readings
            if r.learns_labels
        )
        condition = f"{shuffle}, {NEW_TEXTS}"
        return [
            Finding("delta_evi", name, condition, loss)
            for name, loss in losses
            if loss is not None
        ]

    def kin_clause(self) -> str:
        """What a verdict says where it is no more."""
        count = 0 if self.kinless is None else int(self.kinless.sum())
        return (
            f"readers may remember rather than read: {count:,} of "
            f"{len(self.benchmark.test):,} test items have evidence of which training "
            "has no copy with some words changed, and in these no loss is sure"
        )

    def clause(self) -> str:
        """What a verdict says about it; empty where hardly any is seen."""
        if self.new > (1 - FEW_SEEN) * self.total:
            return ""
        counts = f"{self.new:,} of {self.total:,} test items"
        memory = f"on all, a memory of texts is {self.memory} above the majority"
        if self.enough:
            new = "whose evidence is new to training"
            return f"; that is of the {counts} {new} ({memory})"
        return f"; only {counts} have evidence that is new to training ({memory})"


def require_evidence(benchmark: Benchmark) -> str:
    """The evidence field, if there is one and not all items have the same text."""
    field = benchmark.evidence
    if field is None:
        left_out = benchmark.roles.get("left out")
        raise NotApplicable(
            f"{benchmark.name} names no evidence field; set `evidence` to the column "
            "that should decide" + (f": {left_out}" if left_out else "")
        )
    texts = {
        t for items in (benchmark.train, benchmark.test) for t in items.column(field)
    }
    if len(texts) == 1:
        raise NotApplicable(
            f"every item has the same evidence, by column {quote(field)}, so labels "
            "cannot depend on it; give the evidence of each item, or run leakage"
        )
    return field


def check_shuffle(
    tested: Benchmark, drawn: Benchmark, shuffle: Shuffle, seed: int
) -> None:
    """Raise where items cannot receive other evidence, and name what would do.

    Args:
        tested: The items that are asked about, in folds where there was one file.
        drawn: The split as it was given or drawn.
        shuffle: How the evidence is to be shuffled.
        seed: Of the folds.
    """
    try:
        for items in _asked_together(tested):
            shuffle.check(items)
    except CannotIntervene as fault:
        ways = []
        by_query = replace(drawn, drawn_by=(drawn.query,))
        pool = fold_benchmark(by_query, max(tested.folds, FOLDS), seed)
        if (
            shuffle.field in drawn.drawn_by
            and can_split(pool.train.column(drawn.query))
            and _can_shuffle(pool, shuffle)
        ):
            ways = ["`split_by` 'query'"]
        others = (Shuffle(shuffle.field, kind) for kind in ("plain", "nearest"))
        works = [str(other) for other in others if _can_shuffle(tested, other)]
        ways += [f"`shuffle` {kind!r}" for kind in works[:1]]
        advice = f", or choose {' or '.join(ways)}" if ways else ""
        raise CannotIntervene(f"{fault}{advice}") from None


def _can_shuffle(benchmark: Benchmark, shuffle: Shuffle) -> bool:
    """Whether every item that is asked about can receive another text."""
    try:
        for items in _asked_together(benchmark):
            shuffle.check(items)
    except CannotIntervene:
        return False
    return True


def _asked_together(benchmark: Benchmark) -> list[Items]:
    """The test items that are shuffled among each other: all, or those of a fold."""
    test = benchmark.test
    if benchmark.folds == 1:
        return [test]
    folds = test.column(FOLD)
    return [test.rows((folds == fold).to_numpy()) for fold in sorted(folds.unique())]


def check_split(experiment: Experiment, margin: float = MARGIN) -> SplitCheck:
    """Look for test texts in training, before anything else is asked.

    Args:
        experiment: The benchmark, and how questions about it are answered.
        margin: Accuracy that still counts as nothing.
    """
    benchmark, test = experiment.benchmark, experiment.benchmark.test
    fields = [benchmark.query, *([benchmark.evidence] if benchmark.evidence else [])]
    alike = {field: compare_texts(_all_texts(benchmark, field)) for field in fields}
    grouped = _name_groups(benchmark, {f: texts.near for f, texts in alike.items()})
    rights = _remember(experiment, grouped, fields)
    rng = generator(experiment.seed, "evidence", "split")
    clusters = benchmark.clusters(test)
    seen = {field: _seen_before(benchmark, field) for field in fields}
    seen |= {f"{f}, nearly": _seen_before(grouped, f) for f in fields}
    fresh = ~seen[f"{fields[-1]}, nearly"]
    majority = guess_scores(test)
    kin = _name_groups(benchmark, {fields[-1]: alike[fields[-1]].families})
    (by_kin,) = _remember(experiment, kin, fields[-1:])
    luck = generator(experiment.seed, "evidence", "families")
    scored = dict(zip(fields, rights, strict=True))
    kinless = None
    if is_above(by_kin[fresh], majority[fresh], clusters[fresh], luck):
        family = f"{fields[-1]}, by family"
        seen[family], scored[family] = _seen_before(kin, fields[-1]), by_kin
        kinless = ~seen[family]
    findings = [
        Finding("seen", "lookup", where, wilson_share(int(mask.sum()), len(test)))
        for where, mask in seen.items()
    ]
    findings += [
        Finding("accuracy", "lookup", f, mean_score(r, rng=rng, clusters=clusters))
        for f, r in scored.items()
    ]
    memory = gain_over(rights[-1], majority, rng=rng, clusters=clusters)
    counted = count_clusters(clusters[fresh]) if fresh.any() else 0
    counts = int(fresh.sum()), len(test), memory, counted
    checked = SplitCheck(benchmark, findings, *counts, kinless)
    is_cut = checked.new < checked.total and checked.enough
    rows = fresh if is_cut else np.ones(len(test), bool)
    families = alike[fields[0]].families
    checked = replace(checked, queries=_recall(experiment, families, rows, margin))
    if not is_cut:
        return checked
    kept = None if kinless is None else kinless[fresh]
    return replace(checked, benchmark=_keep_fresh(benchmark, fresh), kinless=kept)


def _recall(
    experiment: Experiment, families: Ints, rows: Bools, margin: float
) -> QueryMemory:
    """What a memory of families of queries is right about, of these test items."""
    benchmark = experiment.benchmark
    named = _name_groups(benchmark, {benchmark.query: families})
    (right,) = _remember(experiment, named, [benchmark.query])
    fresh = ~_seen_before(named, benchmark.query)
    return recall_queries(experiment, right, fresh, families, rows, margin)


def _all_texts(benchmark: Benchmark, field: str) -> list[str]:
    """The texts of a field, those of training first."""
    sides = benchmark.train, benchmark.test
    return [text for items in sides for text in items.column(field).tolist()]


def _name_groups(benchmark: Benchmark, groups: Mapping[str, Ints]) -> Benchmark:
    """The benchmark with one word for each text, the same for texts of a group."""
    train, test = benchmark.train, benchmark.test
    for field, group in groups.items():
        numbers = zip(_all_texts(benchmark, field), group, strict=True)
        names = [f"text{number}" if text.strip() else "" for text, number in numbers]
        train = train.with_field(field, names[: len(train)])
        test = test.with_field(field, names[len(train) :])
    return replace(benchmark, train=train, test=test, test_parts={})


def _remember(
    experiment: Experiment, named: Benchmark, fields: Sequence[str]
) -> "list[pd.Series[float]]":
    """Whether a memory of each field's groups of texts is right, item by item."""
    with reopen_experiment(experiment, named) as by_group:
        answers = ask_all(by_group, [Ask(LookupReader(field)) for field in fields])
    return [correct_by_item(answer) for answer in answers]


def _keep_fresh(benchmark: Benchmark, fresh: NDArray[np.bool_]) -> Benchmark:
    """The benchmark with new test items, and all of them as another part."""
    parts = {**benchmark.test_parts, ALL_ITEMS: benchmark.test}
    return replace(benchmark, test=benchmark.test.rows(fresh), test_parts=parts)


def _seen_before(benchmark: Benchmark, field: str) -> NDArray[np.bool_]:
    """Which test items have a text in this field that training has too."""
    train, test = benchmark.train, benchmark.test
    if benchmark.folds == 1:
        return _stand_in(remembered_texts(train, field), remembered_texts(test, field))
    is_seen = np.zeros(len(test), bool)
    for fold in map(str, range(benchmark.folds)):
        learned = train.rows((train.column(FOLD) != fold).to_numpy())
        in_fold = (test.column(FOLD) == fold).to_numpy()
        texts = remembered_texts(test.rows(in_fold), field)
        is_seen[in_fold] = _stand_in(remembered_texts(learned, field), texts)
    return is_seen


def _stand_in(known: Iterable[str], texts: Iterable[str]) -> NDArray[np.bool_]:
    """Which of the texts are among those that are known; a blank is no text."""
    among = {text for text in known if text.strip()}
    return np.array([text in among for text in texts], bool)
