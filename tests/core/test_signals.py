"""Signals wait while a process is started, and are delivered afterwards."""

import os
import signal
import subprocess
import sys
import threading

import pytest

from measurand.core.signals import hold_signals

MASK = "import signal; print(sorted(signal.pthread_sigmask(signal.SIG_BLOCK, [])))"


def test_ctrl_c_waits_until_the_hold_is_over():
    steps = []
    with pytest.raises(KeyboardInterrupt), hold_signals():  # noqa: PT012
        os.kill(os.getpid(), signal.SIGINT)
        steps.append("still here")
    assert steps == ["still here"]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_another_thread_cannot_bring_the_signal_earlier():
    steps = []
    with pytest.raises(KeyboardInterrupt), hold_signals():  # noqa: PT012
        # Started inside, and yet free to take signals.
        sender = threading.Thread(target=take_ctrl_c)
        sender.start()
        sender.join()
        steps.append("still here")
    assert steps == ["still here"]


def take_ctrl_c():
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])
    os.kill(os.getpid(), signal.SIGINT)


def test_a_process_started_inside_never_hears_of_ctrl_c():
    with hold_signals():
        told = subprocess.run([sys.executable, "-c", MASK], capture_output=True)
    assert b"SIGINT" in told.stdout
    assert b"SIGHUP" in told.stdout
    assert b"SIGTERM" not in told.stdout
    assert signal.pthread_sigmask(signal.SIG_BLOCK, []) == set()


def test_a_thread_may_hold_signals_too():
    done = []
    thread = threading.Thread(target=lambda: [done.append(1) for _ in held()])
    thread.start()
    thread.join()
    assert done == [1]


def held():
    with hold_signals():
        yield 1
