"""The exposure audit from the command line."""

import json

import pandas as pd
import pytest

from tests.audits.exposure.planted_counts import by_task, study
from tests.audits.exposure.test_audit import texts
from tests.cli.commands import written
from tests.cli.test_bad_input import one_line

SMALL = ("--m", "20", "--n", "40", "--repeats", "3", "--workers", "1")


@pytest.fixture
def task(tmp_path):
    return written(tmp_path / "made.jsonl", texts(300).to_dict("records"))


@pytest.fixture
def figures(tmp_path):
    path = tmp_path / "study.csv"
    study(0.05, 0.0, tasks=2, draws=4).to_csv(path, index=False)
    return path


@pytest.mark.slow
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


@pytest.mark.parametrize(
    ("labels", "epochs"), [(("ham", "spam"), 1), (("neg", "pos"), 3)]
)
def test_a_file_is_one_of_the_papers_tasks_by_name_and_classes(
    labels, epochs, run, tmp_path
):
    table = texts(300)
    table["label"] = table["label"].map(dict(zip("ab", labels, strict=True)))
    path = written(tmp_path / "enron_spam.jsonl", table.to_dict("records"))
    done = run("exposure", path, *SMALL, "--reader", "idf", "--json")
    assert done.code == 0, done.err
    (settings,) = json.loads(done.out)["settings"]["tasks"].values()
    assert settings["epochs"] == epochs
    assert ("learned as there" in done.err) == (epochs == 1)


def test_somebody_elses_accuracies_are_analysed(figures, run):
    done = run("exposure", "--accuracies", figures, "--json")
    assert done.code == 0, done.err
    report = json.loads(done.out)
    verdict = report["verdict"]
    assert verdict["label"] == "inconclusive"  # four draws of two tasks
    assert verdict["bound"]["value"] > 0.05
    assert verdict["settle"]["code"] == "settle.draws"
    conditions = {
        f["condition"] for f in report["findings"] if f["statistic"] == "bias"
    }
    assert conditions == {"m=50,n=200"}


def test_any_number_of_inflated_tasks_can_fail_a_run(figures, run):
    by_task([0.1, -0.1], draws=12).to_csv(figures, index=False)
    words = ("exposure", "--accuracies", figures, "--json")
    done = run(*words, "--fail-on", "inflated on some tasks")
    assert done.code == 3, done.err
    assert json.loads(done.out)["verdict"]["label"] == "inflated on some tasks"


CHANGES = {
    "counts over n": ({"correct_test": 900}, "correct_test"),
    "negative counts": ({"correct_base": -1}, "correct_base"),
    "no such model": ({}, "--model is 'papr'; allowed: ", "--model", "papr"),
    "no such sampler": ({}, "--sampler is 'nut'; allowed: ", "--sampler", "nut"),
    "no margin": ({}, "--margin is 0.0", "--margin", "0"),
    "no test rows": ({"n": 0}, "has n '0'; it must be a whole number of at least 1"),
    "a plan": ({}, "--plan is of a study that is run", "--plan"),
    "a default given": ({}, "leave out --m, or give files", "--m", "50"),
    "an engine": ({}, "leave out --engine", "--engine", "local"),
    "a reader": ({}, "leave out --reader", "--reader", "pca"),
}


@pytest.mark.parametrize("name", CHANGES)
def test_bad_figures_and_options_are_refused_in_one_line(figures, run, name):
    changed, said, *words = CHANGES[name]
    table = study(tasks=3, draws=4)
    for column, value in changed.items():
        table.loc[2, column] = value
    table.to_csv(figures, index=False)
    one_line(run("exposure", "--accuracies", figures, *words), said)


def test_the_rows_that_a_report_kept_are_analysed_again(figures, run, tmp_path):
    first = run("exposure", "--accuracies", figures, "--json", "--out", tmp_path / "r")
    assert first.code == 0, first.err
    kept = tmp_path / "r" / "items.parquet"
    again = run("exposure", "--accuracies", kept, "--json")
    assert again.code == 0, again.err
    verdicts = [json.loads(done.out)["verdict"] for done in (first, again)]
    assert verdicts[0] == verdicts[1]


@pytest.mark.parametrize(
    ("separator", "name"), [(";", "semicolons"), ("\t", "tabs"), ("|", "bars")]
)
def test_another_separator_is_named(figures, run, separator, name):
    study(tasks=2, draws=3).to_csv(figures, index=False, sep=separator)
    text = figures.read_text()
    figures.write_text(f"\ufeff{text}")
    one_line(run("exposure", "--accuracies", figures), f"cells are separated by {name}")


