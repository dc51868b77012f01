"""One figure of a report, by name."""

import sys
from dataclasses import replace

import pytest

from measurand.cli.console import notice_pages
from measurand.report.reports import Reports, save_reports
from measurand.report.saved import save_report
from tests.cli.commands import in_process
from tests.report.conftest import realistic
from tests.report.verdicts import report_of


def test_a_figure_is_written_where_it_is_asked_for(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    save_report(realistic(), tmp_path / "report", {})
    done = in_process("figure", "report", "ladder", "--to", "svg", "--width", "84mm")
    assert (done.code, done.out) == (0, "ladder.svg\n")
    assert (tmp_path / "ladder.svg").read_text().startswith("<svg")
    again = in_process("figure", "report", "ladder", "--to", "svg")
    assert again.code == 1
    assert "--overwrite" in again.err
    assert "ladder" in in_process("figure", "report").out.split()
    wrong = in_process("figure", "report", "laddr")
    assert "did you mean 'ladder'" in wrong.err
    assert "--width" in in_process("figure", "report", "ladder", "--width", "2").err


def test_the_figures_of_several_audits_are_called_by_audit(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    leaks = report_of("leakage", "leaks")
    bare = replace(realistic(), exhibits=realistic().exhibits[1:])
    save_reports(Reports({"evidence": realistic(), "leakage": leaks}), "all", {})
    save_reports(Reports({"a": realistic(), "b": bare}), "twice", {})
    names = in_process("figure", "all").out.split()
    assert "evidence/ladder" in names
    for name in ("evidence/ladder", "ladder"):
        done = in_process("figure", "all", name, "--to", "svg", "--overwrite")
        assert (done.code, done.out) == (0, "ladder.svg\n")
    shared = {
        name for name in in_process("figure", "twice").out.split() if "b/" in name
    }
    unclear = in_process("figure", "twice", min(shared).partition("/")[2])
    assert (unclear.code, "did you mean '" in unclear.err) == (1, True)


def test_the_figures_of_an_audit_folder_need_its_reports(tmp_path):
    (tmp_path / "audits.json").write_text('{"reports": {"../x": {}, "leakage": {}}}')
    done = in_process("figure", tmp_path)
    assert done.code == 1
    assert "leakage holds no report.json to read" in done.err


@pytest.fixture
def without_engine(monkeypatch):
    """As in the light install, which has no vl-convert."""
    monkeypatch.setitem(sys.modules, "vl_convert", None)


@pytest.mark.usefixtures("without_engine")
def test_without_the_engine_reports_have_tables_and_say_how_to_get_figures(
    tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    folder = save_report(realistic(), tmp_path / "report", {})
    assert not (folder / "figures").exists()
    page = (folder / "report.html").read_text("utf-8")
    assert "data:image/svg" not in page
    assert page.count("<table") > 1
    save_reports(Reports({"evidence": realistic()}), "all", {})
    notice_pages([folder / "report.html"])
    assert capsys.readouterr().err.endswith("pip install 'measurand[figures]'\n")
    done = in_process("figure", "report", "ladder")
    assert (done.code, done.err.count("\n")) == (1, 1)
    assert "pip install 'measurand[figures]'" in done.err
