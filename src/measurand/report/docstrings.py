"""Docstrings for those who read them, whatever the options of Python.

`python -OO` and PYTHONOPTIMIZE=2 strip docstrings, and altair, which copies its own
from class to method, cannot be imported without. So its files are compiled as if that
option was not given.
"""

import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from types import CodeType, ModuleType


class _DocumentedLoader(SourceFileLoader):
    """Loads a file as if nothing was to be stripped."""

    def get_code(self, fullname: str) -> CodeType:
        """The code with its docstrings; that on disk may be without."""
        path = self.get_filename(fullname)
        content = self.get_data(path)
        code: CodeType = compile(content, path, "exec", dont_inherit=True, optimize=0)
        return code


class DocumentedFinder:
    """Finds the parts of one package, and leaves all else to others."""

    def __init__(self, package: str) -> None:
        self.package = package

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None = None,
        target: ModuleType | None = None,
    ) -> ModuleSpec | None:
        """Where a module of the package is, to be loaded whole."""
        if not f"{fullname}.".startswith(f"{self.package}."):
            return None
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is not None and isinstance(spec.loader, SourceFileLoader):
            spec.loader = _DocumentedLoader(fullname, spec.loader.path)
        return spec


def keep_docstrings(package: str) -> None:
    """Let a package be imported whole, where docstrings are stripped."""
    if sys.flags.optimize > 1:
        sys.meta_path.insert(0, DocumentedFinder(package))
