"""The experiment: the same draws for every arm, rows kept as they come."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from measurand.audits.exposure.arms import (
    NEEDED,
    OVERTRAINED_ARMS,
    arm_asks,
    check_adaptable,
    expand_arms,
    group_draws,
    unlabeled_texts,
)
from measurand.core.benchmark import Benchmark
from measurand.core.errors import BadInput, BadOption
from measurand.core.items import Items
from measurand.core.predictions import Predictions
from measurand.core.reader import Reader, TaskAware
from measurand.core.seeds import generator
from measurand.core.task import Task
from measurand.experiment.experiment import Experiment, ask_all, reopen_experiment
from measurand.selections.subsamples import Subsample, rows_per_class

DRAWS_AT_ONCE = 25  # draws asked at once: what is finished is kept either way
LOSS = "lm_loss"  # what readers call the loss on the texts that they adapted to
StudyProgress = Callable[
    [str, str, float, int], None
]  # task, reader, draws done, of how many


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
        object.__setattr__(self, "arms", expand_arms(self.arms))


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
    def overtrained_counts(self) -> pd.DataFrame | None:
        """The study whose extra and test arms are the overtrained ones, if it ran."""
        columns = {
            f"correct_{arm}": f"correct_{over}"
            for arm, over in OVERTRAINED_ARMS.items()
        }
        if not {*columns.values()} <= {*self.counts.columns}:
            return None
        return self.counts.assign(
            **{arm: self.counts[column] for arm, column in columns.items()}
        )


def pool_rows(benchmark: Benchmark) -> Benchmark:
    """All rows of a task in one pool, to be drawn from."""
    sides = [benchmark.train, benchmark.test]
    first = sides[0]
    columns = [*first.fields, first.label]
    table = pd.concat([side.table[columns] for side in sides])
    if not table.index.is_unique:
        table = table.set_axis([str(n) for n in range(len(table))], axis="index")
    pool = Items(table, first.fields, first.label)
    return Benchmark(benchmark.name, pool, pool, benchmark.query)


def pool_tasks(tasks: Mapping[str, Benchmark], design: Design) -> dict[str, Benchmark]:
    """The pool of each task; one that is too small is refused before any training."""
    task_pools = {}
    for task, benchmark in tasks.items():
        task_pools[task] = pool_rows(benchmark)
        try:
            rows_per_class(task_pools[task].train, design.m, design.n)
        except BadInput as refused:
            if len(tasks) == 1:
                raise
            raise BadInput(f"{task}: {refused}") from None
    return task_pools


def run_study(
    experiment: Experiment,
    tasks: Mapping[str, Benchmark],
    readers: Mapping[str, Reader],
    design: Design,
    *,
    about: Mapping[str, Task] | None = None,
    progress: StudyProgress = lambda task, reader, done, of: None,
) -> Study:
    """Every model on every draw of every task, in every arm."""
    check_adaptable(readers, design.arms)
    rows: list[dict[str, object]] = []
    notes: dict[str, dict[str, float]] = {}
    remarks: dict[str, dict[str, float]] = {}
    for task, pool in pool_tasks(tasks, design).items():
        notes[task] = _task_notes(pool.train, design, experiment.seed)
        with reopen_experiment(experiment, pool) as task_experiment:
            for name, recipe in readers.items():
                reader = suit_reader(recipe, (about or {}).get(task))

                def report_draws(
                    done: float, task: str = task, name: str = name
                ) -> None:
                    progress(task, name, done, design.repeats)

                for draw, predictions in ask_draws(
                    task_experiment, reader, design, report_draws
                ):
                    keys = {"lm": name, "task": task, "subsample": draw}
                    sizes = {"m": design.m, "n": design.n}
                    rows.append({**sizes, **keys, **_score_arms(predictions)})
                    _keep_worst_remarks(
                        remarks.setdefault(name, {}), predictions.values()
                    )
    return Study(pd.DataFrame(rows), notes, remarks)


def suit_reader(reader: Reader, task: Task | None) -> Reader:
    """The reader as the task wants it, where either has a wish."""
    if task is not None and isinstance(reader, TaskAware):
        return reader.for_task(task)
    return reader


def ask_draws(
    experiment: Experiment,
    reader: Reader,
    design: Design,
    progress: Callable[[float], None] = lambda done: None,
) -> Iterator[tuple[int, dict[str, Predictions]]]:
    """What each arm answered about the test rows, one draw after another."""
    arms, draw_groups = design.arms, group_draws(reader, design.repeats)
    batch_size = max(1, DRAWS_AT_ONCE // len(draw_groups[0]))
    for start in range(0, len(draw_groups), batch_size):
        batch = draw_groups[start : start + batch_size]
        batch_asks = [
            ask
            for numbers in batch
            for ask in arm_asks(experiment, reader, design.m, design.n, numbers, arms)
        ]
        numbers = range(batch[0][0], batch[-1][-1] + 1)

        def watch(
            done: int, total: int, numbers: range = numbers, trials: int = len(batch)
        ) -> None:
            experiment.watch(done, total)
            remaining = (total - done) / (trials * len(arms))  # of these draws
            progress(numbers[0] + len(numbers) * (1 - remaining))

        predictions = ask_all(replace(experiment, watch=watch), batch_asks)
        for position, number in enumerate(numbers):
            part = predictions[len(arms) * position : len(arms) * (position + 1)]
            yield number + 1, dict(zip(arms, part, strict=True))


def _score_arms(predictions: Mapping[str, Predictions]) -> dict[str, float]:
    """How many answers of each arm are right, and its language-model loss, if any."""
    right = {
        f"correct_{arm}": int(arm_predictions.correct.sum())
        for arm, arm_predictions in predictions.items()
    }
    losses = {
        f"{LOSS}_{arm}": float(arm_predictions.remarks[LOSS])
        for arm, arm_predictions in predictions.items()
        if LOSS in arm_predictions.remarks
    }
    return {**right, **losses}


def _task_notes(pool: Items, design: Design, seed: int) -> dict[str, float]:
    """What a reader of the report should know of a task."""
    duplicate_shares = []
    for number in range(min(design.repeats, 10)):
        extra, test = (
            unlabeled_texts(
                Subsample(design.m, design.n, number, side)(
                    pool, generator(seed, "select")
                )
            )
            for side in ("extra", "test")
        )
        duplicate_shares.append(float(np.isin(test, list(set(extra))).mean()))
    return {
        "rows": float(len(pool)),
        "classes": float(len(pool.classes)),
        "commonest": float(np.bincount(pool.numbers).max() / len(pool)),
        "labelled": float(design.m // len(pool.classes) * len(pool.classes)),
        "duplicates": float(np.mean(duplicate_shares)),
    }


def _keep_worst_remarks(
    worst: dict[str, float], predictions: Iterable[Predictions]
) -> None:
    """Keep the worst share that any draw remarked."""
    for arm_predictions in predictions:
        for remark in ("truncated", "unparsed"):
            if remark in arm_predictions.remarks:
                worst[remark] = max(
                    worst.get(remark, 0.0), float(arm_predictions.remarks[remark])
                )
