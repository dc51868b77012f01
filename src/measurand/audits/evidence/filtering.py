"""Filtering as a remedy: does dropping the predictable group close the gap?"""

import numpy as np
import pandas as pd

from measurand.audits.evidence.shift import (
    RESAMPLES,
    Gaps,
    Ints,
    held_out_values,
    mean_gap,
    measure_gaps,
)
from measurand.core.benchmark import Benchmark
from measurand.core.errors import Undefined
from measurand.core.finding import Finding
from measurand.core.items import Items
from measurand.core.reader import Floats, Reader
from measurand.core.recipe import identity
from measurand.core.seeds import generator
from measurand.core.selection import Selection
from measurand.experiment.experiment import Experiment
from measurand.readers.majority import MetadataReader
from measurand.selections.rows import Drop, Sample
from measurand.stats.resampling import bootstrap


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
