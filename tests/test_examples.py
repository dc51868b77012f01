"""The example configs name known options, and run on files of their columns."""

import json
import sys
import tomllib
from pathlib import Path

import pytest

from measurand.benchmarks.assemble import sample_benchmark
from measurand.benchmarks.synthetic_rationales import plant_rationales
from measurand.cli import main
from measurand.cli.app import parameter_names, verb_commands
from tests.cli.commands import written

EXAMPLES = Path(__file__).parents[1] / "examples"
CONFIGS = sorted(EXAMPLES.glob("*.toml"))
SIZES = {"esnli": (11_000, 2_000), "fever": (22_000, 2_000)}
COLUMNS = {
    "esnli": {
        *("premise", "hypothesis", "label"),
        *("explanation_1", "explanation_2", "explanation_3"),
    },
    "fever": {"claim", "evidence", "label"},
}
FEW = ("--explainer", "given", "--explainer", "vacuous", "--workers", "1")


def planted_rows(items):
    """Planted items under e-SNLI's names."""
    order = ["query", "evidence", "label", "rationale_1", "rationale_2", "rationale_3"]
    into = ["hypothesis", "premise", "label"]
    into += ["explanation_1", "explanation_2", "explanation_3"]
    table = items.table[order].set_axis(into, axis="columns")
    return table.to_dict("records")


@pytest.mark.parametrize("path", CONFIGS, ids=lambda path: path.stem)
def test_a_config_names_known_options_alone(path):
    verb = verb_commands()["explanations"]
    known = {name for parameter in verb.params for name in parameter_names(parameter)}
    assert {*tomllib.loads(path.read_text("utf-8"))} <= known


@pytest.mark.parametrize("path", CONFIGS, ids=lambda path: path.stem)
def test_a_config_has_the_columns_and_the_sizes_of_the_proposal(path):
    given = tomllib.loads(path.read_text("utf-8"))
    roles = {given["query"], given["evidence"], given["label"], *given["rationale"]}
    assert roles == COLUMNS[path.stem]
    assert (given["train-items"], given["items"]) == SIZES[path.stem]


def test_every_config_is_explained():
    page = (EXAMPLES / "README.md").read_text("utf-8")
    assert {path.stem for path in CONFIGS} == {*SIZES}
    assert all(f"--config {path.name}" in page for path in CONFIGS)


@pytest.mark.slow
def test_a_config_runs_on_a_file_of_its_columns(tmp_path, monkeypatch, capsys):
    made = plant_rationales(
        "planted", leaky=False, seed=1, sizes={"train": 90, "test": 60}
    )
    train = written(tmp_path / "esnli_train.jsonl", planted_rows(made.train))
    test = written(tmp_path / "esnli_test.jsonl", planted_rows(made.test))
    config = ("--config", EXAMPLES / "esnli.toml", "--items", "40")
    words = ("explanations", train, "--test", test, *config, *FEW, "--json")
    monkeypatch.setenv("MEASURAND_STORE", str(tmp_path / "store"))
    monkeypatch.setattr(sys, "argv", ["measurand", *map(str, words)])
    with pytest.raises(SystemExit) as left:
        main()
    assert not left.value.code
    report = json.loads(capsys.readouterr().out)
    assert (report["benchmark"]["train"], report["benchmark"]["test"]) == (90, 40)
    assert report["benchmark"]["counts"]["items_test"] == 40
    assert report["settings"]["items"] == 40
    assert report["settings"]["train_items"] == 11_000
    # What several people wrote is compared as agreement; a column cannot be run again.
    assert "agreement" in {finding["statistic"] for finding in report["findings"]}
    assert "robustness of given" in report["not_run"]


def test_more_training_items_leave_the_test_items_as_they_are():
    made = plant_rationales(
        "planted", leaky=False, seed=1, sizes={"train": 90, "test": 60}
    )
    few, more = (sample_benchmark(made, train=n, test=30, seed=0) for n in (40, 80))
    assert list(few.test.ids) == list(more.test.ids)
    assert {*few.test.ids} < {*made.test.ids}
    assert (len(few.train), len(more.train)) == (40, 80)
    assert few.notes["items_train"] == 40


def test_all_items_are_kept_where_no_number_is_given():
    made = plant_rationales(
        "planted", leaky=False, seed=1, sizes={"train": 90, "test": 60}
    )
    same = sample_benchmark(made, train=None, test=None, seed=0)
    assert (same.train.digest, same.test.digest) == (
        made.train.digest,
        made.test.digest,
    )
