"""Budget: how long one reader may compute, and how long it would take.

Readers that run on torch take from seconds to days. Before one of them begins, what it
will be trained for and asked is counted, without what is stored, and timed on a few
rows (`measure_pace`). Whether a reader is run thus depends on the machine, and so does
the time that a report states where it is not; nothing else does.

The machine is timed and nothing else: no number of a report depends on it.
"""

import math
import re
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from measurand.core.benchmark import Benchmark
from measurand.core.errors import BadOption, MeasurandError, PastBudget, quote
from measurand.core.items import Items
from measurand.core.reader import Reader, ReadsOnce, Timeable
from measurand.core.recipe import identity, traits_of
from measurand.disk.store import Notice
from measurand.experiment.ask import EPOCHS, SALIENCY, SETTINGS, TEXTS, WORDS, Ask
from measurand.experiment.engine import Trial
from measurand.experiment.pace import (
    Clock,
    Pace,
    measure_pace,
    reading_seconds,
    rows_of_like_length,
    text_lengths,
    texts_of,
)
from measurand.experiment.trial import asked_items, training_items
from measurand.readers.tuning import RATES

ROWS_READ = 64  # rows by which a reader is timed that reads each text once


DEFAULT_BUDGET = "10m"  # what the owner of a laptop may wait for without having asked
UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400}
WORD_STEPS = 16  # gradients of a class that say what each word of an item adds
# The times that are stated: few, so that two runs on a machine state the same.
STEPS = (1, 2, 3, 5, 10, 15, 20, 30, 45)
LONG_STEPS = (1, 1.5, 2, 3, 5, 8, 12, 18, 24)


@dataclass(frozen=True)
class Budget:
    """How long one reader may compute.

    Attributes:
        seconds: On the clock, with all workers; None for as long as it takes.
        announce: Called with what each reader will compute, before it does.
        clock: What readers are timed by.
        paces: Those that were measured.
        granted: The seconds of the plans that were let pass, by reader.
        read_paces: The seconds that a letter takes readers that read each text once.
    """

    seconds: float | None = None
    announce: Notice | None = None
    clock: Clock = time.perf_counter
    paces: dict[tuple[str, int, bool, bool], Pace | None] = field(default_factory=dict)
    granted: dict[str, float] = field(default_factory=dict)
    read_paces: dict[str, float] = field(default_factory=dict)

    @property
    def is_needed(self) -> bool:
        """Whether anything depends on what is planned."""
        return self.seconds is not None or self.announce is not None


def to_seconds(budget: Any) -> float | None:
    """The budget in seconds; None where there is none.

    >>> to_seconds("90s"), to_seconds("10m"), to_seconds("1.5h"), to_seconds(60)
    (90.0, 600.0, 5400.0, 60.0)
    >>> print(to_seconds("none"), to_seconds(None))
    None None
    """
    if budget is None or budget == "none":
        return None
    parts = re.fullmatch(r"(\d{1,9}(?:\.\d{1,9})?)([smhd]?)", str(budget))
    if isinstance(budget, bool) or parts is None:
        raise BadOption(
            f"`budget` is {quote(str(budget))}; give a time such as 90s, 10m or 2h, "
            "or none"
        )
    return float(parts[1]) * UNITS[parts[2] or "s"]


def budget_settings(budget: Budget) -> dict[str, str]:
    """The budget as a report states it; nothing where it is the usual one.

    >>> budget_settings(Budget(7200.0)), budget_settings(Budget(to_seconds("10m")))
    ({'budget': '2h'}, {})
    """
    if budget.seconds == to_seconds(DEFAULT_BUDGET):
        return {}
    if budget.seconds is None:
        return {"budget": "none"}
    duration = exact_duration(budget.seconds).replace("min", "m").replace(" ", "")
    return {"budget": duration}


