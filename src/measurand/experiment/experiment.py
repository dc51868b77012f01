"""The one call by which audits ask, and the workplace that answers are kept in."""

import tempfile
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from measurand.core.benchmark import Benchmark
from measurand.core.errors import ReaderFailed
from measurand.core.reader import Reader, Tunable
from measurand.disk.digests import keep_digests
from measurand.disk.files import keep_calls
from measurand.disk.store import Codec, Notice, Store, Thing
from measurand.experiment import ENGINES
from measurand.experiment.ask import (
    ANSWER_CODEC,
    SETTINGS,
    TEXTS,
    Answer,
    Ask,
    AskGroup,
    Predictions,
    ReaderMeasures,
    WrittenAnswers,
    answer_fits,
    answer_key,
    ask_key,
    check_key,
)
from measurand.experiment.budget import (
    Budget,
    Plan,
    announce_plan,
    check_plan,
    is_dear,
    plan_trials,
    reader_family,
    sum_plans,
    to_seconds,
)
from measurand.experiment.crossfit import fold_asks, join_folds
from measurand.experiment.engine import Engine, Trial
from measurand.experiment.trial import asked_items, limit_threads
from measurand.settings.running import HERE, Cluster

Watch = Callable[[int, int], None]


@dataclass(frozen=True)
class Experiment:
    """A benchmark, and how questions about it are answered.

    Attributes:
        benchmark: What is asked about.
        seed: The root of every random stream.
        store: Where answers are kept.
        engine: What runs the trials.
        watch: Called with how many trials are done, of how many.
        notice: Called with what the user should know, such as a damaged file.
        tally: Counts of answers computed and reused, for the run's log.
        budget: How long one reader may compute.
    """

    benchmark: Benchmark
    seed: int
    store: Store
    engine: Engine
    watch: Watch
    notice: Notice
    tally: dict[str, int] = field(default_factory=lambda: {"computed": 0, "reused": 0})
    budget: Budget = field(default_factory=Budget)


@contextmanager
def open_experiment(
    benchmark: Benchmark,
    *,
    seed: int = 0,
    store: Path | str | None = None,
    workers: int | None = 1,
    cluster: Cluster = HERE,
    watch: Watch = lambda done, total: None,
    notice: Notice = lambda line: None,
    budget: Budget | str | float | None = None,
) -> Iterator[Experiment]:
    """An experiment; its worker processes end with it.

    Args:
        benchmark: What is asked about.
        seed: The root of every random stream.
        store: Where answers are kept; without it, only as long as this is open.
        workers: How many processes are started to work; None starts one a core, once
            the work is worth it.
        cluster: What runs the trials, and what it gives them.
        watch: Called with how many trials are done, of how many.
        notice: Called with what the user should know.
        budget: How long one reader on torch may compute: "90s", "10m", "2h" or seconds;
            None for as long as it takes. A `Budget` also says how the plan
            is announced.
    """
    limit = budget if isinstance(budget, Budget) else Budget(to_seconds(budget))
    with ExitStack() as stack:
        if store is None:
            temporary = tempfile.TemporaryDirectory(prefix="measurand-")
            store = stack.enter_context(temporary)
        answer_store = Store(Path(store))
        answer_store.announce_format(notice)
        stack.enter_context(keep_digests(answer_store))
        runner: Engine = ENGINES.thing(cluster.engine)(
            benchmark, seed, answer_store, workers, **cluster.terms
        )
        stack.push(
            # Whatever is no Exception stops the run: Ctrl-C, or an exit.
            lambda kind, *_: runner.close(
                hurry=kind is not None and not issubclass(kind, Exception)
            )
        )
        yield Experiment(
            benchmark, seed, answer_store, runner, watch, notice, budget=limit
        )


@contextmanager
def reopen_experiment(
    experiment: Experiment, benchmark: Benchmark
) -> Iterator[Experiment]:
    """The same seed, store and engine for another cut of the benchmark."""
    engine = experiment.engine.for_benchmark(benchmark)
    try:
        yield replace(experiment, benchmark=benchmark, engine=engine)
    finally:
        engine.close()


