"""A clause is a code with typed facts."""

from measurand.core.clause import Clause, Name
from measurand.core.finding import Verdict


def test_a_foreign_word_is_a_fact_of_its_kind_and_never_a_text():
    assert Name("token", "no") != Name("label", "no")


def test_the_code_of_a_verdict_is_that_of_its_first_clause():
    clauses = (Clause("leak.part", {"over": 0.1}), Clause("leak.cue", {}))
    assert Verdict("leaks", "leaks", None, clauses=clauses).code == "leak.part"
    assert Verdict("clean", "clean", None, "No leak.").code == ""
