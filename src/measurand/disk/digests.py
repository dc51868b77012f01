"""Digests of files: what a model's folder holds, in place of its path and its times.

A file is read again only where something about it changed: its path, size, inode, or
the times of its last change. The time of the last change of the inode (`ctime`) is set
by the system and cannot be set back by `os.utime`. Times are coarse, so a file that was
changed within the last seconds is always read again. In a store, digests are kept
next to the answers, and are trusted as far as these are.
"""

import hashlib
import json
import os
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from typing import Any

from measurand.core.errors import BadInput, MissingWeights, StoreFailed, quote
from measurand.disk.files import open_ordinary
from measurand.disk.store import Codec, Store, entry_key

FileState = tuple[str | int, ...]
# Nanoseconds; the coarsest file systems in use count their times in steps of 2 s.
SETTLED = 3 * 10**9
# All that is read below a model: by transformers, and how a sentence encoder pools.
SUBFOLDERS = "additional_chat_templates", "1_Pooling"
KNOWN: dict[FileState, str] = {}  # the digests of this process
STORE: ContextVar[Store | None] = ContextVar("store of digests", default=None)


@contextmanager
def keep_digests(store: Store) -> Iterator[None]:
    """Keep the digests of files that are read inside in the store."""
    token = STORE.set(store)
    try:
        yield
    finally:
        STORE.reset(token)


def path_digest(path: str) -> str:
    """The digest of a file; of a folder, that of the names and digests of its files."""
    path = os.path.abspath(path)
    try:
        if not os.path.isdir(path):
            return _file_digest(path, os.stat(path))
        folder = hashlib.sha256()
        for name, status in sorted(_list_files(path).items()):
            digest = _file_digest(f"{path}/{name}", status)
            folder.update(f"{name}\0{digest}\n".encode(errors="surrogateescape"))
    except BadInput as odd:
        raise MissingWeights(f"cannot read {quote(path, 200)}: {odd}") from None
    except OSError as failure:
        why = (failure.strerror or type(failure).__name__).lower()
        raise MissingWeights(
            f"cannot read {quote(path, 200)}: {why}; give a model that can be read"
        ) from failure
    return folder.hexdigest()


def _list_files(folder: str) -> dict[str, os.stat_result]:
    """Whatever may decide an answer: any file, as an index of weights may name it."""
    files: dict[str, os.stat_result] = {}
    for part in ("", *SUBFOLDERS):
        # A link that leads nowhere cannot be read, and so decides nothing.
        with suppress(FileNotFoundError, NotADirectoryError):
            for entry in os.scandir(os.path.join(folder, part)):
                with suppress(FileNotFoundError):
                    status = entry.stat()
                    if not stat.S_ISDIR(status.st_mode):
                        files[os.path.join(part, entry.name)] = status
    return files


def _file_digest(path: str, status: os.stat_result) -> str:
    """The digest of a file: remembered for as long as nothing about it changed."""
    state = _file_state(path, status)
    digest = KNOWN.get(state) or _stored_digest(state)
    return digest or _read_digest(path)


def _file_state(path: str, status: os.stat_result) -> FileState:
    """What changes when the bytes of a file do."""
    if not stat.S_ISREG(status.st_mode):
        raise BadInput(
            f"{quote(os.path.basename(path))} is no ordinary file; remove it"
        )
    identity = status.st_dev, status.st_ino, status.st_size
    return path, *identity, status.st_mtime_ns, status.st_ctime_ns


def _read_digest(path: str) -> str:
    """The digest by the bytes themselves, remembered where the file has settled."""
    with open_ordinary(path) as file:
        state = _file_state(path, os.fstat(file.fileno()))
        digest = hashlib.file_digest(file, "sha256").hexdigest()  # type: ignore[arg-type]
        if _file_state(path, os.fstat(file.fileno())) != state:
            raise BadInput(
                f"{quote(os.path.basename(path))} changed while it was read; run again"
            )
    if _has_settled(state):
        KNOWN[state] = digest
        store = STORE.get()
        if store is not None:
            with suppress(StoreFailed):  # it costs time alone
                store.write(_state_key(state), DIGEST_CODEC, digest)
    return digest


def _has_settled(state: FileState) -> bool:
    """Whether a further change would show in the times of the file."""
    # Windows calls the time when a file was made `ctime`.
    return os.name != "nt" and abs(time.time_ns() - int(state[-1])) > SETTLED


def _stored_digest(state: FileState) -> str | None:
    """The digest that an earlier run kept, if there is one."""
    store = STORE.get()
    if store is None:
        return None
    digest = store.read(_state_key(state), DIGEST_CODEC, lambda line: None)
    if digest is not None:
        KNOWN[state] = digest
    return digest


def _state_key(state: FileState) -> str:
    """The name of the entry that keeps the digest of a file in this state."""
    return entry_key(json.dumps(["file", *state]))


def _unpack_digest(stated: Any, _: bytes) -> str:
    """The digest that was kept."""
    if not isinstance(stated, str) or len(bytes.fromhex(stated)) != 32:
        raise ValueError("no digest")
    return stated


DIGEST_CODEC: Codec[str] = Codec(
    "digests/", lambda digest: (digest, b""), _unpack_digest
)
