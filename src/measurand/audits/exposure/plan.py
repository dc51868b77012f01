"""What a study will take, from a few trials that are measured first."""

import time
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from measurand.audits.exposure.arms import (
    TRANSFER,
    arm_asks,
    check_adaptable,
    group_draws,
    unlabeled_texts,
)
from measurand.audits.exposure.study import (
    DRAWS_AT_ONCE,
    Design,
    pool_tasks,
    suit_reader,
)
from measurand.core.benchmark import Benchmark
from measurand.core.errors import PastBudget
from measurand.core.items import Items
from measurand.core.reader import Reader
from measurand.core.task import Task
from measurand.experiment.ask import ANSWER_CODEC, Ask, ask_key
from measurand.experiment.budget import (
    Plan,
    announce_plan,
    is_dear,
    round_duration,
    sum_plans,
)
from measurand.experiment.experiment import (
    Experiment,
    ask_all,
    plan_asks,
    reopen_experiment,
)
from measurand.experiment.ladder import check_any_run, way_to_run
from measurand.text.words import words

SAMPLED_TEXTS = 200  # texts of a task whose length is counted
TOKENS_PER_WORD = 4 / 3  # tokens a word, about
TIMED_GROUPS = 2  # draws, or groups of them, run first: one to warm up, one is timed


@dataclass(frozen=True)
class StudyPlan:
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
        duration = "unknown" if self.seconds is None else round_duration(self.seconds)
        return (
            f"plan: {self.trials:,} trials, about {_format_count(self.tokens)} tokens, "
            f"{duration}, {_format_count(self.disk)}B on disk"
        )


def add_plans(plans: Sequence[StudyPlan]) -> StudyPlan:
    """The plans of several sizes as one."""
    timed = [plan.seconds for plan in plans if plan.seconds is not None]
    return StudyPlan(
        sum(plan.trials for plan in plans),
        sum(plan.tokens for plan in plans),
        sum(timed) if timed else None,
        sum(plan.disk for plan in plans),
    )


def plan_study(
    experiment: Experiment,
    tasks: Mapping[str, Benchmark],
    readers: Mapping[str, Reader],
    design: Design,
    about: Mapping[str, Task] | None = None,
) -> StudyPlan:
    """What the study takes besides what is stored, after a few draws of each reader.

    These draws are the study's own, so nothing of them is lost. Other tasks take as
    much longer as their texts are.
    """
    check_adaptable(readers, design.arms)
    trials = tokens = disk = 0
    pace: dict[str, float] = {}  # seconds a token
    size: dict[str, float] = {}  # bytes a trial and class
    seconds = 0.0
    for task, pool in pool_tasks(tasks, design).items():
        trial_tokens = _texts_per_trial(design) * _tokens_per_text(pool.train)
        classes = len(pool.train.classes)
        with reopen_experiment(experiment, pool) as task_experiment:
            for name, recipe in readers.items():
                reader = suit_reader(recipe, (about or {}).get(task))
                remaining = _missing_draws(task_experiment, reader, design)
                if is_dear(reader) and remaining and len(remaining[0]) == 1:
                    plan = _plan_draws(task_experiment, reader, design, remaining)
                    trials += plan.trainings
                    tokens += round(plan.trainings * trial_tokens)
                    seconds += plan.seconds or 0.0
                    pace.setdefault(name, 0.0)
                    continue
                if len(remaining) > TIMED_GROUPS and name not in pace:
                    duration, stored_bytes = _time_draws(
                        task_experiment, reader, design, remaining[:TIMED_GROUPS]
                    )
                    timed_trials = len(remaining[TIMED_GROUPS - 1]) * len(design.arms)
                    pace[name] = duration / (timed_trials * trial_tokens)
                    size[name] = stored_bytes / (timed_trials * classes)
                    remaining = remaining[TIMED_GROUPS:]
                count = sum(map(len, remaining)) * len(design.arms)
                trials += count
                tokens += round(count * trial_tokens)
                seconds += pace.get(name, 0.0) * count * trial_tokens
                disk += round(size.get(name, 0.0) * count * classes)
    return StudyPlan(trials, tokens, seconds if pace else None, disk)


