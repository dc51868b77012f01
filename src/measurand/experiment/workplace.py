"""Workplace: where answers are kept, and what computes them."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from measurand.core.benchmark import Benchmark
from measurand.experiment.experiment import Experiment, Watch, open_experiment
from measurand.experiment.store import Notice


@dataclass(frozen=True)
class Workplace:
    """Where answers are kept, and what computes them; no number depends on it.

    Attributes:
        store: The folder of answers, so that what was computed once is not again;
            without it they last as long as the audit.
        workers: How many processes work.
        engine: What runs the trials: "local", or "ray" for a cluster.
        address: A Ray cluster to join instead of starting one.
        gpu_share: The share of a GPU that Ray gives to a trial of an encoder or LLM.

    >>> Workplace(store="answers", workers=4).engine
    'local'
    """

    store: str | Path | None = None
    workers: int = 1
    engine: str = "local"
    address: str | None = None
    gpu_share: float | None = None

    @contextmanager
    def open(
        self,
        benchmark: Benchmark,
        seed: int = 0,
        *,
        watch: Watch = lambda done, total: None,
        notice: Notice = lambda line: None,
    ) -> Iterator[Experiment]:
        """An experiment on the benchmark; its worker processes end with it."""
        with open_experiment(
            benchmark, seed=seed, watch=watch, notice=notice, **vars(self)
        ) as experiment:
            yield experiment
