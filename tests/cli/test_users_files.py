"""What a user has is left as it is, whatever is called like a file of ours."""

import hashlib
import json
import random
import shutil

import pandas as pd
import pytest

from measurand import judges
from measurand.report import markdown
from tests.cli.commands import LEAST, QUICK, made, written

pytestmark = pytest.mark.usefixtures("small_tables")


def digests(folder):
    """The fingerprint of each file below, but for the store."""
    paths = [p for p in folder.rglob("*") if p.is_file() and "store" not in p.parts]
    return {p: hashlib.sha256(p.read_bytes()).hexdigest() for p in paths}


@pytest.fixture
def report(made_report, tmp_path):
    """A folder with a report, to be tried."""
    return shutil.copytree(made_report, tmp_path / "r")


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
    command = ("evidence", source, *QUICK, "--out", report, "--overwrite")
    check_refused(run, tmp_path, "which is read here", *command)


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


@pytest.mark.parametrize("name", ["loop", "n" * 300])
def test_a_folder_that_cannot_be_is_named_first(file, run, tmp_path, name):
    (tmp_path / "loop").symlink_to("other")
    (tmp_path / "other").symlink_to("loop")
    command = ("evidence", file, *QUICK, "--out", tmp_path / name)
    outcome = check_refused(run, tmp_path, f"{name[:40]}", *command)
    assert len(outcome.err.splitlines()) == 1


def test_a_file_that_cannot_be_is_named_first(file, run, tmp_path):
    name = "n" * 300
    outcome = run("suite", file, "--out", tmp_path / name)
    assert outcome.code == 1
    assert len(outcome.err.splitlines()) == 1
    assert f"{name}: file name too long" in outcome.last
    outcome = run("show", name)
    assert (outcome.code, len(outcome.err.splitlines())) == (1, 1)
    assert name[:190] in outcome.last


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
    figure = next((report / "figures").glob("*.svg"))
    for part in (report / "report.html", figure):
        command = ("render", report, "--out", part, "--overwrite")
        check_refused(run, tmp_path, "is read here", *command)


def test_settings_that_no_run_writes_are_one_line(report, run, tmp_path):
    other = shutil.copytree(report, tmp_path / "s")
    document = json.loads((report / "report.json").read_text())
    for exhibit in document["exhibits"]:
        exhibit["settings"]["margin"] = "x"
    (report / "report.json").write_text(json.dumps(document))
    outcome = run("compare", report, other)
    assert outcome.code == 1
    assert "s holds what no run writes: could not convert" in outcome.last


@pytest.mark.parametrize("verb", ["suite", "render"])
def test_a_file_that_comes_during_the_run_is_left_alone(
    report, file, run, tmp_path, monkeypatch, verb
):
    out = tmp_path / "out"
    module, name = {
        "suite": (judges, "load_judge"),
        "render": (markdown, "markdown"),
    }[verb]
    compute = getattr(module, name)

    def compute_while_a_file_comes(given):
        out.write_text("mine")
        return compute(given)

    monkeypatch.setattr(module, name, compute_while_a_file_comes)
    outcome = run(verb, {"suite": file, "render": report}[verb], "--out", out)
    assert outcome.code == 1
    assert "out is there already; give --overwrite" in outcome.last
    assert out.read_text() == "mine"


@pytest.mark.slow
def test_all_audits_replace_all_they_wrote(made_audits, run, tmp_path, monkeypatch):
    _, words, folder = made_audits
    shutil.copytree(folder / "all", tmp_path / "r")
    monkeypatch.setenv("MEASURAND_STORE", str(folder / "store"))
    command = (*words, "--out", tmp_path / "r")
    check_refused(run, tmp_path, "give --overwrite", *command)
    assert run(*command, "--overwrite").code == 0
    (tmp_path / "r" / "evidence" / "mine.txt").write_text("mine")
    line = "holds 'evidence/mine.txt', which"
    check_refused(run, tmp_path, line, *command, "--overwrite")


def check_columns_survive(run, folder, verb, names):
    """An audit of columns with these names keeps every cell, and writes to one place.

    The names are of the query, the evidence, the label and a column of metadata.
    """
    named = dict(zip(("claim", "evidence", "label", "kind"), names, strict=True))
    rows = [{named[column]: cell for column, cell in r.items()} for r in made(80)]
    file = written(folder / "facts.jsonl", rows)
    roles = ("query", "evidence", "label", "metadata")[: 4 if verb == "evidence" else 3]
    columns = [f"--{role}={name}" for role, name in zip(roles, names, strict=False)]
    fewest = {"evidence": ("--no-calibrate", *LEAST), "leakage": ("--no-map",)}
    quick = ("--workers", "1", *fewest[verb])
    outcome = run(verb, file, *columns, *quick, "--out", folder / "in" / "r")
    assert outcome.code == 0, outcome.err
    items = pd.read_parquet(folder / "in" / "r" / "items.parquet")
    for name in names[: len(roles)]:
        assert {*items[name]} <= {row[name] for row in rows}, name
        assert items[name].nunique() > 1, name
    assert {p.name for p in folder.iterdir()} == {"facts.jsonl", "store", "in"}
    assert [p.name for p in (folder / "in").iterdir()] == ["r"]
    return items


LEAKAGE = [  # a query, an evidence and a label each
    ("remove:../../../../pwned", "keep", "side"),
    ("aim", "right:pair:tfidf", "cluster:evidence:tfidf"),
    ("full", "length only", "remove:answered"),
    ("pair", "self", "../label"),
]


@pytest.mark.slow
@pytest.mark.parametrize("names", LEAKAGE)
def test_leakage_keeps_columns_of_any_name(run, tmp_path, names):
    items = check_columns_survive(run, tmp_path, "leakage", (*names, "kind"))
    assert {*items["measurand.side"]} == {"train", "test"}


EVIDENCE = [
    ("correct:tfidf", "shuffled:tfidf", "without_evidence", "mean"),
    ("query_only:tfidf", "a\nb", "self", "worst"),
]


@pytest.mark.parametrize("names", EVIDENCE)
def test_evidence_keeps_columns_of_any_name(run, tmp_path, names):
    check_columns_survive(run, tmp_path, "evidence", names)


OURS = ("measurand", "right", "pair", "correct", "side", "report", "items", "figures")
PIECES = (*OURS, "..", "/", "\\", ":", "%3A", "%", "=", ", ", "CON", ".", "\n", " ")
PIECES += ("é", "漢", "\u202e", "{}", "<b>", "__index_level_0__", "id", "x" * 300)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_columns_of_random_names_survive(run, tmp_path, seed):
    rng = random.Random(seed)
    names = set()
    while len(names) < 4:
        name = "".join(rng.choices(PIECES, k=rng.randint(1, 5))).strip()
        names |= {name} if name and not name.startswith("measurand.") else set()
    verb = ("evidence", "leakage")[seed % 2]
    check_columns_survive(run, tmp_path, verb, sorted(names))


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
