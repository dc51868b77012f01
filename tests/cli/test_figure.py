"""One figure of a report, by name."""

from measurand.report.saved import save_report
from tests.cli.commands import in_process
from tests.report.conftest import realistic


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
