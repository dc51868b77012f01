"""Readers of the user's own at the command line, and never from a file of options."""

import pytest

from measurand.cli.run import make_readers
from tests.cli.commands import QUICK
from tests.readers.test_custom import MINE


@pytest.fixture
def mine(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text(f"open({str(tmp_path / 'ran')!r}, 'w').close()\n{MINE}")
    return path


@pytest.mark.slow
def test_workers_give_the_report_of_one_process(file, mine, run, tmp_path):
    pages = []
    for workers in ("1", "2"):
        out = tmp_path / f"out{workers}"
        store = ("--store", tmp_path / f"store{workers}", "--workers", workers)
        words = ("--reader", f"{mine}:Lengths", "--out", out, *QUICK, *store)
        outcome = run("evidence", file, *words)
        assert outcome.code == 0, outcome.err
        line = f"--reader {mine}:Lengths runs the code of that file"
        assert outcome.err.splitlines()[0] == line
        pages.append([(out / n).read_bytes() for n in ("report.json", "report.html")])
    assert pages[0] == pages[1]
    assert str(tmp_path).encode() not in pages[0][0]


def test_files_of_one_name_are_told_apart(mine, tmp_path):
    other = tmp_path / "other" / "mine.py"
    other.parent.mkdir()
    other.write_text(f"{MINE}\n# another\n")
    names = [f"{path}:Lengths" for path in (mine, other, mine)]
    readers = make_readers(names, ())
    assert [*readers] == ["mine.py:Lengths", "mine.py:Lengths (2)"]
    assert len({type(reader).kind for reader in readers.values()}) == 2


@pytest.mark.parametrize("how", ["'{}'", "['tfidf', '{}']"])
def test_a_config_may_not_name_code(file, mine, run, tmp_path, how):
    config = tmp_path / "run.toml"
    config.write_text(f"reader = {how.format(f'{mine}:Lengths')}\n")
    outcome = run("evidence", file, *QUICK, "--config", config)
    assert outcome.code == 1
    assert "a file may not say which code is run: give --reader on" in outcome.err
    assert len(outcome.err.splitlines()) == 1
    assert not (tmp_path / "ran").exists()


def test_a_config_may_name_readers_that_are_known(file, run, tmp_path):
    config = tmp_path / "run.toml"
    config.write_text("reader = ['tfidf']\n")
    assert run("evidence", file, *QUICK, "--config", config).code == 0
