"""Signals wait while a process is started, and are delivered afterwards."""

import signal
import subprocess
import sys
import threading

import pytest

from measurand.system.signals import hold_signals

MASK = "import signal; print(sorted(signal.pthread_sigmask(signal.SIG_BLOCK, [])))"


# In processes of their own: Ctrl-C is for the main thread, which may run others' tests.
WAITS = """
import os, signal
from measurand.system.signals import hold_signals

signal.signal(signal.SIGINT, signal.default_int_handler)
steps = []
try:
    with hold_signals():
        {send}
        steps.append("still here")
except KeyboardInterrupt:
    steps.append("stopped")
steps.append(signal.getsignal(signal.SIGINT) is signal.default_int_handler)
print(*steps)
"""
SEND = "os.kill(os.getpid(), signal.SIGINT)"
# A thread that is started inside, and yet free to take signals.
SEND_FROM_THREAD = """
        import threading

        def take_ctrl_c():
            signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])
            os.kill(os.getpid(), signal.SIGINT)

        sender = threading.Thread(target=take_ctrl_c)
        sender.start()
        sender.join()
"""


@pytest.mark.parametrize("send", [SEND, SEND_FROM_THREAD], ids=["main", "thread"])
def test_ctrl_c_waits_until_the_hold_is_over(send):
    code = WAITS.format(send=send)
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert ended.stdout == "still here stopped True\n", ended.stderr


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