def test_a_config_of_an_experiment_is_refused_for_figures(figures, run, tmp_path):
    (tmp_path / "c.toml").write_text("repeats = 5\nmargin = 2.0\n")
    words = ("--config", tmp_path / "c.toml")
    one_line(run("exposure", "--accuracies", figures, *words), "leave out --repeats")


def test_the_environment_is_no_option_of_an_experiment(figures, run, monkeypatch):
    monkeypatch.setenv("MEASURAND_DATA", "somewhere")
    assert run("exposure", "--accuracies", figures, "--seed", "1").code == 0


@pytest.mark.slow
def test_numbered_models_and_tasks_are_analysed(figures, run):
    one = study(0.05, 0.0, tasks=2, draws=3)
    one["task"] = one["task"].str.removeprefix("t").astype(int)
    pd.concat([one.assign(lm=1), one.assign(lm=2)]).to_csv(figures, index=False)
    done = run("exposure", "--accuracies", figures, "--json")
    assert done.code == 0, done.err
    assert {"1", "2"} <= {f["reader"] for f in json.loads(done.out)["findings"]}


def test_accuracies_outside_their_range_are_refused(figures, run):
    table = study(tasks=2, draws=3)
    for arm in ("base", "extra", "test"):
        table[f"acc_{arm}"] = table.pop(f"correct_{arm}") / 200
    table.loc[1, "acc_extra"] = 1.2
    table.to_csv(figures, index=False)
    one_line(run("exposure", "--accuracies", figures), "acc_extra")


def test_one_subsample_a_task_is_refused(figures, run):
    study(tasks=1, draws=1).to_csv(figures, index=False)
    one_line(run("exposure", "--accuracies", figures), "one subsample")


def test_too_few_rows_are_refused_with_how_many_are_needed(task, run):
    words = ("--m", "50", "--n", "500", "--repeats", "2", "--workers", "1")
    one_line(run("exposure", task, *words), "measurand: m = 50 and n = 500 need 1050")


def test_a_task_that_is_too_small_is_named_before_any_is_trained(
    task, run, tmp_path, store
):
    few = written(tmp_path / "few.jsonl", texts(60).to_dict("records"))
    done = run("exposure", task, few, *SMALL)
    one_line(done, "few: m = 20 and n = 40 need 100 rows, and there are 60")
    assert not [path for path in store.rglob("*") if path.is_file()]


@pytest.mark.slow
def test_an_audit_of_everything_keeps_the_others_where_exposure_needs_more_rows(
    run, task, tmp_path
):
    words = ("--with", "exposure", "--no-calibrate", "--workers", "1")
    done = run("audit", task, *words, "--json", "--out", tmp_path / "all")
    assert done.code == 0, done.err
    whole = json.loads(done.out)
    assert list(whole["reports"]) == ["leakage"]
    assert "need 450 rows, and there are 300" in whole["not_run"]["exposure"]
    assert "measurand exposure FILE --m M --n N" in whole["not_run"]["exposure"]
    assert (tmp_path / "all" / "leakage" / "report.html").is_file()


def test_a_plan_runs_a_few_trials_and_stops(task, run):
    words = ("exposure", task, *SMALL, "--reader", "pca", "--plan")
    done = run(*words)
    assert (done.code, done.out) == (0, "")
    assert "plan: 4 trials, about" in done.err


def test_an_arm_that_boost_needs_is_missed_in_one_line(task, run):
    words = ("--arm", "base", "--arm", "test")
    one_line(run("exposure", task, *SMALL, *words), "no --arm extra; boost and bias")
    every = ("--arm", "base", "--arm", "extra", "--arm", "test", "--arm", "overtrained")
    one_line(run("exposure", task, *SMALL, *every), "pca reads its texts in no epochs")


def test_a_task_is_known_by_its_name(run, tmp_path):
    rows = texts(300).assign(label=lambda table: table["label"].map({"a": 0, "b": 1}))
    written(tmp_path / "clickbait.jsonl", rows.to_dict("records"))
    words = ("exposure", "clickbait", "--data", tmp_path, *SMALL, "--json")
    done = run(*words, "--reader", "idf")
    assert done.code == 0, done.err
    said = json.loads(done.out)
    assert "headline" in said["settings"]["tasks"]["clickbait"]["about"]


def test_neither_tasks_nor_figures_is_refused(run):
    one_line(run("exposure"), "give files or names of tasks, or --accuracies")


def test_a_file_that_is_no_table_is_refused(tmp_path, run):
    one_line(run("exposure", "--accuracies", tmp_path / "lost.csv"), "no such file")
