"""The experiment: the same draws for every arm, rows kept as they come."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from measurand.core.benchmark import Benchmark
from measurand.core.errors import BadInput, BadOption, NotApplicable, UnknownName
from measurand.core.items import Items
from measurand.core.reader import (
    Adaptable,
    JointlyTrainable,
    Overtrainable,
    Reader,
    TaskAware,
)
from measurand.core.seeds import generator
from measurand.core.task import Task
from measurand.experiment.ask import Ask, AskGroup, Predictions
from measurand.experiment.experiment import Experiment, ask_all, reopen_experiment
from measurand.selections.rows import Subsample, rows_per_class

NEEDED = ("base", "extra", "test")  # boost and bias are differences of these
OVERTRAINED = "overtrained"  # the same texts, read twice as often
ARM_CHOICES = (*NEEDED, OVERTRAINED)
OVERTRAINED_ARMS = {side: f"{OVERTRAINED}_{side}" for side in ("extra", "test")}


def expand_arms(arms: Sequence[str]) -> tuple[str, ...]:
    """The arms in their order, an overtrained one of extra and one of test texts."""
    for arm in arms:
        if arm not in ARM_CHOICES:
            raise UnknownName("arm", arm, ARM_CHOICES)
    if lacking := [arm for arm in NEEDED if arm not in arms]:
        raise BadOption(
            f"no {' or '.join(map(repr, lacking))} in `arms`; boost and bias need "
            "base, extra and test, and overtrained may be added"
        )
    return (*NEEDED, *(OVERTRAINED_ARMS.values() if OVERTRAINED in arms else ()))


def check_adaptable(readers: Mapping[str, Reader], arms: Sequence[str]) -> None:
    """Nothing, where every reader can be trained in these arms."""
    for name, reader in readers.items():
        if not isinstance(reader, Adaptable):
            raise NotApplicable(
                f"{name} cannot go on pretraining on unlabeled text; choose pca, idf, "
                "minilm, smollm2, encoder:DIRECTORY or causal:DIRECTORY"
            )
        if OVERTRAINED_ARMS["test"] in arms and not isinstance(reader, Overtrainable):
            raise NotApplicable(
                f"{name} reads its texts in no epochs, so it cannot be overtrained; "
                "leave out 'overtrained' from `arms`, or choose minilm, smollm2, "
                "encoder:DIRECTORY or causal:DIRECTORY"
            )


def group_draws(reader: Reader, repeats: int) -> list[range]:
    """The draws that the reader learns together, from the first on; mostly one each."""
    size = _draws_per_group(reader)
    return [
        range(first, min(first + size, repeats)) for first in range(0, repeats, size)
    ]


def _draws_per_group(reader: Reader) -> int:
    """How many draws of an arm the reader learns together."""
    return reader.joint_size() if isinstance(reader, JointlyTrainable) else 1


def arm_asks(
    experiment: Experiment,
    reader: Reader,
    m: int,
    n: int,
    numbers: range,
    arms: Sequence[str] = NEEDED,
) -> list[Ask]:
    """What is asked in a group of draws, an arm after another, of each draw.

    The rows, the head, the order and the masking have the draw for a seed. A group
    holds draws of one arm, so that in every arm a draw has the same neighbours.
    """
    group_size = _draws_per_group(reader)
    group_name = f"draws {numbers[0]} to {numbers[-1]}"
    arm_questions = []
    for number in numbers:
        recipes = arm_recipes(reader, *side_texts(experiment, m, n, number))
        arm_questions += [
            Ask(
                recipes[arm],
                fitted_on=Subsample(m, n, number, "train"),
                about=Subsample(m, n, number, "test"),
                stream=f"draw {number}",
                group=AskGroup(f"{arm}, {group_name}", group_size)
                if group_size > 1
                else None,
            )
            for arm in arms
        ]
    return arm_questions


def side_texts(
    experiment: Experiment, m: int, n: int, number: int
) -> tuple[list[str], list[str], list[str]]:
    """The texts of train, and of extra and test those that train does not hold too."""
    pool, seed = experiment.benchmark.train, experiment.seed
    rows = {
        side: Subsample(m, n, number, side)(pool, generator(seed, "select"))
        for side in ("train", "extra", "test")
    }
    train = unlabeled_texts(rows["train"])
    train_texts = {*train}
    # The ids are disjoint; a text may still stand in the pool twice.
    extra, test = (
        [text for text in unlabeled_texts(rows[side]) if text not in train_texts]
        for side in ("extra", "test")
    )
    return train, extra, test


def arm_recipes(
    reader: Reader, train: Sequence[str], extra: Sequence[str], test: Sequence[str]
) -> dict[str, Reader]:
    """The recipe of every arm that the reader can be trained in."""
    assert isinstance(reader, Adaptable), "checked before"  # noqa: S101
    texts = {"extra": extra, "test": test}
    for side in texts.values():
        assert not {*train} & {*side}, "adaptation never sees train"  # noqa: S101
    recipes = {"base": reader} | {
        arm: reader.adapt(side) for arm, side in texts.items()
    }
    if isinstance(reader, Overtrainable):
        overtrained_reader = reader.overtrain()
        assert isinstance(overtrained_reader, Adaptable), "it was before"  # noqa: S101
        recipes |= {
            OVERTRAINED_ARMS[arm]: overtrained_reader.adapt(side)
            for arm, side in texts.items()
        }
    return recipes


def unlabeled_texts(items: Items) -> list[str]:
    """The text of each item, all fields in a row."""
    columns = [items.column(field) for field in items.fields]
    return [" ".join(texts) for texts in zip(*columns, strict=True)]


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
                f"`m` is {self.m}, `n` {self.n} and `repeats` {self.repeats}; allowed "
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
