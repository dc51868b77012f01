"""The exposure audit from the command line."""

import json

import pytest

from tests.audits.test_exposure import study, texts
from tests.cli.commands import written
from tests.cli.test_bad_input import one_line

SMALL = ("--m", "20", "--n", "40", "--repeats", "3", "--workers", "1")


@pytest.fixture
def task(tmp_path):
    return written(tmp_path / "made.jsonl", texts(300).to_dict("records"))


@pytest.fixture
def figures(tmp_path):
    path = tmp_path / "study.csv"
    study(0.05, 0.0, tasks=4, draws=12).to_csv(path, index=False)
    return path


def test_a_study_of_two_tasks_is_run_and_kept(task, run, tmp_path):
    other = written(tmp_path / "other.jsonl", texts(300, seed=1).to_dict("records"))
    words = ("exposure", task, other, *SMALL, "--reader", "pca", "--json")
    done = run(*words, "--out", tmp_path / "r")
    assert done.code == 0, done.err
    report = json.loads(done.out)
    assert set(report["benchmark"]["tasks"]) == {"made", "other"}
    assert {"boost", "bias"} <= {f["statistic"] for f in report["findings"]}
    again = run(*words, "--out", tmp_path / "again")
    assert again.out == done.out
    log = json.loads((tmp_path / "again" / "run.json").read_text())
    assert log["answers"]["computed"] == 0


def test_somebody_elses_accuracies_are_analysed(figures, run):
    done = run("exposure", "--accuracies", figures, "--json")
    assert done.code == 0, done.err
    report = json.loads(done.out)
    assert report["verdict"]["label"] in ("not inflated within the margin", "undecided")
    conditions = {
        f["condition"] for f in report["findings"] if f["statistic"] == "bias"
    }
    assert conditions == {"m=50,n=200"}


CHANGES = {
    "counts over n": ({"correct_test": 900}, "correct_test"),
    "negative counts": ({"correct_base": -1}, "correct_base"),
    "no such model": ({}, "no model called 'papr'", "--model", "papr"),
    "no such sampler": ({}, "no sampler called 'nut'", "--sampler", "nut"),
    "no margin": ({}, "--margin is 0.0", "--margin", "0"),
}


@pytest.mark.parametrize("name", CHANGES)
def test_bad_figures_and_options_are_refused_in_one_line(figures, run, name):
    changed, said, *words = CHANGES[name]
    table = study(tasks=3, draws=4)
    for column, value in changed.items():
        table.loc[2, column] = value
    table.to_csv(figures, index=False)
    one_line(run("exposure", "--accuracies", figures, *words), said)


def test_accuracies_outside_their_range_are_refused(figures, run):
    table = study(tasks=2, draws=3)
    for arm in ("base", "extra", "test"):
        table[f"acc_{arm}"] = table.pop(f"correct_{arm}") / 200
    table.loc[1, "acc_extra"] = 1.2
    table.to_csv(figures, index=False)
    one_line(run("exposure", "--accuracies", figures), "acc_extra")


def test_one_subsample_a_task_is_refused(figures, run):
    study(tasks=3, draws=1).to_csv(figures, index=False)
    one_line(run("exposure", "--accuracies", figures), "one subsample")


def test_too_few_rows_are_refused_with_how_many_are_needed(task, run):
    words = ("--m", "50", "--n", "500", "--repeats", "2", "--workers", "1")
    one_line(run("exposure", task, *words), "need 1050 rows")


def test_a_plan_runs_a_few_trials_and_stops(task, run):
    words = ("exposure", task, *SMALL, "--reader", "pca", "--plan")
    done = run(*words)
    assert (done.code, done.out) == (0, "")
    assert "plan: 3 trials, about" in done.err


def test_an_arm_that_boost_needs_is_missed_in_one_line(task, run):
    words = ("--arm", "base", "--arm", "test")
    one_line(run("exposure", task, *SMALL, *words), "no --arm extra; boost and bias")
    every = ("--arm", "base", "--arm", "extra", "--arm", "test", "--arm", "overtrained")
    one_line(run("exposure", task, *SMALL, *every), "pca reads its texts in no epochs")


def test_a_task_is_known_by_its_name(run, tmp_path):
    rows = texts(300).assign(label=lambda table: table["label"].map({"a": 0, "b": 1}))
    written(tmp_path / "clickbait.jsonl", rows.to_dict("records"))
    words = ("exposure", "clickbait", "--data", tmp_path, *SMALL, "--json")
    done = run(*words, "--reader", "pca")
    assert done.code == 0, done.err
    said = json.loads(done.out)
    assert "headline" in said["settings"]["tasks"]["clickbait"]["about"]


def test_neither_tasks_nor_figures_is_refused(run):
    one_line(run("exposure"), "give files or names of tasks, or --accuracies")


def test_a_file_that_is_no_table_is_refused(tmp_path, run):
    one_line(run("exposure", "--accuracies", tmp_path / "lost.csv"), "no such file")
