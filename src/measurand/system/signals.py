"""Signals that stop a run, and the moments at which they have to wait."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

# Ctrl-C, `kill`, and a terminal that was closed; Windows lacks the last.
STOPPING = tuple(
    getattr(signal, name)
    for name in ("SIGINT", "SIGTERM", "SIGHUP")
    if hasattr(signal, name)
)
# Those that reach a whole group of processes at once: the main process answers for all.
SHARED = {number for number in STOPPING if number != signal.SIGTERM}


@contextmanager
def hold_signals() -> Iterator[None]:
    """Let signals wait while a process is started; they are delivered afterwards.

    A process that is started inside never hears of Ctrl-C: a mask is inherited, and it
    holds from the first moment, before any code of ours runs there. The mask alone is
    not enough here, since another thread could take the signal in the meantime.
    """
    waiting: list[int] = []
    in_main = threading.current_thread() is threading.main_thread()
    handlers: dict[int, Any] = {}
    if in_main:
        handlers = {number: signal.getsignal(number) for number in STOPPING}
        handlers = {n: handler for n, handler in handlers.items() if callable(handler)}
    masked = hasattr(signal, "pthread_sigmask")
    before = signal.pthread_sigmask(signal.SIG_BLOCK, SHARED) if masked else set()
    for number in handlers:
        signal.signal(number, lambda number, _: waiting.append(number))
    try:
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
        if masked:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
        for number in waiting[:1]:
            signal.raise_signal(number)
