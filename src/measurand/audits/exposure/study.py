"""The experiment: the same draws for every arm, rows kept as they come."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from measurand.audits.exposure.arms import (
    NEEDED,
    OVER,
    able,
    asks,
    chosen,
    groups,
    read,
)
from measurand.core.benchmark import Benchmark
from measurand.core.errors import BadInput, BadOption
from measurand.core.items import Items
from measurand.core.predictions import Predictions
from measurand.core.reader import Reader, TaskAware
from measurand.core.seeds import generator
from measurand.core.task import Task
from measurand.experiment.answers import Experiment, ask_all, reopen_experiment
from measurand.selections.subsamples import Subsample, of_each

TOGETHER = 25  # draws asked at once: what is finished is kept either way
LOSS = "lm_loss"  # what readers call the loss on the texts that they adapted to
Seen = Callable[[str, str, float, int], None]  # task, reader, draws done, of how many


@dataclass(frozen=True)
class Design:
    """How often rows are drawn, how many, and what is trained on them.

    Attributes:
        m: Labelled rows to learn from, at most.
        n: Test rows, and as many extra ones.
        repeats: How often rows are drawn.
        arms: What each reader is trained as: base, extra, test, and overtrained.
    """

    m: int
    n: int
    repeats: int
    arms: tuple[str, ...] = NEEDED

    def __post_init__(self) -> None:
        """Refuse what cannot be drawn."""
        if min(self.m, self.n) < 1 or self.repeats < 2:
            raise BadOption(
                f"--m is {self.m}, --n {self.n} and --repeats {self.repeats}; allowed "
                "are 1, 1 and 2 or more"
            )
        object.__setattr__(self, "arms", chosen(self.arms))


@dataclass(frozen=True, eq=False)
class Study:
    """What was run.

    Attributes:
        counts: One row a model, task and draw: m, n, lm, task, subsample, correct_ARM
            and, of language models, lm_loss_ARM.
        notes: Per task: rows, classes, the share of the commonest label, and of test
            texts that are extra too.
        remarks: What each model said beside its answers, the worst of all draws.
    """

    counts: pd.DataFrame
    notes: Mapping[str, Mapping[str, float]]
    remarks: Mapping[str, Mapping[str, float]]

    @property
    def overtrained(self) -> pd.DataFrame | None:
        """The study whose extra and test arms are the overtrained ones, if it ran."""
        ran = {f"correct_{arm}": f"correct_{over}" for arm, over in OVER.items()}
        if not {*ran.values()} <= {*self.counts.columns}:
            return None
        return self.counts.assign(**{arm: self.counts[o] for arm, o in ran.items()})


def pooled(benchmark: Benchmark) -> Benchmark:
    """All rows of a task in one pool, to be drawn from."""
    sides = [benchmark.train, benchmark.test]
    first = sides[0]
    columns = [*first.fields, first.label]
    table = pd.concat([side.table[columns] for side in sides])
    if not table.index.is_unique:
        table = table.set_axis([str(n) for n in range(len(table))], axis="index")
    pool = Items(table, first.fields, first.label)
    return Benchmark(benchmark.name, pool, pool, benchmark.query)


def pools(tasks: Mapping[str, Benchmark], design: Design) -> dict[str, Benchmark]:
    """The pool of each task; one that is too small is refused before any training."""
    found = {}
    for task, benchmark in tasks.items():
        found[task] = pooled(benchmark)
        try:
            of_each(found[task].train, design.m, design.n)
        except BadInput as refused:
            if len(tasks) == 1:
                raise
            raise BadInput(f"{task}: {refused}") from None
    return found


def study(
    experiment: Experiment,
    tasks: Mapping[str, Benchmark],
    readers: Mapping[str, Reader],
    design: Design,
    *,
    about: Mapping[str, Task] | None = None,
    seen: Seen = lambda task, reader, done, of: None,
) -> Study:
    """Every model on every draw of every task, in every arm."""
    able(readers, design.arms)
    rows: list[dict[str, object]] = []
    notes: dict[str, dict[str, float]] = {}
    remarks: dict[str, dict[str, float]] = {}
    for task, pool in pools(tasks, design).items():
        notes[task] = noted(pool.train, design, experiment.seed)
        with reopen_experiment(experiment, pool) as running:
            for name, given in readers.items():
                reader = suited(given, (about or {}).get(task))

                def shown(done: float, task: str = task, name: str = name) -> None:
                    seen(task, name, done, design.repeats)

                for draw, said in drawn(running, reader, design, shown):
                    keys = {"lm": name, "task": task, "subsample": draw}
                    sizes = {"m": design.m, "n": design.n}
                    rows.append({**sizes, **keys, **scored(said)})
                    remembered(remarks.setdefault(name, {}), said.values())
    return Study(pd.DataFrame(rows), notes, remarks)


def suited(reader: Reader, task: Task | None) -> Reader:
    """The reader as the task wants it, where either has a wish."""
    if task is not None and isinstance(reader, TaskAware):
        return reader.for_task(task)
    return reader


def drawn(
    running: Experiment,
    reader: Reader,
    design: Design,
    shown: Callable[[float], None] = lambda done: None,
) -> Iterator[tuple[int, dict[str, Predictions]]]:
    """What each arm answered about the test rows, one draw after another."""
    arms, whole = design.arms, groups(reader, design.repeats)
    most = max(1, TOGETHER // len(whole[0]))
    for start in range(0, len(whole), most):
        some = whole[start : start + most]
        asked = [
            ask
            for numbers in some
            for ask in asks(running, reader, design.m, design.n, numbers, arms)
        ]
        numbers = range(some[0][0], some[-1][-1] + 1)

        def watch(
            done: int, total: int, numbers: range = numbers, trials: int = len(some)
        ) -> None:
            running.watch(done, total)
            left = (total - done) / (trials * len(arms))  # of these draws
            shown(numbers[0] + len(numbers) * (1 - left))

        said = ask_all(replace(running, watch=watch), asked)
        for place, number in enumerate(numbers):
            part = said[len(arms) * place : len(arms) * (place + 1)]
            yield number + 1, dict(zip(arms, part, strict=True))


def scored(said: Mapping[str, Predictions]) -> dict[str, float]:
    """How many answers of each arm are right, and its language-model loss, if any."""
    right = {f"correct_{arm}": int(one.correct.sum()) for arm, one in said.items()}
    losses = {
        f"{LOSS}_{arm}": float(one.remarks[LOSS])
        for arm, one in said.items()
        if LOSS in one.remarks
    }
    return {**right, **losses}


def noted(pool: Items, design: Design, seed: int) -> dict[str, float]:
    """What a reader of the report should know of a task."""
    shared = []
    for number in range(min(design.repeats, 10)):
        extra, test = (
            read(
                Subsample(design.m, design.n, number, side)(
                    pool, generator(seed, "select")
                )
            )
            for side in ("extra", "test")
        )
        shared.append(float(np.isin(test, list(set(extra))).mean()))
    return {
        "rows": float(len(pool)),
        "classes": float(len(pool.classes)),
        "commonest": float(np.bincount(pool.numbers).max() / len(pool)),
        "labelled": float(design.m // len(pool.classes) * len(pool.classes)),
        "duplicates": float(np.mean(shared)),
    }


def remembered(kept: dict[str, float], said: Iterable[Predictions]) -> None:
    """Keep the worst share that any draw remarked."""
    for one in said:
        for what in ("truncated", "unparsed"):
            if what in one.remarks:
                kept[what] = max(kept.get(what, 0.0), float(one.remarks[what]))
