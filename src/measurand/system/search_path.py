"""Search path: where Python looks for modules, which is never the working folder.

Whoever unpacks a stranger's benchmark and goes there would run its `threading.py`. This
module imports nothing that Python has not loaded before it looks anywhere.
"""

import os
import sys

VARIABLE = "PYTHONPATH"


def is_own_program() -> bool:
    """Whether `python -m measurand` runs, and is looking for the module yet.

    Python has put the working folder first in `sys.path` for that.
    """
    words = getattr(sys, "argv", None) or [""]
    return words[0] == "-m" and sys.orig_argv[-len(words)].endswith("measurand")


def leave_working_folder() -> None:
    """Import nothing from the working folder from now on, in children neither.

    It stays where the user names it in PYTHONPATH as an absolute path, or where
    measurand itself was loaded from it. Relative entries are left like it: they mean a
    folder of whoever packed the one we are in.
    """
    sys.path[:] = trusted_path()
    os.environ.update(safe_variables(dict(os.environ)))


def trusted_path() -> list[str]:
    """The entries of `sys.path` but for the working folder, and relative ones."""
    trusted = {*_user_entries(dict(os.environ)), _home()}
    left = {*map(_entry_folder, _relative_entries(dict(os.environ)))}
    return [
        entry
        for entry in sys.path
        if entry in trusted or not (_is_here(entry) or _entry_folder(entry) in left)
    ]


def safe_variables(variables: dict[str, str]) -> dict[str, str]:
    """What to change in a new Python's variables, so that it does not look there.

    Python takes an empty entry of PYTHONPATH for the working folder.
    """
    changed = {"PYTHONSAFEPATH": "1"}
    if VARIABLE in variables:
        changed[VARIABLE] = os.pathsep.join(_user_entries(variables))
    return changed


def _user_entries(variables: dict[str, str]) -> list[str]:
    """The folders that PYTHONPATH names, but for those that depend on where we are."""
    entries = variables.get(VARIABLE, "").split(os.pathsep)
    return [os.path.abspath(entry) for entry in entries if os.path.isabs(entry)]


def _relative_entries(variables: dict[str, str]) -> list[str]:
    """The entries of PYTHONPATH that mean another folder wherever we are."""
    entries = variables.get(VARIABLE, "").split(os.pathsep)
    return [entry for entry in entries if entry and not os.path.isabs(entry)]


def _is_here(entry: str) -> bool:
    """Whether an entry is the working folder, by whatever name."""
    current = _entry_folder(os.curdir)
    return _entry_folder(entry) == current if current else not os.path.isabs(entry)


def _entry_folder(entry: str) -> str:
    """The folder that an entry means; empty where the working folder was removed."""
    try:
        return os.path.realpath(entry)
    except (OSError, ValueError):
        return ""


def _home() -> str:
    """The folder that measurand was loaded from."""
    return os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
