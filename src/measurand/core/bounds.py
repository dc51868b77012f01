"""What numbers may be: each has a least and a most, and most follows from something.

A bound is where a larger number would be a slip of the finger: it takes a lifetime, or
memory that no machine has, or decides nothing.
"""

import os
from math import inf
from numbers import Integral
from typing import Any

from measurand.core.errors import BadOption

MOST_SHUFFLES = 100_000  # an interval over so many is as wide as over all
MOST_SEEDS = 100  # trainings of one encoder
LEAST_MARGIN = 0.0001  # a smaller one asks for more items than there are texts
MOST_MARGIN = 0.5  # a larger one calls half of all answers nothing
MOST_FOLDS = 1_000
MOST_CLUSTERS = 100_000
MOST_ROWS = 10**9  # more than any benchmark has
MOST_REPEATS = 100_000
MOST_CHANGES = 100  # of one item
MOST_SEED = 2**64 - 1  # what 64 bits can hold
WORKERS_A_CORE = 8


def describe_bounds(least: float, most: float, above: bool = False) -> str:
    """What a number may be, in words; empty where there is no bound.

    >>> describe_bounds(1, 1_000), describe_bounds(0, inf), describe_bounds(0, 1, True)
    ('1 to 1,000', '0 or more', 'above 0, up to 1')
    """
    if least == -inf:
        return ""
    if most == inf:
        return f"above {least:,}" if above else f"{least:,} or more"
    return f"above {least:,}, up to {most:,}" if above else f"{least:,} to {most:,}"


def check_number(
    name: str,
    value: Any,
    least: float,
    most: float = inf,
    *,
    above: bool = False,
    unit: str = "",
) -> None:
    """Raise where a number is below the least, above the most, or none.

    >>> check_number("folds", 10**6, 2, 1_000)
    Traceback (most recent call last):
    measurand.core.errors.BadOption: `folds` is 1000000; allowed are 2 to 1,000
    """
    if not least <= value <= most or (above and value == least):
        allowed = describe_bounds(least, most, above)
        raise BadOption(f"`{name}` is {_show(value)}; allowed are {allowed}{unit}")


def check_workers(workers: Any) -> None:
    """Raise where there would be no worker, or more than this machine can hold."""
    most = max(64, WORKERS_A_CORE * (os.cpu_count() or 1))
    _check_count("workers", workers, 1, most, " on this machine")


def check_seed(seed: Any) -> None:
    """Raise where a seed is not a whole number of at most 64 bits."""
    _check_count("seed", seed, 0, MOST_SEED, ", the whole numbers of 64 bits")


def check_memory(name: str, value: int, bytes_each: int) -> None:
    """Raise where so many, each of so many bytes, are more than memory holds."""
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    if value * bytes_each > memory:
        raise BadOption(
            f"`{name}` is {_show(value)}, and each takes {bytes_each:,} bytes on these "
            f"items; {memory // max(bytes_each, 1):,} fill the memory of this machine"
        )


def _check_count(name: str, value: Any, least: int, most: int, of: str) -> None:
    """Raise where a value is no whole number in the bounds."""
    is_whole = isinstance(value, Integral) and not isinstance(value, bool)
    if not is_whole or not least <= value <= most:
        raise BadOption(
            f"`{name}` is {_show(value)}; allowed are {least:,} to {most:,}{of}"
        )


def _show(value: Any) -> str:
    """The value, cut: Python itself refuses to write out very long numbers."""
    if isinstance(value, int) and abs(value) >= 10**30:
        return "a number of more than 30 digits"
    return repr(value)[:60]
