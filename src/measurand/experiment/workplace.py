"""The workplace of an audit: where answers are kept, and what computes them."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from measurand.core.benchmark import Benchmark
from measurand.core.bounds import check_seed, check_workers
from measurand.core.errors import BadOption
from measurand.disk.store import Notice
from measurand.experiment import ENGINES
from measurand.experiment.budget import DEFAULT_BUDGET, to_seconds
from measurand.experiment.experiment import Experiment, Watch, open_experiment
from measurand.settings.running import Cluster


def warn_user(line: str) -> None:
    """Say what the user should know, such as that a store is of another version."""
    warnings.warn(line, UserWarning, stacklevel=2)


@dataclass(frozen=True)
class Workplace:
    """Where answers are kept, what computes them and how long; no number depends on it.

    Attributes:
        store: The folder of answers, so that what was computed once is not again;
            without it they last as long as the audit.
        workers: How many processes work.
        engine: What runs the trials: "local", or "ray" for a cluster.
        address: A Ray cluster to join instead of starting one.
        gpu_share: The share of a GPU that Ray gives to a trial of an encoder or LLM.
        budget: How long one encoder or LLM may compute in an audit: "90s", "10m", "2h"
            or seconds; None for as long as it takes. One that would take longer is not
            begun, and is listed in the report's `not_run`.

    >>> Workplace(store="answers", workers=4).engine
    'local'
    """

    store: str | Path | None = None
    workers: int = 1
    engine: str = "local"
    address: str | None = None
    gpu_share: float | None = None
    budget: str | float | None = DEFAULT_BUDGET

    def __post_init__(self) -> None:
        """Refuse what cannot be followed, before any work is done."""
        check_workers(self.workers)
        ENGINES.check(self.engine)
        to_seconds(self.budget)
        if self.store is not None and (
            not isinstance(self.store, str | Path) or not str(self.store)
        ):
            raise BadOption(f"`store` is {self.store!r}; give the path of a folder")

    @contextmanager
    def open(
        self,
        benchmark: Benchmark,
        seed: int = 0,
        *,
        watch: Watch = lambda done, total: None,
        notice: Notice = warn_user,
    ) -> Iterator[Experiment]:
        """An experiment on the benchmark; its worker processes end with it."""
        check_seed(seed)
        with open_experiment(
            benchmark,
            seed=int(seed),
            store=self.store,
            workers=self.workers,
            cluster=Cluster(self.engine, self.address, self.gpu_share),
            watch=watch,
            notice=notice,
            budget=self.budget,
        ) as experiment:
            yield experiment
