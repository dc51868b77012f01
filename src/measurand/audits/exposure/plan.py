"""What a study will take, from a few trials that are measured first."""

import time
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from measurand.audits.exposure.arms import able, asks, groups, read
from measurand.audits.exposure.study import Design, pools, suited
from measurand.core.benchmark import Benchmark
from measurand.core.items import Items
from measurand.core.reader import Reader
from measurand.core.task import Task
from measurand.core.words import words
from measurand.experiment.answers import Experiment, ask_all, reopen_experiment
from measurand.experiment.asks import Ask, ask_key

SAMPLED = 200  # texts of a task whose length is counted
PIECES = 4 / 3  # tokens a word, about
MEASURED = 2  # draws, or groups of them, run first: one to warm up, one is timed


@dataclass(frozen=True)
class Plan:
    """What is left to do.

    Attributes:
        trials: Trainings, with what is asked of them.
        tokens: Of the texts that they read, each counted once; from their words.
        seconds: How long they take; None where nothing could be measured.
        disk: Bytes that their answers fill.
    """

    trials: int
    tokens: int
    seconds: float | None
    disk: int

    def __str__(self) -> str:
        """One line of it."""
        if not self.trials:
            return "plan: every trial is in the store"
        often = "unknown" if self.seconds is None else lasting(self.seconds)
        return (
            f"plan: {self.trials:,} trials, about {rounded(self.tokens)} tokens, "
            f"{often}, {rounded(self.disk)}B on disk"
        )


def planned(
    experiment: Experiment,
    tasks: Mapping[str, Benchmark],
    readers: Mapping[str, Reader],
    design: Design,
    about: Mapping[str, Task] | None = None,
) -> Plan:
    """What the study takes beside what is stored, after a few draws of each reader.

    These draws are the study's own, so nothing of them is lost. Other tasks take as
    much longer as their texts are.
    """
    able(readers, design.arms)
    trials = tokens = disk = 0
    pace: dict[str, float] = {}  # seconds a token
    size: dict[str, float] = {}  # bytes a trial and class
    seconds = 0.0
    for task, pool in pools(tasks, design).items():
        each = texts(design) * length(pool.train)
        classes = len(pool.train.classes)
        with reopen_experiment(experiment, pool) as running:
            for name, given in readers.items():
                reader = suited(given, (about or {}).get(task))
                left = missing(running, reader, design)
                if len(left) > MEASURED and name not in pace:
                    took, written = measured(running, reader, design, left[:MEASURED])
                    ran = len(left[MEASURED - 1]) * len(design.arms)
                    pace[name] = took / (ran * each)
                    size[name] = written / (ran * classes)
                    left = left[MEASURED:]
                number = sum(map(len, left)) * len(design.arms)
                trials += number
                tokens += round(number * each)
                seconds += pace.get(name, 0.0) * number * each
                disk += round(size.get(name, 0.0) * number * classes)
    return Plan(trials, tokens, seconds if pace else None, disk)


def missing(running: Experiment, reader: Reader, design: Design) -> list[range]:
    """The draws that are not stored: they are run in order, so all from the first."""
    whole = groups(reader, design.repeats)
    first = bisect_left(
        whole,
        True,
        key=lambda numbers: (
            not all(
                stored(running, ask) for ask in drawn(running, reader, design, numbers)
            )
        ),
    )
    return whole[first:]


def drawn(
    running: Experiment, reader: Reader, design: Design, numbers: range
) -> list[Ask]:
    """What is asked in these draws."""
    return asks(running, reader, design.m, design.n, numbers, design.arms)


def stored(running: Experiment, ask: Ask) -> bool:
    """Whether the answer is in the store."""
    return running.store.has(ask_key(ask, running.benchmark, running.seed))


def measured(
    running: Experiment, reader: Reader, design: Design, some: Sequence[range]
) -> tuple[float, float]:
    """The seconds that the last of these draws take, and the bytes of the answers."""
    for numbers in some:
        asked = drawn(running, reader, design, numbers)
        start = time.perf_counter()
        ask_all(running, asked)
        seconds = time.perf_counter() - start
    files = [
        path
        for ask in asked
        for path in running.store.paths(ask_key(ask, running.benchmark, running.seed))
    ]
    return seconds, float(sum(path.stat().st_size for path in files))


def texts(design: Design) -> float:
    """The texts that a trial reads, on average over the arms."""
    reading = len(design.arms) - 1  # all but base read n more
    return design.m + design.n + design.n * reading / len(design.arms)


def length(pool: Items) -> float:
    """About how many tokens a text has, on average."""
    some = read(pool)[:: max(1, len(pool) // SAMPLED)]
    return PIECES * sum(len(words(text)) for text in some) / len(some)


def rounded(count: float) -> str:
    """A large number in few letters.

    >>> rounded(1234), rounded(5_600_000), rounded(12)
    ('1.2 k', '5.6 M', '12 ')
    """
    for unit, name in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if count >= unit:
            return (
                f"{count / unit:.2g} {name}"
                if count < 100 * unit
                else (f"{count / unit:.0f} {name}")
            )
    return f"{count:.0f} "


def lasting(seconds: float) -> str:
    """A time in the unit that suits it.

    >>> lasting(42), lasting(600), lasting(90_000)
    ('42 s', '10 min', '25.0 h')
    """
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"
