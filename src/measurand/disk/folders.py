"""Folders that are there whole, and that replace only what measurand wrote.

What goes into a folder is written to another next to it, which takes its name when all
is there: who reads it, and a kill at any moment, finds what was there before or what is
new. `run.json` lists the fingerprint of every file written. A folder that holds
anything else, or a file that was changed since, is never touched. What a killed run
left next to a folder is removed by the next one that writes that folder: its name says
what it was to be, and its lock that nobody writes to it any more.
"""

import ctypes
import errno
import hashlib
import json
import os
import shutil
import stat
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

from measurand.core.errors import BadInput, BadOption, StoreFailed, quote
from measurand.disk.files import UMASK, check_writable, read_bounded, write_file
from measurand.disk.locks import hold_folder

RUN = "run.json"
# What a folder may hold; one of them is never replaced by another.
REPORT, READER, DEMO = KINDS = "a report", "a saved reader", "the demo"
SWAP = 2  # RENAME_EXCHANGE of Linux, and RENAME_SWAP of macOS
DIGITS = 16  # of the digest of a folder's path, in the name of its part
AT_CWD = -100  # AT_FDCWD of Linux
# What a system or file system that cannot swap two folders answers.
UNABLE = {errno.ENOSYS, errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP}


def check_out(
    folder: str | Path,
    *,
    overwrite: bool,
    holds: str = REPORT,
    inputs: Sequence[str | Path] = (),
) -> None:
    """Raise where `folder` cannot be written, or is not ours to replace.

    Args:
        folder: What is to be written, new or empty or written by measurand before.
        overwrite: Whether what measurand wrote before may be replaced.
        holds: What the folder is to hold.
        inputs: Files and folders that are read, none of which may lie in it.
    """
    path = _real_path(folder)
    for source in inputs:
        if os.path.exists(source) and _real_path(source).is_relative_to(path):
            raise BadOption(
                f"{folder} holds {quote(Path(source).name)}, which is read here; name "
                "another folder"
            )
    if Path.cwd().is_relative_to(path) or os.path.ismount(path):
        raise BadOption(
            f"{folder} is the folder you are in, or a mount point, and cannot be "
            f"replaced whole; name a folder in it, such as {Path(folder) / 'report'}"
        )
    _check_no_file(folder, path)
    check_writable(path.parent)
    if not path.is_dir() or not any(path.iterdir()):
        return
    stranger = _find_stranger(path, holds)
    kind = next((o for o in KINDS if o != holds and _holds(path, o)), None)
    if stranger is not None and kind is not None:
        raise BadOption(f"{folder} holds {kind}, not {holds}; name another folder")
    if stranger is not None:
        raise BadOption(
            f"{folder} holds {quote(stranger, 80)}, which measurand did not write or "
            "which was changed since or cannot be read; name another folder, or move "
            "it away"
        )
    if not overwrite:
        raise BadOption(
            f"{folder} holds {holds}; give `overwrite` to replace it, or name another "
            "folder"
        )


@contextmanager
def replace_folder(
    folder: str | Path, *, overwrite: bool = False, holds: str = REPORT
) -> Iterator[Path]:
    """A folder to write to, which takes the name and place of `folder` at the end."""
    check_out(folder, overwrite=overwrite, holds=holds)
    path = _real_path(folder)
    stack = ExitStack()
    part = _make_part(path, stack)
    try:
        yield part
        # Once it has our part's name, no other run may take it for a leftover.
        stack.enter_context(hold_folder(path, wait=True))
        os.chmod(part, path.stat().st_mode if path.is_dir() else 0o777 & ~UMASK)
        check_out(folder, overwrite=overwrite, holds=holds)  # hours may have passed
        _put_in_place(part, path)
        if part.exists() and _find_stranger(part, holds) is not None:
            _put_in_place(part, path)  # somebody wrote there just now
            check_out(folder, overwrite=overwrite, holds=holds)
    except StoreFailed as failure:
        # Whoever reads this knows the folder that was named.
        raise StoreFailed(str(failure).replace(str(part), str(folder))) from failure
    except OSError as failure:
        why = (failure.strerror or type(failure).__name__).lower()
        raise StoreFailed(f"cannot write {folder}: {why}; name another folder") from (
            failure
        )
    finally:
        # What is left of the old folder, or of the new one where it failed.
        shutil.rmtree(part, ignore_errors=True)
        stack.close()


def _make_part(path: Path, stack: ExitStack) -> Path:
    """A new folder next to `path`, held by us; what killed runs left is removed."""
    digest = hashlib.sha256(os.fsencode(path)).hexdigest()
    ends = {"prefix": f".measurand-{digest[:DIGITS]}-", "suffix": ".part"}
    for leftover in path.parent.glob(f"{ends['prefix']}*{ends['suffix']}"):
        with hold_folder(leftover) as is_ours:
            if is_ours:
                shutil.rmtree(leftover, ignore_errors=True)
    while True:
        part = Path(tempfile.mkdtemp(dir=path.parent, **ends))
        # Another run may have taken it for a leftover before we held it.
        if stack.enter_context(hold_folder(part)) is not False:
            return part


