"""The truth table counts what is right, wrong and silent."""

import pytest
from bench import truth
from bench.truth import BOUNDS, TRUTHS, WEAK, Case, Row, score

import measurand as ms
from measurand.audits.evidence.conclude import RULES as NEED_RULES
from measurand.audits.explanations.conclude import RULES as EXPLANATION_RULES
from measurand.audits.leakage.conclude import RULES as LEAK_RULES
from tests.arms.planted import ROLES, claims

LABELS = {
    "evidence": {rule.label for rule in NEED_RULES},
    "leakage": {rule.label for rule in LEAK_RULES},
    "explanations": {rule.label for rule in EXPLANATION_RULES},
}


def case(audit="leakage", name="leak", knowable=True):
    right, wrong = map(frozenset, TRUTHS[audit, name])
    return Case(name, "attacks", audit, lambda: None, right, wrong, knowable)


@pytest.mark.parametrize(
    ("audit", "name", "label", "outcome"),
    [
        ("leakage", "leak", "leaks", "right"),
        ("leakage", "leak", "small leak", "right"),
        ("leakage", "leak", "none found", "wrong"),
        ("leakage", "leak", "none found, bounded", "bounded"),
        ("leakage", "leak", "inconclusive", "silent"),
        ("leakage", "none", "none found, bounded", "right"),
        ("leakage", "none", "small leak", "wrong"),
        ("evidence", "needed", "small need", "right"),
        ("evidence", "needed", "misleads", "wrong"),
        ("evidence", "needed", "at most small need", "bounded"),
        ("evidence", "not needed", "used, not needed", "right"),
        ("evidence", "nothing", "needed", "wrong"),
        ("evidence", "nothing", "inconclusive", "silent"),
    ],
)
def test_a_label_is_scored_by_what_is_true(audit, name, label, outcome):
    assert score(case(audit, name), label) == outcome


def test_silence_is_just_where_nobody_could_know():
    assert score(case(knowable=False), "inconclusive") == "justly silent"
    assert score(case(knowable=False), "none found") == "wrong"


@pytest.mark.parametrize(("audit", "name"), TRUTHS)
def test_right_and_wrong_labels_are_disjoint_and_those_of_the_audit(audit, name):
    right, wrong = TRUTHS[audit, name]
    assert not right & wrong
    assert right | wrong <= LABELS[audit]
    assert wrong
    assert "inconclusive" not in right | wrong


def test_every_label_is_scored_and_bounds_are_labels():
    assert {*LABELS["evidence"], *LABELS["leakage"]} >= BOUNDS
    assert not WEAK[0] & WEAK[1]
    assert WEAK[0] <= LABELS["leakage"]


def test_where_no_attacks_or_files_are_at_hand_there_are_no_rows(monkeypatch, tmp_path):
    monkeypatch.setattr(truth, "SHARED", tmp_path)
    assert [*truth.attack_cases()] == []
    assert [*truth.known_cases()] == []


def test_the_public_rows_name_truths_that_are_known(monkeypatch, tmp_path):
    (tmp_path / "data").mkdir()
    monkeypatch.setattr(truth, "SHARED", tmp_path)
    cases = [*truth.known_cases()]
    assert len(cases) > 10
    for row in cases:
        assert not row.right & row.wrong
        assert row.right | row.wrong <= LABELS[row.audit]


def row(outcome, audit="leakage"):
    return Row("name", "attacks", audit, 300, outcome, "leaks", "leak.part", 0.1, 1.0)


def test_outcomes_are_counted_by_source_and_audit():
    figures = truth._figures(
        [row("right"), row("right"), row("wrong"), row("silent", "evidence")]
    )
    counts = {figure.what: figure.value for figure in figures}
    assert counts["attacks, leakage: right of 3"] == 2
    assert counts["attacks, evidence: silent of 1"] == 1
    assert counts["wrong of all rows"] == 0.25


def test_a_case_is_concluded_by_its_audit():
    made = Case(
        "planted",
        "attacks",
        "evidence",
        lambda: ms.load(claims(150, evidence=0.9), **ROLES),
        *map(frozenset, TRUTHS["evidence", "needed"]),
    )
    concluded = truth.conclude(made, "arms")
    assert (concluded.outcome, concluded.label, concluded.n) == ("right", "needed", 150)
    assert concluded.facts[f"{concluded.code}.reader"]
