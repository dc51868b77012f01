"""Other locales, clocks, disks and limits: one line, or the same bytes."""

import os
import shutil
import subprocess
import time

import pytest

from tests.cli.commands import QUICK, in_process, made, process, written

MODULE = 'import runpy; runpy.run_module("measurand", run_name="__main__")'
BACK = f"""
import time
real = time.time
time.time = lambda: real() - 20 * 365 * 86_400
{MODULE}
"""
LITTLE = """
import resource
resource.setrlimit(resource.RLIMIT_AS, ({0} * 2**20, {0} * 2**20))
{1}
"""
SHORT = f"""
import sys
def fail(*arguments, **options):
    raise MemoryError
import measurand.experiment.experiment as module
module.resolve_asks = fail
{MODULE}
"""

pytestmark = pytest.mark.slow
CLOSE = """
import os, sys
os.closerange(*map(int, sys.argv[1].split()))
os.execv(sys.executable, [sys.executable, "-m", "measurand", *sys.argv[2:]])
"""


@pytest.fixture(scope="module")
def usual(tmp_path_factory):
    """A folder with a file, its report and the store."""
    folder = tmp_path_factory.mktemp("usual")
    written(folder / "facts.jsonl", made())
    assert in_process(*command(folder, folder)).code == 0
    return folder


def command(usual, folder, store="store"):
    """An audit of the file, whose report goes to another folder."""
    options = ("--store", folder / store, "--out", folder / "r")
    return ("evidence", usual / "facts.jsonl", *QUICK, *options)


def audited(usual, folder, prefix=("-m", "measurand"), store="store", **environment):
    """What a process says that audits the file."""
    return process(*command(usual, folder, store), prefix=prefix, **environment)


def contents(folder):
    files = [path for path in (folder / "r").rglob("*") if path.is_file()]
    return {p.name: p.read_bytes() for p in files if p.name != "run.json"}


PLACES = {
    "plain, other zone": {
        **{"LC_ALL": "C", "LANG": "C"},
        **{"TZ": "Pacific/Kiritimati", "PYTHONHASHSEED": "7"},
    },
    "ascii": {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    "turkish": {"LC_ALL": "tr_TR.UTF-8", "LANG": "tr_TR.UTF-8"},
}


@pytest.mark.parametrize("name", PLACES)
def test_another_locale_changes_no_byte(usual, tmp_path, name):
    said = audited(usual, tmp_path, **PLACES[name])
    assert said.code == 0, said.err
    assert contents(tmp_path) == contents(usual)


def test_a_clock_that_was_set_back_changes_no_byte(usual, tmp_path):
    shutil.copytree(usual / "store", tmp_path / "store")
    future = time.time() + 10 * 365 * 86_400
    for path in [*(tmp_path / "store").rglob("*"), usual / "facts.jsonl"]:
        os.utime(path, (future, future))
    for store in ("store", "new"):
        said = audited(usual, tmp_path, ("-c", BACK), store)
        assert said.code == 0, said.err
        assert "altered" not in said.err
        assert contents(tmp_path) == contents(usual)
        shutil.rmtree(tmp_path / "r")


@pytest.fixture
def sealed(tmp_path):
    """A disk that cannot be written to; unmounted whatever happens."""
    place = tmp_path / "sealed"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "ro", "tmpfs", str(place)]
    if subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("mounting is not permitted here")
    yield place
    subprocess.run(["umount", "--lazy", str(place)], check=True)


def test_a_store_that_cannot_be_written_is_one_line(usual, tmp_path, sealed):
    said = audited(usual, tmp_path, store="sealed")
    assert said.code == 1
    assert said.last.startswith(f"measurand: cannot write to {sealed}")
    assert "read-only" in said.last
    assert "Traceback" not in said.err


@pytest.mark.parametrize("mebibytes", [60, 700, 2_000, 2_200])
def test_little_memory_is_one_line_and_loses_nothing(usual, tmp_path, mebibytes):
    limited = ("-c", LITTLE.format(mebibytes, MODULE))
    said = audited(usual, tmp_path, limited, OPENBLAS_NUM_THREADS=2)
    assert said.code == 1
    assert said.last.startswith(("measurand: out of memory", "measurand: figures can"))
    assert "kept" in said.last
    assert "Traceback" not in said.err
    assert in_process(*command(usual, tmp_path)).code == 0
    assert contents(tmp_path) == contents(usual)


def test_memory_that_runs_out_in_the_middle_is_one_line(usual, tmp_path):
    said = audited(usual, tmp_path, ("-c", SHORT))
    assert said.code == 1
    assert said.last.startswith("measurand: out of memory; give fewer items")
    assert "Traceback" not in said.err


@pytest.mark.parametrize("streams", ["0 1", "1 2", "2 3", "0 3"])
def test_closed_streams_are_no_fault_and_no_file_takes_their_place(
    usual, tmp_path, streams
):
    """Of any verb; `show R >&-` once ended in a traceback."""
    words = ("-c", CLOSE, streams)
    for verb in (("show", usual / "r"), ("list",), ("--help",), ("explain", "margin")):
        said = process(*verb, prefix=words)
        assert (said.code, "Traceback" in said.err) == (0, False)
        assert streams not in ("1 2", "0 3") or said.out == ""
    said = audited(usual, tmp_path, words)
    assert (said.code, contents(tmp_path)) == (0, contents(usual))
    refused = process("show", tmp_path / "none", prefix=words)
    assert (refused.code, "Traceback" in refused.err) == (1, False)
