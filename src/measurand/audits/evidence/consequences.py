"""What coupling costs: metadata values that training never showed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
import pandas as pd

from measurand.audits.evidence.reading import correct_by_item
from measurand.audits.evidence.settings import REACH, SHIFT_ITEMS, SHIFT_VALUES
from measurand.core.arrays import Floats, Ints
from measurand.core.benchmark import Benchmark
from measurand.core.errors import PastBudget, Undefined
from measurand.core.finding import Estimate, Finding
from measurand.core.intervention import AsIs, Intervention
from measurand.core.items import Items
from measurand.core.names import name_condition
from measurand.core.reader import Reader, TemperatureScaled
from measurand.core.recipe import identity
from measurand.core.seeds import generator
from measurand.core.selection import Selection
from measurand.experiment.ask import Ask
from measurand.experiment.experiment import Experiment, ask_all, check_budget
from measurand.experiment.ladder import way_to_run
from measurand.interventions.fields import Flip, rendered_share
from measurand.readers.majority import MetadataReader
from measurand.selections.rows import Both, Drop, HoldOut, Only, Sample
from measurand.stats.resampling import Statistic, bootstrap
from measurand.stats.scores import wilson_share

RESAMPLES = 2000


@dataclass(frozen=True, eq=False)
class Gaps:
    """Accuracy lost on each held-out value, item by item.

    Attributes:
        values: The (column, value) pairs, in order.
        lost: Per item and pair, right when shown minus right when held out; 0 outside.
        present: Per item and pair, 1 where the item has the value.
    """

    values: tuple[tuple[str, str], ...]
    lost: Floats
    present: Floats

    @property
    def rows(self) -> Floats:
        """The columns whose sums give every gap."""
        return np.column_stack([self.lost, self.present])


def held_out_values(train: Items, test: Items) -> tuple[tuple[str, str], ...]:
    """The metadata values with enough items to hold out: never a column's only one."""
    chosen = []
    for column in train.metadata:
        tested = test.column(column).value_counts()
        trained = train.column(column).value_counts()
        for value in sorted(tested.index, key=lambda v: (-tested[v], v))[:SHIFT_VALUES]:
            shown = int(trained.get(value, 0))
            if tested[value] >= SHIFT_ITEMS and 0 < shown <= len(train) - SHIFT_ITEMS:
                chosen.append((column, str(value)))
    return tuple(chosen)


def measure_gaps(
    reader: Reader,
    experiment: Experiment,
    values: tuple[tuple[str, str], ...],
    trained: Selection,
    tested: Selection,
) -> Gaps:
    """The gaps when only so much of the training and test items is used."""
    quick = (
        reader.without_temperature()
        if isinstance(reader, TemperatureScaled)
        else reader
    )
    asks = [Ask(quick, fitted_on=trained, about=tested)]
    for pair in values:
        hidden, rows = Both(trained, HoldOut(*pair)), Both(tested, Only(*pair))
        asks.append(Ask(quick, fitted_on=hidden, about=rows))
    shown, *unseen = (
        correct_by_item(predictions) for predictions in ask_all(experiment, asks)
    )
    ids = pd.Index(experiment.benchmark.test.ids)
    lost, present = np.zeros((2, len(ids), len(values)))
    for number, correct in enumerate(unseen):
        positions = ids.get_indexer(correct.index)
        lost[positions, number] = shown.loc[correct.index] - correct
        present[positions, number] = 1
    return Gaps(values, lost, present)


def mean_gap(chosen: Sequence[int], count: int) -> Statistic:
    """The statistic that averages the gaps of the chosen pairs, each counting once."""

    def statistic(sums: Floats) -> Floats:
        with np.errstate(invalid="ignore"):
            pair_gaps = sums[..., list(chosen)] / sums[..., [count + i for i in chosen]]
        return np.asarray(pair_gaps.mean(axis=-1))

    return statistic


def gap_findings(
    name: str, reader: Reader, measured_gaps: Gaps, clusters: Ints, seed: int
) -> list[Finding]:
    """The gap of each value, of each column, on average, and at worst."""
    rng = generator(seed, "evidence", "shift", identity(reader))
    count = len(measured_gaps.values)
    sizes = measured_gaps.present.sum(axis=0)

    def average_gap(chosen: Sequence[int], level: float = 0.95) -> Estimate:
        # Only the items that have one of the values can move the average.
        inside = measured_gaps.present[:, list(chosen)].any(axis=1)
        return bootstrap(
            mean_gap(chosen, count),
            measured_gaps.rows[inside],
            rng=rng,
            clusters=clusters[inside],
            level=level,
            resamples=RESAMPLES,
        )

    estimates = [average_gap([i]) for i in range(count)]
    findings = [
        Finding("ood_gap", name, f"{name_condition(column)}={value}", estimate)
        for (column, value), estimate in zip(
            measured_gaps.values, estimates, strict=True
        )
    ]
    for column in dict.fromkeys(column for column, _ in measured_gaps.values):
        chosen = [
            i for i, (owner, _) in enumerate(measured_gaps.values) if owner == column
        ]
        findings.append(
            Finding("ood_gap", name, name_condition(column), average_gap(chosen))
        )
    findings.append(Finding("ood_gap", name, "mean", average_gap(range(count))))
    worst = int(np.argmax([estimate.value for estimate in estimates]))
    # The worst of several is looked for, so its interval covers all of them at once.
    wide = average_gap([worst], 1 - 0.05 / count)
    column, value = measured_gaps.values[worst]
    method = f"{wide.method}; simultaneous over {count} values; at {column}={value}"
    estimate = Estimate(
        wide.value, wide.low, wide.high, 0.95, int(sizes[worst]), method
    )
    return [*findings, Finding("ood_gap", name, "worst", estimate)]


