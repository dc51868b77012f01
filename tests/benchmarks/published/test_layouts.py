"""Rows of published questions: one an item, under columns that are known."""

import gzip

import pandas as pd
import pytest

from measurand.benchmarks.load import load_benchmark
from measurand.benchmarks.published.layouts import (
    find_layout,
    read_unnamed_forms,
    unfold_questions,
)
from measurand.benchmarks.published.table import HEADLESS, LINES, PUBLISHED
from measurand.core.errors import BadInput
from tests.benchmarks.lookalikes import lines, sizes

RACE = PUBLISHED["race"].columns


def test_a_context_may_stand_by_column_as_on_the_hub():
    by_column = {"title": ["A", "B"], "sentences": [["x 0.", " More."], ["Other."]]}
    pairs = [["A", ["x 0.", " More."]], ["B", ["Other."]]]
    rows = pd.DataFrame({"context": [by_column, pairs, "As it is."]})
    joined = "A: x 0. More. B: Other."
    assert unfold_questions(rows)["context"].tolist() == [joined, joined, "As it is."]


def test_the_first_layout_that_is_all_there_counts():
    rows = pd.DataFrame(columns=["question", "article", "options", "answer", "id"])
    roles = find_layout(rows, RACE, "race")
    assert (roles["document"], roles["choices"]) == ("id", "options")
    both = find_layout(rows.assign(example_id=""), RACE, "race")
    assert both["document"] == "example_id"
    with pytest.raises(BadInput, match="no table of race: the columns are question, a"):
        find_layout(rows[["question", "article"]], RACE, "race")


def test_a_file_of_an_unnamed_form_may_be_packed_or_broken(tmp_path):
    packed = tmp_path / "anatomy_test.csv.gz"
    packed.write_bytes(gzip.compress(b"Why?,w,x,y,z,C\n"))
    (row,) = read_unnamed_forms([packed], HEADLESS).to_dict("records")
    assert (row["subject"], row["answer"], row["D"]) == ("anatomy", "C", "z")
    plain = tmp_path / "1.txt"
    plain.write_text('{"article"')
    with pytest.raises(BadInput, match=r"cannot read '.*1\.txt': line 1"):
        read_unnamed_forms([plain], LINES)
    plain.with_suffix(".csv").write_text("Why?,w,x,y,z,C\nWhy?,w\n")
    with pytest.raises(BadInput, match="line 2 has 2 fields where the header has 6"):
        read_unnamed_forms([plain.with_suffix(".csv")], HEADLESS)


def test_one_file_of_questions_may_tell_its_parts_by_a_column(tmp_path):
    rows = [
        {
            "question": f"What of {side} {i}?",
            "choices": ["a boat", f"a mast {i}"],
            "answer": i % 2,
            "split": side,
        }
        for side, n in (("train", 20), ("Val", 6), ("test", 4))
        for i in range(n)
    ]
    lines(tmp_path / "hellaswag.jsonl", rows)
    made = load_benchmark("hellaswag", data=tmp_path, part="dev")
    assert (sizes(made), made.notes["other_parts"]) == ((20, 6), 4)
