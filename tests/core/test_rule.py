"""The first rule that holds decides, and says why in typed facts."""

import pytest

from measurand.core.clause import Clause
from measurand.core.rule import Rule, judge

RULES = [
    Rule("low", lambda f: f < 1, lambda f: [Clause("x.low", {"value": f})]),
    Rule("odd", lambda f: f % 2 == 1, lambda f: [Clause("x.odd", {}), Clause("y", {})]),
    Rule("rest", lambda f: True, lambda f: []),
]


@pytest.mark.parametrize(
    ("facts", "label", "codes"),
    [(-1, "low", ["x.low"]), (3, "odd", ["x.odd", "y"]), (2, "rest", [])],
)
def test_the_first_rule_that_holds_decides_and_keeps_its_clauses(facts, label, codes):
    decided, clauses = judge(RULES, facts)
    assert (decided, [clause.code for clause in clauses]) == (label, codes)


def test_rules_of_which_none_holds_are_an_error_of_ours():
    with pytest.raises(StopIteration):
        judge(RULES[:2], 2)
