"""An audit that the house knows by its entry alone has what the others have."""

import json
import sys

import pytest

from measurand.audits import AUDITS
from measurand.cli import main
from measurand.core.catalogue import Entry
from measurand.core.errors import BadOption
from tests.audits.toy import AUDIT, LABELS
from tests.cli.commands import Outcome, made, written

ABOUT = "is one label nearly all?"
ONE = ("--workers", "1")


@pytest.fixture(autouse=True)
def catalogue(monkeypatch):
    """The catalogue with one line more, and the verbs that follow from it."""
    before = dict(AUDITS.entries)
    monkeypatch.setitem(AUDITS.entries, "toy", Entry("tests.audits.toy:AUDIT", ABOUT))
    yield
    # In the order in which they were: other tests read it.
    AUDITS.entries.clear()
    AUDITS.entries.update(before)


@pytest.fixture
def run(monkeypatch, capsys, tmp_path):
    """The command line in this process."""
    monkeypatch.setenv("MEASURAND_STORE", str(tmp_path / "store"))

    def call(*words):
        monkeypatch.setattr(sys, "argv", ["measurand", *map(str, words)])
        capsys.readouterr()
        with pytest.raises(SystemExit) as left:
            main()
        return Outcome(left.value.code or 0, *capsys.readouterr())

    return call


@pytest.fixture
def file(tmp_path):
    return written(tmp_path / "facts.jsonl", made())


def only(monkeypatch, *names):
    """Leave these audits alone in the catalogue: the others take long."""
    for name in [name for name in AUDITS if name not in names]:
        monkeypatch.delitem(AUDITS.entries, name)


def test_it_has_a_verb_with_its_own_settings(run, file):
    assert ABOUT.capitalize() in run("--help").out
    assert "--fail-on" in run("toy", "--help").out
    outcome = run("toy", file, *ONE, "--seeds", "4", "--share", "0.8", "--json")
    assert outcome.code == 0, outcome.err
    report = json.loads(outcome.out)
    assert (report["audit"], report["verdict"]["label"]) == ("toy", "balanced")
    assert report["settings"]["seeds"] == 4
    assert list(report["settings"]["readers"]) == ["majority"]


def test_its_verb_takes_other_readers(run, file):
    outcome = run("toy", file, *ONE, "--reader", "tfidf", "--json")
    assert list(json.loads(outcome.out)["settings"]["readers"]) == ["tfidf"]


def test_its_verdicts_can_fail_a_run_and_no_others(run, file):
    assert run("toy", file, *ONE, "--fail-on", "balanced").code == 3
    assert run("toy", file, *ONE, "--fail-on", "skewed").code == 0
    assert run("toy", file, *ONE, "--fail-on", "leaks").code == 0  # a tone
    outcome = run("toy", file, *ONE, "--fail-on", "leaky")
    assert outcome.code == 1
    assert f"'leaky'; the verdicts are {', '.join(LABELS)}" in outcome.last


def test_its_reports_are_shown_and_compared(run, file, tmp_path):
    folders = tmp_path / "a", tmp_path / "b"
    for seed, folder in enumerate(folders):
        assert run("toy", file, *ONE, "--seed", seed, "--out", folder).code == 0
    shown = run("show", folders[0]).out
    assert "The verdict is balanced." in shown
    assert "The commonest label" in shown
    compared = json.loads(run("compare", *folders, "--json").out)
    assert compared["settings"]["audit"] == "toy"
    assert "2 reports: 2 balanced" in compared["verdict"]["reason"]
    (decisions,) = [e for e in compared["exhibits"] if e["name"] == "decisions"]
    assert [row["verdict"] for row in decisions["rows"]] == ["balanced"] * 2
    assert {f["statistic"] for f in compared["findings"]} == {"majority"}


def test_its_planted_benchmarks_are_in_the_demo(run, monkeypatch, tmp_path):
    only(monkeypatch, "toy")
    outcome = run("demo", "--all", *ONE, "--out", tmp_path / "demo", "--json")
    assert outcome.code == 0, outcome.err
    assert list(json.loads(outcome.out)["reports"]) == ["toy"]
    verdicts = [
        json.loads((tmp_path / "demo/toy" / name / "report.json").read_text())[
            "verdict"
        ]
        for name in ("synthetic-nq", "synthetic-triviaqa")
    ]
    assert [verdict["label"] for verdict in verdicts] == ["skewed", "balanced"]


def test_it_is_listed(run):
    assert f"toy           {ABOUT}" in run("list", "audits").out


@pytest.mark.slow
def test_it_runs_with_the_others_where_it_is_asked_for(run, file, monkeypatch):
    only(monkeypatch, "evidence", "toy")
    words = ("audit", file, *ONE, "--no-calibrate", "--json")
    assert list(json.loads(run(*words).out)["reports"]) == ["evidence"]
    both = run(*words, "--with", "toy", "--fail-on", "balanced")
    assert both.code == 3
    assert list(json.loads(both.out)["reports"]) == ["evidence", "toy"]
    refused = run(*words, "--fail-on", "balanced")
    assert (refused.code, refused.out) == (1, "")


def test_it_says_which_settings_it_has():
    assert AUDIT.choose(share=0.5).share == 0.5
    assert AUDIT.takes("seeds")
    assert not AUDIT.takes("calibrate")
    with pytest.raises(
        BadOption, match="toy has no setting 'shares'; it has share, se"
    ):
        AUDIT.choose(shares=0.5)
    with pytest.raises(BadOption, match="`share` is 2; allowed are above 0, up to 1"):
        AUDIT.choose(share=2)
