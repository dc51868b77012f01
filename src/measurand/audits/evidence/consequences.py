"""What coupling costs: metadata values that training never showed."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain

import numpy as np
import pandas as pd
from scipy.special import stdtrit

from measurand.audits.evidence.asking import correct_by_item
from measurand.audits.evidence.settings import (
    FILTER_VALUES,
    REACH,
    SHIFT_DRAWS,
    SHIFT_ITEMS,
    SHIFT_STEP,
    SHIFT_VALUES,
)
from measurand.core.arrays import Floats, Ints
from measurand.core.benchmark import Benchmark
from measurand.core.clusters import count_clusters
from measurand.core.errors import PastBudget, Undefined
from measurand.core.estimate import Estimate
from measurand.core.finding import Finding
from measurand.core.intervention import AsIs, Intervention, Selection
from measurand.core.items import Items
from measurand.core.names import name_condition
from measurand.core.reader import Reader, skip_temperature
from measurand.core.recipe import identity
from measurand.core.seeds import generator
from measurand.experiment.ask import Ask
from measurand.experiment.experiment import Experiment, ask_all, check_budget
from measurand.experiment.ladder import way_to_run
from measurand.interventions.fields import Flip, rendered_share
from measurand.selections.rows import Both, Drop, Everything, HoldOut, Only, Sample
from measurand.stats.resampling import Statistic, bootstrap, resample_unit
from measurand.stats.scores import unseen_share, wilson_share

RESAMPLES = 2000
STILL = 1e-9  # width under which nothing varied but rounding


@dataclass(frozen=True, eq=False)
class Gaps:
    """Accuracy lost on each held-out value, item by item.

    Attributes:
        values: The (column, value) pairs, in order.
        lost: Per item and pair, right when shown minus right when held out; 0 outside.
        present: Per item and pair, 1 where the item has the value.
        shown: Per random training set and pair, the accuracy on its items.
    """

    values: tuple[tuple[str, str], ...]
    lost: Floats
    present: Floats
    shown: Floats

    @property
    def rows(self) -> Floats:
        """The columns whose sums give every gap."""
        return np.column_stack([self.lost, self.present])

    @property
    def each(self) -> Floats:
        """The gap of each pair."""
        return np.asarray(self.lost.sum(axis=0) / self.present.sum(axis=0))


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
    draws: int = SHIFT_DRAWS,
) -> Gaps:
    """The gaps when only so much of the training and test items is used.

    A reader that never saw a value also saw fewer items. So it is held against readers
    that learned from as many, drawn at random, and were asked about the same items.
    """
    quick = skip_temperature(reader)
    train = trained(experiment.benchmark.train, np.random.default_rng(0))
    sizes = [_shared_size(train, *pair) for pair in values]
    distinct = sorted(set(sizes))
    asks = [
        Ask(quick, fitted_on=Both(trained, Sample(size, draw)), about=tested)
        for size in distinct
        for draw in range(draws)
    ]
    for pair, size in zip(values, sizes, strict=True):
        hidden = Both(Both(trained, HoldOut(*pair)), Sample(size))
        asks.append(Ask(quick, fitted_on=hidden, about=Both(tested, Only(*pair))))
    answers = [correct_by_item(answer) for answer in ask_all(experiment, asks)]
    inside, outside = (
        answers[: len(distinct) * draws],
        answers[len(distinct) * draws :],
    )
    ids = pd.Index(experiment.benchmark.test.ids)
    lost, present = np.zeros((2, len(ids), len(values)))
    shown = np.zeros((draws, len(values)))
    for number, (correct, size) in enumerate(zip(outside, sizes, strict=True)):
        first = distinct.index(size) * draws
        by_draw = np.array(
            [run.loc[correct.index] for run in inside[first : first + draws]]
        )
        positions = ids.get_indexer(correct.index)
        lost[positions, number] = by_draw.mean(axis=0) - correct
        present[positions, number] = 1
        shown[:, number] = by_draw.mean(axis=1)
    return Gaps(values, lost, present, shown)


def _shared_size(train: Items, column: str, value: str) -> int:
    """Of a few sizes, the largest that is left where a value is held out."""
    left = max(int((train.column(column) != value).sum()), 1)
    steps = math.ceil(math.log(left / len(train)) / math.log(SHIFT_STEP))
    return min(left, math.ceil(len(train) * SHIFT_STEP**steps))


def _widen(estimate: Estimate, spread: float, draws: int, clusters: Ints) -> Estimate:
    """The estimate with the wider of two intervals: over items, over training sets.

    What training sets move is also seen item by item, so that adding the two would
    count it twice: coins then showed nothing in 160 intervals of 160. Where neither
    varies, an item unseen may still be lost or won: the rule of three.
    """
    half = float(stdtrit(draws - 1, (1 + estimate.level) / 2)) * spread
    value = estimate.value
    if max(estimate.high - estimate.low, half) < STILL:
        reach = unseen_share(count_clusters(clusters), estimate.level)
        ends = max(value - reach, -1.0), min(value + reach, 1.0)
        method = f"rule of three over {resample_unit(estimate.n, clusters)}"
        return replace(estimate, low=ends[0], high=ends[1], method=method)
    return replace(
        estimate,
        low=min(estimate.low, value - half),
        high=max(estimate.high, value + half),
        method=f"{estimate.method}; no narrower than t over {draws} training sets",
    )


def mean_gap(count: int) -> Statistic:
    """The statistic that averages the gaps of so many pairs, each counting once."""

    def statistic(sums: Floats) -> Floats:
        with np.errstate(invalid="ignore"):
            pair_gaps = sums[..., :count] / sums[..., count:]
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
        # Only the items that have one of the values can move the average, and only
        # by their columns: with fewer of these, far fewer rows differ.
        inside = measured_gaps.present[:, list(chosen)].any(axis=1)
        columns = [*chosen, *(count + i for i in chosen)]
        over_items = bootstrap(
            mean_gap(len(chosen)),
            measured_gaps.rows[inside][:, columns],
            rng=rng,
            clusters=clusters[inside],
            level=level,
            resamples=RESAMPLES,
        )
        # The random sets are a mean over draws, each held-out set is one of its own.
        shown = measured_gaps.shown[:, list(chosen)]
        draws = len(shown)
        variance = shown.mean(axis=1).var(ddof=1) / draws
        variance += shown.var(axis=0, ddof=1).sum() / len(chosen) ** 2
        spread = float(np.sqrt(variance))
        return _widen(over_items, spread, draws, clusters[inside])

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


def possible_flips(benchmark: Benchmark, *, in_words: bool = True) -> dict[str, Flip]:
    """A flip for each metadata column whose values most queries say.

    Where they need not be `in_words`, one for each column of several values.
    """
    flips_by_column = {}
    for column in benchmark.metadata:
        values = sorted(benchmark.train.column(column).unique())
        words = {value: (value,) for value in values if value or not in_words}
        shown = benchmark.renderings.get(column, words) if in_words else words
        query = benchmark.query
        if len(shown) > 1 and (
            not in_words
            or rendered_share(benchmark.test, column, query, shown) >= REACH
        ):
            pairs = tuple((value, tuple(w)) for value, w in shown.items())
            flips_by_column[column] = Flip(column, query, pairs)
    return flips_by_column


def flip_findings(
    experiment: Experiment, readers: Mapping[str, Reader]
) -> tuple[list[Finding], dict[str, str]]:
    """The share of labels and of predictions that change with each flip.

    A protocol needs the columns alone; a reader must be told in the query.

    Also why readers were not asked: they have no time left for it.
    """
    benchmark, findings = experiment.benchmark, []
    flips_by_column = possible_flips(benchmark)
    if benchmark.protocol is not None:
        every_flip = possible_flips(benchmark, in_words=False) | flips_by_column
        before = np.array(benchmark.protocol(benchmark.test))
        for column, flip in every_flip.items():
            rng = generator(experiment.seed, "test", identity(flip), 0)
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


def _dominant_group(
    benchmark: Benchmark, metadata: "pd.Series[float]", right: "pd.Series[float]"
) -> Drop:
    """The largest group in which metadata say more of what the reader says than usual.

    That is, whose mpds is above that of all items.
    """
    train, test = benchmark.train, benchmark.test
    columns = [test.column(column) for column in test.metadata]
    groups = pd.DataFrame({"metadata": metadata, "reader": right}).groupby(columns)
    rates, tested = groups.mean(), groups.size()
    usual = metadata.mean() / right.mean()
    coupled = (rates["metadata"] > usual * rates["reader"]) & (tested >= SHIFT_ITEMS)
    trained = train.table.groupby(list(train.metadata)).size()
    sizes = trained.reindex(rates.index[coupled]).fillna(0)
    risky = sizes[(sizes > 0) & (sizes <= len(train) // 2)]
    if risky.empty:
        raise Undefined(
            "no metadata group of at most half the items has a higher mpds; name other "
            "columns with `metadata`"
        )
    values = risky.idxmax()
    chosen = values if isinstance(values, tuple) else (values,)
    return Drop(train.metadata, tuple(map(str, chosen)))


def filter_findings(
    name: str,
    reader: Reader,
    experiment: Experiment,
    metadata: "pd.Series[float]",
    right: "pd.Series[float]",
    clusters: Ints,
) -> list[Finding]:
    """How the mean gap moves when the group is dropped, or as many items at random.

    Every arm is asked about the same test items, those outside the group, and learns
    from as many: what is left differs in which items were taken, not in how many.

    Args:
        name: The reader's name.
        reader: A light reader, trained dozens of times.
        experiment: The benchmark, and how questions about it are answered.
        metadata: Which test items are right by their metadata.
        right: Which are right by the reader.
        clusters: Which of them are dependent.
    """
    benchmark = experiment.benchmark
    rng = generator(experiment.seed, "filter", identity(reader))
    group = _dominant_group(benchmark, metadata, right)
    train, test = (group(side, rng) for side in (benchmark.train, benchmark.test))
    values = held_out_values(train, test)
    if not values:
        raise Undefined(
            "without that group no metadata value can be held out; give more test "
            "items, or name other columns with `metadata`"
        )
    common = sorted(
        values, key=lambda pair: (-int((test.column(pair[0]) == pair[1]).sum()), pair)
    )[:FILTER_VALUES]

    def gaps(trained: Selection) -> Gaps:
        return measure_gaps(reader, experiment, tuple(common), trained, group, 1)

    filtered = gaps(group)
    thinned = [gaps(Sample(len(train), draw)) for draw in range(SHIFT_DRAWS)]
    spread = float(np.std([arm.each.mean() for arm in thinned], ddof=1))
    spread *= math.sqrt(1 + 1 / SHIFT_DRAWS)
    at_random = replace(filtered, lost=np.mean([arm.lost for arm in thinned], axis=0))
    pairs = {
        "filtered": (at_random, filtered),
        "random": (gaps(Everything()), at_random),
    }
    return [
        Finding(
            "filter_gain",
            name,
            condition,
            _widen(
                _gap_change(before, after, clusters, rng), spread, SHIFT_DRAWS, clusters
            ),
        )
        for condition, (before, after) in pairs.items()
    ]


def _gap_change(
    before: Gaps, after: Gaps, clusters: Ints, rng: np.random.Generator
) -> Estimate:
    """The mean gap before less the mean gap after, over items."""
    count = len(before.values)
    average = mean_gap(count)
    return bootstrap(
        lambda s: average(s[..., : 2 * count]) - average(s[..., 2 * count :]),
        np.column_stack([before.rows, after.rows]),
        rng=rng,
        clusters=clusters,
        resamples=RESAMPLES,
    )
