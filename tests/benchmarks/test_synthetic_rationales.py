"""Planted rationales hold what their plan says."""

import numpy as np
import pytest

from measurand.benchmarks.synthetic_rationales import (
    COLUMNS,
    plant_informative_rationales,
    plant_leaky_rationales,
)
from measurand.readers.linear import TfidfReader


def accuracy(benchmark, *fields):
    train, test = (
        side.keep_fields(*fields) for side in (benchmark.train, benchmark.test)
    )
    fitted = TfidfReader().fit(train, np.random.default_rng(0))
    return (fitted.predict(test).argmax(axis=1) == test.gold(fitted.classes)).mean()


def test_a_good_rationale_tells_nothing_alone_and_much_with_the_input():
    made = plant_informative_rationales(seed=3)
    assert accuracy(made, "query", "evidence") == pytest.approx(0.75, abs=0.05)
    assert accuracy(made, "rationale_1") == pytest.approx(0.5, abs=0.05)
    assert accuracy(made, "query", "evidence", "rationale_1") > 0.88


def test_a_template_gives_the_label_away():
    made = plant_leaky_rationales(seed=3)
    assert accuracy(made, "query", "evidence") == pytest.approx(0.75, abs=0.05)
    assert accuracy(made, "rationale_1") > 0.99


def test_no_rationale_holds_the_name_of_a_label():
    for made in (plant_informative_rationales(), plant_leaky_rationales()):
        told = " ".join(made.test.table[list(COLUMNS)].to_numpy().ravel())
        assert not {*made.classes} & {*told.split()}


def test_the_rationales_of_an_item_differ():
    for made in (plant_informative_rationales(), plant_leaky_rationales()):
        told = made.test.table[list(COLUMNS)]
        assert (told.nunique(axis=1) == 3).all()
