"""Files: written whole or not at all; read within bounds where strangers wrote them.

Such a file is ordinary, small and shallow, with plain numbers. What is wrong with one
is a `BadInput` without the file's name, which the caller adds.
"""

import errno
import hashlib
import json
import os
import stat
import tempfile
import tomllib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from pathlib import Path
from typing import Any, BinaryIO

from measurand.core.errors import BadInput, BadOption, StoreFailed, quote
from measurand.disk.locks import is_same, try_lock

DEEPEST = 64  # lists and objects inside each other; a person's file has a handful
LARGEST = 2**63 - 1  # the integers that TOML promises, and that any table holds
MOST_BYTES = 2**24  # of a file that a person or a tool writes by hand


def write_file(path: Path, content: bytes, *, overwrite: bool = True) -> None:
    """Write under a temporary name, then rename: a kill leaves no half file.

    Without `overwrite` a file that has come to be there by then stays.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = _open_part(path)
        with os.fdopen(handle, "wb") as file:
            try:
                file.write(content)
                file.flush()
                os.chmod(temporary, 0o666 & ~UMASK)
                if os.name == "nt":  # which renames no open file, and knows no locks
                    file.close()
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


def _open_part(path: Path) -> tuple[int, str]:
    """A new file next to `path` to write to, and its name.

    The name follows from that of `path`: what a killed run left is removed by the next
    that writes there. A lock keeps others away until the file is renamed; where there
    are no locks, each writer has a name of its own.
    """
    digest = hashlib.sha256(os.fsencode(path.name)).hexdigest()[:16]
    part = os.path.join(path.parent, f".measurand-{digest}.part")
    with suppress(OSError):  # such as what another user left
        while os.name != "nt":
            try:
                handle = os.open(part, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
            except FileExistsError:
                _remove_leftover(part)
                continue
            is_ours = try_lock(handle)
            if is_ours and is_same(handle, part):  # and no other took it for left over
                return handle, part
            os.close(handle)
            if is_ours is None:
                os.unlink(part)
                break
    return tempfile.mkstemp(dir=path.parent, prefix=".", suffix=".part")


def _remove_leftover(part: str) -> None:
    """Remove a file once nobody writes to it any more; raise where that is unknown."""
    try:
        handle = os.open(part, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except FileNotFoundError:
        return
    try:
        if not try_lock(handle, wait=True):
            raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK), part)
        if is_same(handle, part):
            os.unlink(part)
    finally:
        os.close(handle)


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
    """Raise where a value is no path, or one that no file can have.

    >>> check_is_path("directory", "reports")
    """
    if not isinstance(value, str | Path):
        raise BadInput(
            f"`{name}` is a {type(value).__name__}; give the path of a folder"
        )
    try:
        os.lstat(value)
    except ValueError:  # a NUL, or half a character
        why = "holds what no name of a file can"
    except OSError as failure:
        if failure.errno != errno.ENAMETOOLONG:
            return
        why = "is too long for the name of a file"
    else:
        return
    raise BadInput(
        f"`{name}` is {quote(str(value), 80)}, which {why}; give the path of a folder"
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


def open_ordinary(path: str | Path) -> BinaryIO:
    """The file, opened to be read; a pipe or a device could keep us for ever."""
    # Without waiting, as opening a pipe would wait for somebody to write to it.
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    handle = os.open(path, flags)
    mode = os.fstat(handle).st_mode
    if stat.S_ISREG(mode):
        return os.fdopen(handle, "rb")
    os.close(handle)
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    raise BadInput("it is no ordinary file")


def check_no_link(folder: str | Path, name: str | Path) -> None:
    """Raise where a link stands on the way from a folder to a file below it.

    Another name for the same file (a hard link) looks like any file.
    """
    if os.path.realpath(Path(folder, name)) != str(
        Path(os.path.realpath(folder), name)
    ):
        raise BadInput(
            "it is a link or lies behind one; put what is meant in its place"
        )


def read_bounded(path: str | Path, most: int = MOST_BYTES) -> bytes:
    """All bytes of an ordinary file, where it holds at most so many."""
    with open_ordinary(path) as stream:
        content = stream.read(most + 1)
    if len(content) > most:
        raise BadInput(f"it holds more than {most:,} bytes, the most that is read")
    return content


def read_json(path: str | Path, most: int = MOST_BYTES) -> Any:
    """The JSON value in a file; no key stands in an object twice."""
    return parse_json(read_bounded(path, most))


def parse_json(content: bytes) -> Any:
    """The JSON value that a stranger wrote; no key stands in an object twice."""
    return _parse(content, _load_json, "JSON")


def read_toml(path: str | Path, most: int = MOST_BYTES) -> dict[str, Any]:
    """The table in a TOML file."""
    table: dict[str, Any] = _parse(read_bounded(path, most), tomllib.loads, "TOML")
    return table


def depth(value: Any) -> int:
    """How many lists and objects stand inside each other; no recursion is needed.

    >>> depth(1), depth([]), depth({"a": [[1], 2]})
    (0, 1, 3)
    """
    levels, layer = 0, [value]
    while layer := [part for part in layer if isinstance(part, list | dict)]:
        levels += 1
        layer = [
            inner
            for part in layer
            for inner in (part.values() if isinstance(part, dict) else part)
        ]
    return levels


def _parse(content: bytes, decode: Callable[[str], Any], language: str) -> Any:
    """The value that the text writes, or what is wrong with it."""
    try:
        value = decode(content.decode("utf-8-sig"))
        deep = depth(value) > DEEPEST
    except RecursionError:
        deep = True
    except UnicodeDecodeError as bad:
        raise BadInput(f"byte {bad.start} is not UTF-8; save it as UTF-8") from None
    except ValueError as bad:
        cause = "a number is too long" if "digits" in str(bad) else str(bad).lower()
        raise BadInput(f"it is no {language}: {quote(cause, 120)[1:-1]}") from None
    if deep:
        raise BadInput(
            f"it is nested too deeply; allowed are {DEEPEST} lists or tables inside "
            "each other"
        )
    _check_integers(value)
    return value


def _load_json(text: str) -> Any:
    return json.loads(
        text, object_pairs_hook=_distinct_keys, parse_constant=_refuse_constant
    )


def _distinct_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) < len(pairs):
        counts = Counter(name for name, _ in pairs)  # a count a name is quadratic
        twice = next(name for name, count in counts.items() if count > 1)
        raise BadInput(f"{quote(twice)} stands in it twice")
    return value


def _refuse_constant(name: str) -> None:
    raise BadInput(f"{name} is no number of JSON")


def _check_integers(value: Any) -> None:
    """Raise where an integer needs more than 64 bits: nothing here counts so far."""
    layer = [value]
    while layer:
        part = layer.pop()
        if isinstance(part, list | dict):
            layer.extend(part.values() if isinstance(part, dict) else part)
        elif isinstance(part, int) and abs(part) > LARGEST:
            raise BadInput("a number in it is too large; allowed are 64 bits")
