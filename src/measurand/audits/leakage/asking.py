"""What a reader answers: with everything, and with one part alone."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from measurand.audits.leakage.settings import EXPLAINED, ONE_CLASS
from measurand.audits.leakage.sides import ALL, Sides
from measurand.core.arrays import Ints
from measurand.core.intervention import AsIs, Intervention
from measurand.core.reader import Reader, TracesEpochs
from measurand.experiment.ask import (
    EMBEDDING,
    EPOCHS,
    SALIENCY,
    Ask,
    Predictions,
    ReaderMeasures,
)
from measurand.experiment.crossfit import (
    asked_reader,
    calibrate_across,
    is_calibrated_across,
    repeat_reader,
)
from measurand.experiment.experiment import (
    Experiment,
    ask_all,
    check_budget,
    measure_all,
    reopen_experiment,
    resolve_asks,
)
from measurand.interventions.fields import Keep
from measurand.selections.rows import Sample

FULL = "full"


@dataclass(frozen=True, eq=False)
class Runs:
    """What a reader answered about every item, once a run: with each of its seeds.

    Attributes:
        ids: The item ids.
        gold: The number of each item's label.
        probabilities: Runs × items × classes.
        remarks: What the reader said besides its answers.
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
    """Where readers are asked by the published protocol."""

    sides: Sides
    experiment: Experiment


@contextmanager
def open_evaluation(experiment: Experiment, sides: Sides) -> Iterator[Evaluation]:
    """The same seed, store and workers for training and test items in their order."""
    with reopen_experiment(experiment, sides.benchmark) as inner:
        yield Evaluation(sides, inner)


@dataclass(frozen=True, eq=False)
class LeakageAnswers:
    """Everything one reader answered about one test part.

    Attributes:
        pair: With all fields.
        alone: With one field, learned with that field alone.
    """

    pair: Runs
    alone: Mapping[str, Runs]


def ask_parts(
    evaluation: Evaluation,
    name: str,
    reader: Reader,
    seeds: int | None,
    *,
    inspected: bool,
) -> dict[str, LeakageAnswers]:
    """The answers about each test part, the first under FULL; one recipe serves all.

    Where the reader is `inspected`, what it shows of itself is asked in the same
    trials.
    """
    sides, experiment = evaluation.sides, evaluation.experiment
    members = [asked_reader(r, cut=False) for r in repeat_reader(reader, seeds)]
    wanted: dict[str, Intervention] = {"": AsIs()}
    if len(sides.fields) > 1:
        wanted |= {field: Keep(field) for field in sides.parts}
    plan = {
        (part, field): [
            Ask(member, fitted_under=change, under=change, part=part)
            for member in members
        ]
        for part in ("", *sides.other_tests)
        for field, change in wanted.items()
    }
    asks = [ask for r in plan.values() for ask in r]
    also = _inspection_asks(members[0], sides) if inspected else []
    check_budget(name, (experiment, [*asks, *also]))
    resolve_asks(experiment, [*asks, *also])
    predictions = iter(ask_all(experiment, asks))
    runs = {
        key: gather_runs([[next(predictions)] for _ in r]) for key, r in plan.items()
    }
    return {
        part or FULL: LeakageAnswers(
            runs[part, ""],
            # Of one field, the whole item is that field alone.
            {
                field: runs[part, field if field in wanted else ""]
                for field in sides.parts
            },
        )
        for part in ("", *sides.other_tests)
    }


def calibrate_answers(
    answers: LeakageAnswers, reader: Reader, clusters: Ints
) -> LeakageAnswers:
    """The answers at the temperature that is best for those about other items.

    So it is with readers that learn no labels. Items of one family share a fold; no
    item has a say in its own temperature.
    """
    if not is_calibrated_across(reader, cut=False):
        return answers

    def calibrate(runs: Runs) -> Runs:
        tables = [calibrate_across(p, runs.gold, clusters) for p in runs.probabilities]
        return replace(runs, probabilities=np.array(tables, np.float32))

    alone = {field: calibrate(runs) for field, runs in answers.alone.items()}
    return LeakageAnswers(calibrate(answers.pair), alone)


def gather_runs(predictions_by_run: Sequence[Sequence[Predictions]]) -> Runs:
    """The runs side by side, their items in one order; a run may come in folds."""
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


def _inspection_asks(reader: Reader, sides: Sides) -> list[Ask]:
    """What the reader of the whole item and those of a part show of themselves."""
    if sides.has_choices:
        return []  # it reads pairs of item and choice, which are asked about apart
    sample = Sample(EXPLAINED)
    asks = [Ask(reader, about=sample, what=SALIENCY)]
    for field in sides.fields:
        keep = Keep(field)
        asks.append(Ask(reader, under=keep, what=EMBEDDING, part=ALL))
        if len(sides.fields) > 1:
            asks.append(
                Ask(reader, fitted_under=keep, about=sample, under=keep, what=SALIENCY)
            )
    traces = isinstance(reader, TracesEpochs)
    return [*asks, Ask(reader, what=EPOCHS)] if traces else asks


def measure_embedding(
    evaluation: Evaluation, reader: Reader, change: Intervention
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Where the reader puts one part of the test and of the training items."""
    question = Ask(reader, under=change, what=EMBEDDING, part=ALL)
    (embedding,) = measure_all(evaluation.experiment, [question])
    train_size = len(evaluation.sides.benchmark.train)
    return embedding.values[0, train_size:], embedding.values[0, :train_size]


def measure_epochs(evaluation: Evaluation, reader: Reader) -> ReaderMeasures | None:
    """What the reader thought of the test items after each epoch."""
    if not isinstance(reader, TracesEpochs) or evaluation.sides.has_choices:
        return None
    (trace,) = measure_all(evaluation.experiment, [Ask(reader, what=EPOCHS)])
    return trace


def measure_relevance(
    evaluation: Evaluation, reader: Reader, field: str
) -> tuple[ReaderMeasures, ReaderMeasures]:
    """The tokens' relevance to the reader of all, and to the reader of one part."""
    sample, keep = Sample(EXPLAINED), Keep(field)
    pair, single = measure_all(
        evaluation.experiment,
        [
            Ask(reader, fitted_under=AsIs(), about=sample, what=SALIENCY),
            Ask(reader, fitted_under=keep, about=sample, under=keep, what=SALIENCY),
        ],
    )
    return pair, single