@dataclass(frozen=True)
class Plan:
    """What a reader will compute.

    Attributes:
        trainings: How often it is trained.
        answers: How many items it is asked about, over all repeats.
        seconds: About how long that takes; None where it could not be timed.
    """

    trainings: int
    answers: int
    seconds: float | None

    def __str__(self) -> str:
        """One line of it.

        >>> print(Plan(78, 60_000, 9_000.0))
        78 trainings and 60,000 answers, about 3 h on this machine
        """
        counts = [f"{self.answers:,} answers"]
        if self.trainings:
            noun = "training" if self.trainings == 1 else "trainings"
            counts.insert(0, f"{self.trainings:,} {noun}")
        duration = "for how long is not known"
        if self.seconds is not None:
            duration = f"about {round_duration(self.seconds)} on this machine"
        return f"{' and '.join(counts)}, {duration}"


@dataclass(frozen=True)
class Work:
    """What trials compute, in what a `Pace` is given for."""

    fits: float
    rows: float
    texts: float
    answers: float

    def seconds(self, pace: Pace) -> float:
        """How long it takes at this pace."""
        return (
            self.fits * pace.fit
            + self.rows * pace.row
            + self.texts * pace.text
            + self.answers * pace.answer
        )


def is_dear(reader: Reader) -> bool:
    """Whether the reader computes here, by more than counts: it is timed first."""
    traits = traits_of(reader)
    return ("torch" in traits.packages or traits.needs_weights) and not traits.remote


def reader_family(reader: Reader) -> str:
    """What seeds of a reader, and arms that adapt to other texts, have in common."""
    return identity(reader.pilot(1) if isinstance(reader, Timeable) else reader)


def plan_trials(
    trials: Sequence[Trial],
    benchmark: Benchmark,
    seed: int,
    budget: Budget,
    at_once: Callable[[int], int],
) -> Plan:
    """What these trials of one reader take, so many of them at once."""
    timings: list[float | None] = []
    conditions: dict[str, Items] = {}
    answers = 0
    groups = [asked_items(ask, benchmark, seed) for trial in trials for ask in trial]
    for trial in trials:
        ask = trial[0]
        condition = identity((ask.fitted_on, ask.fitted_under))
        if condition not in conditions:
            conditions[condition] = training_items(ask, benchmark, seed)
        items = conditions[condition]
        pace = _find_pace(ask.reader, items, budget, writes=ask.what == TEXTS)
        work = _trial_work(trial, len(items), benchmark, seed)
        timings.append(None if pace is None else work.seconds(pace))
        answers += sum(_asked_rows(ask, benchmark, seed) for ask in trial)
    groups += conditions.values()
    reader = trials[0][0].reader if trials else None
    reading = reading_seconds(reader, groups, budget.clock, budget.read_paces)
    measured = [seconds for seconds in timings if seconds is not None]
    trainings = 0 if _is_learned(trials) else sum(map(_trial_trainings, trials))
    if len(measured) < len(timings):
        return Plan(trainings, answers, None)
    longest = max(measured, default=0.0)
    share = sum(measured) / at_once(len(trials)) if measured else 0.0
    return Plan(trainings, answers, reading + max(longest, share))


def sum_plans(plans: Iterable[Plan]) -> Plan:
    """One plan after another."""
    plans = list(plans)
    measured = [plan.seconds for plan in plans if plan.seconds is not None]
    return Plan(
        sum(plan.trainings for plan in plans),
        sum(plan.answers for plan in plans),
        sum(measured) if len(measured) == len(plans) else None,
    )


def announce_plan(name: str, plan: Plan, budget: Budget) -> None:
    """Say what a reader will compute, and raise where that takes too long.

    What it was granted before counts too, so that all together keeps to the budget.
    """
    if plan.answers and budget.announce is not None:
        budget.announce(f"plan: {name}: {plan}")
    before = budget.granted.get(name, 0.0)
    check_plan(plan, budget, before)
    budget.granted[name] = before + (plan.seconds or 0.0)