def ask_all(experiment: Experiment, asks: Sequence[Ask]) -> list[Predictions]:
    """The answer to each ask: from the store where it is kept, else computed."""
    return [
        _to_predictions(ask, answer, experiment)
        for ask, answer in zip(asks, resolve_asks(experiment, asks), strict=True)
    ]


def measure_all(experiment: Experiment, asks: Sequence[Ask]) -> list[ReaderMeasures]:
    """What the readers show of themselves: embeddings, saliency, epochs."""
    return [
        ReaderMeasures(_asked_ids(ask, experiment), answer.values)
        for ask, answer in zip(asks, resolve_asks(experiment, asks), strict=True)
    ]


def write_all(experiment: Experiment, asks: Sequence[Ask]) -> list[WrittenAnswers]:
    """What the readers write to each ask, which is for texts."""
    return [
        WrittenAnswers(
            _asked_ids(ask, experiment),
            answer.texts or (),
            answer.donors,
            answer.remarks,
        )
        for ask, answer in zip(asks, resolve_asks(experiment, asks), strict=True)
    ]


def tune_reader(experiment: Experiment, name: str, reader: Reader) -> Reader:
    """The reader with its best settings for all fields; others are left as they are."""
    if not isinstance(reader, Tunable):
        return reader
    asks = [Ask(reader, what=SETTINGS)]
    check_budget(name, (experiment, asks))
    (answer,) = resolve_asks(experiment, asks)
    better: Reader = replace(reader, **answer.remarks)  # type: ignore[type-var]
    return better


def lift_budget(experiment: Experiment) -> Experiment:
    """The same experiment for readers that may take as long as they take."""
    return replace(experiment, budget=Budget())


def renew_budget(experiment: Experiment) -> Experiment:
    """The same experiment for another audit, with the whole budget for each reader."""
    return replace(experiment, budget=replace(experiment.budget, granted={}))


def check_budget(name: str, *parts: tuple[Experiment, Sequence[Ask]]) -> None:
    """Announce what a reader will compute, and raise where that takes too long.

    An audit that asks a reader in several calls checks them all before the first; what
    it checks later is held against what was left.

    Args:
        name: What the reader is called.
        *parts: What it will be asked, and where.
    """
    budget = parts[0][0].budget
    if not budget.is_needed or not any(
        is_dear(a.reader) for _, asks in parts for a in asks
    ):
        return
    plans = [plan_asks(experiment, asks) for experiment, asks in parts]
    announce_plan(name, sum_plans(plans), budget)


def plan_asks(experiment: Experiment, asks: Sequence[Ask]) -> Plan:
    """What the asks of dear readers take, without what is stored."""
    asks = [part for ask in asks for part in fold_asks(ask, experiment.benchmark)]
    keys = [ask_key(ask, experiment.benchmark, experiment.seed) for ask in asks]
    stored = {k for k in keys if experiment.store.has(k, ANSWER_CODEC)}
    missing = _missing_asks(keys, asks, stored)
    return _plan_missing(experiment, _to_trials(missing.values()))


def _plan_missing(experiment: Experiment, trials: Sequence[Trial]) -> Plan:
    """What those of the trials take that are dear."""
    # What a group takes is not known from what one of it does: see the study's plan.
    dear = [t for t in trials if is_dear(t[0].reader) and t[0].group is None]
    where = experiment.benchmark, experiment.seed, experiment.budget
    return plan_trials(dear, *where, experiment.engine.at_once)


def _missing_asks(
    keys: Sequence[str], asks: Sequence[Ask], stored: Container[str]
) -> dict[str, Ask]:
    """What must be asked, by its key."""
    pairs = list(zip(keys, asks, strict=True))
    lacking = {ask.group for k, ask in pairs if k not in stored}
    return {
        k: ask
        for k, ask in pairs
        # A group is learned again as a whole, so that a kill changes no number.
        if k not in stored or (ask.group and ask.group in lacking)
    }


def _to_trials(asks: Iterable[Ask]) -> list[Trial]:
    """The asks of a fit or a group as one trial."""
    trials: dict[tuple[str | AskGroup, bool], list[Ask]] = {}
    for ask in asks:
        trials.setdefault((ask.group or ask.fit, ask.what == TEXTS), []).append(ask)
    return [tuple(trial) for trial in trials.values()]


