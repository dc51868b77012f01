"""The experiment: the same draws for every arm, rows kept as they come."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from measurand.audits.exposure.arms import (
    DOSED,
    NEEDED,
    NO_TEXTS,
    OVERTRAINED_ARMS,
    OVERTRAINED_BASE,
    TRANSFER,
    arm_asks,
    check_adaptable,
    expand_arms,
    group_draws,
    leaked_rows,
    unlabeled_texts,
)
from measurand.audits.exposure.overlaps import check_distinct_tasks
from measurand.core.benchmark import Benchmark
from measurand.core.errors import BadInput, BadOption
from measurand.core.items import Items
from measurand.core.reader import Reader, TaskAware
from measurand.core.recipe import traits_of
from measurand.core.seeds import generator
from measurand.core.task import Task
from measurand.experiment.ask import Predictions
from measurand.experiment.experiment import Experiment, ask_all, reopen_experiment
from measurand.selections.rows import Subsample, rows_per_class

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
        arms: What each reader is trained as: base, extra, test, overtrained, transfer.
        doses: Shares of the test rows that arms of their own learn with their labels.
    """

    m: int
    n: int
    repeats: int
    arms: tuple[str, ...] = NEEDED
    doses: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        """Refuse what cannot be drawn."""
        if min(self.m, self.n) < 1 or self.repeats < 2:
            raise BadOption(
                f"`m` is {self.m}, `n` {self.n} and `repeats` {self.repeats}; allowed "
                "are 1, 1 and 2 or more"
            )
        doses = [dose for dose in self.doses if round(dose * self.n)]
        object.__setattr__(self, "arms", expand_arms(self.arms, doses))

    @property
    def size(self) -> str:
        """What reports call it."""
        return f"m={self.m},n={self.n}"

    def arms_of(self, reader: Reader) -> tuple[str, ...]:
        """The arms that show anything of this reader: one without labels leaks none."""
        if traits_of(reader).learns_labels:
            return self.arms
        return tuple(arm for arm in self.arms if not arm.startswith(DOSED))


@dataclass(frozen=True, eq=False)
class Study:
    """What was run.

    Attributes:
        counts: One row per model, task and draw: m, n, lm, task, subsample, trained,
            correct_ARM and, of language models, lm_loss_ARM; of arms with a dose, how
            many test rows it holds (leaked_ARM), and how many of these it and the extra
            arm answer right (leaked_right_ARM, leaked_before_ARM).
        notes: Per task: rows, classes, the share of the commonest label, of test
            texts that are extra too, and of the pool that a draw takes, and quartiles
            of the length of texts; of the largest draw where there are several.
        remarks: What each model said besides its answers, the worst of all draws.
        answers: One row per model, task, draw and item: m, n, lm, task, subsample,
            item, and whether base, extra and test are right.
    """

    counts: pd.DataFrame
    notes: Mapping[str, Mapping[str, float]]
    remarks: Mapping[str, Mapping[str, float]]
    answers: pd.DataFrame | None = None

    @property
    def overtrained_counts(self) -> pd.DataFrame | None:
        """The study whose extra and test arms are the overtrained ones, if it ran."""
        own_base = f"correct_{OVERTRAINED_BASE}" in self.counts
        arms = {"base": OVERTRAINED_BASE} if own_base else {}
        return replace_arms(self.counts, OVERTRAINED_ARMS | arms)


def replace_arms(table: pd.DataFrame, arms: Mapping[str, str]) -> pd.DataFrame | None:
    """The rows with other arms in place of some; None where they were not run.

    Models that lack them are left out.
    """
    columns = {f"correct_{arm}": f"correct_{source}" for arm, source in arms.items()}
    if not {*columns.values()} <= {*table.columns}:
        return None
    rows = table.dropna(subset=[*columns.values()])
    return rows.assign(**{arm: rows[source] for arm, source in columns.items()})


def _drawn_rows(study: Study) -> int:
    """How many rows a draw of the study takes."""
    return int((study.counts["m"] + 2 * study.counts["n"]).max())


