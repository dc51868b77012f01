"""A first look: one light model on each part, and on all together."""

import numpy as np
import pytest

from measurand.arms.first import look_first
from measurand.core.clause import Name
from measurand.wording import say_clause
from tests.arms.planted import choice_pool, claims, contests, pool_of, run


def test_each_part_and_all_together_are_looked_at():
    pool = pool_of(claims(300, claim=0.6))
    parts = [clause.facts for clause in run(look_first, pool)]
    names = [tuple(name.text for name in facts["part"]) for facts in parts]
    assert names == [("claim",), ("evidence",), ("claim", "evidence")]
    query, evidence, both = (facts["accuracy"] for facts in parts)
    assert query.low > 0.6 > evidence.value
    assert both.low > 0.6
    majority = np.bincount(pool.items.numbers).max() / 300
    assert all(facts["baseline"] == pytest.approx(majority) for facts in parts)


def test_of_choices_these_are_looked_at():
    (clause,) = run(look_first, choice_pool(contests(100)))
    assert clause.facts["part"] == (Name("column", "choices"),)
    assert clause.facts["baseline"] == 0.25


def test_a_part_of_one_text_is_left_out():
    (clause,) = run(look_first, pool_of(claims(120).assign(evidence="It is so.")))
    assert "claim" in say_clause(clause)
