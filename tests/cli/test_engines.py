"""The same audit, whatever runs its trials."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.cli.commands import LEAST, QUICK, made, process, written
from tests.cli.test_bad_input import one_line

pytestmark = pytest.mark.ray
OPTIONS = ("--metadata", "kind", *LEAST, "--folds", "3", "--no-calibrate")
NO_RAY = "import sys; sys.modules['ray'] = None; from measurand.cli import main; main()"
HELP = """
import atexit, sys
from measurand.cli import main
atexit.register(lambda: print("loaded", "ray" in sys.modules))
sys.argv = ["measurand", "evidence", "--help"]
main()
"""


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A home for Ray, where it keeps the token of its users."""
    pytest.importorskip("ray", reason="ray is not installed")
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    return tmp_path


def files(folder):
    return {p.relative_to(folder): p.read_bytes() for p in folder.rglob("*.*")}


def test_both_engines_give_the_same_bytes(home):
    file = written(home / "facts.jsonl", made(120))
    said = []
    for engine in ("local", "ray"):
        words = ("--engine", engine, "--workers", "2", "--out", home / engine, "--json")
        store = home / f"store-{engine}"
        done = process("evidence", file, *OPTIONS, *words, MEASURAND_STORE=store)
        assert done.code == 0, done.err
        report = files(home / engine)
        run = report.pop(Path("run.json"))
        assert f'"engine": "{engine}"'.encode() in run
        said.append((done.out, report, files(store)))
    assert said[0] == said[1]


BAD = {
    "--engine rey": ("no engine called 'rey'", "did you mean 'ray'?"),
    "--engine local --address auto": ("--address is for a cluster", "--engine ray"),
    "--gpu-share 0.5": ("--gpu-share is for a cluster", "--engine ray"),
    "--engine ray --address 127.0.0.1:1": ("'127.0.0.1:1': connection refused",),
    "--engine ray --address nowhere": ("'nowhere': no host and port", "HOST:PORT"),
}


@pytest.mark.parametrize("options", BAD)
def test_a_bad_engine_or_cluster_is_refused_in_one_line(home, file, run, options):
    one_line(run("evidence", file, *QUICK, *options.split()), *BAD[options])


def test_the_cluster_of_the_environment_is_joined(home, file, run, monkeypatch):
    monkeypatch.setenv("RAY_ADDRESS", "127.0.0.1:2")
    one_line(run("evidence", file, *QUICK, "--engine", "ray"), "'127.0.0.1:2'")
    assert run("evidence", file, *QUICK).code == 0


def test_a_missing_ray_is_named_with_its_extra(file):
    words = ("evidence", file, *QUICK, "--engine", "ray")
    done = process(*words, prefix=("-c", NO_RAY))
    one_line(done, "ray is not installed; pip install 'measurand[ray]'")


def test_help_loads_no_ray():
    done = process(prefix=("-c", HELP))
    assert "--engine" in done.out
    assert done.out.splitlines()[-1] == "loaded False"


def left(session):
    """The processes of a session that still run."""
    running = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue  # it ended while we looked
        if int(fields[3]) == session and fields[0] not in "ZX":
            running.append(int(stat.parent.name))
    return running


def test_ctrl_c_ends_ray_and_everything_in_one_line(home, store):
    written(home / "facts.jsonl", made(240))
    words = ("--engine", "ray", "--workers", "2", "--shuffles", "500")
    with (home / "said").open("w") as out:
        running = subprocess.Popen(
            [sys.executable, "-m", "measurand", "evidence", "facts.jsonl", *words],
            cwd=home,
            stdout=out,
            stderr=out,
            start_new_session=True,
        )
    while not list(store.glob("*/*.json")) and running.poll() is None:
        time.sleep(0.01)
    os.killpg(running.pid, signal.SIGINT)
    assert running.wait(30) == 130
    said = (home / "said").read_text()
    assert said.splitlines()[-1] == "stopped; what was finished is kept"
    assert "Traceback" not in said
    end = time.monotonic() + 10
    while left(running.pid) and time.monotonic() < end:
        time.sleep(0.05)
    assert left(running.pid) == []
