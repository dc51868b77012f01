"""Locks of the operating system on open files and folders.

Such a lock ends with its holder, however that ends: so it shows whether somebody still
writes. Windows and some network drives know none.
"""

import errno
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

if sys.platform != "win32":
    import fcntl

PATIENCE, PAUSE = 5.0, 0.02  # seconds for which a lock is waited for
HELD = (errno.EAGAIN, errno.EACCES, errno.EINTR)  # what another's lock answers


def try_lock(handle: int, *, wait: bool = False) -> bool | None:
    """Whether this process holds the lock now; None where there are no locks.

    To `wait` is to try for some seconds: who holds it longer may not want to write, and
    whoever can read a file can lock it.
    """
    if sys.platform == "win32":
        return None
    end = time.monotonic() + (PATIENCE if wait else 0.0)
    while True:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as failure:
            if failure.errno not in HELD:
                return None
        else:
            return True
        if time.monotonic() >= end:
            return False
        time.sleep(PAUSE)


@contextmanager
def hold_folder(folder: Path, *, wait: bool = False) -> Iterator[bool | None]:
    """Whether this process alone has the folder, while it is inside.

    False where another has it or it is gone, None where there are no locks.
    """
    if sys.platform == "win32":
        yield None
        return
    try:
        flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW
        handle = os.open(folder, flags)
    except OSError:
        yield False
        return
    try:
        is_ours = try_lock(handle, wait=wait)
        yield False if not is_same(handle, folder) else is_ours
    finally:
        os.close(handle)  # which ends the lock


def is_same(handle: int, path: str | Path) -> bool:
    """Whether what was opened still has this name."""
    try:
        return os.path.samestat(os.fstat(handle), os.lstat(path))
    except OSError:
        return False
