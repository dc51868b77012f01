"""Disks that fill up while an audit runs: real ones, and a limit on file sizes."""

import json
import subprocess

import pytest

from tests.cli.commands import QUICK, process

LIMITED = """
import resource, runpy, sys
resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))
runpy.run_module("measurand", run_name="__main__")
"""


@pytest.fixture
def disk(tmp_path):
    """A disk of five pages; unmounted whatever happens."""
    place = tmp_path / "disk"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=20k", "tmpfs", str(place)]
    if subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("mounting is not permitted here")
    yield place
    subprocess.run(["umount", "--lazy", str(place)], check=True)


def answers(folder):
    return json.loads((folder / "run.json").read_text())["answers"]


def test_a_disk_that_fills_up_is_one_line_and_loses_nothing(file, disk, run, tmp_path):
    command = ("evidence", file, *QUICK, "--store", disk, "--out", tmp_path / "r")
    outcome = run(*command)
    assert outcome.code == 1
    assert outcome.last.startswith("measurand: cannot write ")
    assert "no space left on device; free some space" in outcome.last
    finished = len(list(disk.glob("*/*.json")))
    assert finished > 0
    larger = ["mount", "-o", "remount,size=4m", str(disk)]
    subprocess.run(larger, check=True)
    assert run(*command).code == 0
    assert answers(tmp_path / "r")["reused"] >= finished


@pytest.mark.slow
def test_a_report_too_large_for_its_disk_keeps_the_answers(file, run, tmp_path):
    command = ("evidence", file, *QUICK, "--out", tmp_path / "r")
    outcome = process(*command, prefix=("-c", LIMITED))
    assert outcome.code == 1
    assert outcome.last.startswith("measurand: cannot write ")
    assert "file too large" in outcome.last
    assert not (tmp_path / "r" / "report.json").exists()
    assert run(*command).code == 0
    assert answers(tmp_path / "r")["computed"] == 0
    assert not list(tmp_path.rglob("*.part"))