def join_studies(studies: Sequence[Study]) -> Study:
    """The studies of several sizes as one."""
    notes: dict[str, dict[str, float]] = {}
    for study in sorted(studies, key=_drawn_rows):
        notes |= {task: dict(note) for task, note in study.notes.items()}
    worst: dict[str, dict[str, float]] = {}
    for study in studies:
        for name, remarks in study.remarks.items():
            largest = worst.setdefault(name, {})
            largest |= {k: max(v, largest.get(k, 0.0)) for k, v in remarks.items()}
    answers = [study.answers for study in studies if study.answers is not None]
    return Study(
        pd.concat([study.counts for study in studies], ignore_index=True),
        notes,
        worst,
        pd.concat(answers, ignore_index=True) if answers else None,
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
    """The pool of each task; too small or repeated ones are refused before training."""
    task_pools = {}
    for task, benchmark in tasks.items():
        task_pools[task] = pool_rows(benchmark)
        try:
            rows_per_class(task_pools[task].train, design.m, design.n)
        except BadInput as refused:
            if len(tasks) == 1:
                raise
            raise BadInput(f"{task}: {refused}") from None
    check_distinct_tasks(task_pools)
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
    answers: list[pd.DataFrame] = []
    notes: dict[str, dict[str, float]] = {}
    remarks: dict[str, dict[str, float]] = {}
    pools = pool_tasks(tasks, design)
    for task, pool in pools.items():
        notes[task] = _task_notes(pool.train, design, experiment.seed)
        siblings = sibling_texts(pools, task, design, experiment.seed)
        with reopen_experiment(experiment, pool) as task_experiment:
            for name, recipe in readers.items():
                reader = suit_reader(recipe, (about or {}).get(task))

                def report_draws(
                    done: float, task: str = task, name: str = name
                ) -> None:
                    progress(task, name, done, design.repeats)

                for draw, predictions in ask_draws(
                    task_experiment, reader, design, report_draws, siblings
                ):
                    sizes = {"m": design.m, "n": design.n, "subsample": draw}
                    keys: dict[str, Any] = {**sizes, "lm": name, "task": task}
                    leaked = leaked_ids(task_experiment, design, draw - 1)
                    scores = score_arms(predictions, leaked)
                    rows.append({**keys, "trained": _trained(predictions), **scores})
                    answers.append(answer_rows(predictions).assign(**keys))
                    _keep_worst_remarks(
                        remarks.setdefault(name, {}), predictions.values()
                    )
    return Study(pd.DataFrame(rows), notes, remarks, pd.concat(answers))


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
    siblings: Mapping[int, Sequence[str]] = NO_TEXTS,
) -> Iterator[tuple[int, dict[str, Predictions]]]:
    """What each arm answered about the test rows, one draw after another."""
    arms, draw_groups = design.arms_of(reader), group_draws(reader, design.repeats)
    batch_size = max(1, DRAWS_AT_ONCE // len(draw_groups[0]))
    for start in range(0, len(draw_groups), batch_size):
        batch = draw_groups[start : start + batch_size]
        batch_asks = [
            ask
            for numbers in batch
            for ask in arm_asks(
                experiment, reader, design.m, design.n, numbers, arms, siblings
            )
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


def sibling_texts(
    pools: Mapping[str, Benchmark], task: str, design: Design, seed: int
) -> Mapping[int, Sequence[str]]:
    """By draw, the extra texts of the task that comes next, where an arm reads them."""
    if TRANSFER not in design.arms:
        return NO_TEXTS
    names = list(pools)
    if len(names) < 2:
        raise BadOption(
            f"the arm {TRANSFER!r} reads texts of another task, and there is one task; "
            "give another, or leave it out of `arms`"
        )
    pool = pools[names[(names.index(task) + 1) % len(names)]].train
    return {
        number: unlabeled_texts(
            Subsample(design.m, design.n, number, "extra")(
                pool, generator(seed, "select")
            )
        )
        for number in range(design.repeats)
    }


def leaked_ids(
    experiment: Experiment, design: Design, number: int
) -> dict[str, set[str]]:
    """By arm with a dose, the ids of the rows that it learned."""
    pool, seed = experiment.benchmark.train, experiment.seed
    return {
        arm: {
            *Subsample(design.m, design.n, number, "train", leaked_rows(arm, design.n))(
                pool, generator(seed, "select")
            ).ids
        }
        for arm in design.arms
        if arm.startswith(DOSED)
    }


def score_arms(
    predictions: Mapping[str, Predictions], leaked: Mapping[str, set[str]]
) -> dict[str, float]:
    """How many answers of each arm are right, of rows it was given, and its loss."""
    scores: dict[str, float] = {
        f"correct_{arm}": int(arm_predictions.correct.sum())
        for arm, arm_predictions in predictions.items()
    }
    for arm, ids in leaked.items():
        if arm in predictions:
            inside = np.isin(predictions[arm].ids, list(ids))
            before, after = predictions["extra"].correct, predictions[arm].correct
            scores |= {
                f"leaked_{arm}": int(inside.sum()),
                f"leaked_before_{arm}": int(before[0, inside].sum()),
                f"leaked_right_{arm}": int(after[0, inside].sum()),
            }
    losses = {
        f"{LOSS}_{arm}": float(arm_predictions.remarks[LOSS])
        for arm, arm_predictions in predictions.items()
        if LOSS in arm_predictions.remarks
    }
    return {**scores, **losses}


def answer_rows(predictions: Mapping[str, Predictions]) -> pd.DataFrame:
    """Whether each of the three arms is right about each item."""
    right = {arm: predictions[arm].correct[0].astype(np.int8) for arm in NEEDED}
    return pd.DataFrame({"item": list(predictions["test"].ids), **right})


def _trained(predictions: Mapping[str, Predictions]) -> str:
    """What was trained on the texts, as the reader itself remarks."""
    remarks = predictions["test"].remarks
    if "adaptation" in remarks:
        return str(remarks["adaptation"])
    return "full" if LOSS in remarks else "features"


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
    lengths = [len(text) for text in unlabeled_texts(pool)]
    return {
        "rows": float(len(pool)),
        "classes": float(len(pool.classes)),
        "commonest": float(np.bincount(pool.numbers).max() / len(pool)),
        "labelled": float(design.m // len(pool.classes) * len(pool.classes)),
        "duplicates": float(np.mean(duplicate_shares)),
        "pool_share": float((design.m + 2 * design.n) / len(pool)),
        "length_25": float(np.quantile(lengths, 0.25)),
        "length_75": float(np.quantile(lengths, 0.75)),
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
