"""Readers in a file of the user's, as the command line names them: `mine.py:MyReader`.

To load one runs that file. It becomes a module below this one whose name holds the path
and the digest of the file, so that a worker process, which gets a reader by the name of
its class, finds the same file and runs the same bytes.
"""

import re
import sys
from collections.abc import Sequence
from dataclasses import is_dataclass
from hashlib import sha256
from importlib import import_module
from importlib.abc import MetaPathFinder, SourceLoader
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_loader
from os.path import abspath
from pathlib import Path
from types import ModuleType
from typing import Any

from measurand.core.errors import BadInput, join_names, quote
from measurand.core.reader import Reader
from measurand.disk.files import read_bounded
from measurand.readers import KINDS
from measurand.readers.names import check_is_reader, wrap_estimator

MOST_FILE_BYTES = 2**20  # a file of a million letters is no reader
SHOWN_DIGITS = 12  # of the digest, which distinguish one state of a file from another
PLACE = re.compile(r"(?P<file>.+\.py):(?P<name>\w+)", re.DOTALL | re.IGNORECASE)
__path__: list[str] = []  # what makes modules below this one possible


def is_reader_file(name: str) -> bool:
    """Whether a reader is named by a file and what stands in it.

    >>> is_reader_file("mine.py:MyReader"), is_reader_file("encoder:weights.py:x")
    (True, False)
    """
    return bool(PLACE.fullmatch(name)) and name.partition(":")[0] not in KINDS.entries


def load_reader_file(name: str) -> tuple[str, Reader]:
    """What reports call the reader of this name, and the reader: its file is run."""
    match = PLACE.fullmatch(name)
    if match is None:
        raise BadInput(f"{quote(name)} names no reader in a file; give FILE.py:NAME")
    file, attribute = match["file"], match["name"]
    try:
        digest = sha256(read_bounded(Path(file), MOST_FILE_BYTES)).hexdigest()
    except OSError as failed:
        why = (failed.strerror or type(failed).__name__).lower()
        raise BadInput(
            f"cannot read {quote(file, 200)}: {why}; give a file as FILE.py:NAME"
        ) from failed
    module = _run_file(file, digest)
    reader = _make_instance(getattr(module, attribute, None), attribute, file, module)
    reader = wrap_estimator(reader)
    check_is_reader(reader)
    return f"{Path(file).name}:{attribute}", reader


def _run_file(file: str, digest: str) -> ModuleType:
    """The module that the file makes; whatever it raises is one line."""
    try:
        return import_module(f"{__name__}.{_module_name(file, digest)}")
    except BadInput:
        raise
    except (Exception, SystemExit) as failed:
        why = f"{type(failed).__name__}: {failed}"
        raise BadInput(
            f"{quote(file, 200)} failed as it was run: {quote(why, 200)}; mend it, and "
            "try it with python"
        ) from failed


def _make_instance(thing: Any, name: str, file: str, module: ModuleType) -> Any:
    """The reader itself: what has this name, or an instance of that class."""
    if thing is None:
        fitting = [n for n, value in vars(module).items() if hasattr(value, "fit")]
        raise BadInput(
            f"{quote(file, 200)} holds no {quote(name)}; what can be fitted in it is "
            f"{join_names(fitting)}"
        )
    if not isinstance(thing, type):
        return thing
    try:
        return thing()
    except Exception as failed:
        raise BadInput(
            f"{name} in {quote(file, 200)} cannot be made without settings: "
            f"{quote(str(failed), 200)}; give each a default"
        ) from failed


def _module_name(file: str, digest: str) -> str:
    """The name of the module of a file: its path and its digest, without dots."""
    return f"f{abspath(file).encode(errors='surrogateescape').hex()}_{digest}"


class _FileLoader(SourceLoader):
    """Reads a file that still has the digest by which it was named."""

    def __init__(self, path: str, digest: str) -> None:
        self.path, self.digest = path, digest

    def exec_module(self, module: ModuleType) -> None:
        """Run the file; what is kept of one that is changed is of another reader."""
        super().exec_module(module)
        classes = [t for t in vars(module).values() if isinstance(t, type)]
        for definition in [c for c in classes if c.__module__ == module.__name__]:
            if is_dataclass(definition):
                kind = vars(definition).get("kind", definition.__name__)
                setattr(definition, "kind", f"{kind} {self.digest[:SHOWN_DIGITS]}")  # noqa: B010

    def get_filename(self, fullname: str) -> str:
        """Where the file is."""
        return self.path

    def get_data(self, path: str | bytes) -> bytes:
        """The bytes of the file, if they are those that were meant."""
        content = read_bounded(Path(self.path), MOST_FILE_BYTES)
        if sha256(content).hexdigest() != self.digest:
            raise BadInput(
                f"{quote(self.path, 200)} was changed while it was in use; run again"
            )
        return content


class _FileFinder(MetaPathFinder):
    """Finds the modules below this one by the path in their names."""

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None,
        target: ModuleType | None = None,
    ) -> ModuleSpec | None:
        """How to load the module, where it is one of these."""
        parent, _, name = fullname.rpartition(".")
        match = re.fullmatch(r"f((?:[0-9a-f]{2})+)_([0-9a-f]{64})", name)
        if parent != __name__ or match is None:
            return None
        file = bytes.fromhex(match[1]).decode(errors="surrogateescape")
        return spec_from_loader(fullname, _FileLoader(file, match[2]))


sys.meta_path.append(_FileFinder())
