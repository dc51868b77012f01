"""What light readers recover of spikes in real benchmarks.

`python -m bench controls NLI VERIFICATION` reads SNLI and FEVER as gzipped JSON lines
from these two folders, takes 8,000 items to learn from and 3,000 to be asked about, and
spikes a tenth of each. What is recovered is held against figures that were measured
apart from this project; they may differ by 0.1.
"""

from pathlib import Path

import numpy as np
import pandas as pd

from bench.figures import Figure
from bench.real import pairs
from measurand.benchmarks.assemble import sample_benchmark
from measurand.controls.samples import MatchSpike, WordSpike
from measurand.core.benchmark import Benchmark
from measurand.core.seeds import generator
from measurand.readers import READERS
from measurand.stats.detection import recovery

TRAIN, TEST, DOSE = 8000, 3000, 0.1
CLOSE = 0.1
APART = {  # recovery of word and match, measured apart
    "snli": {"tfidf": (0.97, -0.01), "cross": (0.82, 0.43)},
    "fever": {"tfidf": (0.77, -0.13), "cross": (0.50, 0.28)},
}


def answered(benchmark: Benchmark, reader: str) -> "pd.Series[float]":
    """Which test items the reader, taught on this benchmark, answers right."""
    recipe = READERS.load(reader).without_temperature()
    fitted = recipe.fit(benchmark.train, generator(0, "bench", reader))
    answers = fitted.predict(benchmark.test).argmax(axis=1)
    right = answers == benchmark.test.gold(fitted.classes)
    return pd.Series(np.asarray(right, float), benchmark.test.ids)


def recovered(benchmark: Benchmark, name: str, reader: str) -> list[Figure]:
    """What the reader recovers of each kind of spike, beside what is known."""
    assert benchmark.evidence is not None, "both have evidence"
    before, clusters = answered(benchmark, reader), benchmark.clusters(benchmark.test)
    spikes = (
        WordSpike(benchmark.evidence, DOSE),
        MatchSpike(benchmark.query, benchmark.evidence, DOSE),
    )
    figures = [Figure(f"{name}, {reader}: accuracy", float(before.mean()), "share")]
    for spike, apart in zip(spikes, APART[name][reader], strict=True):
        sample = spike(benchmark, 0)
        inside, after = sample.spiked, answered(sample.benchmark, reader)
        estimate = recovery(
            before[inside],
            after[inside],
            rng=generator(0, "bench", str(spike)),
            clusters=clusters[inside],
        )
        label = f"{name}, {reader}: recovery of {spike}"
        print(label, estimate, "apart:", apart, flush=True)
        figures += [
            Figure(label, estimate.value, "share"),
            Figure(f"{label}, lower end", estimate.low, "share"),
            Figure(f"{label}, upper end", estimate.high, "share"),
            Figure(f"{label}, off", abs(estimate.value - apart), "share", most=CLOSE),
        ]
    return figures


def run(arguments: list[str]) -> list[Figure]:
    """The figures of both benchmarks."""
    figures = []
    for name, data in zip(APART, map(Path, arguments), strict=True):
        whole, _ = pairs(data, name)
        benchmark = sample_benchmark(whole, train=TRAIN, test=TEST, seed=0)
        for reader in APART[name]:
            figures += recovered(benchmark, name, reader)
    return figures
