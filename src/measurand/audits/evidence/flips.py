"""Counterfactual flips: other metadata, the same evidence."""

from collections.abc import Mapping

import numpy as np

from measurand.audits.evidence.thresholds import REACH
from measurand.core.benchmark import Benchmark
from measurand.core.finding import Finding
from measurand.core.intervention import AsIs, Intervention
from measurand.core.reader import Reader
from measurand.core.recipe import identity
from measurand.core.seeds import generator
from measurand.experiment.ask import Ask
from measurand.experiment.experiment import Experiment, ask_all
from measurand.interventions.metadata import Flip, rendered_share
from measurand.stats.scores import wilson_share


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
) -> list[Finding]:
    """The share of labels and of predictions that change with each flip."""
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
        return findings
    changes: list[Intervention] = [AsIs(), *flips_by_column.values()]
    asks = [Ask(reader, under=c) for reader in readers.values() for c in changes]
    predictions = iter(ask_all(experiment, asks))
    for name in readers:
        unflipped = next(predictions)
        for column in flips_by_column:
            moved = int((unflipped.answers != next(predictions).answers).sum())
            rate = wilson_share(moved, len(unflipped.ids))
            findings.append(Finding("flip_rate", name, column, rate))
    return findings
