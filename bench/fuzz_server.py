"""A server on this machine that answers at random, and says the key it was given."""

import base64
import json
import random
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

SLOW = 1.2  # seconds, which is more than a call is given
STATUSES = (200, 204, 301, 302, 400, 401, 404, 413, 429, 500, 503, 999)
NUMBERS: tuple[Any, ...] = (1, 0, -1, 1e999, -1e999, float("nan"), 10**400, "1", None)
# How a server could say the key that it was given.
ECHOES: tuple[Callable[[str], str], ...] = (
    str,
    lambda key: key[::-1],
    lambda key: " ".join(key),
    lambda key: key.upper(),
    lambda key: key.encode().hex(),
    lambda key: base64.b64encode(key.encode()).decode(),
    lambda key: base64.b64encode(b"a " + key.encode() + b" b").decode(),
    lambda key: base64.b32encode(key.encode()).decode(),
    lambda key: "".join(f"\\u{ord(letter):04x}" for letter in key),
    lambda key: "".join(f"\\\\u{ord(letter):04x}" for letter in key),
    lambda key: "".join(f"%{ord(letter):02X}" for letter in key),
    lambda key: "".join(f"&#{ord(letter)};" for letter in key),
    lambda key: "".join(f"\\x{ord(letter):02x}" for letter in key),
    lambda key: "".join(f"\\{ord(letter):o}" for letter in key),
    lambda key: " ".join(f"0x{ord(letter):x}" for letter in key),
    lambda key: " ".join(f"U+{ord(letter):04X}" for letter in key),
    lambda key: "".join(f"%u{ord(letter):04x}" for letter in key),
    lambda key: key.encode("utf-16").hex(),
    lambda key: base64.b64encode(key.encode("utf-16-be")).decode(),
    lambda key: base64.b64encode(base64.b64encode(key.encode())).decode(),
    lambda key: f"{key[:12]}\x00{key[12:]}",
    lambda key: f"{key[:14]}</b><b>{key[14:]}",
)


class HostileServer(ThreadingHTTPServer):
    """Answers each request by one of a few `habits`, as `rng` has it.

    A steady one answers every request alike: the run gets past the first of them.
    """

    daemon_threads = True
    request_queue_size = 64

    def __init__(self, rng: random.Random) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.rng, self.lock = rng, threading.Lock()
        self.habits = rng.sample(HABITS, rng.choice((1, 1, 2, 4)))
        self.seed, self.steady = rng.random(), rng.random() < 0.7
        self.released = threading.Event()

    @property
    def url(self) -> str:
        """Where it is asked."""
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that left is no news."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *arguments: Any) -> None:
        """Be quiet."""

    def do_POST(self) -> None:
        length = int(self.headers["content-length"])
        request = json.loads(self.rfile.read(length))
        key = str(self.headers.get("authorization", "")).removeprefix("Bearer ")
        server = self.server
        assert isinstance(server, HostileServer)
        with server.lock:  # one stream of random numbers for all threads
            rng = random.Random(server.seed) if server.steady else server.rng
            reply = rng.choice(server.habits)(rng, request, key)
        status, headers, body, missing = reply
        if status == 0:
            server.released.wait(SLOW)
            status = 200
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("content-length", str(len(body) + missing))
        self.end_headers()
        self.wfile.write(body)
        self.close_connection = bool(missing)


Reply = tuple[int, dict[str, str], bytes, int]  # the last: bytes promised and not sent


def _complete(rng: random.Random, request: Any, content: Any) -> dict[str, Any]:
    """A completion as the protocol has it."""
    listed = [{"token": t, "logprob": -0.1 - i} for i, t in enumerate(("A", "B", "C"))]
    first = {"token": "A", "logprob": -0.1, "top_logprobs": listed}
    choice = {
        "message": {"role": "assistant", "content": content},
        "logprobs": {"content": [first]} if rng.random() < 0.5 else None,
    }
    use = {"prompt_tokens": 9, "completion_tokens": 1}
    return {"model": request.get("model"), "choices": [choice], "usage": use}


def _answer(rng: random.Random, request: Any, key: str) -> Reply:
    body = _complete(rng, request, rng.choice(("A", "B", "yes", "no", "", None)))
    return 200, {}, json.dumps(body).encode(), 0


def _echo(rng: random.Random, request: Any, key: str) -> Reply:
    said = rng.choice(ECHOES)(key)
    whole = _complete(rng, request, f"A {said}")
    place = rng.choice(("content", "model", "token", "usage", "error", "more"))
    if place == "model":
        whole["model"] = said
    elif place == "token":
        listed = [{"token": said, "logprob": -0.1}, {"token": "A", "logprob": -1.0}]
        first = {"token": said, "logprob": -0.1, "top_logprobs": listed}
        whole["choices"][0]["logprobs"] = {"content": [first]}
    elif place == "usage":
        whole["usage"] = {said: said}
    elif place == "error":
        return rng.choice(STATUSES[4:]), {}, _error(said), 0
    else:
        whole[said] = whole["id"] = said
    return 200, {}, json.dumps(whole).encode(), 0


def _error(said: str) -> bytes:
    return json.dumps({"error": {"message": f"wrong key: {said}"}}).encode()


def _count(rng: random.Random, request: Any, key: str) -> Reply:
    whole = _complete(rng, request, "A")
    whole["usage"] = {name: rng.choice(NUMBERS) for name in whole["usage"]}
    listed = [{"token": t, "logprob": rng.choice(NUMBERS)} for t in ("A", "B")]
    first = {"token": "A", "logprob": rng.choice(NUMBERS), "top_logprobs": listed}
    whole["choices"][0]["logprobs"] = {"content": [first]}
    return 200, {}, json.dumps(whole).encode(), 0


def _misshape(rng: random.Random, request: Any, key: str) -> Reply:
    """A completion of which one part is something else."""
    whole = _complete(rng, request, "A")
    other = rng.choice((None, [], {}, "x", 7, [None], [[]], {"content": 5}, True))
    choice = whole["choices"][0]
    place, name = rng.choice(
        [(part, name) for part in (whole, choice, choice["message"]) for name in part]
    )
    place[name] = other
    return 200, {}, json.dumps(whole).encode(), 0


def _babble(rng: random.Random, request: Any, key: str) -> Reply:
    bodies = (rng.randbytes(rng.randint(0, 300)), b"[" * 100_000, b"<html>", b"", b"5")
    return rng.choice(STATUSES), {}, rng.choice(bodies), 0


def _cut(rng: random.Random, request: Any, key: str) -> Reply:
    body = json.dumps(_complete(rng, request, "A")).encode()
    return 200, {}, body[: rng.randint(0, len(body))], rng.randint(1, 10**6)


def _refuse(rng: random.Random, request: Any, key: str) -> Reply:
    status = rng.choice(STATUSES[2:])
    waits = ("0", "1e9", "-1", "nan", "soon", "Wed, 21 Oct 2015 07:28:00 GMT")
    headers = {"Retry-After": rng.choice(waits), "Location": "http://127.0.0.1:9/"}
    return status, headers, _error(rng.choice(("no", key))), 0


def _dawdle(rng: random.Random, request: Any, key: str) -> Reply:
    return 0, {}, b"late", 0


HABITS = (_answer, _echo, _echo, _echo, _count, _misshape, _babble, _cut, _refuse)
HABITS += (_answer, _misshape, _echo, _dawdle)


@contextmanager
def serve(rng: random.Random) -> Iterator[str]:
    """The address of a server that runs while inside."""
    server = HostileServer(rng)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield server.url
    finally:
        server.released.set()
        server.shutdown()
        server.server_close()
        thread.join()
