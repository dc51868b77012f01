import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest

from measurand.benchmarks import parquet
from measurand.core.clause import Clause, Name
from measurand.core.errors import BadInput, BadOption, StoreFailed
from measurand.core.estimate import Estimate
from measurand.core.finding import Exhibit, Finding, Verdict
from measurand.report import reports, saved

KEYS = (
    "schema audit benchmark verdict findings settings not_run warnings files "
    "highlight exhibits"
)


def test_the_document_keeps_its_contract(realistic):
    document = saved.document(realistic)
    assert list(document) == KEYS.split()
    assert list(document["verdict"]) == [
        "label",
        "region",
        "stage",
        "reason",
        "provisional",
        "clauses",
        "bound",
        "settle",
    ]
    finding = document["findings"][0]
    assert list(finding) == ["statistic", "reader", "condition", "estimate", "decision"]
    assert list(finding["estimate"]) == ["value", "low", "high", "level", "n", "method"]
    exhibit = document["exhibits"][0]
    assert list(exhibit) == ["name", "kind", "caption", "settings", "rows"]
    assert exhibit["rows"][0]["benchmark"] == "snli"


def test_a_report_comes_back_as_it_was_saved(realistic, tmp_path):
    saved.save_report(realistic, tmp_path / "a", {"clock": 1})
    back = saved.load_report(tmp_path / "a")
    assert saved.dumps(saved.document(back)) == (tmp_path / "a/report.json").read_text()
    assert back.verdict == realistic.verdict
    assert back.files == realistic.files == {"repair/removed_words.txt": b"item-1\n"}
    assert back.highlight == realistic.highlight
    for a, b in zip(back.findings, realistic.findings, strict=True):
        assert a.estimate.value == pytest.approx(b.estimate.value, rel=1e-9)
        assert replace(a, estimate=b.estimate) == b
    assert back.benchmark == realistic.benchmark
    pd.testing.assert_frame_equal(back.items, realistic.items)
    for a, b in zip(back.exhibits, realistic.exhibits, strict=True):
        assert (a.name, a.kind, a.caption, a.settings) == (
            b.name,
            b.kind,
            b.caption,
            b.settings,
        )
        pd.testing.assert_frame_equal(a.table, b.table)


def test_saving_twice_gives_the_same_bytes(realistic, tmp_path):
    for name, clock in (("a", 1), ("b", 2)):
        saved.save_report(realistic, tmp_path / name, {"clock": clock})
    files = [p.relative_to(tmp_path / "a") for p in (tmp_path / "a").rglob("*.*")]
    assert len(files) == 9
    for file in files:
        same = (tmp_path / "a" / file).read_bytes() == (
            tmp_path / "b" / file
        ).read_bytes()
        assert same == (file.name != "run.json"), file


def test_a_folder_used_again_keeps_nothing_of_the_report_before(lean, tmp_path):
    saved.save_report(lean, tmp_path / "new", {})
    others = {"repair/kept_words.txt": b"of another benchmark"}
    saved.save_report(replace(lean, files=others), tmp_path / "used", {})
    saved.save_report(lean, tmp_path / "used", {}, overwrite=True)
    there = {
        folder: {p.relative_to(tmp_path / folder) for p in found if p.is_file()}
        for folder in ("new", "used")
        for found in [[*(tmp_path / folder).rglob("*")]]
    }
    assert there["used"] == there["new"]


def test_a_report_names_no_file_outside_its_folder(lean, lean_copy, tmp_path):
    (tmp_path / "mine.txt").write_text("mine")
    folder = lean_copy
    outside = ["../mine.txt", str(tmp_path / "mine.txt"), "figures", "lost.txt", "\0"]
    document = saved.document(lean) | {"files": outside}
    (folder / "report.json").write_text(saved.dumps(document))
    assert saved.load_report(folder).files == {}
    with pytest.raises(BadOption, match=r"report\.json'.*changed since"):
        saved.save_report(lean, folder, {}, overwrite=True)
    assert (tmp_path / "mine.txt").read_text() == "mine"


@pytest.mark.parametrize(
    "name", ["../mine.txt", "/mine.txt", "a/../../b", "report.json", "run.json", ""]
)
def test_a_report_keeps_no_file_outside_its_folder(lean, tmp_path, name):
    with pytest.raises(BadInput, match="cannot keep a file as"):
        replace(lean, files={name: b""}).save(tmp_path / "in" / "r")
    assert not [p for p in tmp_path.rglob("*") if p.is_file()]


