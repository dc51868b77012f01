"""What the libraries of the Hugging Face hub may say while they load something."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager

HUB_LOGS = ("huggingface_hub", "datasets")


@contextmanager
def quiet_hub() -> Iterator[None]:
    """No word of each try and wait where the hub is out of reach: we say it in a line.

    Loggers have a level of their own only where somebody chose it; ours is for now.
    """
    logs = [logging.getLogger(name) for name in HUB_LOGS]
    levels = [log.level for log in logs]
    for log in logs:
        log.setLevel(logging.ERROR)
    try:
        yield
    finally:
        for log, level in zip(logs, levels, strict=True):
            log.setLevel(level)
