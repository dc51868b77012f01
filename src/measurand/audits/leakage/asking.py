"""What a reader answered: with everything, with one part alone, with only a control."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from measurand.audits.leakage.canonical import ALL, CanonicalBenchmark
from measurand.audits.leakage.settings import EXPLAINED, ONE_CLASS
from measurand.core.arrays import Ints
from measurand.core.benchmark import Benchmark
from measurand.core.errors import CannotIntervene, PastBudget
from measurand.core.intervention import AsIs, Intervention, Refusing
from measurand.core.reader import (
    Reader,
    Seeded,
    TracesEpochs,
    skip_temperature,
)
from measurand.core.recipe import traits_of
from measurand.experiment.ask import (
    EMBEDDING,
    EPOCHS,
    SALIENCY,
    Ask,
    Predictions,
    ReaderMeasures,
)
from measurand.experiment.crossfit import asked_reader, calibrate_across
from measurand.experiment.experiment import (
    Experiment,
    ask_all,
    check_budget,
    measure_all,
    reopen_experiment,
    resolve_asks,
)
from measurand.experiment.ladder import way_to_run
from measurand.interventions.fields import Keep
from measurand.interventions.words import Lengths, Mask, Overlaps, Scramble
from measurand.selections.rows import Fold, Sample

FULL = "full"
Condition = tuple[str, str]  # its kind first: a field may be called like a control
PAIR, ALONE, CONTROL = ("pair", ""), "alone", "control"
BLOCKS, BLOCK_ROWS = 25, 20  # of each side, on which a control is tried first


def control_interventions(fields: tuple[str, ...]) -> Mapping[str, Intervention]:
    """What little should give nothing away, and what little should be missed."""
    interventions: dict[str, Intervention] = {
        "length only": Lengths(),
        "words shuffled": Scramble(),
        "negation masked": Mask("negation"),
        "function words masked": Mask("function"),
        "content words masked": Mask("content"),
    }
    return interventions | ({"overlap only": Overlaps()} if len(fields) > 1 else {})


def reading_conditions(canonical: CanonicalBenchmark) -> dict[Condition, Intervention]:
    """The pair, and each part of it alone; one field is against the majority."""
    singles = canonical.parts if len(canonical.fields) > 1 else ()
    return {PAIR: AsIs(), **{(ALONE, field): Keep(field) for field in singles}}


@dataclass(frozen=True, eq=False)
class Runs:
    """What a reader answered about every item, once a run.

    A run is a seed of the reader, or a way of cutting the items into folds.

    Attributes:
        ids: The item ids.
        gold: The number of each item's label.
        probabilities: Runs × items × classes.
        remarks: What the reader said beside its answers.
    """

    ids: tuple[str, ...]
    gold: NDArray[np.int64]
    probabilities: NDArray[np.float32]
    remarks: Mapping[str, float | str]

    @property
    def answers(self) -> NDArray[np.int64]:
        """The likeliest class: runs × items."""
        return np.asarray(self.probabilities.argmax(axis=2), np.int64)

    @property
    def right(self) -> NDArray[np.bool_]:
        """Whether each answer is right: runs × items."""
        return np.asarray(self.answers == self.gold)


def is_one_class(runs: Runs) -> bool:
    """Whether some run gave nearly all items one answer."""
    commonest = [np.bincount(answers).max() / len(answers) for answers in runs.answers]
    return bool(max(commonest) >= ONE_CLASS)


@dataclass(frozen=True, eq=False)
class Evaluation:
    """Where readers are asked: on the split and, where we drew it, out of fold."""

    canonical: CanonicalBenchmark
    split_experiment: Experiment
    fold_experiment: Experiment | None
    folds: int
    draws: int

    @property
    def is_cut(self) -> bool:
        """Whether the items were cut into folds, each read by who learned the rest."""
        return self.fold_experiment is not None

    @property
    def experiment(self) -> Experiment:
        """Where readers are scored."""
        return (
            self.split_experiment
            if self.fold_experiment is None
            else self.fold_experiment
        )


@contextmanager
def open_evaluation(
    experiment: Experiment, canonical: CanonicalBenchmark, folds: int, draws: int
) -> Iterator[Evaluation]:
    """The same seed, store and workers for the settled benchmark."""
    with reopen_experiment(experiment, canonical.benchmark) as split_experiment:
        if canonical.pool is None:
            yield Evaluation(canonical, split_experiment, None, folds, draws)
            return
        pool_benchmark = replace(
            canonical.benchmark,
            train=canonical.pool,
            test=canonical.pool,
            test_parts={},
        )
        with reopen_experiment(experiment, pool_benchmark) as fold_experiment:
            yield Evaluation(canonical, split_experiment, fold_experiment, folds, draws)


@dataclass(frozen=True, eq=False)
class LeakageAnswers:
    """Everything one reader said and showed.

    Attributes:
        pair: Its answers with all fields.
        alone: Its answers with one field, learned with that field alone.
        controls: Its answers with only a control.
        elsewhere: Its answers about the other test parts, by what findings call them.
        refused: Controls that cannot be made of these texts, and second trainings
            past the budget; and why.
    """

    pair: Runs
    alone: Mapping[str, Runs]
    controls: Mapping[str, Runs]
    refused: Mapping[str, str]
    elsewhere: Mapping[str, "LeakageAnswers"]


def ask_parts(
    evaluation: Evaluation,
    name: str,
    reader: Reader,
    seeds: int | None,
    *,
    with_controls: bool,
    inspected: bool,
) -> LeakageAnswers:
    """Ask under every condition; one recipe serves them all.

    Where the reader is `inspected`, what it shows of itself is asked beside.
    """
    parts = evaluation.canonical.parts
    wanted = reading_conditions(evaluation.canonical)
    extra, refused = _feasible_controls(evaluation) if with_controls else ({}, {})
    changes = {**wanted, **extra}
    members = repeat_reader(evaluation, reader, seeds)
    scored = [asked_reader(each, cut=evaluation.is_cut) for each in members]
    # Controls are asked for accuracies alone, which need no calibrated probabilities,
    # and in one way: they are four in five of all trainings, and decide nothing.
    quick_members = [skip_temperature(members[0])]
    plan = {
        condition: _plan_asks(
            evaluation, quick_members if condition in extra else scored, change
        )
        for condition, change in changes.items()
    }
    questions = [
        question for schedule in plan.values() for run in schedule for question in run
    ]
    # What the readers show of themselves is asked in the same trials as their answers.
    also = questions if evaluation.fold_experiment is None else []
    plain = dict.fromkeys(wanted, members)
    other_tests = evaluation.canonical.other_tests
    plans = [_plan_elsewhere(evaluation, plain, part) for part in other_tests]
    others = [ask for elsewhere in plans for asks in elsewhere.values() for ask in asks]
    inspections = [*also, *others]
    if inspected:
        inspections += _inspection_asks(members[0], evaluation.canonical)
    beside = [] if also else [(evaluation.experiment, questions)]
    check_budget(name, (evaluation.split_experiment, inspections), *beside)
    resolve_asks(evaluation.split_experiment, inspections)
    predictions = iter(ask_all(evaluation.experiment, questions))
    by_condition = {
        condition: gather_runs([[next(predictions) for _ in run] for run in schedule])
        for condition, schedule in plan.items()
    }
    retried: dict[Condition, Runs] = {}
    try:
        retried = _retry_parts(evaluation, name, reader, seeds, by_condition)
        by_condition |= retried
    except PastBudget as reason:
        refused["a second training, after one part gave one class,"] = way_to_run(
            "leakage", reason
        )
    if retried:
        again = repeat_reader(evaluation, reader, seeds, again=True)
        plain |= dict.fromkeys(retried, again)
    elsewhere = {part: _ask_elsewhere(evaluation, plain, part) for part in other_tests}
    return _sort_answers(by_condition, parts, refused, elsewhere)


def _feasible_controls(
    evaluation: Evaluation,
) -> tuple[dict[Condition, Intervention], dict[str, str]]:
    """The controls that these texts allow, and why others cannot be made."""
    feasible: dict[Condition, Intervention] = {}
    refused = {}
    for control, change in control_interventions(evaluation.canonical.fields).items():
        try:
            check_change(change, evaluation.canonical.benchmark)
            feasible[CONTROL, control] = change
        except CannotIntervene as reason:
            refused[control] = str(reason)
    return feasible, refused


def check_change(change: Intervention, benchmark: Benchmark) -> None:
    """Refuse a change that some of the items do not allow.

    Blocks of them are tried, since a fold must allow it too: where a word here and
    there is English, all items together do, and a fold need not.
    """
    if not isinstance(change, Refusing):
        return
    for items in (benchmark.train, benchmark.test):
        last = max(len(items) - BLOCK_ROWS, 0)
        for start in np.unique(np.linspace(0, last, BLOCKS).astype(int)):
            rows = np.arange(start, min(start + BLOCK_ROWS, len(items)))
            change.check_items(items.rows(rows))


def _sort_answers(
    by_condition: Mapping[Condition, Runs],
    parts: tuple[str, ...],
    refused: Mapping[str, str],
    elsewhere: Mapping[str, LeakageAnswers],
) -> LeakageAnswers:
    """The answers by kind of condition; of one field, the pair is that field alone."""
    of_kind = {
        wanted_kind: {
            condition: runs
            for (kind, condition), runs in by_condition.items()
            if kind == wanted_kind
        }
        for wanted_kind in (ALONE, CONTROL)
    }
    pair = by_condition[PAIR]
    alone = of_kind[ALONE] or {parts[0]: pair}
    return LeakageAnswers(pair, alone, of_kind[CONTROL], refused, elsewhere)


def _plan_elsewhere(
    evaluation: Evaluation, members: Mapping[Condition, Sequence[Reader]], part: str
) -> dict[Condition, list[Ask]]:
    """What is asked about another test part, of those who learned on the split."""
    changes = reading_conditions(evaluation.canonical)
    several = evaluation.fold_experiment is None
    return {
        condition: [
            Ask(member, fitted_under=change, under=change, part=part)
            for member in members[condition][: None if several else 1]
        ]
        for condition, change in changes.items()
    }


def _ask_elsewhere(
    evaluation: Evaluation, members: Mapping[Condition, Sequence[Reader]], part: str
) -> LeakageAnswers:
    """What was answered about another test part."""
    plan = _plan_elsewhere(evaluation, members, part)
    asks = [ask for asks in plan.values() for ask in asks]
    predictions = iter(ask_all(evaluation.split_experiment, asks))
    by_condition = {
        condition: gather_runs([[next(predictions)] for _ in asks])
        for condition, asks in plan.items()
    }
    return _sort_answers(by_condition, evaluation.canonical.parts, {}, {})


def _retry_parts(
    evaluation: Evaluation,
    name: str,
    reader: Reader,
    seeds: int | None,
    by_condition: Mapping[Condition, Runs],
) -> dict[Condition, Runs]:
    """The parts from which a trained reader said one class, once more, other seeds."""
    collapsed = [
        condition
        for condition, runs in by_condition.items()
        if condition[0] == ALONE and is_one_class(runs)
    ]
    if not (collapsed and isinstance(reader, Seeded)):
        return {}
    members = repeat_reader(evaluation, reader, seeds, again=True)
    plan = {
        condition: _plan_asks(evaluation, members, Keep(condition[1]))
        for condition in collapsed
    }
    asks = [ask for schedule in plan.values() for run in schedule for ask in run]
    check_budget(name, (evaluation.experiment, asks))
    predictions = iter(ask_all(evaluation.experiment, asks))
    return {
        condition: gather_runs([[next(predictions) for _ in run] for run in schedule])
        for condition, schedule in plan.items()
    }


def ask_alone(
    evaluation: Evaluation,
    reader: Reader,
    change: Intervention,
    fitted_under: Intervention | None = None,
    name: str = "",
) -> Runs:
    """What a reader answers from one part alone; cut into folds in one way.

    It learns under the same change, where no other is named. A reader that may be dear
    is given its name, under which its time is announced.
    """
    plan = _plan_asks(evaluation, [reader], change, fitted_under or change)
    asks = [ask for run in plan for ask in run]
    if name:
        check_budget(name, (evaluation.experiment, asks))
    answers = iter(ask_all(evaluation.experiment, asks))
    return gather_runs([[next(answers) for _ in run] for run in plan])


def repeat_reader(
    evaluation: Evaluation, reader: Reader, seeds: int | None, *, again: bool = False
) -> list[Reader]:
    """The reader once a run; with seeds that it has not had where it is `again`."""
    cut = evaluation.fold_experiment is not None
    # Who learns no labels says the same, whatever items the other folds hold.
    count = evaluation.draws if cut and traits_of(reader).learns_labels else 1
    if isinstance(reader, Seeded):
        count = count if cut else seeds or reader.default_seeds()
        return list(reader.with_seeds(count, count if again else 0))
    return [reader] * count


def calibrate_answers(answers: LeakageAnswers, clusters: Ints) -> LeakageAnswers:
    """The answers at the temperature that is best for those about other items.

    Items that hang together share a fold; no item has a say in its own temperature.
    """
    alone = {f: calibrate_runs(runs, clusters) for f, runs in answers.alone.items()}
    return replace(answers, pair=calibrate_runs(answers.pair, clusters), alone=alone)


def calibrate_runs(runs: Runs, clusters: Ints) -> Runs:
    """What was answered under one condition, at such temperatures."""
    tables = [calibrate_across(p, runs.gold, clusters) for p in runs.probabilities]
    return replace(runs, probabilities=np.array(tables, np.float32))


def _plan_asks(
    evaluation: Evaluation,
    members: Sequence[Reader],
    change: Intervention,
    fitted_under: Intervention | None = None,
) -> list[list[Ask]]:
    """What is asked in each run: about all test items, or fold after fold."""
    learned = fitted_under or change
    if evaluation.fold_experiment is None:
        return [[Ask(member, fitted_under=learned, under=change)] for member in members]
    columns = evaluation.canonical.benchmark.drawn_by
    return [
        [
            Ask(
                member,
                fitted_on=Fold(number, evaluation.folds, "train", columns, draw),
                fitted_under=learned,
                about=Fold(number, evaluation.folds, "test", columns, draw),
                under=change,
            )
            for number in range(evaluation.folds)
        ]
        for draw, member in enumerate(members)
    ]


def gather_runs(predictions_by_run: Sequence[Sequence[Predictions]]) -> Runs:
    """The runs side by side, their items in one order."""
    blocks = []
    for run in predictions_by_run:
        ids = np.concatenate([np.array(fold.ids, object) for fold in run])
        order = np.argsort(ids.astype(str), kind="stable")
        probabilities = np.concatenate([fold.probabilities[0] for fold in run])[order]
        gold = np.concatenate([fold.gold for fold in run])[order]
        blocks.append((tuple(ids[order]), gold, probabilities))
    first_ids, gold, _ = blocks[0]
    remarks = predictions_by_run[0][0].remarks
    return Runs(
        first_ids,
        gold,
        np.stack([probabilities for _, _, probabilities in blocks]),
        remarks,
    )


def _inspection_asks(reader: Reader, canonical: CanonicalBenchmark) -> list[Ask]:
    """What the pair reader and the single ones show of themselves."""
    if canonical.has_choices:
        return []  # it reads pairs of item and choice, which are asked about apart
    fields = canonical.fields
    sample = Sample(EXPLAINED)
    asks = [Ask(reader, about=sample, what=SALIENCY)]
    for field in fields:
        keep = Keep(field)
        asks.append(Ask(reader, under=keep, what=EMBEDDING, part=ALL))
        if len(fields) > 1:
            question = Ask(
                reader, fitted_under=keep, about=sample, under=keep, what=SALIENCY
            )
            asks.append(question)
    return (
        [*asks, Ask(reader, what=EPOCHS)] if isinstance(reader, TracesEpochs) else asks
    )


def measure_embedding(
    evaluation: Evaluation, reader: Reader, change: Intervention
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Where the pair reader puts one part of the test and of the training items."""
    question = Ask(reader, under=change, what=EMBEDDING, part=ALL)
    (embedding,) = measure_all(evaluation.split_experiment, [question])
    train_size = len(evaluation.canonical.benchmark.train)
    return embedding.values[0, train_size:], embedding.values[0, :train_size]


def measure_epochs(evaluation: Evaluation, reader: Reader) -> ReaderMeasures | None:
    """What the pair reader thought of the test items after each epoch."""
    if not isinstance(reader, TracesEpochs) or evaluation.canonical.has_choices:
        return None
    (trace,) = measure_all(evaluation.split_experiment, [Ask(reader, what=EPOCHS)])
    return trace


def measure_relevance(
    evaluation: Evaluation, reader: Reader, field: str
) -> tuple[ReaderMeasures, ReaderMeasures]:
    """The tokens' relevance to the pair reader, and to the reader of one part."""
    sample, keep = Sample(EXPLAINED), Keep(field)
    pair, single = measure_all(
        evaluation.split_experiment,
        [
            Ask(reader, fitted_under=AsIs(), about=sample, what=SALIENCY),
            Ask(reader, fitted_under=keep, about=sample, under=keep, what=SALIENCY),
        ],
    )
    return pair, single
