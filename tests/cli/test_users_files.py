"""What a user has is left as it is, whatever is called like a file of ours."""

import hashlib
import shutil

import pandas as pd
import pytest

from tests.cli.commands import QUICK, made, written


def digests(folder):
    """The fingerprint of each file below, but for the store."""
    paths = [p for p in folder.rglob("*") if p.is_file() and "store" not in p.parts]
    return {p: hashlib.sha256(p.read_bytes()).hexdigest() for p in paths}


@pytest.fixture
def report(file, run, tmp_path):
    """A folder with a report."""
    outcome = run("evidence", file, *QUICK, "--out", tmp_path / "r")
    assert outcome.code == 0, outcome.err
    return tmp_path / "r"


def check_refused(run, folder, line, *command):
    """The command says one line that holds `line`, computes and changes nothing."""
    before = digests(folder)
    outcome = run(*command)
    assert outcome.code == 1
    assert line in outcome.last
    assert digests(folder) == before
    return outcome


@pytest.mark.parametrize("overwrite", [(), ("--overwrite",)])
def test_a_project_folder_is_left_alone(file, run, tmp_path, overwrite):
    out = tmp_path / "project"
    for name in ("report.json", "figures/paper.png", "repair/kept_tokens.txt"):
        (out / name).parent.mkdir(parents=True, exist_ok=True)
        (out / name).write_text("{}")
    command = ("evidence", file, *QUICK, "--out", out, *overwrite)
    check_refused(run, tmp_path, "holds 'figures', which measurand did not", *command)
    assert not (tmp_path / "store").exists()


@pytest.mark.parametrize("overwrite", [(), ("--overwrite",)])
def test_the_folder_of_the_input_is_left_alone(facts, run, tmp_path, overwrite):
    out = tmp_path / "mine"
    out.mkdir()
    pd.DataFrame(facts).to_parquet(out / "items.parquet")
    command = ("evidence", out / "items.parquet", *QUICK, "--out", out, *overwrite)
    check_refused(run, tmp_path, "holds 'items.parquet', which is read", *command)


def test_items_of_a_report_are_not_replaced_while_they_are_read(report, run, tmp_path):
    source = report / "items.parquet"
    command = ("evidence", source, "--query", "claim", *QUICK, "--out", report)
    check_refused(run, tmp_path, "which is read here", *command, "--overwrite")
    outcome = run(*command[:-1], tmp_path / "other")
    assert outcome.code == 0, outcome.err


def test_a_second_run_asks_before_it_replaces(report, file, run, tmp_path):
    command = ("evidence", file, *QUICK, "--seed", 1, "--out", report)
    line = "holds a report; give --overwrite to replace it, or name another folder"
    check_refused(run, tmp_path, line, *command)
    before = (report / "report.json").read_bytes()
    assert run(*command, "--overwrite").code == 0
    assert (report / "report.json").read_bytes() != before
    assert {p.name for p in tmp_path.iterdir()} == {"facts.jsonl", "store", "r"}


@pytest.mark.parametrize("name", ["figures/paper.png", "report.html"])
def test_a_file_put_into_a_report_is_left_alone(report, file, run, tmp_path, name):
    (report / name).write_text("mine")
    command = ("evidence", file, *QUICK, "--out", report, "--overwrite")
    check_refused(run, tmp_path, f"holds {name!r}, which measurand did", *command)


def test_the_folder_one_works_in_is_left_alone(file, run, tmp_path, monkeypatch):
    place = tmp_path / "here"
    (place / "figures").mkdir(parents=True)
    (place / "figures" / "paper.png").write_text("mine")
    monkeypatch.chdir(place)
    command = ("evidence", file, *QUICK, "--out", ".", "--overwrite")
    check_refused(run, tmp_path, "is the folder you are in", *command)


def test_a_store_in_the_folder_of_the_report_is_refused(file, run, tmp_path):
    out = tmp_path / "r"
    command = ("evidence", file, *QUICK, "--out", out, "--store", out / "answers")
    check_refused(run, tmp_path, "lies in --out", *command)


