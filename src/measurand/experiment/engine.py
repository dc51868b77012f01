"""Engine: what runs trials, here or elsewhere; nothing else knows where."""

from collections.abc import Iterator, Sequence
from typing import ClassVar, Protocol

from measurand.core.benchmark import Benchmark
from measurand.core.recipe import traits_of
from measurand.experiment.ask import Ask

Trial = tuple[Ask, ...]


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
