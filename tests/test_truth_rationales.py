"""Planted rationales are rows of the truth table, and rows of other sources stay."""

import json
from dataclasses import replace

import pytest
from bench import truth, truth_explanations
from bench.exposure_cells import BORROWED, NOT_STORED, PAPER, borrow, table_of
from bench.suite_types import TYPES
from bench.suite_types import table_of as suite_table
from bench.truth import Row, keep_rows
from bench.truth_explanations import OWN, REVIEW, SIZES, TRUTHS
from bench.truth_rationales_odd import ODD
from docs.truth_tables import truth_tables

from measurand.audits.explanations.conclude import RULES
from measurand.audits.exposure.columns import ALL

LABELS = {rule.label for rule in RULES}


@pytest.mark.parametrize("name", TRUTHS)
def test_right_and_wrong_labels_are_disjoint_and_those_of_the_audit(name):
    right, wrong = TRUTHS[name]
    assert not right & wrong
    assert right | wrong <= LABELS
    assert "inconclusive" not in right | wrong


def test_the_review_has_36_tables_and_twenty_are_of_another_hand():
    assert len(REVIEW) == 36
    assert len(OWN) == 20
    assert SIZES == (200, 1000, 4000)


def test_where_no_review_is_at_hand_its_rows_are_left_out(monkeypatch, tmp_path):
    monkeypatch.setattr(truth_explanations, "SHARED", tmp_path)
    cases = [*truth.rationale_cases()]
    assert len(cases) == len(OWN) * len(SIZES)
    assert {case.source for case in cases} == {"explanations"}


@pytest.mark.parametrize("name", ODD)
def test_an_odd_table_has_its_columns_and_more_than_one_label(name):
    odd = ODD[name]
    table = odd.make()
    assert odd.truth in TRUTHS
    columns = [
        column
        for value in odd.roles.values()
        for column in ([value] if isinstance(value, str) else value)
    ]
    assert {*columns} <= {*table}
    assert table[odd.roles["label"]].nunique() > 1


def row(source, case):
    return Row(case, source, "explanations", 9, "right", "leaky", "leak.part", 0.1, 1.0)


def test_rows_take_the_place_of_those_of_their_case_alone(tmp_path):
    path = tmp_path / "rows.json"
    keep_rows(path, [row("odd", "y01"), row("known", "a")])
    keep_rows(path, [replace(row("odd", "y01"), label="informative")])
    stored = json.loads(path.read_text("utf-8"))
    assert [(r["case"], r["label"]) for r in stored] == [
        ("a", "leaky"),
        ("y01", "informative"),
    ]


def test_planted_rationales_are_counted_size_by_size(monkeypatch, tmp_path):
    from docs import truth_tables as module

    path = tmp_path / "rows.json"
    cases = ("one, 1000", "two, 1000", "one, 200")
    keep_rows(path, [row("explanations", case) for case in cases])
    monkeypatch.setattr(module, "ROWS", path)
    lines = truth_tables().splitlines()
    counted = [line.split(" | ")[:2] for line in lines if "planted rationales" in line]
    assert counted == [
        ["| planted rationales, 200 items", "1"],
        ["| planted rationales, 1,000 items", "2"],
    ]


def test_sizes_that_the_paper_has_and_no_file_are_said_to_be_missing():
    stored = {"size": "main, m=50,n=50", "bias": {ALL: [0.2, -0.1, 0.5]}, "tasks": []}
    lines = table_of([{**stored, "label": "inflated", "bound": 0.5}]).splitlines()
    assert sum(NOT_STORED in line for line in lines) == len(PAPER) - 2
    assert "0.19 and 0.18" in lines[2]
    # The mean is the paper's, the width that of as many draws at m = 50.
    borrowed = [line for line in lines if line.endswith(f"{BORROWED} |")]
    assert borrowed[0].startswith("| m=100,n=50 | -0.07 [-0.36, 0.23] | ")
    assert len(borrowed) == 1


def test_no_verdict_is_borrowed_where_the_bound_is_over_the_margin():
    like = {"bias": {ALL: [0.2, -1.1, 1.5]}, "bound": 1.4}
    assert borrow("m=100,n=50", like)[2] == ""
    assert borrow("overtraining", like) == ("", "", "")


def test_a_type_that_no_figure_shows_is_not_said_to_be_caught():
    half = [0.5, 0.4, 0.6]
    kinds = {kind: {"caught": n == 0} for n, (kind, _) in enumerate(TYPES.values())}
    result = {"items": [9, 9], "majority": half, "gain": None, "verdict": "leaky"}
    lines = suite_table({"set": {**result, "rows": kinds}}).splitlines()
    assert len([line for line in lines if "not by" in line]) == len(TYPES) - 1