def test_a_report_of_an_earlier_schema_is_refused_in_one_line(lean, tmp_path):
    folder = saved.save_report(lean, tmp_path / "a", {})
    (folder / "report.json").write_text(
        saved.dumps(saved.document(lean) | {"schema": 2})
    )
    with pytest.raises(BadInput, match="schema 2, of an earlier measurand; this one"):
        saved.load_report(folder)


def test_clauses_with_typed_facts_come_back_as_they_were(lean, tmp_path):
    estimate = Estimate(0.25, 0.125, 0.5, 0.95, 100, "families")
    facts = {
        "over": estimate,
        "part": Name("part", "claim"),
        "also": (Name("token", "not"), Name("token", "no")),
        "families": 12,
        "share": 0.5,
    }
    clauses = (Clause("leak.part", facts), Clause("leak.cue", {}))
    settle = Clause("settle.items", {"items": 4000})
    verdict = Verdict(
        "leaks", "leaks", None, clauses=clauses, bound=estimate, settle=settle
    )
    saved.save_report(replace(lean, verdict=verdict), tmp_path / "a", {})
    assert saved.load_report(tmp_path / "a").verdict == verdict


@pytest.mark.parametrize("overwrite", [False, True])
def test_files_beside_no_report_are_left_alone(lean, tmp_path, overwrite):
    (tmp_path / "figures").mkdir()
    (tmp_path / "figures" / "mine.svg").write_text("mine")
    with pytest.raises(BadOption, match="holds 'figures', which measurand did not"):
        saved.save_report(lean, tmp_path, {}, overwrite=overwrite)
    assert [p.name for p in tmp_path.rglob("*")] == ["figures", "mine.svg"]


def test_the_folder_of_several_reports_names_them(lean_folder, tmp_path):
    for name in ("leakage", "evidence"):
        shutil.copytree(lean_folder, tmp_path / name)
    with pytest.raises(BadInput, match="such as evidence, leakage in it"):
        saved.load_report(tmp_path)


def test_what_the_run_was_like_stays_out_of_the_report(lean, tmp_path):
    saved.save_report(lean, tmp_path, {"host": "turing", "path": str(tmp_path)})
    assert json.loads((tmp_path / "run.json").read_text())["host"] == "turing"
    for name in ("report.json", "report.html"):
        assert "turing" not in (tmp_path / name).read_text()
        assert str(tmp_path) not in (tmp_path / name).read_text()


def test_json_holds_no_nan_and_ten_digits_at_most():
    text = saved.dumps(
        {
            "a": np.float64(1 / 3),
            "b": [np.nan, -np.inf, -0.0],
            "c": (np.int64(3), np.bool_(True), pd.NA),
            "d": np.array([1, 2]),
            "e": {"\ud800é<script>"},
            5: {1.5: None},
        }
    )
    assert text.endswith("\n")
    assert text.isascii()
    assert json.loads(text) == {
        "a": 0.3333333333,
        "b": [None, None, 0.0],
        "c": [3, True, None],
        "d": [1, 2],
        "e": ["\ufffdé<script>"],
        "5": {"1.5": None},
    }


def test_an_estimate_without_a_value_comes_back_without_one(lean, tmp_path):
    nothing = Estimate(np.nan, np.nan, np.inf, 0.95, 0, "none")
    saved.save_report(
        replace(lean, findings=(Finding("mpds", "a", "full", nothing),)),
        tmp_path,
        {},
    )
    back = saved.load_report(tmp_path).findings[0].estimate
    assert np.isnan([back.value, back.low, back.high]).all()


def test_an_empty_report_can_be_saved(lean, tmp_path):
    empty = replace(lean, findings=(), exhibits=(), items=pd.DataFrame())
    saved.save_report(empty, tmp_path, {})
    assert saved.load_report(tmp_path).items.empty


def test_columns_of_missing_numbers_stay_numbers(lean, tmp_path):
    table = pd.DataFrame({"a": [np.nan, np.nan], "b": ["x", None]})
    saved.save_report(
        replace(lean, exhibits=(Exhibit("t", "table", table, "c"),)), tmp_path, {}
    )
    pd.testing.assert_frame_equal(saved.load_report(tmp_path).exhibits[0].table, table)


