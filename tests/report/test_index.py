"""The index leads to every report, what asks for something first."""

from dataclasses import replace

import pytest

from measurand.core.errors import BadInput
from measurand.report.index import index_page
from measurand.report.saved import save_report
from tests.report.conftest import ATTACKS
from tests.report.test_html import elements
from tests.report.verdicts import report_of


@pytest.fixture
def folder(tmp_path):
    save_report(
        report_of("evidence", "evidence-sensitive"), tmp_path / "a/evidence", {}
    )
    save_report(report_of("leakage", "leaks"), tmp_path / "a/leakage", {})
    save_report(report_of("leakage", "undecided"), tmp_path / "plain", {})
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
