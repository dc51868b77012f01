"""Processes: the one place that starts any, or lets a library start some.

A new Python looks for modules in the working folder first, which may be a stranger's:
none that is started here does.
"""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import get_context, resource_tracker
from multiprocessing.context import SpawnContext

from measurand.system.search_path import safe_variables
from measurand.system.signals import hold_signals


def run_python(
    code: str,
    *words: str,
    stdin: bytes = b"",
    timeout: float,
    variables: dict[str, str],
) -> subprocess.CompletedProcess[bytes]:
    """What a Python does that runs `code` with these variables alone.

    Raises `subprocess.TimeoutExpired` where it takes longer.
    """
    return subprocess.run(  # noqa: S603 (the code is ours)
        [sys.executable, "-P", "-c", code, *words],
        input=stdin,
        capture_output=True,
        timeout=timeout,
        env={**variables, **safe_variables(variables)},
        check=False,
    )


@contextmanager
def safe_environment() -> Iterator[None]:
    """Processes that are started inside import nothing from the working folder.

    They inherit it, whoever starts them. Afterwards the variables of the program that
    uses us are as they were.
    """
    variables = safe_variables(dict(os.environ))
    before = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


def worker_context() -> SpawnContext:
    """What makes worker processes and queues to them.

    Spawned, not forked: a fork copies locks that other threads may hold.
    """
    _start_tracker()
    return get_context("spawn")


@contextmanager
def start_workers() -> Iterator[None]:
    """Let a pool start workers inside; they hear of no signal: we answer for all."""
    with hold_signals(), safe_environment():
        yield


def _start_tracker() -> None:
    """Start what Python gives every pool, so that it stays when we are stopped.

    It removes what a killed process left behind, which does not concern the user.
    """
    before = list(sys.warnoptions)
    sys.warnoptions.append("ignore:resource_tracker")
    try:
        with start_workers():
            resource_tracker.ensure_running()
    finally:
        sys.warnoptions[:] = before
