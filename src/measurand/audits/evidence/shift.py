"""What coupling costs: metadata values that training never showed."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from measurand.audits.evidence.answered import correct_by_item
from measurand.audits.evidence.thresholds import SHIFT_ITEMS, SHIFT_VALUES
from measurand.core.finding import Estimate, Finding
from measurand.core.items import Items
from measurand.core.reader import Floats, Reader, TemperatureScaled
from measurand.core.recipe import identity
from measurand.core.seeds import generator
from measurand.core.selection import Selection
from measurand.experiment.ask import Ask
from measurand.experiment.experiment import Experiment, ask_all
from measurand.selections.rows import Both, HoldOut, Only
from measurand.stats.resampling import Statistic, bootstrap

RESAMPLES = 2000
Ints = NDArray[np.int64]


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
        Finding("ood_gap", name, f"{column}={value}", estimate)
        for (column, value), estimate in zip(
            measured_gaps.values, estimates, strict=True
        )
    ]
    for column in dict.fromkeys(column for column, _ in measured_gaps.values):
        chosen = [
            i for i, (owner, _) in enumerate(measured_gaps.values) if owner == column
        ]
        findings.append(Finding("ood_gap", name, column, average_gap(chosen)))
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
