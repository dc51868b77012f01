"""The experiment: the same draws for every arm, rows kept as they come."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from measurand.core.benchmark import Benchmark
from measurand.core.errors import BadOption, NotApplicable
from measurand.core.items import Items
from measurand.core.predictions import Predictions
from measurand.core.reader import Adaptable, Reader
from measurand.core.seeds import generator
from measurand.experiment.answers import Experiment, answers, reopened
from measurand.experiment.asks import Ask
from measurand.selections.subsamples import Subsample

ARMS = ("base", "extra", "test")
TOGETHER = 25  # draws asked at once: what is finished is kept either way


@dataclass(frozen=True, eq=False)
class Study:
    """What was run.

    Attributes:
        counts: One row a model, task and draw: m, n, lm, task, subsample, correct_ARM.
        notes: Per task: rows, classes, the share of test texts that are extra too.
        remarks: What each model said beside its answers, the worst of all draws.
    """

    counts: pd.DataFrame
    notes: Mapping[str, Mapping[str, float]]
    remarks: Mapping[str, Mapping[str, float]]


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


def study(
    experiment: Experiment,
    tasks: Mapping[str, Benchmark],
    readers: Mapping[str, Reader],
    *,
    m: int,
    n: int,
    repeats: int,
) -> Study:
    """Every model on every draw of every task, in every arm."""
    for name, reader in readers.items():
        if not isinstance(reader, Adaptable):
            raise NotApplicable(
                f"{name} cannot go on pretraining on unlabeled text; choose pca, idf, "
                "minilm, encoder:DIRECTORY or causal:DIRECTORY"
            )
    if min(m, n) < 1 or repeats < 2:
        raise BadOption(
            f"--m is {m}, --n {n} and --repeats {repeats}; allowed are 1, 1 and 2 or "
            "more"
        )
    rows: list[dict[str, object]] = []
    notes: dict[str, dict[str, float]] = {}
    remarks: dict[str, dict[str, float]] = {}
    for task, benchmark in tasks.items():
        pool = pooled(benchmark)
        notes[task] = noted(pool.train, m, n, repeats, experiment.seed)
        with reopened(experiment, pool) as running:
            for name, reader in readers.items():
                for draw, said in drawn(running, reader, m, n, repeats):
                    keys = {"m": m, "n": n, "lm": name, "task": task, "subsample": draw}
                    right = {
                        f"correct_{arm}": int(one.correct.sum())
                        for arm, one in said.items()
                    }
                    rows.append({**keys, **right})
                    remembered(remarks.setdefault(name, {}), said.values())
    return Study(pd.DataFrame(rows), notes, remarks)


def drawn(
    running: Experiment, reader: Reader, m: int, n: int, repeats: int
) -> Iterator[tuple[int, dict[str, Predictions]]]:
    """What each arm answered about the test rows, one draw after another."""
    for start in range(0, repeats, TOGETHER):
        numbers = range(start, min(start + TOGETHER, repeats))
        asks = [
            ask for number in numbers for ask in triple(running, reader, m, n, number)
        ]
        said = answers(running, asks)
        for place, number in enumerate(numbers):
            part = said[len(ARMS) * place : len(ARMS) * (place + 1)]
            yield number + 1, dict(zip(ARMS, part, strict=True))


def triple(
    running: Experiment, reader: Reader, m: int, n: int, number: int
) -> list[Ask]:
    """The three arms of one draw: they differ in the texts and in nothing else."""
    assert isinstance(reader, Adaptable), "checked before"  # noqa: S101
    pool, seed = running.benchmark.train, running.seed
    sides = {
        side: Subsample(m, n, number, side)(pool, generator(seed, "select"))
        for side in ("extra", "train", "test")
    }
    apart = {*sides["train"].ids}
    for side in ("extra", "test"):
        assert not apart & {*sides[side].ids}, "adaptation never sees train"  # noqa: S101
    arms = {
        "base": reader,
        "extra": reader.adapt(read(sides["extra"])),
        "test": reader.adapt(read(sides["test"])),
    }
    return [
        Ask(
            arms[arm],
            fitted_on=Subsample(m, n, number, "train"),
            about=Subsample(m, n, number, "test"),
            stream=f"draw {number}",
        )
        for arm in ARMS
    ]


def read(items: Items) -> list[str]:
    """The text of each item, all fields in a row."""
    columns = [items.column(field) for field in items.fields]
    return [" ".join(texts) for texts in zip(*columns, strict=True)]


def noted(pool: Items, m: int, n: int, repeats: int, seed: int) -> dict[str, float]:
    """What a reader of the report should know of a task."""
    shared = []
    for number in range(min(repeats, 10)):
        extra, test = (
            read(Subsample(m, n, number, side)(pool, generator(seed, "select")))
            for side in ("extra", "test")
        )
        shared.append(float(np.isin(test, list(set(extra))).mean()))
    return {
        "rows": float(len(pool)),
        "classes": float(len(pool.classes)),
        "labelled": float(m // len(pool.classes) * len(pool.classes)),
        "duplicates": float(np.mean(shared)),
    }


def remembered(kept: dict[str, float], said: Iterable[Predictions]) -> None:
    """Keep the worst share that any draw remarked."""
    for one in said:
        for what in ("truncated", "unparsed"):
            if what in one.remarks:
                kept[what] = max(kept.get(what, 0.0), float(one.remarks[what]))
