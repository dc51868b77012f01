"""Files that are there whole or not at all."""

import os
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

from measurand.core.errors import BadInput, BadOption, StoreFailed


def write_file(path: Path, content: bytes, *, overwrite: bool = True) -> None:
    """Write under a temporary name, then rename: a kill leaves no half file.

    Without `overwrite` a file that has come to be there by then stays.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(
            dir=path.parent, prefix=".", suffix=".part"
        )
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(content)
            os.chmod(temporary, 0o666 & ~UMASK)
            (os.replace if overwrite else _rename_to_new)(temporary, path)
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise
    except OSError as failure:
        why = failure.strerror or type(failure).__name__
        raise StoreFailed(
            f"cannot write {path.name} to {path.parent}: {why.lower()}; free some "
            "space or name another folder; what was finished is kept"
        ) from failure


def _rename_to_new(temporary: str, path: Path) -> None:
    """Rename a file, unless there is one of the new name, which is refused."""
    try:
        os.link(temporary, path)  # which, unlike a rename, replaces nothing
    except OSError:
        # It is there, or the file system has no links: then a look has to do.
        check_new_file(path, overwrite=False)
        os.replace(temporary, path)
    else:
        os.unlink(temporary)


def check_new_file(
    path: Path, *, overwrite: bool, inputs: Iterable[str | Path] = ()
) -> None:
    """Raise where a file is there that must not be written over.

    A file that is read here is never one that may be.
    """
    try:
        os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return
    except OSError as failure:  # such as a name that is too long
        why = (failure.strerror or type(failure).__name__).lower()
        raise StoreFailed(f"cannot write {path}: {why}; name another file") from failure
    if any(os.path.exists(source) and path.samefile(source) for source in inputs):
        raise BadOption(f"{path} is read here; name another file")
    if not overwrite:
        raise BadOption(
            f"{path} is there already; give `overwrite` to write over it, or name "
            "another file"
        )


def check_is_path(name: str, value: object) -> None:
    """Raise where a value is no path.

    >>> check_is_path("directory", "reports")
    """
    if not isinstance(value, str | Path):
        raise BadInput(
            f"`{name}` is a {type(value).__name__}; give the path of a folder"
        )


def check_writable(folder: Path) -> None:
    """Nothing, where the folder is there or can be made, and takes files.

    Tried, not asked for: rights say nothing of full disks and odd file systems.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder) as probe:
            probe.write(b"?")
    except OSError as failure:
        why = (failure.strerror or type(failure).__name__).lower()
        space = "" if os.path.isfile(folder) else "free some space or "
        raise StoreFailed(
            f"cannot write to {folder}: {why}; {space}name another folder"
        ) from failure


def _read_umask() -> int:
    """What the user takes away from the rights of new files."""
    mask = os.umask(0)
    os.umask(mask)
    return mask


UMASK = _read_umask()  # read once: setting it to read it is not safe among threads


CALLS: ContextVar[Path | None] = ContextVar("calls", default=None)


@contextmanager
def keep_calls(directory: Path) -> Iterator[None]:
    """Keep every call made inside in the store `directory`; without it none is kept.

    >>> with keep_calls(Path("answers")):
    ...     print(CALLS.get())
    answers
    >>> print(CALLS.get())
    None
    """
    token = CALLS.set(directory)
    try:
        yield
    finally:
        CALLS.reset(token)
