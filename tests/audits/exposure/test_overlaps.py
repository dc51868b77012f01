"""One pool under several names is no several tasks."""

import numpy as np
import pandas as pd
import pytest

from measurand.audits.exposure import (
    ExposureSettings,
    analyse_accuracies,
    audit,
    plan_exposure,
)
from measurand.audits.exposure.overlaps import check_distinct_rows, overlap_warnings
from measurand.audits.exposure.statistics.counts import ARMS
from measurand.audits.exposure.study import pool_rows
from measurand.benchmarks.assemble import from_frames
from measurand.core.errors import BadInput
from measurand.experiment.experiment import open_experiment
from measurand.readers.adaptable import PcaReader
from tests.audits.exposure.test_audit import texts

SMALL = ExposureSettings(m=20, n=40, repeats=2)


def made(name, table):
    return from_frames(table, name=name, query="text", label="label")


@pytest.mark.parametrize("change", [str, str.upper, "{} .".format, " {}".format])
@pytest.mark.parametrize("run", [audit, plan_exposure])
def test_tasks_of_the_same_texts_are_refused_in_one_line(run, change):
    table = texts(300)
    copy = table.assign(text=table["text"].map(change))
    tasks = {
        "a": made("a", table),
        "b": made("b", copy.sample(frac=1, random_state=1)),
    }
    with (
        open_experiment(tasks["a"]) as running,
        pytest.raises(BadInput, match="tasks 'a' and 'b' hold the same texts") as line,
    ):
        run(running, {"pca": PcaReader()}, SMALL, tasks=tasks)
    assert "\n" not in str(line.value)
    assert not running.tally["computed"]


@pytest.mark.parametrize(("common", "warned"), [(20, False), (60, True)])
def test_tasks_that_share_many_texts_are_warned_about(common, warned):
    first, second = texts(300), texts(400, seed=1)
    second = pd.concat([first.iloc[:common], second.iloc[common:]])
    pools = {"a": pool_rows(made("a", first)), "b": pool_rows(made("b", second))}
    said = " ".join(overlap_warnings(pools))
    assert ("a and b share 20 % of the texts of the smaller" in said) == warned
    assert bool(said) == warned


def test_a_report_warns_of_tasks_that_share_texts():
    first, second = texts(300), texts(300, seed=1)
    second = pd.concat([first.iloc[:90], second.iloc[90:]])
    tasks = {"a": made("a", first), "b": made("b", second)}
    with open_experiment(tasks["a"]) as running:
        report = audit(running, {"pca": PcaReader()}, SMALL, tasks=tasks)
    assert "their draws are not independent" in " ".join(report.warnings)


def counts_of(draws, tasks, seed=0):
    """The same rows under each name, in another order each time."""
    rng = np.random.default_rng(seed)
    extra = rng.integers(100, 140, draws)
    one = pd.DataFrame(
        {"base": extra - 8, "extra": extra, "test": extra + rng.integers(-9, 9, draws)}
    )
    return pd.concat(
        one.sample(frac=1, random_state=i).assign(
            m=50, n=200, lm="lm", task=task, subsample=range(draws)
        )
        for i, task in enumerate(tasks)
    )


def test_one_task_under_several_names_in_a_table_is_refused_in_one_line():
    counts = counts_of(8, ["a", "b"])
    table = counts.rename(columns={arm: f"correct_{arm}" for arm in ARMS})
    with pytest.raises(BadInput, match="tasks 'a', 'b' have the same counts") as line:
        analyse_accuracies(table, name="study")
    assert "\n" not in str(line.value)
    counts.iloc[-1, counts.columns.get_loc("test")] += 1
    check_distinct_rows(counts)


@pytest.mark.parametrize(
    ("draws", "tasks", "is_chance"), [(3, "ab", True), (3, "abc", False)]
)
def test_few_rows_are_alike_by_chance_in_two_tasks_and_not_in_many(
    draws, tasks, is_chance
):
    counts = counts_of(draws, tasks)
    if is_chance:
        check_distinct_rows(counts)
    else:
        with pytest.raises(BadInput, match="'a', 'b', 'c' have"):
            check_distinct_rows(counts)


def test_tasks_that_are_all_right_are_alike_and_not_one():
    perfect = counts_of(8, "abcdef").assign(base=200, extra=200, test=200)
    check_distinct_rows(perfect)
    models = [perfect.assign(lm=name) for name in ("one", "two", "three", "four")]
    check_distinct_rows(pd.concat(models))