def affordable_readers(
    experiment: Experiment,
    tasks: Mapping[str, Benchmark],
    readers: Mapping[str, Reader],
    designs: Sequence[Design],
    about: Mapping[str, Task] | None = None,
    *,
    needed: bool = True,
) -> tuple[dict[str, Reader], dict[str, str]]:
    """The readers that the study may take, and why it may not take the others.

    Where one is needed, a study that may take none of them is refused.
    """
    budget = experiment.budget
    if not (budget.is_needed and any(map(is_dear, readers.values()))):
        return dict(readers), {}
    plans: dict[str, list[Plan]] = {name: [] for name in readers}
    for design in designs:
        check_adaptable(readers, design.arms)
        for task, pool in pool_tasks(tasks, design).items():
            with reopen_experiment(experiment, pool) as task_experiment:
                for name, recipe in readers.items():
                    reader = suit_reader(recipe, (about or {}).get(task))
                    remaining = _missing_draws(task_experiment, reader, design)
                    if is_dear(reader) and remaining:
                        plan = _plan_draws(task_experiment, reader, design, remaining)
                        plans[name].append(plan)
    not_run: dict[str, str] = {}
    for name, reader_plans in plans.items():
        try:
            announce_plan(name, sum_plans(reader_plans), budget)
        except PastBudget as reason:
            not_run[name] = way_to_run("exposure", reason)
    chosen = {name: r for name, r in readers.items() if name not in not_run}
    if needed:
        check_any_run([*chosen], not_run)
    return chosen, not_run


def _plan_draws(
    experiment: Experiment, reader: Reader, design: Design, remaining: Sequence[range]
) -> Plan:
    """What these draws take: draws that are learned together are tried, others timed.

    What was tried is the study's own, so nothing of it is lost.
    """
    if len(remaining[0]) > 1:
        tried, rest = remaining[:TIMED_GROUPS], remaining[TIMED_GROUPS:]
        seconds, _ = _time_draws(experiment, reader, design, tried)
        trainings = len(design.arms) * sum(map(len, rest))
        return Plan(trainings, trainings * design.n, seconds * len(rest))
    sample = remaining[:DRAWS_AT_ONCE]
    asks = [
        ask
        for numbers in sample
        for ask in _asks_of_draws(experiment, reader, design, numbers)
    ]
    plan, times = plan_asks(experiment, asks), len(remaining) / len(sample)
    return Plan(
        round(plan.trainings * times),
        round(plan.answers * times),
        None if plan.seconds is None else plan.seconds * times,
    )


def _missing_draws(
    experiment: Experiment, reader: Reader, design: Design
) -> list[range]:
    """The draws that are not stored: they are run in order, so all from the first."""
    draw_groups = group_draws(reader, design.repeats)
    first = bisect_left(
        draw_groups,
        True,
        key=lambda numbers: (
            not all(
                _has_answers(experiment, ask)
                for ask in _asks_of_draws(experiment, reader, design, numbers)
            )
        ),
    )
    return draw_groups[first:]


def _asks_of_draws(
    experiment: Experiment, reader: Reader, design: Design, numbers: range
) -> list[Ask]:
    """What is asked in these draws."""
    # The sibling texts of a transfer arm are not known here; it costs what extra does.
    arms = [arm for arm in design.arms_of(reader) if arm != TRANSFER]
    return arm_asks(experiment, reader, design.m, design.n, numbers, arms)


def _has_answers(experiment: Experiment, ask: Ask) -> bool:
    """Whether the answer is in the store."""
    key = ask_key(ask, experiment.benchmark, experiment.seed)
    return experiment.store.has(key, ANSWER_CODEC)


def _time_draws(
    experiment: Experiment, reader: Reader, design: Design, draw_groups: Sequence[range]
) -> tuple[float, float]:
    """The seconds that the last of these draws take, and the bytes of the answers."""
    for numbers in draw_groups:
        group_asks = _asks_of_draws(experiment, reader, design, numbers)
        start = time.perf_counter()
        ask_all(experiment, group_asks)
        seconds = time.perf_counter() - start
    files = [
        path
        for ask in group_asks
        for path in experiment.store.paths(
            ask_key(ask, experiment.benchmark, experiment.seed), ANSWER_CODEC
        )
    ]
    return seconds, float(sum(path.stat().st_size for path in files))


def _texts_per_trial(design: Design) -> float:
    """The texts that a trial reads, on average over the arms."""
    reading = len(design.arms) - 1  # all but base read n more
    return design.m + design.n + design.n * reading / len(design.arms)


def _tokens_per_text(pool: Items) -> float:
    """About how many tokens a text has, on average."""
    sample = unlabeled_texts(pool)[:: max(1, len(pool) // SAMPLED_TEXTS)]
    return TOKENS_PER_WORD * sum(len(words(text)) for text in sample) / len(sample)


def _format_count(count: float) -> str:
    """A large number in few letters.

    >>> _format_count(1234), _format_count(5_600_000), _format_count(12)
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
