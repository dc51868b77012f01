"""What a reader answered: with everything, with one part alone, with only a control."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from measurand.audits.leakage.conditions import FULL, conditions, controls
from measurand.audits.leakage.settled import ALL, Settled
from measurand.audits.leakage.thresholds import EXPLAINED
from measurand.core.errors import CannotIntervene
from measurand.core.intervention import AsIs, Intervention
from measurand.core.predictions import Predictions, ReaderMeasures
from measurand.core.reader import Reader, Seeded, TemperatureScaled, TracesEpochs
from measurand.experiment.answers import (
    Experiment,
    ask_all,
    measure_all,
    reopen_experiment,
    resolve_asks,
)
from measurand.experiment.asks import EMBEDDING, EPOCHS, SALIENCY, Ask
from measurand.interventions.fields import Keep
from measurand.selections.folds import Fold
from measurand.selections.rows import Sample


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


@dataclass(frozen=True, eq=False)
class Bench:
    """Where readers are asked: on the split and, where we drew it, out of fold."""

    settled: Settled
    split: Experiment
    crossed: Experiment | None
    folds: int
    draws: int

    @property
    def evaluated(self) -> Experiment:
        """Where readers are scored."""
        return self.split if self.crossed is None else self.crossed


@contextmanager
def bench(
    experiment: Experiment, made: Settled, folds: int, draws: int
) -> Iterator[Bench]:
    """The same seed, store and workers for the settled benchmark."""
    with reopen_experiment(experiment, made.benchmark) as split:
        if made.whole is None:
            yield Bench(made, split, None, folds, draws)
            return
        pool = replace(made.benchmark, train=made.whole, test=made.whole, test_parts={})
        with reopen_experiment(experiment, pool) as crossed:
            yield Bench(made, split, crossed, folds, draws)


@dataclass(frozen=True, eq=False)
class Answered:
    """Everything one reader said and showed.

    Attributes:
        pair: Its answers with all fields.
        alone: Its answers with one field, learned with that field alone.
        controls: Its answers with only a control.
        refused: Controls that cannot be made of these texts, and why.
    """

    pair: Runs
    alone: Mapping[str, Runs]
    controls: Mapping[str, Runs]
    refused: Mapping[str, str]


def answered(
    place: Bench, reader: Reader, seeds: int | None, *, controlled: bool
) -> Answered:
    """Ask under every condition; one recipe serves them all."""
    fields = place.settled.fields
    wanted = conditions(fields)
    tried = dict(controls(fields)) if controlled else {}
    extra, refused = {}, {}
    for name, change in tried.items():
        try:
            change(place.settled.benchmark.test, np.random.default_rng(0))
            extra[name] = change
        except CannotIntervene as reason:
            refused[name] = str(reason)
    asked = {**wanted, **extra}
    members = runs(place, reader, seeds)
    # Controls are asked for accuracies alone, which need no calibrated probabilities.
    sooner = [quick(one) for one in members]
    plan = {
        name: planned(place, sooner if name in extra else members, change)
        for name, change in asked.items()
    }
    flat = [ask for each in plan.values() for run in each for ask in run]
    # What the readers show of themselves is asked in the same trials as their answers.
    also = flat if place.crossed is None else []
    resolve_asks(place.split, [*also, *shown(members[0], fields)])
    said = iter(ask_all(place.evaluated, flat))
    found = {
        name: gathered([[next(said) for _ in run] for run in each])
        for name, each in plan.items()
    }
    alone = {field: found[field] for field in fields if field in found}
    return Answered(
        found[FULL],
        alone or {fields[0]: found[FULL]},
        {name: found[name] for name in extra},
        refused,
    )


def runs(place: Bench, reader: Reader, seeds: int | None) -> list[Reader]:
    """The reader once a run."""
    count = place.draws if place.crossed is not None else 1
    if isinstance(reader, Seeded):
        count = count if place.crossed is not None else seeds or reader.default_seeds()
        return list(reader.with_seeds(count))
    return [reader] * count


def quick(reader: Reader) -> Reader:
    """The same answers, without the fits that only probabilities need."""
    return (
        reader.without_temperature()
        if isinstance(reader, TemperatureScaled)
        else reader
    )


def planned(
    place: Bench, members: Sequence[Reader], change: Intervention
) -> list[list[Ask]]:
    """What is asked in each run: about all test items, or fold after fold."""
    if place.crossed is None:
        return [[Ask(one, fitted_under=change, under=change)] for one in members]
    columns = place.settled.benchmark.drawn_by
    return [
        [
            Ask(
                one,
                fitted_on=Fold(number, place.folds, "train", columns, draw),
                fitted_under=change,
                about=Fold(number, place.folds, "test", columns, draw),
                under=change,
            )
            for number in range(place.folds)
        ]
        for draw, one in enumerate(members)
    ]


def gathered(each: Sequence[Sequence[Predictions]]) -> Runs:
    """The runs side by side, their items in one order."""
    blocks = []
    for run in each:
        ids = np.concatenate([np.array(part.ids, object) for part in run])
        order = np.argsort(ids.astype(str), kind="stable")
        whole = np.concatenate([part.probabilities[0] for part in run])[order]
        gold = np.concatenate([part.gold for part in run])[order]
        blocks.append((tuple(ids[order]), gold, whole))
    names, gold, _ = blocks[0]
    remarks = each[0][0].remarks
    return Runs(names, gold, np.stack([whole for _, _, whole in blocks]), remarks)


def shown(reader: Reader, fields: tuple[str, ...]) -> list[Ask]:
    """What the pair reader and the single ones show of themselves."""
    some = Sample(EXPLAINED)
    asks = [Ask(reader, about=some, what=SALIENCY)]
    for field in fields:
        keep = Keep(field)
        asks.append(Ask(reader, under=keep, what=EMBEDDING, part=ALL))
        if len(fields) > 1:
            told = Ask(reader, fitted_under=keep, about=some, under=keep, what=SALIENCY)
            asks.append(told)
    return (
        [*asks, Ask(reader, what=EPOCHS)] if isinstance(reader, TracesEpochs) else asks
    )


def embedding(
    place: Bench, reader: Reader, field: str
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Where the pair reader puts one part of the test and of the training items."""
    ask = Ask(reader, under=Keep(field), what=EMBEDDING, part=ALL)
    (found,) = measure_all(place.split, [ask])
    train = len(place.settled.benchmark.train)
    return found.values[0, train:], found.values[0, :train]


def epochs(place: Bench, reader: Reader) -> ReaderMeasures | None:
    """What the pair reader thought of the test items after each epoch."""
    if not isinstance(reader, TracesEpochs):
        return None
    (found,) = measure_all(place.split, [Ask(reader, what=EPOCHS)])
    return found


def relevances(
    place: Bench, reader: Reader, field: str
) -> tuple[ReaderMeasures, ReaderMeasures]:
    """The tokens' relevance to the pair reader, and to the reader of one part."""
    some, keep = Sample(EXPLAINED), Keep(field)
    pair, single = measure_all(
        place.split,
        [
            Ask(reader, fitted_under=AsIs(), about=some, what=SALIENCY),
            Ask(reader, fitted_under=keep, about=some, under=keep, what=SALIENCY),
        ],
    )
    return pair, single
