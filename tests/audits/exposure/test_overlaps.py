"""One pool under several names is no several tasks."""

import pandas as pd
import pytest

from measurand.audits.exposure import ExposureSettings, audit, plan_exposure
from measurand.audits.exposure.overlaps import overlap_warnings
from measurand.audits.exposure.study import pool_rows
from measurand.benchmarks.assemble import from_frames
from measurand.core.errors import BadInput
from measurand.experiment.experiment import open_experiment
from measurand.readers.adaptable import PcaReader
from tests.audits.exposure.test_audit import texts

SMALL = ExposureSettings(m=20, n=40, repeats=2)


def made(name, table):
    return from_frames(table, name=name, query="text", label="label")


@pytest.mark.parametrize("run", [audit, plan_exposure])
def test_tasks_of_the_same_texts_are_refused_in_one_line(run):
    table = texts(300)
    tasks = {
        "a": made("a", table),
        "b": made("b", table.sample(frac=1, random_state=1)),
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