def possible_flips(benchmark: Benchmark) -> dict[str, Flip]:
    """A flip for each metadata column whose values most queries say."""
    flips_by_column = {}
    for column in benchmark.metadata:
        values = sorted(benchmark.train.column(column).unique())
        renderings = benchmark.renderings.get(
            column, {value: (value,) for value in values if value}
        )
        if (
            len(renderings) > 1
            and rendered_share(benchmark.test, column, benchmark.query, renderings)
            >= REACH
        ):
            flips_by_column[column] = Flip(
                column,
                benchmark.query,
                tuple((v, tuple(w)) for v, w in renderings.items()),
            )
    return flips_by_column


def flip_findings(
    experiment: Experiment, readers: Mapping[str, Reader]
) -> tuple[list[Finding], dict[str, str]]:
    """The share of labels and of predictions that change with each flip.

    Also why readers were not asked: they have no time left for it.
    """
    benchmark, findings = experiment.benchmark, []
    flips_by_column = possible_flips(benchmark)
    for column, flip in flips_by_column.items():
        if benchmark.protocol is not None:
            rng = generator(experiment.seed, "test", identity(flip), 0)
            before = np.array(benchmark.protocol(benchmark.test))
            after = np.array(benchmark.protocol(flip(benchmark.test, rng)))
            changed_share = wilson_share(int((before != after).sum()), len(before))
            findings.append(Finding("flip_rate", "protocol", column, changed_share))
    if not flips_by_column:
        return findings, {}
    changes: list[Intervention] = [AsIs(), *flips_by_column.values()]
    asks: dict[str, list[Ask]] = {}
    refused: dict[str, str] = {}
    for name, reader in readers.items():
        reader_asks = [Ask(reader, under=change) for change in changes]
        try:
            check_budget(name, (experiment, reader_asks))
            asks[name] = reader_asks
        except PastBudget as reason:
            refused[f"flip_rate of {name}"] = way_to_run("evidence", reason)
    predictions = iter(ask_all(experiment, list(chain(*asks.values()))))
    for name in asks:
        unflipped = next(predictions)
        for column in flips_by_column:
            moved = int((unflipped.answers != next(predictions).answers).sum())
            rate = wilson_share(moved, len(unflipped.ids))
            findings.append(Finding("flip_rate", name, column, rate))
    return findings, refused


def _dominant_group(train: Items, seed: int) -> Drop:
    """The largest metadata group that metadata predict better than the whole."""
    rng = generator(seed, "evidence", "filter")
    shares = MetadataReader().out_of_fold(train, rng)
    right = pd.Series(shares.argmax(axis=1) == train.gold(train.classes), train.ids)
    groups = right.groupby([train.column(column) for column in train.metadata])
    sizes, rates = groups.size(), groups.mean()
    risky = sizes[(rates > right.mean()) & (sizes <= len(train) // 2)]
    if risky.empty:
        raise Undefined("no metadata group is predicted better than the whole")
    values = risky.idxmax()
    chosen = values if isinstance(values, tuple) else (values,)
    return Drop(train.metadata, tuple(map(str, chosen)))


def filter_findings(
    name: str, reader: Reader, before: Gaps, experiment: Experiment, clusters: Ints
) -> list[Finding]:
    """How the mean gap moves when the group is dropped, or as many items at random."""
    benchmark = experiment.benchmark
    rng = generator(experiment.seed, "filter", identity(reader))
    group = _dominant_group(benchmark.train, experiment.seed)
    train, test = (group(side, rng) for side in (benchmark.train, benchmark.test))
    remaining_values = set(held_out_values(train, test))
    positions = [
        i for i, value in enumerate(before.values) if value in remaining_values
    ]
    if not positions:
        raise Undefined("without that group no metadata value can be held out")
    arms: dict[str, tuple[Selection, Selection]] = {
        "filtered": (group, group),
        "random": _random_thinning(benchmark, len(train)),
    }
    values = tuple(before.values[i] for i in positions)
    count, rows_before = (
        len(positions),
        before.rows[:, [*positions, *(i + len(before.values) for i in positions)]],
    )

    def gain(sums: Floats) -> Floats:
        average = mean_gap(range(count), count)
        return average(sums[..., : 2 * count]) - average(sums[..., 2 * count :])

    findings = []
    for condition, (trained, tested) in arms.items():
        after = measure_gaps(reader, experiment, values, trained, tested)
        rows = np.column_stack([rows_before, after.rows])
        estimate = bootstrap(
            gain, rows, rng=rng, clusters=clusters, resamples=RESAMPLES
        )
        findings.append(Finding("filter_gain", name, condition, estimate))
    return findings


def _random_thinning(benchmark: Benchmark, size: int) -> tuple[Sample, Sample]:
    """Draws that leave so many training items, and the same share of test items."""
    share = size / len(benchmark.train)
    return Sample(size), Sample(round(share * len(benchmark.test)))
