"""The designs of two attacks hold what they say, as counted by their own rules."""

import math

import numpy as np
import pytest
from bench.truth import SOURCES
from bench.truth_hostile import DESIGNS

SEED = 7
EACH = pytest.mark.parametrize("design", DESIGNS, ids=lambda design: design.name)


def test_every_design_is_a_row_of_the_truth_table():
    names = [case.name for case in SOURCES["hostile"]()]
    assert names == [design.name for design in DESIGNS]
    assert len({*names}) == len(names) == 42


@EACH
def test_what_is_planted_is_worth_what_it_says(design):
    if design.oracle is None:
        assert design.size == 0
        return
    draws = [design.make(np.random.default_rng([SEED, n])) for n in range(8)]
    gains = np.concatenate([np.asarray(design.oracle(t), float) for t in draws])
    # Items of one text are not independent: a third of the items is counted on.
    spread = math.sqrt(max(gains.var(), 1e-4) / (len(gains) / 3))
    assert abs(gains.mean() - design.size) < 4 * spread + 0.005