def _check_no_file(folder: str | Path, path: Path) -> None:
    """Raise where `path`, which `folder` leads to, is or can be no folder."""
    why = "file exists"
    try:
        if stat.S_ISDIR(path.stat().st_mode):
            return
    except (FileNotFoundError, NotADirectoryError):
        return
    except OSError as failure:  # such as links in a circle
        why = (failure.strerror or type(failure).__name__).lower()
    raise StoreFailed(f"cannot write to {folder}: {why}; name another folder")


def _real_path(path: str | Path) -> Path:
    """The path without links: what lies behind one is what is written."""
    return Path(os.path.realpath(path))


def seal_folder(folder: Path, run: Mapping[str, Any], holds: str = REPORT) -> None:
    """Write `run.json`: what the run was like, and what it wrote."""
    files = {name: _fingerprint(folder / name) for name in _walk_names(folder)}
    record = {**run, "holds": holds, "files": files}
    record["sha256"] = _seal(record)
    write_file(folder / RUN, (json.dumps(record, indent=1) + "\n").encode())


def _seal(record: Mapping[str, Any]) -> str:
    """What changes with anything that `run.json` says."""
    content = {name: value for name, value in record.items() if name != "sha256"}
    return hashlib.sha256(json.dumps(content).encode()).hexdigest()


def _find_stranger(folder: Path, holds: str) -> str | None:
    """A file that measurand did not write there as it is, where there is one.

    What cannot be looked into may hold one, and is a stranger itself.
    """
    try:
        return _find_unlisted(folder, holds)
    except OSError as failure:
        return os.path.relpath(failure.filename or folder, folder)


def _holds(folder: Path, what: str) -> bool:
    """Whether measurand wrote this there, and nothing was changed since."""
    return _find_stranger(folder, what) is None


def _find_unlisted(folder: Path, holds: str) -> str | None:
    """A file that `run.json` does not list as it is, where there is one."""
    files = _read_fingerprints(folder, holds)
    if files is None:
        return min((path.name for path in folder.iterdir()), default=None)
    folders = {str(parent) for name in files for parent in Path(name).parents}
    for name in _walk_names(folder, with_folders=True):
        path = folder / name
        if path.is_dir() and not path.is_symlink():
            is_listed = str(Path(name)) in folders
        else:
            is_listed = name == RUN or (
                name in files
                and path.is_file()
                and not path.is_symlink()
                and _fingerprint(path) == files[name]
            )
        if not is_listed:
            return name
    return None


def _read_fingerprints(folder: Path, holds: str) -> dict[str, str] | None:
    """The files that `run.json` lists; None where it is not as it was written."""
    with suppress(BadInput, OSError, ValueError, RecursionError, KeyError, TypeError):
        record = json.loads(read_bounded(folder / RUN))
        if (record["sha256"], record["holds"]) == (_seal(record), holds):
            return {str(name): str(seal) for name, seal in record["files"].items()}
    return None


def _walk_names(folder: Path, *, with_folders: bool = False) -> list[str]:
    """The names of all that lies below, with slashes, in order; links are names."""
    names = []
    for parent, below, files in os.walk(folder, onerror=_raise):
        links = [name for name in below if os.path.islink(os.path.join(parent, name))]
        listed = [*files, *(below if with_folders else links)]
        names += [Path(parent, name).relative_to(folder).as_posix() for name in listed]
    return sorted(names)


def _raise(failure: OSError) -> None:
    """Raise what `os.walk` would pass over without a word."""
    raise failure


def _fingerprint(path: Path) -> str:
    """The SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _put_in_place(part: Path, path: Path) -> None:
    """Give `part` the name `path`; what had it before is then called `part`."""
    if not path.exists():
        os.rename(part, path)
    elif not _swap(part, path):
        # Two renames: between them there is no folder of that name, and after a kill
        # just then the old one stands next to it.
        aside = part.with_suffix(".old")
        os.rename(path, aside)
        try:
            os.rename(part, path)
        except OSError:
            os.rename(aside, path)
            raise
        os.rename(aside, part)


def _swap(first: Path, second: Path) -> bool:
    """Exchange two folders in one step; False where the system has no such step."""
    names = os.fsencode(first), os.fsencode(second)
    libc: Any = ctypes.CDLL(None, use_errno=True) if os.name == "posix" else None
    if sys.platform == "darwin" and hasattr(libc, "renamex_np"):
        failed = libc.renamex_np(*names, SWAP)
    elif sys.platform == "linux" and hasattr(libc, "renameat2"):
        failed = libc.renameat2(AT_CWD, names[0], AT_CWD, names[1], SWAP)
    else:
        return False
    number = ctypes.get_errno()
    if failed and number not in UNABLE:
        raise OSError(number, os.strerror(number))
    return not failed