def resolve_asks(experiment: Experiment, asks: Sequence[Ask]) -> list[Answer]:
    """The numbers for each ask; those of a fit or a group are one trial."""
    benchmark = experiment.benchmark
    by_fold = [part for ask in asks for part in fold_asks(ask, benchmark)]
    answers = _resolve_each(experiment, by_fold)
    return join_folds(asks, answers, benchmark, experiment.seed)


def _resolve_each(experiment: Experiment, asks: Sequence[Ask]) -> list[Answer]:
    """The numbers for each ask, none of which is cut into folds any more."""
    benchmark = experiment.benchmark
    keys = [ask_key(ask, benchmark, experiment.seed) for ask in asks]
    stored_answers = {
        k: _read_answer(experiment, k, ask)
        for k, ask in dict(zip(keys, asks, strict=True)).items()
    }
    stored = {k for k, answer in stored_answers.items() if answer is not None}
    missing = _missing_asks(keys, asks, stored)
    trials = _to_trials(missing.values())
    _check_each_reader(experiment, trials)
    experiment.tally["reused"] += len(stored_answers) - len(missing)
    experiment.tally["computed"] += len(missing)
    experiment.watch(0, len(trials))
    finished_trials = experiment.engine.run(trials)
    for done, _ in enumerate(finished_trials, start=1):
        experiment.watch(done, len(trials))
    for k, ask in missing.items():
        stored_answers[k] = _read_answer(experiment, k, ask)
        if stored_answers[k] is None:
            check_key(k, ask_key(ask, benchmark, experiment.seed))
            raise ReaderFailed(
                f"{type(ask.reader).__name__} gave no {ask.what} that could be kept: "
                "numbers must be finite, and shares of classes sum to 1; see "
                "measurand.check_reader"
            )
    return [answer for k in keys if (answer := stored_answers[k]) is not None]


def _read_answer(experiment: Experiment, key: str, ask: Ask) -> Answer | None:
    """The answer that is kept, where it can be one to this ask."""
    count = len(asked_items(ask, experiment.benchmark, experiment.seed))
    classes = len(experiment.benchmark.classes)
    codec = ANSWER_CODEC.only(lambda stored: answer_fits(stored, ask, count, classes))
    return experiment.store.read(key, codec, experiment.notice)


def _check_each_reader(experiment: Experiment, trials: Sequence[Trial]) -> None:
    """Raise where one of the readers would take too long: whoever asks, audit or not.

    A part of what was checked before takes no longer than the whole.
    """
    if experiment.budget.seconds is None:
        return
    by_reader: dict[str, list[Trial]] = {}
    for trial in trials:
        by_reader.setdefault(reader_family(trial[0].reader), []).append(trial)
    for reader_trials in by_reader.values():
        check_plan(_plan_missing(experiment, reader_trials), experiment.budget)


def compute_once(
    experiment: Experiment,
    material: Sequence[Any],
    codec: Codec[Thing],
    compute: Callable[[], Thing],
) -> Thing:
    """What is computed: from the store where it is kept, else here, and then kept.

    Its key is made of `material`: all that it depends on.
    """
    key = answer_key(*material)
    thing = experiment.store.read(key, codec, experiment.notice)
    experiment.tally["computed" if thing is None else "reused"] += 1
    if thing is None:
        # One thread: sums in another order differ in the last bit, and tip a token.
        with limit_threads(), keep_calls(experiment.store.directory):
            thing = compute()
        check_key(key, answer_key(*material))
        experiment.store.write(key, codec, thing)
    return thing


def _asked_ids(ask: Ask, experiment: Experiment) -> tuple[str, ...]:
    """The ids of the items that are asked about."""
    return tuple(asked_items(ask, experiment.benchmark, experiment.seed).ids.tolist())


def _to_predictions(ask: Ask, answer: Answer, experiment: Experiment) -> Predictions:
    """An answer joined with the items it is about."""
    items = asked_items(ask, experiment.benchmark, experiment.seed)
    classes = experiment.benchmark.classes
    ids = tuple(items.ids.tolist())  # pandas gives them one at a time slowly
    gold = items.gold(classes)
    return Predictions(ids, classes, gold, answer.values, answer.donors, answer.remarks)
