"""python -m measurand, and the command `measurand`: signals first, then the rest.

Ctrl-C, SIGTERM and SIGHUP end a run at any moment in one line, with 128 and the number
of the signal as exit code. So they are listened for before anything else is loaded: the
first raises KeyboardInterrupt, which closes what is open and ends the worker processes.
Where that takes too long, or some library drops the exception, a thread ends the
process, and so does a second signal.
"""

import atexit
import errno
import os
import signal
import sys
import threading
import time
from contextlib import suppress
from typing import Any

from measurand.system.search_path import leave_working_folder
from measurand.system.signals import STOPPING

LEAST = 2_048  # MiB of addresses: Arrow alone sets 1,024 aside where it can
GRACE = 1.5  # seconds that a run has to close what is open
STOPPED = "stopped; what was finished is kept"
INTERRUPTED = (  # where a server was paid for answers
    "interrupted: {:,} answers of this run are kept; run the same command to go on"
)
OUT_OF_MEMORY = (
    "measurand: out of memory; give fewer items or --workers 1: what was finished is "
    "kept"
)
TOO_FEW_ADDRESSES = (
    "measurand: out of memory: this process is allowed {} MiB of addresses (ulimit -v) "
    "and needs {} or more; raise the limit: what was finished is kept"
)
CLEARED = "\r\x1b[K\x1b[?25h"  # a terminal without a bar, and with its cursor
RECEIVED: list[int] = []  # the signals that came, the first of which counts
SPOKEN = threading.Lock()  # held once the line is printed


def main() -> None:
    """Run the command line; a signal that stops it is one line on stderr."""
    try:
        try:
            leave_working_folder()
            _replace_closed_streams()
            _listen()
            _heed_address_limit()
            from measurand.cli import main as run_verb

            run_verb()
        except BaseException as error:
            _stop_listening()
            if _lacks_memory(error):
                _write_line(OUT_OF_MEMORY)
                sys.exit(1)
            if not RECEIVED:
                raise
        _stop_listening()
    except KeyboardInterrupt:  # it came before we listened, or as the run ended
        _stop_listening()
        RECEIVED.append(signal.SIGINT)
    if RECEIVED:
        _print_stopped()
        sys.exit(128 + RECEIVED[0])


def _replace_closed_streams() -> None:
    """Write nowhere, and read nothing, where the caller closed a stream (`>&-`).

    Its number has to be taken: a file that is opened later would get it, and then what
    is printed.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            stream = open(os.devnull, mode, encoding="utf-8")  # noqa: SIM115
            setattr(sys, name, stream)


def _listen() -> None:
    """Answer to signals from now on, but for those that the caller has us ignore."""
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    # Bytes come at once, even while the main thread is in a library for long.
    signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
    threading.Thread(target=_end_late_run, args=(reading,), daemon=True).start()
    atexit.register(_leave)  # the first to be registered is the last to be called
    sys.unraisablehook = _hush(sys.unraisablehook)
    threading.excepthook = _hush(threading.excepthook)
    for number in STOPPING:
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, _stop)


def _heed_address_limit() -> None:
    """Under a limit, start no threads of BLAS; under a low one, end in one line.

    Each such thread takes addresses as BLAS is loaded, and where they run out it waits
    for them for ever. The figures themselves are computed by one thread anyway.
    """
    try:
        import resource
    except ImportError:  # Windows
        return
    allowed = resource.getrlimit(resource.RLIMIT_AS)[0]
    if allowed == resource.RLIM_INFINITY:
        return
    os.environ["OPENBLAS_NUM_THREADS"] = "1"
    if allowed < LEAST * 2**20:
        _write_line(TOO_FEW_ADDRESSES.format(allowed // 2**20, LEAST))
        sys.exit(1)


def _stop(number: int, _: object) -> None:
    """Begin to stop; a second signal does not wait for the first."""
    RECEIVED.append(number)
    if len(RECEIVED) > 1:
        _end_now()
    raise KeyboardInterrupt


def _stop_listening() -> None:
    """Take no signal any more: the run has ended, and what it said stands."""
    for number in STOPPING:
        signal.signal(number, signal.SIG_IGN)


def _end_late_run(reading: int) -> None:
    """Wait for a signal, and then no longer than is granted."""
    number = 0
    while number not in STOPPING:  # others are for somebody else who listens
        number = os.read(reading, 1)[0]
    time.sleep(GRACE)
    RECEIVED.append(number)  # the main thread may not have come to it
    _end_now()


def _end_now() -> None:
    """End this process and its workers at once."""
    if "multiprocessing" in sys.modules:
        from multiprocessing import active_children

        for child in active_children():
            child.kill()
    _print_stopped()
    os._exit(128 + RECEIVED[0])


def _leave() -> None:
    """End a stopped run before Python takes itself apart.

    A library in C++ that was stopped at work can abort the process in the middle of
    that, and our exit code with it.
    """
    if RECEIVED:
        for stream in (sys.stdout, sys.stderr):
            with suppress(OSError, ValueError):
                stream.flush()
        os._exit(128 + RECEIVED[0])


def _lacks_memory(error: BaseException | None) -> bool:
    """Whether memory ran out, which a library that is loaded says in its own way.

    Or in that of another, by which it was loaded.
    """
    if error is None:
        return False
    starved = isinstance(error, OSError) and error.errno == errno.ENOMEM
    words = {ImportError: "failed to map", SystemError: "without exception set"}
    unmapped = any(isinstance(error, k) and w in str(error) for k, w in words.items())
    lacks = isinstance(error, MemoryError) or starved or unmapped
    return lacks or _lacks_memory(error.__cause__)


def _print_stopped() -> None:
    """Print that the run was stopped, once."""
    if SPOKEN.acquire(blocking=False):
        client = sys.modules.get("measurand.models.server.client")
        stored = client.count_kept() if client else 0
        line = INTERRUPTED.format(stored) if stored else STOPPED
        _write_line(f"{CLEARED if os.isatty(2) else ''}{line}")


def _write_line(line: str) -> None:
    """Write to stderr as it is; a terminal that is gone need not hear it."""
    with suppress(OSError):
        os.write(2, f"{line}\n".encode())


def _hush(hook: Any) -> Any:
    """The hook, silent once a run is being stopped: what fails then is our doing."""
    return lambda report: None if RECEIVED else hook(report)


if __name__ == "__main__":
    main()
