"""Working folders whose files bear the names of modules: none of them is ever run."""

import os
import sys

import pytest

from tests.cli.commands import QUICK, made, process, written

ENTER = "from measurand.__main__ import main\nif __name__ == '__main__':\n    main()\n"
FORKSERVER = f"""
import multiprocessing
from measurand.system import processes
if __name__ == '__main__':
    processes.get_context = lambda _: multiprocessing.get_context("forkserver")
{ENTER}
"""
TEMPLATE = """
from measurand.models.chat_templates import render_turns
print(render_turns("{{ messages[0].content }}", ["a prompt"], {}))
"""
RAY = """
from measurand.experiment.ray_engine import _join_fault
print(_join_fault("127.0.0.1:1"))
"""
MARK = """
import os
with open(os.path.join({folder!r}, {name!r}), "w"):
    pass
"""
COUNT = "import sys\nprint('counted', file=sys.stderr)\n"
STOP = "raise SystemExit(9)\n"
HAND_OVER = """
import sys
path, sys.path = sys.path, [p for p in sys.path if os.path.abspath(p) != os.getcwd()]
del sys.modules["multiprocessing"]
import multiprocessing
sys.path = path
"""
FOLDERS = {
    "multiprocessing": {"multiprocessing.py": STOP},
    "threading": {"threading.py": STOP},
    "random": {"random.py": STOP},
    "numpy": {"numpy/__init__.py": STOP},
    "sitecustomize": {"sitecustomize.py": "", "usercustomize.py": ""},
    "hands over": {"multiprocessing/__init__.py": HAND_OVER},
    "json": {"json.py": STOP, "pickle.py": STOP},
    "encodings": {"encodings/__init__.py": STOP, "codecs.py": STOP},
    "measurand": {"measurand/__init__.py": STOP, "measurand/__main__.py": STOP},
    "libraries": {"jinja2.py": STOP, "sklearn/__init__.py": STOP, "scipy.py": STOP},
    "started": {"subprocess.py": STOP, "signal.py": STOP, "contextlib.py": STOP},
}
EVERYTHING = {name: text for files in FOLDERS.values() for name, text in files.items()}
EVIDENCE = ("evidence", "facts.jsonl", *QUICK, "--workers", "2", "--brief")
VERBS = {
    "leakage": ("leakage", "facts.jsonl", "--brief", "--no-map"),
    "exposure": (
        "exposure",
        "facts.jsonl",
        "--text",
        "claim",
        "--m",
        "10",
        "--n",
        "20",
    ),
    "explanations": ("explanations", "synthetic:explained", "--items", "40"),
    "audit": ("audit", "facts.jsonl"),
}


@pytest.fixture
def enter(tmp_path, store):
    """What goes to a hostile working folder, and what was run there of its files."""

    def call(*words, code=ENTER, files=EVERYTHING, **environment):
        folder, marks = tmp_path / "unpacked", tmp_path / "marks"
        marks.mkdir()
        for name, text in files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            mark = MARK.format(
                folder=str(marks), name=path.relative_to(folder).parts[0]
            )
            path.write_text(mark + text)
        written(folder / "facts.jsonl", made())
        program = tmp_path / "program.py"
        program.write_text(code)
        prefix = environment.pop("prefix", (program,))
        outcome = process(*words, prefix=map(str, prefix), cwd=folder, **environment)
        return outcome, sorted(os.listdir(marks))

    return call


@pytest.mark.parametrize("code", [ENTER, FORKSERVER], ids=["spawn", "forkserver"])
def test_workers_run_no_file_of_the_working_folder(enter, code):
    outcome, ran = enter(*EVIDENCE, code=code)
    assert (outcome.code, ran) == (0, []), outcome.err


@pytest.mark.slow
@pytest.mark.parametrize("name", FOLDERS)
def test_no_hostile_folder_is_run(enter, name):
    outcome, ran = enter(*EVIDENCE, files=FOLDERS[name])
    assert (outcome.code, ran) == (0, []), outcome.err


@pytest.mark.slow
@pytest.mark.parametrize("verb", VERBS)
def test_no_verb_runs_a_file_of_the_working_folder(enter, verb):
    extra = () if verb in ("exposure", "leakage") else ("--no-calibrate",)
    outcome, ran = enter(*VERBS[verb], "--workers", "2", *extra)
    assert (outcome.code, ran) == (0, []), outcome.err


@pytest.mark.slow
def test_fit_runs_no_file_of_the_working_folder(enter, tmp_path):
    from tests.models import tiny_encoder

    model = tiny_encoder.save(tmp_path / "model")
    words = ("fit", f"encoder:{model}", "facts.jsonl", "--save", tmp_path / "fitted")
    outcome, ran = enter(*words)
    assert (outcome.code, ran) == (0, []), outcome.err


@pytest.mark.slow
def test_the_demo_runs_no_file_of_the_working_folder(enter):
    outcome, ran = enter("demo")
    assert (outcome.code, ran) == (0, []), outcome.err


# Python looks for some modules before it comes to measurand, which can do nothing then.
WITH_M = {
    name: text
    for name, text in EVERYTHING.items()
    if not name.startswith(("contextlib", "measurand"))
}


def test_python_m_runs_no_file_of_the_working_folder_either(enter):
    outcome, ran = enter(*EVIDENCE, prefix=("-m", "measurand"), files=WITH_M)
    assert (outcome.code, ran) == (0, []), outcome.err


def test_children_forget_a_pythonpath_that_means_the_working_folder(enter):
    """Python itself has run a `sitecustomize` before measurand can say no, once."""
    path = os.pathsep.join([*filter(None, sys.path), "", "."])
    files = {"sitecustomize.py": COUNT, "threading.py": STOP}
    outcome, ran = enter(*EVIDENCE, files=files, PYTHONPATH=path)
    assert (outcome.code, ran) == (0, ["sitecustomize.py"]), outcome.err
    assert outcome.err.count("counted") == 1


def test_a_chat_template_is_rendered_without_the_working_folder(enter):
    outcome, ran = enter(code=TEMPLATE)
    assert (outcome.out, ran) == ("['a prompt']\n", []), outcome.err


@pytest.mark.ray
@pytest.mark.slow
def test_a_cluster_is_looked_for_without_the_working_folder(enter):
    pytest.importorskip("ray")
    files = {**EVERYTHING, "ray.py": STOP}
    outcome, ran = enter(code=RAY, files=files)
    assert (outcome.code, ran) == (0, []), outcome.err


@pytest.mark.ray
@pytest.mark.slow
def test_workers_of_ray_run_no_file_of_the_working_folder(enter):
    pytest.importorskip("ray")
    outcome, ran = enter(*EVIDENCE, "--engine", "ray")
    assert (outcome.code, ran) == (0, []), outcome.err