def test_hostile_text_survives_saving(hostile, tmp_path):
    saved.save_report(hostile, tmp_path / "in", {})
    back = saved.load_report(tmp_path / "in")
    assert back.verdict.label == hostile.verdict.label
    assert back.items.index.tolist() == hostile.items.index.tolist()
    assert [p.name for p in tmp_path.iterdir()] == ["in"]
    assert all(p.name.replace("-", "").isascii() for p in tmp_path.rglob("*"))


def test_exhibits_of_one_name_keep_their_own_figures(realistic, tmp_path):
    twice = replace(realistic.exhibits[3], name="Decision/Map")
    saved.save_report(
        replace(realistic, exhibits=(realistic.exhibits[0], twice)), tmp_path, {}
    )
    names = sorted(p.name for p in (tmp_path / "figures").glob("*.svg"))
    assert names == ["decision-map-2.svg", "decision-map.svg"]


def test_an_unwritable_folder_is_one_line(lean, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreFailed, match=r"^cannot write to [^\n]+$"):
        saved.save_report(lean, tmp_path / "file" / "report", {})


@pytest.mark.slow
def test_a_full_disk_is_one_line_and_leaves_no_scraps(lean_folder, tmp_path):
    script = (
        "import resource, sys; from measurand.report import reports, saved; "
        "from measurand.core.errors import StoreFailed\n"
        "report = saved.load_report(sys.argv[1])\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))\n"
        "try: saved.save_report(report, sys.argv[2], {})\n"
        "except StoreFailed as failed: print(failed)\n"
    )
    full = tmp_path / "full"
    command = [sys.executable, "-c", script, str(lean_folder), str(full)]
    said = subprocess.run(command, capture_output=True, text=True, check=True)
    assert re.fullmatch(r"cannot write [^\n]+ to [^\n]+ kept\n", said.stdout)
    left = [p for p in full.rglob("*") if p.is_file()]
    assert str(full) in said.stdout
    assert not left
    assert not [*tmp_path.iterdir()]


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (None, "holds no report.json"),
        ("{", "is not JSON"),
        ("[" * 100_000, "is not JSON"),
        ('{"schema": ' + "9" * 5000 + "}", "a number is too long"),
        ('{"schema": 1, "schema": 1}', "stands in it twice"),
        ("[]", "is not a report"),
        ('{"schema": "1"}', "is not a report"),
        ('{"schema": 99}', "upgrade"),
        ('{"schema": 1}', "of an earlier measurand"),
        ('{"schema": 3}', "lacks part"),
        ('{"schema": 3, "audit": "a", "benchmark": 3}', "no run writes"),
    ],
)
def test_a_folder_without_a_good_report_is_one_line(lean_copy, content, says):
    (lean_copy / "report.json").unlink()
    if content is not None:
        (lean_copy / "report.json").write_text(content)
    with pytest.raises(BadInput, match=says) as raised:
        saved.load_report(lean_copy)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("name", ["report.json", "items.parquet"])
def test_a_pipe_in_a_report_is_one_line(lean_copy, name):
    (lean_copy / name).unlink()
    os.mkfifo(lean_copy / name)
    with pytest.raises(BadInput, match=r"^[^\n]+ (broken|ordinary file); [^\n]+$"):
        saved.load_report(lean_copy)


@pytest.mark.parametrize("content", [None, b"", b"PAR1 not really PAR1"])
def test_broken_items_are_one_line(lean_copy, content):
    (lean_copy / "items.parquet").unlink()
    if content is not None:
        (lean_copy / "items.parquet").write_bytes(content)
    with pytest.raises(BadInput, match=r"items\.parquet is missing or broken"):
        saved.load_report(lean_copy)


def test_items_that_fill_the_memory_are_one_line(lean_copy, monkeypatch):
    monkeypatch.setattr(parquet, "most_bytes", lambda: 100)
    with pytest.raises(BadInput, match=r"^\S+/items\.parquet [^\n]* holds more than"):
        saved.load_report(lean_copy)


