"""The one place that starts processes."""

import os
import re
from pathlib import Path

import measurand
from measurand.system.processes import run_python, safe_environment

SOURCE = Path(measurand.__file__).parent
STARTS = re.compile(
    r"import subprocess|subprocess\.|get_context\(|\bProcess\(|resource_tracker"
    r"|os\.(?:fork|exec|spawn|posix_spawn|system|popen)|create_subprocess"
)


def test_processes_are_started_in_one_place():
    places = {
        path.relative_to(SOURCE).as_posix()
        for path in SOURCE.rglob("*.py")
        if STARTS.search(path.read_text("utf-8"))
    }
    assert places == {"system/processes.py"}


def test_variables_are_set_for_children_and_put_back(monkeypatch):
    monkeypatch.delenv("PYTHONSAFEPATH", raising=False)
    monkeypatch.setenv("PYTHONPATH", ":/a")
    with safe_environment():
        assert os.environ["PYTHONSAFEPATH"] == "1"
        assert os.environ["PYTHONPATH"] == "/a"
    assert "PYTHONSAFEPATH" not in os.environ
    assert os.environ["PYTHONPATH"] == ":/a"


def test_a_python_gets_only_the_variables_that_are_given():
    code = "import os, sys; print(sys.flags.safe_path, 'HOME' in os.environ)"
    outcome = run_python(code, timeout=60, variables={"PATH": os.environ["PATH"]})
    assert outcome.stdout.split() == [b"True", b"False"]