def check_plan(plan: Plan, budget: Budget, before: float = 0.0) -> None:
    """Raise where the plan, after so many seconds, takes longer than a reader may."""
    if budget.seconds is None or not plan.seconds:
        return
    if before + plan.seconds > budget.seconds:
        spent = f" after about {round_duration(before)} before" if before else ""
        limit = exact_duration(budget.seconds)
        raise PastBudget(f"{plan}{spent}, past the budget of {limit}")


def _trial_trainings(trial: Trial) -> int:
    """How often a trial trains: once, or once a rate where it looks for the best."""
    return len(RATES) if trial[0].what == SETTINGS else 1


def _is_learned(trials: Sequence[Trial]) -> bool:
    """Whether nothing is trained, as the reader learned before."""
    return all(traits_of(trial[0].reader).learned for trial in trials)


def _find_pace(
    reader: Reader, items: Items, budget: Budget, *, writes: bool
) -> Pace | None:
    """The pace on items of about this length, measured once; None where it cannot be.

    What readers refuse, they refuse again when they are run.
    """
    texts = getattr(reader, "texts", ())
    # Items whose lengths are less than half as much again apart are taken for alike.
    length = round(2 * math.log2(1 + float(text_lengths(items).mean())))
    key = (reader_family(reader), length, bool(texts), writes)
    if key not in budget.paces:
        try:
            if isinstance(reader, ReadsOnce):
                # What is read once is no part of the pace.
                items = rows_of_like_length(items, ROWS_READ)
                reader.read_texts(texts_of(items))
            budget.paces[key] = measure_pace(
                reader, items, texts, budget.clock, writes=writes
            )
        except MeasurandError:
            budget.paces[key] = None
    return budget.paces[key]


def _trial_work(trial: Trial, rows: int, benchmark: Benchmark, seed: int) -> Work:
    """What one trial computes; gradients of items cost what training on them does."""
    reader = trial[0].reader
    read = float(reader.rows_read(rows) if isinstance(reader, Timeable) else rows)
    texts = len(getattr(reader, "texts", ()))
    if trial[0].what == SETTINGS:
        return Work(len(RATES), len(RATES) * read, 0, len(RATES) * rows / 10)
    epochs, answers = max(1, round(read / rows)), 0.0
    for ask in trial:
        row_count = _asked_rows(ask, benchmark, seed)
        if ask.what == SALIENCY:
            read += row_count
        elif ask.what == WORDS:
            read += row_count * len(benchmark.classes) * WORD_STEPS
        else:
            answers += row_count * (epochs if ask.what == EPOCHS else 1)
    return Work(1, read, texts, answers)


def _asked_rows(ask: Ask, benchmark: Benchmark, seed: int) -> int:
    """How many items are asked about, over all repeats."""
    return ask.repeats * len(asked_items(ask, benchmark, seed))


def round_duration(seconds: float) -> str:
    """A time in few words, and one of few.

    >>> [round_duration(s) for s in (0.2, 50, 400, 1100, 5000, 20_000, 300_000)]
    ['1 s', '45 s', '5 min', '20 min', '1.5 h', '5 h', '3 days']
    """
    if seconds < 52:
        return f"{_nearest(seconds, STEPS)} s"
    if seconds < 52 * 60:
        return f"{_nearest(seconds / 60, STEPS)} min"
    if seconds < 36 * 3600:
        return f"{_nearest(seconds / 3600, LONG_STEPS)} h"
    return f"{seconds / 86400:.1g} days".replace("e+0", "e")


def _nearest(value: float, steps: Sequence[float]) -> float:
    """The step that is the fewest times more or less."""
    return min(steps, key=lambda step: abs(math.log(step / max(value, 1e-9))))


def exact_duration(seconds: float) -> str:
    """A time as it was given.

    >>> exact_duration(600), exact_duration(90), exact_duration(1_234_567)
    ('10 min', '90 s', '1234567 s')
    """
    for unit, name in ((3600, "h"), (60, "min")):
        if seconds >= unit and seconds % unit == 0:
            return f"{seconds / unit:.15g} {name}"
    return f"{seconds:.15g} s"