def test_what_pandas_wrote_beside_items_is_read_within_bounds(lean_copy):
    path = lean_copy / "items.parquet"
    items = saved.load_report(lean_copy).items
    table = pq.read_table(path)
    for told, reason in (
        (b"[" * 100_000, "nested too deeply"),
        (b"{", "it is no JSON"),
    ):
        pq.write_table(table.replace_schema_metadata({"pandas": told}), path)
        with pytest.raises(
            BadInput, match=rf"items\.parquet cannot be read: .*{reason}"
        ):
            saved.load_report(lean_copy)
    pq.write_table(table.replace_schema_metadata({"pandas": b"{}"}), path)
    assert len(saved.load_report(lean_copy).items) == len(items)


LINKED = ("repair/removed_words.txt", "repair", "report.json", "items.parquet")


@pytest.mark.parametrize("name", LINKED)
def test_a_report_holds_no_link(lean_copy, tmp_path, name):
    secret = tmp_path / "secret"
    shutil.move(lean_copy / name, secret)
    (lean_copy / name).symlink_to(secret)
    with pytest.raises(
        BadInput, match=r"^[^\n]+ (is a link or lies behind one)[^\n]+$"
    ):
        saved.load_report(lean_copy)


def test_a_folder_that_a_link_leads_to_is_read(lean_copy, tmp_path):
    (tmp_path / "latest").symlink_to(lean_copy)
    assert saved.load_report(tmp_path / "latest").files


def test_of_several_reports_none_lies_behind_a_link(lean, tmp_path):
    reports.save_reports(reports.Reports({"leakage": lean}), tmp_path / "all", {})
    shutil.move(tmp_path / "all" / "leakage", tmp_path / "secret")
    (tmp_path / "all" / "leakage").symlink_to(tmp_path / "secret")
    with pytest.raises(BadInput, match=r"^\S+/leakage cannot be read: it is a link"):
        reports.load_folder(tmp_path / "all")


def test_the_list_of_several_reports_is_no_link(lean, tmp_path):
    reports.save_reports(reports.Reports({"leakage": lean}), tmp_path / "all", {})
    shutil.move(tmp_path / "all" / "audits.json", tmp_path / "secret")
    (tmp_path / "all" / "audits.json").symlink_to(tmp_path / "secret")
    with pytest.raises(BadInput, match=r"^cannot read \S+/audits.json: it is a link"):
        reports.load_folder(tmp_path / "all")


def test_several_reports_of_one_audit_have_a_page_that_leads_to_them(lean, tmp_path):
    of_other = replace(lean, benchmark={**lean.benchmark, "name": "moons"})
    both = reports.Reports({"first": lean, "second": of_other})
    reports.save_reports(both, tmp_path / "all", {})
    text = (tmp_path / "all" / "report.html").read_text("utf-8")
    for name in both:
        assert f'href="{name}/report.html"' in text
    assert [*reports.load_all(tmp_path / "all")] == ["first", "second"]
    assert [*reports.load_all(tmp_path / "all" / "first")] == [lean.audit]


def test_a_file_of_a_report_is_read_within_bounds(lean_copy, monkeypatch):
    path = lean_copy / "repair" / "removed_words.txt"
    most = (lean_copy / "report.json").stat().st_size
    monkeypatch.setattr(saved, "MOST_REPORT_BYTES", most)
    path.write_bytes(b"a" * most)
    assert len(saved.load_report(lean_copy).files["repair/removed_words.txt"]) == most
    path.write_bytes(b"a" * (most + 1))
    with pytest.raises(
        BadInput, match=r"names 'repair/rem[^\n]+ more than [\d,]+ bytes"
    ):
        saved.load_report(lean_copy)


def test_a_file_with_too_long_a_name_is_named(lean_copy):
    document = json.loads((lean_copy / "report.json").read_text())
    document["files"] = ["n" * 300]
    (lean_copy / "report.json").write_text(json.dumps(document))
    with pytest.raises(BadInput, match=r"report\.json names 'nnn[^\n]+: file name too"):
        saved.load_report(lean_copy)


@pytest.mark.parametrize("name", ["r1\0", "r" * 5_000, "\ud800"])
@pytest.mark.parametrize("load", [saved.load_report, reports.load_folder])
def test_what_no_file_can_be_called_is_one_line(name, load):
    with pytest.raises(BadInput, match="give the path of a folder") as failed:
        load(name)
    assert str(failed.value).isprintable()
