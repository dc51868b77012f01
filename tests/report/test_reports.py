"""The index leads to every report, what asks for something first."""

import json
import os
import sys
from dataclasses import replace

import pyarrow.parquet as pq
import pytest

from measurand.core.errors import BadInput
from measurand.report import reports
from measurand.report.reports import index_page
from measurand.report.saved import save_report
from tests.report.conftest import ATTACKS
from tests.report.test_html import elements
from tests.report.verdicts import report_of

HOLLOW = {"name": "ladder", "kind": "ladder", "caption": "", "settings": {}}


@pytest.fixture
def folder(tmp_path):
    save_report(report_of("evidence", "needed"), tmp_path / "a/evidence", {})
    save_report(report_of("leakage", "leaks"), tmp_path / "a/leakage", {})
    save_report(report_of("leakage", "inconclusive"), tmp_path / "plain", {})
    return tmp_path


def test_what_leaks_stands_before_what_is_fine(folder):
    text = index_page(folder)
    links = [a["href"] for tag, a in elements(text) if tag == "a"]
    assert links == [
        "a/leakage/report.html",
        "plain/report.html",
        "a/evidence/report.html",
    ]
    assert "1 leaks, 1 cannot say, 1 fine" in text
    assert index_page(folder) == text


def test_a_folder_that_cannot_be_read_is_named(folder):
    (folder / "plain" / "report.json").write_text("{}")
    assert "plain: " in index_page(folder)


def break_report(folder, how):
    """Make one report of a stranger such that reading it fails."""
    if how == "deep items":
        path = folder / "items.parquet"
        table = pq.read_table(path).replace_schema_metadata({"pandas": b"[" * 100_000})
        pq.write_table(table, path)
    elif how == "link":
        folder.rename(folder.parent.parent / "elsewhere")
        folder.symlink_to(folder.parent.parent / "elsewhere")
    else:
        contents = json.loads((folder / "report.json").read_text())
        contents["settings"] = contents["benchmark"] = {"name": "x", "roles": 3}
        contents["findings"] = []
        contents["exhibits"] = [{**HOLLOW, "rows": [{"a": 1}]}]
        (folder / "report.json").write_text(json.dumps(contents))


@pytest.mark.parametrize("how", ["deep items", "link", "hollow"])
def test_one_bad_folder_hides_no_other_and_is_said(folder, how):
    break_report(folder / "plain", how)
    notices = []
    text = index_page(folder, notices.append)
    assert {"a/leakage/report.html", "a/evidence/report.html"} <= {
        attributes["href"] for tag, attributes in elements(text) if tag == "a"
    }
    assert notices or how == "hollow"
    assert all(line.startswith("left out plain: ") for line in notices)
    assert all(line[:40] in text for line in notices)


def test_where_nothing_can_be_read_nothing_is_listed(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "report.json").write_text("{}")
    with pytest.raises(BadInput, match="holds no reports that can be read"):
        index_page(tmp_path)


def test_a_folder_without_reports_is_an_error(tmp_path):
    with pytest.raises(BadInput, match="holds no reports"):
        index_page(tmp_path)


def test_hostile_names_make_no_element(tmp_path):
    for number, bad in enumerate(ATTACKS):
        report = report_of("leakage", "leaks")
        told = replace(report.verdict, label=bad, reason=bad)
        named = replace(report, benchmark={"name": bad}, verdict=told, audit=bad)
        save_report(named, tmp_path / f"r{number}", {})
    text = index_page(tmp_path)
    tags = {tag for tag, _ in elements(text)}
    assert not tags & {"script", "img", "iframe", "svg"}
    assert "&lt;script&gt;" in text


@pytest.mark.skipif(sys.platform != "linux", reason="names there are text")
def test_a_folder_whose_name_is_no_text_is_listed_by_its_bytes(tmp_path):
    report = report_of("leakage", "leaks")
    save_report(report, tmp_path / os.fsdecode(b"\xff\xfe"), {})
    broken = tmp_path / os.fsdecode(b"b\xff")
    broken.mkdir()
    (broken / "report.json").write_text("{}")
    text = index_page(tmp_path)
    assert 'href="%FF%FE/report.html"' in text
    assert "left out b\ufffd: " in text
    assert text.encode()


def test_what_cannot_be_read_takes_no_place_of_what_can(folder, monkeypatch):
    monkeypatch.setattr(reports, "MOST_REPORTS", 2)
    for number in range(3):
        (folder / f"0{number}").mkdir()
        (folder / f"0{number}" / "report.json").write_text("{}")
    notices = []
    text = index_page(folder, notices.append)
    links = {a["href"] for tag, a in elements(text) if tag == "a"}
    assert links == {"a/evidence/report.html", "a/leakage/report.html"}
    assert notices[-1].startswith("folders not looked at: 1; a page lists at most 2")
    assert notices[-1] in text
