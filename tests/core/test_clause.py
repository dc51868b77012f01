"""The first rule that holds decides, and says why in typed facts."""

import pytest

from measurand.core.clause import Clause, Conclusion, Name, Rule, judge

RULES = [
    Rule("low", lambda f: f < 1, lambda f: [Clause("x.low", {"value": f})]),
    Rule("odd", lambda f: f % 2 == 1, lambda f: [Clause("x.odd", {}), Clause("y", {})]),
    Rule("rest", lambda f: True, lambda f: []),
]


@pytest.mark.parametrize(
    ("facts", "label", "code"),
    [(-1, "low", "x.low"), (3, "odd", "x.odd"), (2, "rest", "")],
)
def test_the_first_rule_that_holds_decides(facts, label, code):
    conclusion = judge(RULES, facts, 0.1)
    assert (conclusion.label, conclusion.code, conclusion.bound) == (label, code, 0.1)


def test_a_conclusion_keeps_all_its_clauses_in_order():
    assert [clause.code for clause in judge(RULES, 5, 0.0).clauses] == ["x.odd", "y"]
    assert judge(RULES, 0, 0.0).clauses == (Clause("x.low", {"value": 0}),)


def test_rules_of_which_none_holds_are_an_error_of_ours():
    with pytest.raises(StopIteration):
        judge(RULES[:2], 2, 0.0)


def test_a_foreign_word_is_a_fact_of_its_kind_and_never_a_text():
    assert Name("token", "no") != Name("label", "no")
    assert Conclusion("x", 0.0, ()).code == ""
