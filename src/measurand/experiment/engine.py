"""Engine: what runs trials, here or elsewhere; nothing else knows where.

The local one runs them in worker processes.
"""

import os
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import replace
from functools import cached_property
from multiprocessing import parent_process
from multiprocessing.reduction import ForkingPickler
from typing import TYPE_CHECKING, ClassVar, Protocol

from measurand.core.benchmark import Benchmark
from measurand.core.errors import WorkerLost
from measurand.core.recipe import traits_of
from measurand.disk.digests import keep_digests
from measurand.disk.store import Store
from measurand.experiment.ask import Ask
from measurand.experiment.trial import run_trial
from measurand.system.processes import start_workers, worker_context

if TYPE_CHECKING:
    from multiprocessing.queues import Queue

Trial = tuple[Ask, ...]
Setting = tuple[Benchmark, int, Store]
SETTING: list[Setting] = []  # what a worker process works on
SMALL = 6.0  # CPU seconds of trials that are done here: to start workers takes as many


class Engine(Protocol):
    """What runs independent trials about one benchmark into one store.

    The same trials give the same bytes, whatever the engine: one thread a trial, each
    in a process that was started afresh or in this one.
    """

    name: ClassVar[str]

    def run(self, trials: Sequence[Trial]) -> Iterator[int]:
        """Run the trials; yields the number of each once its answers are kept."""

    def at_once(self, trials: int) -> int:
        """How many of so many trials are run side by side."""

    def for_benchmark(self, benchmark: Benchmark) -> "Engine":
        """Its like for another cut of the benchmark, to be closed before it."""

    def close(self, *, hurry: bool = False) -> None:
        """End what it started; what was finished is in the store.

        In a hurry, because the run is stopped, trials under way are not waited for.
        """


def is_remote(trial: Trial) -> bool:
    """Whether a server answers, so that this process must do the asking."""
    return traits_of(trial[0].reader).remote


class LocalEngine:
    """Runs trials here or in `workers` processes, which stay until it is closed.

    Where nobody says how many, there is one a core, once the work is worth starting
    them.
    """

    name: ClassVar[str] = "local"

    def __init__(
        self,
        benchmark: Benchmark,
        seed: int,
        store: Store,
        workers: int | None,
        employer: "LocalEngine | None" = None,
    ) -> None:
        self.setting = (benchmark, seed, store)
        self.workers = workers or os.cpu_count() or 1
        self.small = SMALL if workers is None else 0.0
        self.employer = employer or self
        self.pool: ProcessPoolExecutor | None = None
        self.spent = 0.0  # CPU seconds on trials that were done in this process

    def for_benchmark(self, benchmark: Benchmark) -> "LocalEngine":
        """The same workers for another cut of the benchmark.

        To start a process takes seconds, and an audit may make dozens of cuts; so each
        trial of a cut brings what it works on.
        """
        _, seed, store = self.setting
        return LocalEngine(benchmark, seed, store, self.workers, self.employer)

    def run(self, trials: Sequence[Trial]) -> Iterator[int]:
        """Run the trials; yields the number of each as it is finished."""
        # A group fills a GPU by itself, and its captured steps are in this process.
        local_numbers = [
            n for n, trial in enumerate(trials) if is_remote(trial) or trial[0].group
        ]
        if min(self.workers, len(trials) - len(local_numbers)) <= 1:
            local_numbers = list(range(len(trials)))
        for number in local_numbers:
            run_trial(*self.setting, trials[number])
            yield number
        rest = sorted({*range(len(trials))} - {*local_numbers})
        while rest and self.employer.is_small:
            number = rest.pop(0)
            started = time.process_time()
            run_trial(*self.setting, trials[number])
            self.employer.spent += time.process_time() - started
            yield number
        if not rest:
            return
        pool = self.employer.open_pool()
        try:
            setting = None if self.employer is self else self.portable_setting
            running: dict[Future[None], int] = {}
            for number in rest:
                with start_workers():  # the first makes the pool start them all
                    trial = ForkingPickler.dumps(trials[number]).tobytes()
                    task = pool.submit(_run_in_worker, trial, setting)
                running[task] = number
            while running:
                for future in wait(running, return_when=FIRST_COMPLETED).done:
                    future.result()
                    yield running.pop(future)
        except (BrokenProcessPool, OSError, ValueError) as broken:
            # A pool that lost a worker closes pipes that another is being started
            # with: Python then finds them closed, or one of them twice.
            if not (isinstance(broken, BrokenProcessPool) or pool._broken):
                raise
            # A worker that was being started when another was lost is not ended by the
            # pool, which would wait for it for ever.
            self.employer.close(hurry=True)
            raise WorkerLost(
                "a worker process was killed, perhaps for memory; what was finished is "
                "kept: run again with `workers` 1"
            ) from broken

    @property
    def is_small(self) -> bool:
        """Whether so little was done yet that workers would be started for nothing."""
        return self.pool is None and self.spent < self.small

    def at_once(self, trials: int) -> int:
        """As many as there are workers and cores: a trial has one thread."""
        return max(1, min(self.workers, trials, os.cpu_count() or 1))

    def open_pool(self) -> ProcessPoolExecutor:
        """The worker processes, started when first needed."""
        if self.pool is None:
            context = worker_context()
            # Not as arguments of the processes: to start one waits until it has read
            # all of these, for ever where it was killed before.
            settings = context.Queue()
            settings.cancel_join_thread()
            for _ in range(self.workers):
                settings.put(self.portable_setting)
            self.pool = ProcessPoolExecutor(
                self.workers, context, _settle_worker, (settings,)
            )
        return self.pool

    @cached_property
    def portable_setting(self) -> bytes:
        """What workers work on, as it is sent to them.

        The rule behind planted labels is a closure, and no trial calls it. It is made
        bytes at once: a queue would do so in a thread of its own, while this one may
        add to what the benchmark remembers.
        """
        benchmark, seed, store = self.setting
        setting = replace(benchmark, protocol=None), seed, store
        return ForkingPickler.dumps(setting).tobytes()

    def close(self, *, hurry: bool = False) -> None:
        """End the worker processes; what they finished is in the store."""
        if self.pool is None:
            return
        if hurry:
            # They write to temporary names, so that nothing is left half done.
            for process in [*(self.pool._processes or {}).values()]:
                process.kill()
        self.pool.shutdown(wait=True, cancel_futures=True)


def _settle_worker(settings: "Queue[bytes]") -> None:
    """Let a new worker end when its parent does, and take what it works on."""
    threading.Thread(target=end_with_parent, daemon=True).start()
    SETTING.append(ForkingPickler.loads(settings.get()))


def end_with_parent() -> None:
    """Leave no orphan behind when the main process is killed."""
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _run_in_worker(trial: bytes, setting: bytes | None) -> None:
    """Run one trial in a worker, on what came with it or else with the worker."""
    current: Setting = SETTING[0] if setting is None else ForkingPickler.loads(setting)
    with keep_digests(current[2]):
        run_trial(*current, ForkingPickler.loads(trial))