def test_reports_that_are_compared_stay(report, run, tmp_path):
    shutil.copytree(report, tmp_path / "s")
    command = ("compare", report, tmp_path / "s", "--out", report, "--overwrite")
    check_refused(run, tmp_path, "which is read here", *command)
    command = (*command[:3], "--out", tmp_path / "both")
    assert run(*command).code == 0
    check_refused(run, tmp_path, "give --overwrite", *command)
    assert run(*command, "--overwrite").code == 0


def test_a_page_is_not_written_over_unasked(report, run, tmp_path):
    card = tmp_path / "card.md"
    assert run("render", report, "--out", card).code == 0
    check_refused(run, tmp_path, "give --overwrite", "render", report, "--out", card)
    assert run("render", report, "--out", card, "--overwrite").code == 0
    command = ("render", report, "--out", report / "report.html", "--overwrite")
    check_refused(run, tmp_path, "is read here", *command)


def test_all_audits_replace_all_they_wrote(file, run, tmp_path):
    command = (
        "audit",
        file,
        "--no-calibrate",
        "--workers",
        "1",
        "--out",
        tmp_path / "r",
    )
    assert run(*command).code == 0
    check_refused(run, tmp_path, "give --overwrite", *command)
    assert run(*command, "--overwrite").code == 0
    (tmp_path / "r" / "evidence" / "mine.txt").write_text("mine")
    line = "holds 'evidence/mine.txt', which"
    check_refused(run, tmp_path, line, *command, "--overwrite")


NAMES = ("side", "rewrite", "aim", "right:pair:tfidf", "cluster:evidence:tfidf")
NAMES += ("remove:answered", "correct:tfidf", "without_evidence", "full", "pair")
NAMES += ("remove:../../../../pwned", "../up", "self", "a\nb", "CON", "length only")


@pytest.mark.parametrize("verb", ["evidence", "leakage"])
@pytest.mark.parametrize("part", ["query", "label"])
@pytest.mark.parametrize("name", NAMES)
def test_a_column_survives_any_name(run, tmp_path, verb, part, name):
    before = {"query": "claim", "label": "label"}[part]
    rows = [
        {name if column == before else column: cell for column, cell in row.items()}
        for row in made(120)
    ]
    file = written(tmp_path / "facts.jsonl", rows)
    others = {"query": "claim", "label": "label"} | {part: name}
    columns = [f"--{role}={column}" for role, column in others.items()]
    quick = ("--no-calibrate", "--workers", "1")
    outcome = run(verb, file, *columns, *quick, "--out", tmp_path / "in" / "r")
    assert outcome.code == 0, outcome.err
    items = pd.read_parquet(tmp_path / "in" / "r" / "items.parquet")
    assert {*items[name]} <= {row[name] for row in rows}
    assert items[name].nunique() > 1
    assert {p.name for p in tmp_path.iterdir()} == {"facts.jsonl", "store", "in"}
    assert [p.name for p in (tmp_path / "in").iterdir()] == ["r"]


@pytest.mark.parametrize("column", ["claim", "label", "kind", "other"])
def test_half_a_surrogate_pair_in_a_column_name_is_named(run, tmp_path, column):
    rows = [{**row, "other": 1} for row in made()]
    rows = [{f"\ud800{n}" if n == column else n: c for n, c in r.items()} for r in rows]
    outcome = run("evidence", written(tmp_path / "facts.jsonl", rows), *QUICK)
    assert (outcome.code, len(outcome.err.splitlines())) == (1, 1)
    assert rf"the column '\ud800{column}' holds half a surrogate pair" in outcome.last


def test_a_column_called_as_ours_are_is_named(run, tmp_path):
    rows = [
        {"measurand.side" if n == "claim" else n: c for n, c in r.items()}
        for r in made()
    ]
    file = written(tmp_path / "facts.jsonl", rows)
    outcome = run("evidence", file, "--query", "measurand.side", *QUICK)
    assert outcome.code == 1
    assert "column 'measurand.side' begins with 'measurand.'" in outcome.last


@pytest.mark.parametrize("name", ["a\nb", "encoder:a\nb", "encoder:\udcff", "\x1b[31m"])
def test_a_reader_with_an_odd_name_is_one_line(run, file, name):
    outcome = run("evidence", file, "--reader", name, *QUICK)
    assert outcome.code == 1
    assert "is no printable name" in outcome.last
