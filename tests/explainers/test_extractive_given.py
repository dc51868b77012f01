"""Rationales that are there, as text or as spans."""

import json

import numpy as np
import pandas as pd
import pytest

from measurand.benchmarks.assemble import from_frames
from measurand.core.errors import BadInput, NoField
from measurand.explainers.extractive import Given
from tests.explainers.reasoned import reasoned_items

TEXT = "One and two."
SPANS = [
    ([[0, 3], [8, 11]], "One two"),
    ([{"text": "One"}, {"text": "two"}], "One two"),
    ([{"start": 4, "end": 7}], "and"),
    ([[{"text": "One", "start_token": 0}], [{"text": "two", "docid": "d"}]], "One two"),
    ([[4, 7]], "and"),
    ([], ""),
    (["One", "two."], "One two."),
]


def told(cell, evidence="evidence"):
    items = reasoned_items(2).with_field("evidence", [TEXT, TEXT])
    cells = np.empty(2, object)
    cells[0], cells[1] = cell, ""
    spans = items.with_table(items.table.assign(why=cells))
    return Given("why", evidence).explain(spans, np.random.default_rng(0))


@pytest.mark.parametrize(("cell", "text"), SPANS)
def test_spans_become_their_text_as_a_list_and_as_json(cell, text):
    assert told(cell) == [text, ""]
    assert told(json.dumps(cell)) == [text, ""]


@pytest.mark.parametrize("cell", ["[sic] it is", "[1] says so", "[[wiki]] page", "{a}"])
def test_a_text_with_brackets_is_a_text(cell):
    assert told(cell) == [cell, ""]


@pytest.mark.parametrize("cell", [None, np.nan, "", "  "])
def test_empty_stays_empty(cell):
    assert [text.strip() for text in told(cell)] == ["", ""]


@pytest.mark.parametrize(
    ("cell", "evidence"),
    [([[0, 99]], "evidence"), ([[3, 1]], "evidence"), ([[0, 3]], None)],
)
def test_offsets_outside_the_evidence_are_one_line(cell, evidence):
    with pytest.raises(BadInput, match="name the evidence"):
        told(cell, evidence)


def test_spans_survive_the_way_from_a_table():
    rows = {
        "claim": [f"claim {i}" for i in range(20)],
        "evidence": [f"One and {i}." for i in range(20)],
        "label": ["yes", "no"] * 10,
        "rationale": [[[0, 3]] if i % 3 else [] for i in range(20)],
    }
    test = from_frames(pd.DataFrame(rows), name="made").test
    texts = Given("rationale", "evidence").explain(test, np.random.default_rng(0))
    assert {*texts} == {"One", ""}


def test_what_is_no_span_and_no_column_is_refused():
    with pytest.raises(BadInput, match="is no span of a rationale"):
        told([{"from": 1}])
    with pytest.raises(NoField, match="did you mean 'why'"):
        Given("whyy").explain(reasoned_items(2), np.random.default_rng(0))
