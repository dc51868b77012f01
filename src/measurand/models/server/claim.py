"""A claim: which of several processes with one store asks for an answer."""

import errno
import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from measurand.core.errors import StoreFailed

if sys.platform != "win32":
    import fcntl

LOOK_AGAIN = 0.05  # seconds between two looks at a claim that another holds


@contextmanager
def hold_claim(path: Path, stopped: threading.Event) -> Iterator[None]:
    """Hold the claim of this file, once no other thread or process does.

    It is a lock of the operating system, which ends with its holder, however that ends;
    so the file is never removed, and says nothing by being there. Where a system or a
    file system knows no such lock, there is no claim: an answer may be asked for twice.
    """
    if sys.platform == "win32":
        yield
        return
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        # To read is enough for a lock, and all that another user's file may permit.
        # A pipe of that name would have us wait for somebody to write to it.
        file = os.open(
            path, os.O_RDONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK, 0o666
        )
    except OSError as failure:
        why = (failure.strerror or type(failure).__name__).lower()
        raise StoreFailed(
            f"cannot write to {path.parent}: {why}; free some space or name another "
            "folder; what was finished is kept"
        ) from failure
    try:
        while not _try_lock(file) and not stopped.wait(LOOK_AGAIN):
            pass
        yield
    finally:
        os.close(file)  # which ends the lock


def _try_lock(file: int) -> bool:
    """Whether nobody else holds the lock; also where there are no locks."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as failure:
        return failure.errno not in (errno.EAGAIN, errno.EACCES, errno.EINTR)
    return True
