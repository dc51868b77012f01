"""Labels as they are written, and those that may have been meant for one another."""

from dataclasses import replace

import pandas as pd
import pytest

from measurand.benchmarks.assemble import from_frames
from measurand.report.summary import summary
from tests.report.verdicts import report_of


def load(labels):
    rows = len(labels)
    table = pd.DataFrame(
        {"claim": [f"boat {i} lies still" for i in range(rows)], "label": labels}
    )
    return from_frames(table, name="boats")


@pytest.mark.parametrize(
    ("labels", "named"),
    [
        (["yes", "yes ", "no", "No"], "'yes' and 'yes '; 'no' and 'No'"),
        (["1", "1.0", "2", "2"], "'1' and '1.0'"),
    ],
)
def test_labels_that_differ_by_how_they_are_written_are_named_and_kept(labels, named):
    benchmark = load(labels * 20)
    assert {*benchmark.train.labels} == {*labels}
    alike = benchmark.roles["labels alike"]
    parts = [{*group.split(" and ")} for group in named.split("; ")]
    told = alike.partition(" differ by case")[0].split("; ")
    assert sorted(map(sorted, parts)) == sorted(
        sorted(group.split(" and ")) for group in told
    )


def test_labels_that_differ_say_nothing_about_it():
    assert "labels alike" not in load(["yes", "no", "1", "2.5"] * 20).roles


def test_many_such_labels_are_counted():
    labels = [text for word in "abcde" for text in (word, word.upper())]
    assert "; 2 more differ" in load(labels * 8).roles["labels alike"]


def test_true_and_false_are_words():
    assert {*load([True, False] * 20).train.labels} == {"true", "false"}


def test_a_report_warns_of_labels_that_may_be_one():
    report = report_of("leakage", "leaks")
    alike = {"labels alike": "'no' and 'No' differ by case"}
    roles = {**report.benchmark["roles"], **alike}
    told = replace(report, benchmark={**report.benchmark, "roles": roles})
    assert "warning: labels 'no' and 'No' differ by case; mend" in summary(told)
