"""What light readers recover of spikes in real benchmarks.

`python -m bench controls NLI VERIFICATION` reads SNLI and FEVER as gzipped JSON lines
from these two folders, takes 8,000 items to learn from and 3,000 to be asked about, and
spikes a tenth of each. Six such samples are put together, as one leaves some 60 items
that can be gained: by the luck of the draw, `cross` recovers 0.50 to 0.65 of the word
in FEVER. What is recovered is held against figures that were measured apart from this
project, on one sample each; they may differ by 0.1.
"""

from concurrent.futures import ProcessPoolExecutor
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
SAMPLES = 6
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


def recovered(whole: Benchmark, name: str, reader: str) -> list[Figure]:
    """What the reader recovers of each kind of spike, beside what is known."""
    assert whole.evidence is not None, "both have evidence"
    spikes = (
        WordSpike(whole.evidence, DOSE),
        MatchSpike(whole.query, whole.evidence, DOSE),
    )
    known = pd.DataFrame(whole.clusters(whole.test), whole.test.ids)
    plain: list[pd.Series[float]] = []
    gains: dict[str, list[pd.DataFrame]] = {str(spike): [] for spike in spikes}
    for seed in range(SAMPLES):
        benchmark = sample_benchmark(whole, train=TRAIN, test=TEST, seed=seed)
        plain.append(answered(benchmark, reader))
        for spike in spikes:
            sample = spike(benchmark, seed)
            scores = {"before": plain[-1], "after": answered(sample.benchmark, reader)}
            gains[str(spike)].append(pd.DataFrame(scores)[sample.spiked])
    accuracy = float(pd.concat(plain).mean())
    figures = [Figure(f"{name}, {reader}: accuracy", accuracy, "share")]
    for spike, apart in zip(gains, APART[name][reader], strict=True):
        scores = pd.concat(gains[spike])
        estimate = recovery(
            scores["before"],
            scores["after"],
            rng=generator(0, "bench", spike),
            clusters=known.loc[scores.index].squeeze(axis=1).to_numpy(),
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
    with ProcessPoolExecutor() as pool:
        futures = [
            pool.submit(recovered, pairs(data, name)[0], name, reader)
            for name, data in zip(APART, map(Path, arguments), strict=True)
            for reader in APART[name]
        ]
        return [figure for future in futures for figure in future.result()]
