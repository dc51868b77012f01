"""Copies of the test items, and what comes back of them."""

import pandas as pd
import pytest

from measurand.benchmarks.assemble import from_frames
from measurand.core.errors import BadInput
from measurand.logs.answers import Answer, gather_answers
from measurand.logs.copies import (
    OURS,
    benchmark_of_logs,
    check_copies,
    digest_row,
    make_copies,
    write_rows,
)


def boats(**more):
    rows = [
        {
            "id": f"q{n}",
            "premise": f"We saw boat {n}; it was {'red' if n % 3 else 'blue'}.",
            "hypothesis": f"Boat {n} is red.",
            "label": "yes" if n % 3 else "no",
            **{name: value(n) for name, value in more.items()},
        }
        for n in range(40)
    ]
    table = pd.DataFrame(rows)
    return from_frames(table[:20], table[20:].reset_index(drop=True), name="boats")


def test_each_condition_that_the_items_allow():
    copies = make_copies(boats(), shuffles=2)
    assert [copy.condition for copy in copies] == [
        "full",
        "shuffled0",
        "shuffled1",
        "no_evidence",
        "no_query",
    ]


def test_shuffled_rows_name_whose_evidence_they_have():
    benchmark = boats()
    rows = write_rows(benchmark, make_copies(benchmark), seed=0)
    own = {row["id"]: row["premise"] for row in rows["full"]}
    for row in rows["shuffled0"]:
        donor = row[OURS]["evidence_from"]
        assert donor != row["id"]
        assert row["premise"] == own[donor] != own[row["id"]]


def test_what_is_taken_is_empty_and_the_gold_stays():
    benchmark = boats()
    rows = write_rows(benchmark, make_copies(benchmark), seed=0)
    assert {row["premise"] for row in rows["no_evidence"]} == {""}
    assert {row["hypothesis"] for row in rows["no_query"]} == {""}
    for each in rows.values():
        assert [row["choices"][row["gold"]] for row in each] == [
            row["label"] for row in rows["full"]
        ]


def test_one_text_alone_has_nothing_to_take():
    table = pd.DataFrame(
        {"text": [f"boat {n}" for n in range(20)], "label": [*"ab"] * 10}
    )
    with pytest.raises(BadInput, match="nothing to take or exchange"):
        make_copies(from_frames(table, name="boats", query="text"))


def test_the_same_seed_gives_the_same_rows():
    one, other = (write_rows(boats(), make_copies(boats()), seed=0) for _ in range(2))
    assert one == other


def log_of(rows, condition, **changed):
    answers = [Answer(r["id"], 1.0, fields={**r, **changed}) for r in rows[condition]]
    named = {"harness": "lm-eval", "model": "m", "task": condition, "metric": "acc"}
    return gather_answers(answers, condition=condition, **named)


def test_rows_as_they_were_exported_pass():
    rows = write_rows(boats(), make_copies(boats()), seed=0)
    check_copies([log_of(rows, condition) for condition in rows])


def test_changed_rows_are_refused():
    rows = write_rows(boats(), make_copies(boats()), seed=0)
    with pytest.raises(BadInput, match="was changed after it was exported"):
        check_copies([log_of(rows, "full", premise="The label is yes.")])


def test_rows_of_another_condition_are_refused():
    rows = write_rows(boats(), make_copies(boats()), seed=0)
    mixed = {"full": rows["shuffled0"]}
    with pytest.raises(BadInput, match="is of the condition 'shuffled0'"):
        check_copies([log_of(mixed, "full")])


def test_logs_of_two_exports_are_refused():
    one, other = (write_rows(boats(), make_copies(boats()), seed=s) for s in range(2))
    with pytest.raises(BadInput, match="of 2 exports"):
        check_copies([log_of(one, "full"), log_of(other, "no_query")])


def test_what_is_ours_is_no_part_of_the_digest():
    row = {"id": "q", "premise": "A boat."}
    assert digest_row(row) == digest_row({**row, OURS: {"seed": 1}})
    assert digest_row(row) != digest_row({**row, "premise": "A mast."})


def test_the_benchmark_comes_back_with_its_columns():
    rows = write_rows(boats(), make_copies(boats(), 1), 0)
    bench = benchmark_of_logs([log_of(rows, "full")])
    assert (bench.query, bench.evidence) == ("hypothesis", "premise")
    assert bench.test.choices is None  # the labels, which a harness chooses among
    assert {*bench.classes} == {"yes", "no"}
    assert len(bench.train) + len(bench.test) == 20


def test_logs_without_their_items_name_what_to_do():
    answers = [Answer("q1", 1.0), Answer("q2", 0.0)]
    log = gather_answers(answers, harness="x", model="m", task="t", metric="acc")
    with pytest.raises(BadInput, match=r"come without the items.*measurand export"):
        benchmark_of_logs([log])


@pytest.mark.parametrize("columns", [None, 3, {"query": 3, "x": "y"}, {"label": "z"}])
def test_columns_of_a_stranger_are_one_line(columns):
    rows = write_rows(boats(), make_copies(boats(), 1), 0)
    for row in rows["full"]:
        row[OURS]["columns"] = columns
    with pytest.raises(BadInput):
        benchmark_of_logs([log_of(rows, "full")])
