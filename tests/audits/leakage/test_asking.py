"""What is asked of a reader by the published protocol."""

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from measurand.arms.pool import open_pool
from measurand.audits.leakage.asking import (
    FULL,
    ask_parts,
    is_one_class,
    open_evaluation,
    repeat_reader,
)
from measurand.audits.leakage.sides import open_sides
from measurand.experiment.experiment import open_experiment
from measurand.readers.linear import TfidfReader
from tests.audits.leakage.leaky import pairs
from tests.audits.leakage.test_audit import made


@dataclass(frozen=True)
class DrawnReader:
    """The same shares for all items, by its seed."""

    kind: ClassVar[str] = "drawn"
    seed: int = 0

    def default_seeds(self):
        return 2

    def with_seeds(self, seeds, first=0):
        return [replace(self, seed=first + number) for number in range(seeds)]

    def fit(self, items, rng):
        return FittedDrawn(items.classes, self.seed)


@dataclass(frozen=True)
class FittedDrawn:
    classes: tuple[str, ...]
    seed: int

    def predict(self, items):
        return np.tile(np.roll([0.9, 0.1], self.seed), (len(items), 1))


def answers_of(reader, seeds=None):
    benchmark = made(pairs(160, leak=0.6), pairs(80, leak=0.6, seed=1))
    sides = open_sides(open_pool(benchmark), benchmark, 0)
    with (
        open_experiment(benchmark, seed=0) as running,
        open_evaluation(running, sides) as evaluation,
    ):
        return ask_parts(evaluation, "reader", reader, seeds, inspected=False)


def test_all_fields_and_each_alone_are_asked_for():
    answers = answers_of(TfidfReader())
    assert {*answers} == {FULL}
    told = answers[FULL]
    assert {*told.alone} == {"query", "evidence"}
    assert told.alone["query"].ids == told.pair.ids
    right = {field: runs.right.mean() for field, runs in told.alone.items()}
    assert right["query"] > right["evidence"] + 0.1


def test_each_seed_is_a_run():
    told = answers_of(DrawnReader())[FULL]
    assert told.pair.probabilities.shape == (2, 80, 2)
    assert is_one_class(told.pair)
    assert (told.pair.answers[0] != told.pair.answers[1]).all()
    assert len(repeat_reader(DrawnReader(), 3)) == 3
    assert len(repeat_reader(TfidfReader(), 3)) == 1
