"""Verbs, their help, their exit codes, and what they load."""

import json

import pytest

import measurand
from measurand.audits.evidence.conclude import LABELS
from measurand.cli.app import verb_commands
from tests.cli.commands import QUICK, SCREEN_ALL, made, process, written, written_sides

pytestmark = pytest.mark.usefixtures("small_tables")
VERBS = [*verb_commands()]
HEAVY = (
    *("altair", "jax", "numpy", "pandas", "pyarrow"),
    *("ray", "scipy", "sklearn", "statsmodels", "torch"),
)
LOADED = f"""
import sys
from measurand.cli import main
try:
    main()
finally:
    print(sorted(set({HEAVY}) & set(sys.modules)), file=sys.stderr)
"""


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_has_help(run, verb):
    outcome = run(verb, "--help")
    assert (outcome.code, outcome.err) == (0, "")
    assert f"measurand {verb}" in outcome.out


@pytest.mark.parametrize("args", ["--help", "evidence --help", "--version"])
def test_help_loads_nothing_heavy(args):
    outcome = process(*args.split(), prefix=("-c", LOADED))
    assert (outcome.code, outcome.err) == (0, "[]\n")


def test_the_package_loads_nothing_heavy():
    code = f"import sys, measurand; print(set({HEAVY}) & set(sys.modules))"
    assert process(prefix=("-c", code)).out == "set()\n"


def test_the_version_is_printed(run):
    assert run("--version").out == f"{measurand.__version__}\n"


def test_a_verdict_that_must_not_be_exits_with_3(file, run):
    label = json.loads(run("evidence", file, *QUICK, "--json").out)["verdict"]["label"]
    assert run("evidence", file, *QUICK, "--fail-on", label).code == 3
    others = [option for one in LABELS if one != label for option in ("--fail-on", one)]
    assert run("evidence", file, *QUICK, *others).code == 0


@pytest.mark.slow
def test_every_audit_the_columns_permit_is_run(made_audits, run, monkeypatch):
    outcome, words, folder = made_audits
    whole = json.loads(outcome.out)
    assert {*whole["reports"]} == {"evidence", "leakage"}
    assert whole["reports"]["evidence"]["verdict"]["label"] in LABELS
    assert "evidence" not in whole["not_run"]
    assert (folder / "all" / "audits.json").read_text() == outcome.out
    assert (folder / "all" / "evidence" / "report.html").is_file()
    monkeypatch.setenv("MEASURAND_STORE", str(folder / "store"))
    unsaved = run(*words, "--json")
    assert (unsaved.code, unsaved.out) == (0, outcome.out)


@pytest.mark.slow
def test_every_audit_asks_the_readers_that_are_named(run, tmp_path):
    words = (*written_sides(tmp_path, made(90)), *SCREEN_ALL, "--reader", "surface")
    whole = json.loads(run("audit", *words, "--json").out)
    for report in whole["reports"].values():
        readers = {finding["reader"] for finding in report["findings"]}
        assert "surface" in readers
        assert "surface" in str(report["settings"])


def test_an_audit_that_is_run_anyway_is_said_to_be(run):
    said = run("audit", "lost.jsonl", "--with", "leakage", "--with", "exposure").err
    assert said.splitlines()[0] == (
        "--with leakage adds nothing: it is run anyway, where the columns permit; what "
        "--with can add is exposure"
    )
    assert said.count("--with") == 2


@pytest.mark.parametrize("form", [["--json"], []])
@pytest.mark.slow
def test_an_audit_that_the_columns_do_not_permit_is_named(run, tmp_path, form):
    rows = [{"claim": row["claim"], "label": row["label"]} for row in made(90)]
    outcome = run("audit", *written_sides(tmp_path, rows), *SCREEN_ALL, *form)
    assert outcome.code == 0
    assert "names no evidence field" in outcome.out
    if form:
        assert list(json.loads(outcome.out)["not_run"]) == [
            "evidence",
            "explanations",
        ]


@pytest.mark.slow
def test_an_audit_that_these_items_do_not_permit_costs_no_other(run, tmp_path):
    rows = [{**row, "evidence": "the same"} for row in made(90)]
    outcome = run("audit", *written_sides(tmp_path, rows), *SCREEN_ALL, "--json")
    assert outcome.code == 0, outcome.err
    whole = json.loads(outcome.out)
    assert list(whole["reports"]) == ["leakage"]
    assert "every item has the same evidence" in whole["not_run"]["evidence"]


def test_a_fault_that_leaves_no_audit_is_one_line(run, tmp_path):
    rows = [{"claim": r["claim"], "label": r["label"], "log": "one"} for r in made()]
    file = written(tmp_path / "a.jsonl", rows)
    outcome = run("audit", file, "--group", "log", "--workers", "1")
    assert (outcome.code, outcome.out) == (1, "")
    assert outcome.err.splitlines()[-1].startswith("measurand: all items share a ")


def test_a_saved_report_is_shown_rendered_and_compared(file, run, tmp_path):
    said = run("evidence", file, *QUICK, "--out", tmp_path / "a")
    assert said.code == 0
    assert run("show", tmp_path / "a").out == said.out
    assert run("render", tmp_path / "a", "--out", tmp_path / "a.md").code == 0
    assert (tmp_path / "a.md").read_text() == run("render", tmp_path / "a").out[:-1]
    outcome = run("compare", tmp_path / "a", tmp_path / "a", "--json")
    assert json.loads(outcome.out)["verdict"]["label"] == "compared"


def test_a_file_is_shown_as_it_would_be_read(file, run):
    outcome = run("show", file)
    assert outcome.code == 0
    assert "  claim: Trip" in outcome.out
    assert "query: claim" in outcome.err


def test_names_are_listed_by_kind(run):
    assert "tfidf" in run("list", "readers").out
    assert "synthetic:nq" in run("list").out
    assert "did you mean 'readers'?" in run("list", "reader").last


def test_the_module_runs_as_the_script_does(run):
    assert process("--version").out == run("--version").out
