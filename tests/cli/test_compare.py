"""Reports laid beside each other at the command line."""

import json
import shutil

import pandas as pd
import pytest

from measurand.audits import AUDITS
from measurand.report.saved import save_report
from tests.cli.commands import made, written
from tests.compare.test_verdicts import states


def retold(folder, target, label="leaks", **about):
    """A copy of a report with another verdict, benchmark or audit."""
    shutil.copytree(folder, target)
    path = target / "report.json"
    contents = json.loads(path.read_text())
    contents["verdict"] |= {"label": label}
    contents["benchmark"] |= about
    path.write_text(json.dumps(contents))
    return target


def test_a_report_that_got_worse_is_exit_code_3(made_report, run, tmp_path):
    worse = retold(made_report, tmp_path / "new", "not needed", name="facts-2")
    fine = retold(made_report, tmp_path / "old", "needed")
    outcome = run("compare", fine, worse, "--fail-on", "worse")
    assert outcome.code == 3
    assert "Worse than before." in outcome.out
    assert run("compare", worse, fine, "--fail-on", "worse").code == 0
    assert run("compare", fine, worse).code == 0


@pytest.mark.parametrize("audit", tuple(AUDITS))
def test_a_label_has_one_tone_so_that_the_gate_and_the_page_agree(audit):
    labels = [label for label, _ in states(audit)]
    assert len(labels) == len(set(labels))


def test_a_tone_that_got_worse_is_exit_code_3(run, tmp_path):
    """D2: `show` said CANNOT SAY and LEAKS, `compare` that all is the same."""
    reports, old, new = states("explanations"), tmp_path / "old", tmp_path / "new"
    verdicts = (("inconclusive", "unknown"), ("leaky", "leaks"))
    for folder, verdict in zip((old, new), verdicts, strict=True):
        save_report(reports[verdict], folder, {})
    shown = [run("show", folder).out for folder in (old, new)]
    assert "? INCONCLUSIVE" in shown[0]
    assert "LEAK" in shown[1]
    outcome = run("compare", old, new, "--fail-on", "worse")
    assert outcome.code == 3
    assert "LEAKS  Worse than before. The verdicts differ" in outcome.out
    assert "(cannot say)" in " ".join(outcome.out.split())
    assert run("compare", new, old, "--fail-on", "worse").code == 0


def test_nothing_that_could_not_fail_passes(made_report, run, tmp_path):
    other = retold(made_report, tmp_path / "other", name="moons", digest={})
    (other / "items.parquet").unlink()
    pd.DataFrame({"claim": ["x"]}, ["0"]).to_parquet(other / "items.parquet")
    outcome = run("compare", made_report, other, "--fail-on", "worse")
    assert outcome.code == 1
    assert "what got worse needs reports of one benchmark" in outcome.last
    assert "share neither a name nor items" in outcome.last


def test_a_word_that_is_not_worse_is_refused_at_once(made_report, run):
    outcome = run("compare", made_report, made_report, "--fail-on", "leaks")
    assert outcome.last == "measurand: --fail-on is 'leaks'; allowed: worse"
    assert outcome.code == 1


@pytest.mark.slow
def test_folders_of_audits_are_paired_and_what_is_left_is_said(
    made_audits, run, tmp_path
):
    folder = made_audits[2] / "all"
    new = tmp_path / "new"
    shutil.copytree(folder, new)
    hostile = retold(folder / "leakage", new / "more", name="\x1b[31mx")
    out = tmp_path / "compared"
    outcome = run("compare", folder, new, "--out", out)
    assert outcome.code == 0
    lines = outcome.err.splitlines()
    for audit in ("evidence", "leakage"):
        with_new = f"{folder / audit} with {new / audit}"
        assert f"compared ({audit}): {with_new}" in lines
        assert (out / f"{audit}-of-facts" / "report.html").is_file()
        assert f"{audit} comparison of facts (1), facts (2)" in outcome.out
    assert any(line.startswith(f"left alone: {hostile}") for line in lines)
    text = (out / "report.html").read_text("utf-8")
    assert all(
        f'href="{a}-of-facts/report.html"' in text for a in ("evidence", "leakage")
    )
    assert lines[-1] == f"report: {out / 'report.html'}"
    assert outcome.err.replace("\n", "").isprintable()


