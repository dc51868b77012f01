"""What coupling costs: held-out metadata values, and filtering as a remedy."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from measurand.audits.evidence.packet import score
from measurand.audits.evidence.thresholds import SHIFT_ITEMS, SHIFT_VALUES
from measurand.core.benchmark import Benchmark
from measurand.core.finding import Estimate, Finding
from measurand.core.reader import Calibrated, Floats, Reader
from measurand.core.seeds import generator
from measurand.core.selection import Selection
from measurand.experiment.answers import Experiment, answers
from measurand.experiment.asks import Ask
from measurand.readers.majority import MetadataReader
from measurand.selections.rows import Both, Drop, HoldOut, Only, Sample
from measurand.stats.resampling import Statistic, bootstrap

RESAMPLES = 2000


@dataclass(frozen=True, eq=False)
class Gaps:
    """Accuracy lost on each held-out value, item by item.

    Attributes:
        values: The (column, value) pairs, in order.
        lost: Per item and pair, right when shown minus right when held out; 0 outside.
        there: Per item and pair, 1 where the item has the value.
    """

    values: tuple[tuple[str, str], ...]
    lost: Floats
    there: Floats

    @property
    def rows(self) -> Floats:
        """The columns whose sums give every gap."""
        return np.column_stack([self.lost, self.there])


def held_out_values(benchmark: Benchmark) -> tuple[tuple[str, str], ...]:
    """The metadata values with enough items to hold out: never a column's only one."""
    chosen = []
    for column in benchmark.metadata:
        tested = benchmark.test.column(column).value_counts()
        trained = benchmark.train.column(column).value_counts()
        for value in sorted(tested.index, key=lambda v: (-tested[v], v))[:SHIFT_VALUES]:
            left = len(benchmark.train) - trained.get(value, 0)
            if (
                tested[value] >= SHIFT_ITEMS
                and trained.get(value, 0)
                and left >= SHIFT_ITEMS
            ):
                chosen.append((column, str(value)))
    return tuple(chosen)


def gaps(
    reader: Reader,
    experiment: Experiment,
    values: tuple[tuple[str, str], ...],
    less: Selection,
) -> Gaps:
    """The gaps on what `less` leaves of both train and test."""
    quick = reader.uncalibrated() if isinstance(reader, Calibrated) else reader
    asks = [Ask(quick, fitted_on=less, about=less)]
    for pair in values:
        asks.append(
            Ask(
                quick,
                fitted_on=Both(less, HoldOut(*pair)),
                about=Both(less, Only(*pair)),
            )
        )
    shown, *hidden = (score(said) for said in answers(experiment, asks))
    ids = pd.Index(experiment.benchmark.test.ids)
    lost, there = np.zeros((2, len(ids), len(values)))
    for number, right in enumerate(hidden):
        places = ids.get_indexer(right.index)
        lost[places, number] = shown.loc[right.index] - right
        there[places, number] = 1
    return Gaps(values, lost, there)


def mean_gap(chosen: Sequence[int], count: int) -> Statistic:
    """The statistic that averages the gaps of the chosen pairs, each counting once."""

    def statistic(sums: Floats) -> Floats:
        with np.errstate(invalid="ignore"):
            each = sums[..., list(chosen)] / sums[..., [count + i for i in chosen]]
        return np.asarray(each.mean(axis=-1))

    return statistic


def gap_findings(name: str, found: Gaps, experiment: Experiment) -> list[Finding]:
    """The gap of each value, of each column, on average, and at worst."""
    rng = generator(experiment.seed, "evidence", "shift", name)
    count = len(found.values)
    sizes = found.there.sum(axis=0)

    def averaged(chosen: Sequence[int], level: float = 0.95) -> Estimate:
        # Only the items that have one of the values can move the average.
        inside = found.there[:, list(chosen)].any(axis=1)
        return bootstrap(
            mean_gap(chosen, count),
            found.rows[inside],
            rng=rng,
            level=level,
            resamples=RESAMPLES,
        )

    each = [averaged([i]) for i in range(count)]
    findings = [
        Finding("ood_gap", name, f"{column}={value}", estimate)
        for (column, value), estimate in zip(found.values, each, strict=True)
    ]
    for column in dict.fromkeys(column for column, _ in found.values):
        chosen = [i for i, (owner, _) in enumerate(found.values) if owner == column]
        findings.append(Finding("ood_gap", name, column, averaged(chosen)))
    findings.append(Finding("ood_gap", name, "mean", averaged(range(count))))
    worst = int(np.argmax([estimate.value for estimate in each]))
    # The worst of several is looked for, so its interval covers all of them at once.
    wide = averaged([worst], 1 - 0.05 / count)
    column, value = found.values[worst]
    method = f"{wide.method}; simultaneous over {count} values; at {column}={value}"
    estimate = Estimate(
        wide.value, wide.low, wide.high, 0.95, int(sizes[worst]), method
    )
    return [*findings, Finding("ood_gap", name, "worst", estimate)]


def dominant_group(experiment: Experiment) -> Drop | None:
    """The largest metadata group that metadata predict better than the whole."""
    train = experiment.benchmark.train
    shares = MetadataReader().out_of_fold(
        train, generator(experiment.seed, "evidence", "filter")
    )
    right = np.array(train.classes)[shares.argmax(axis=1)] == train.labels.to_numpy()
    by = train.table[list(train.metadata)].assign(**{"\x00right": right})
    groups = by.groupby(list(train.metadata), sort=True)["\x00right"].agg(
        ["size", "mean"]
    )
    risky = groups[
        (groups["mean"] > right.mean()) & (groups["size"] <= len(train) // 2)
    ]
    if risky.empty:
        return None
    values = risky["size"].idxmax()
    return Drop(
        train.metadata, tuple(values) if isinstance(values, tuple) else (values,)
    )


def filter_findings(
    name: str, reader: Reader, before: Gaps, experiment: Experiment, group: Drop
) -> list[Finding]:
    """How the mean gap moves when the group is dropped, or as many items at random."""
    size = len(group(experiment.benchmark.train, generator(experiment.seed, "select")))
    rng = generator(experiment.seed, "evidence", "filter", name)
    findings = []
    removals: dict[str, Selection] = {"filtered": group, "random": Sample(size)}
    for condition, less in removals.items():
        after = gaps(reader, experiment, before.values, less)
        # A value that filtering leaves without test items has no gap to compare.
        kept = [i for i in range(len(before.values)) if after.there[:, i].any()]
        count = len(before.values)
        rows = np.column_stack([before.rows, after.rows])

        def gain(sums: Floats, kept: list[int] = kept, count: int = count) -> Floats:
            first = mean_gap(kept, count)(sums[..., : 2 * count])
            return first - mean_gap(kept, count)(sums[..., 2 * count :])

        estimate = bootstrap(gain, rows, rng=rng, resamples=RESAMPLES)
        findings.append(Finding("filter_gain", name, condition, estimate))
    return findings
