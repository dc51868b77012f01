"""One page that leads to all reports of a folder."""

from measurand.report.saved import save_report
from tests.cli.commands import in_process
from tests.report.verdicts import report_of


def test_an_index_lies_beside_the_reports(tmp_path):
    save_report(report_of("leakage", "leaks"), tmp_path / "one", {})
    done = in_process("index", tmp_path)
    assert (done.code, done.out) == (0, f"{tmp_path / 'index.html'}\n")
    assert 'href="one/report.html"' in (tmp_path / "index.html").read_text("utf-8")
    assert "--overwrite" in in_process("index", tmp_path).err
