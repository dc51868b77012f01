"""Where calls to a server are kept while a trial runs."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

CALLS: ContextVar[Path | None] = ContextVar("calls", default=None)


@contextmanager
def keep_calls(directory: Path) -> Iterator[None]:
    """Keep every call that is made inside in `directory`; without it none is kept.

    >>> with keep_calls(Path("calls")):
    ...     print(CALLS.get())
    calls
    >>> print(CALLS.get())
    None
    """
    token = CALLS.set(directory)
    try:
        yield
    finally:
        CALLS.reset(token)
