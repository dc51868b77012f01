"""The transport: an interrupt, wherever it comes, leaves no request half made."""

import gc
import sys
import warnings

import httpx

from measurand.models.server.transport import Transport
from tests.models.fake_server import serving

FILES = ("transport.py", "tasks.py", "base_events.py", "futures.py")
CONTENT = '{"model": "m", "messages": [{"content": "one"}]}'


def interrupt_at(line):
    """Raise an interrupt at so many lines from here, in this thread."""
    left = [line]

    def trace(frame, event, _):
        if frame.f_code.co_filename.endswith(FILES) and event == "line":
            left[0] -= 1
            if left[0] == 0:
                raise KeyboardInterrupt
        return trace

    sys.settrace(trace)
    return left


def is_over_before(line, url):
    """Whether a request and the end of its transport take fewer lines than this."""
    transport = Transport(5.0, 2, trust_env=False)
    transport.thread.start()
    left = interrupt_at(line)
    try:
        transport.post(url, CONTENT, 10_000)
        transport.__exit__()
    except KeyboardInterrupt:
        sys.settrace(None)
        transport.__exit__()
    finally:
        sys.settrace(None)
    assert not transport.thread.is_alive()
    return left[0] > 0


def test_an_interrupt_at_any_line_leaves_no_coroutine_that_nobody_awaits():
    with serving() as server, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        url = httpx.URL(f"{server.url}/chat/completions")
        line = 1
        while not is_over_before(line, url):
            line += 1
        gc.collect()
    assert line > 10
    messages = [str(warning.message) for warning in caught]
    assert not [m for m in messages if "never awaited" in m or "destroyed" in m]