def test_folders_without_reports_in_common_are_one_line(made_report, run, tmp_path):
    old, new = tmp_path / "old", tmp_path / "new"
    retold(made_report, old / "a")
    retold(made_report, old / "b")
    contents = json.loads((made_report / "report.json").read_text())
    retold(made_report, new / "c")
    (new / "c" / "report.json").write_text(json.dumps({**contents, "audit": "leakage"}))
    outcome = run("compare", old, new)
    assert outcome.code == 1
    assert "no two of these folders hold reports of one audit" in outcome.last


def judged(contents):
    """The findings on which the verdict rests."""
    stage = contents["verdict"]["stage"]
    return [
        f
        for f in contents["findings"]
        if (f["statistic"], f["reader"], f["condition"]) == ("gain", stage, "pooled")
    ]


LOSSES = {
    "no findings": lambda contents: contents["findings"].clear(),
    "removed": lambda contents: contents["findings"].remove(judged(contents)[0]),
    "null": lambda contents: judged(contents)[0]["estimate"].update(value=None),
    "reader": lambda contents: judged(contents)[0].update(reader="other"),
    "condition": lambda contents: judged(contents)[0].update(condition="other"),
    "level": lambda contents: judged(contents)[0]["estimate"].update(level=0.8),
}


@pytest.mark.parametrize("how", LOSSES)
def test_a_judged_figure_that_is_gone_does_not_pass(made_report, run, tmp_path, how):
    old = retold(made_report, tmp_path / "old", "needed")
    new = retold(made_report, tmp_path / "new", "needed")
    assert run("compare", old, new, "--fail-on", "worse").code == 0
    contents = json.loads((new / "report.json").read_text())
    LOSSES[how](contents)
    (new / "report.json").write_text(json.dumps(contents))
    outcome = run("compare", old, new, "--fail-on", "worse")
    assert outcome.code == 1
    assert "rests on gain of cross (pooled)" in outcome.last
    assert "which cannot be compared" in outcome.last
    assert len(outcome.err.splitlines()) == 1
    assert run("compare", old, new).code == 0


def few_sources(folder, target, sources):
    """A copy of a report whose items come from so few sources."""
    retold(folder, target, "none found")
    path = target / "report.json"
    contents = json.loads(path.read_text())
    contents["benchmark"]["roles"]["group"] = "source"
    path.write_text(json.dumps(contents))
    items = pd.read_parquet(target / "items.parquet")
    items["source"] = [f"source {i % sources}" for i in range(len(items))]
    items.to_parquet(target / "items.parquet")
    return target


def test_a_gate_on_fewer_than_six_paired_units_is_refused(run, tmp_path):
    file = written(tmp_path / "facts.jsonl", made(120))
    assert run("leakage", file, "--workers", "1", "--out", tmp_path / "r").code == 0
    folders = {
        sources: [
            few_sources(tmp_path / "r", tmp_path / f"{name}{sources}", sources)
            for name in ("old", "new")
        ]
        for sources in (5, 6)
    }
    assert run("compare", *folders[6], "--fail-on", "worse").code == 0
    outcome = run("compare", *folders[5], "--fail-on", "worse")
    assert outcome.code == 1
    assert len(outcome.err.splitlines()) == 1
    assert "whether over_blank of " in outcome.last
    assert " got worse cannot be shown: the 120 items of " in outcome.last
    assert "that are paired make 5 units (items that share a text" in outcome.last
    assert run("compare", *folders[5]).code == 0
    # A verdict that got worse needs no units.
    worse = retold(folders[5][1], tmp_path / "worse", "leaks")
    assert run("compare", folders[5][0], worse, "--fail-on", "worse").code == 3


def test_a_first_report_without_a_counterpart_does_not_pass(made_report, run, tmp_path):
    old, new = tmp_path / "old", tmp_path / "new"
    for folder in (old, new):
        retold(made_report, folder / "evidence")
    leaky = retold(made_report, old / "leakage")
    retold(made_report, new / "more", name="moons", digest={})
    contents = json.loads((leaky / "report.json").read_text())
    (leaky / "report.json").write_text(json.dumps({**contents, "audit": "leakage"}))
    outcome = run("compare", old, new, "--fail-on", "worse")
    assert outcome.code == 1
    assert "leakage cannot be compared: a folder has no report" in " ".join(
        outcome.last.split()
    )
    assert run("compare", old, new).code == 0
