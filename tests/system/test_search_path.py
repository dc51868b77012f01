"""Where Python looks for modules, and where it does not."""

import os
import sys

import pytest

from measurand.system.search_path import (
    is_own_program,
    leave_working_folder,
    safe_variables,
    trusted_path,
)


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    """A working folder, and a path and variables that may be changed."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", ["", str(tmp_path), ".", "/elsewhere"])
    monkeypatch.delenv("PYTHONPATH", raising=False)
    monkeypatch.setenv("PYTHONSAFEPATH", "")
    return tmp_path


def test_the_working_folder_is_left_by_all_its_names(here):
    (here.parent / "link").symlink_to(here)
    sys.path.append(str(here.parent / "link"))
    assert trusted_path() == ["/elsewhere"]


def test_a_folder_that_pythonpath_names_is_searched(here, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(here))
    assert trusted_path() == [str(here), "/elsewhere"]


def test_measurand_is_found_where_it_was_loaded_from(monkeypatch):
    import measurand

    home = os.path.dirname(os.path.dirname(measurand.__file__))
    monkeypatch.chdir(home)
    sys.path.append(home)
    assert home in trusted_path()


def test_a_child_gets_no_entry_that_means_wherever_it_is(here):
    entries = os.pathsep.join(["", ".", "lib", "/a", str(here)])
    expected = os.pathsep.join(["/a", str(here)])
    changed = safe_variables({"PYTHONPATH": entries})
    assert changed == {"PYTHONSAFEPATH": "1", "PYTHONPATH": expected}


def test_folders_that_pythonpath_names_by_where_we_are_are_left(here, monkeypatch):
    names = os.pathsep.join(["src", "../beside", "/elsewhere", "../kept"])
    kept = str(here.parent / "kept")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([names, kept]))
    folders = [str(here / "src"), str(here.parent / "beside"), kept]
    monkeypatch.setattr(sys, "path", [*folders, "/elsewhere"])
    assert trusted_path() == [kept, "/elsewhere"]
    leave_working_folder()
    assert os.environ["PYTHONPATH"] == os.pathsep.join(["/elsewhere", kept])


def test_a_working_folder_that_was_removed_is_left_too(here):
    here.rmdir()
    leave_working_folder()
    assert "" not in sys.path
    assert os.environ["PYTHONSAFEPATH"] == "1"


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["python", "-m", "measurand", "show", "x"], True),
        (["python", "-Wd", "-mmeasurand", "show", "x"], True),
        (["python", "-m", "notebook", "show", "x"], False),
    ],
)
def test_python_m_is_told_from_other_programs(monkeypatch, words, expected):
    monkeypatch.setattr(sys, "argv", ["-m", *words[-2:]])
    monkeypatch.setattr(sys, "orig_argv", words)
    assert is_own_program() is expected
    monkeypatch.setattr(sys, "argv", ["study.py", *words[-2:]])
    assert not is_own_program()
