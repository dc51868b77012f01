"""What the libraries of the Hugging Face hub may say and try while they load."""

import logging
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit
from urllib.request import getproxies

HUB_LOGS = ("huggingface_hub", "datasets")
PROXIED = {"https", "http", "all"}
WAITS = (0.0, 1.0, 2.0)  # seconds before each look for the hub's name
LONGEST = 3.0  # seconds after which no other look is begun: one may take long itself


def is_fault(failure: BaseException) -> bool:
    """Whether a library failed, rather than a user or an exit that stopped it.

    The engine of tokenizers raises even what is no `Exception`.
    """
    panic = type(failure).__name__ == "PanicException"
    return panic or isinstance(failure, Exception)


@contextmanager
def quiet_hub(*, asks: bool = True) -> Iterator[None]:
    """No word of each try and wait where the hub is out of reach: we say it in a line.

    Loggers have a level of their own only where somebody chose it; ours is for now. A
    hub that is not there is not tried for half a minute a file: its cache is read.
    """
    logs = [logging.getLogger(name) for name in HUB_LOGS]
    levels = [log.level for log in logs]
    for log in logs:
        log.setLevel(logging.ERROR)
    try:
        with _stay_offline(asks):
            yield
    finally:
        for log, level in zip(logs, levels, strict=True):
            log.setLevel(level)


@contextmanager
def _stay_offline(asks: bool) -> Iterator[None]:
    """The hub's own switch for working without it, on where its name leads nowhere."""
    if not asks:
        yield
        return
    from huggingface_hub import constants

    before = constants.HF_HUB_OFFLINE
    if not before and not has_address(constants.ENDPOINT):
        constants.HF_HUB_OFFLINE = True
    try:
        yield
    finally:
        constants.HF_HUB_OFFLINE = before


def has_address(url: str) -> bool:
    """Whether the name in an address leads anywhere; a slow server is not asked.

    Behind a proxy only the proxy knows. A name that is not found is looked for again:
    a connection may be about to come back.
    """
    if PROXIED & {*getproxies()}:
        return True
    start = time.monotonic()
    for wait in WAITS:
        if time.monotonic() - start > LONGEST:
            break
        time.sleep(wait)
        try:
            socket.getaddrinfo(urlsplit(url).hostname, None)
        except OSError:
            continue
        return True
    return False
