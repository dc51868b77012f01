"""The transport: requests that end in time, or as soon as they are called off."""

import asyncio
import os
import socket
import threading
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import httpx

from measurand.core.errors import EndpointFailed

LEAVING = 1.0  # seconds that the loop gets to close its connections
UNREACHED = "cannot connect"
CALLED_OFF = "stopped"
# Unpacked, a small body can be a huge one: none is asked for, and none unpacked.
HEADERS = {"content-type": "application/json", "accept-encoding": "identity"}


@dataclass(frozen=True)
class Response:
    """What came back: a status, or 0 and the fault that kept one away."""

    status: int = 0
    headers: httpx.Headers = field(default_factory=httpx.Headers)
    content: bytes = b""
    fault: str = ""


PROXIES = ("http_proxy", "https_proxy", "all_proxy")


def _open_http(**settings: Any) -> httpx.AsyncClient:
    """The client of httpx; one line where the environment lets it have none."""
    try:
        return httpx.AsyncClient(**settings)
    except OSError:
        name = "SSL_CERT_FILE" if os.environ.get("SSL_CERT_FILE") else "SSL_CERT_DIR"
        reason = f"{name} names no file of certificates that can be read"
    except (ImportError, ValueError, httpx.InvalidURL):
        # Without the address: it may hold a password.
        name = next(filter(_is_useless_proxy, os.environ), "NO_PROXY")
        reason = f"{name} names no proxy that can be used here; allowed are http and "
        reason += "https, and socks5 where the package socksio is installed"
    raise EndpointFailed(f"{reason}; mend or unset {name}")


def _is_useless_proxy(name: str) -> bool:
    """Whether the variable names a proxy that httpx cannot use."""
    if name.lower() not in PROXIES or not os.environ[name]:
        return False
    address = os.environ[name]
    proxy = address if "://" in address else f"http://{address}"
    try:
        httpx.AsyncHTTPTransport(proxy=proxy, verify=False, trust_env=False)
    except (ImportError, ValueError, httpx.InvalidURL):
        return True
    return False


class Transport:
    """Sends requests of any thread, in an event loop that has a thread of its own.

    There a request can be ended at any byte: the time-out of a socket begins again with
    each, and a thread that waits for one cannot be called off.
    """

    def __init__(self, timeout_s: float, connections: int, **settings: Any) -> None:
        self.timeout_s = timeout_s
        limits = httpx.Limits(max_connections=connections)
        self.http = _open_http(timeout=None, limits=limits, **settings)
        self.loop = _EventLoop()
        self.thread = threading.Thread(target=self._run_loop, daemon=True)
        self.called_off = threading.Event()
        self.tasks: set[asyncio.Task[Response]] = set()

    def __enter__(self) -> "Transport":
        """Start the loop."""
        self.thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        """End what is under way, and the loop."""
        self.call_off()
        self._schedule(self.loop.stop)
        self.thread.join(LEAVING)

    def call_off(self) -> None:
        """Let every request that is under way, and every later one, end at once."""
        self.called_off.set()
        self._schedule(self._cancel_all)

    def post(self, url: httpx.URL, content: str, most_bytes: int) -> Response:
        """The answer to a request; no exception of httpx, which would hold the key."""
        answer: Future[Response] = Future()
        if not self._schedule(self._start, answer, url, content, most_bytes):
            return Response(fault=CALLED_OFF)
        return answer.result()

    def _schedule(self, function: Callable[..., None], *arguments: Any) -> bool:
        """Have the loop call a function; False where the loop has ended."""
        try:
            self.loop.call_soon_threadsafe(function, *arguments)
        except RuntimeError:
            return False
        return True

    def _run_loop(self) -> None:
        """Answer until the loop is stopped, then end what is left and close it.

        Coroutines are made in this thread alone, which no signal interrupts and which
        runs each to its end: one that is made elsewhere is lost, with a warning of
        Python's, where an interrupt comes before the loop takes it.
        """
        try:
            self.loop.run_forever()
            self.loop.run_until_complete(self._close())
        finally:
            self.loop.close()

    def _start(self, answer: Future[Response], *request: Any) -> None:
        """Begin to send a request, whose end settles the answer."""
        if self.called_off.is_set():
            answer.set_result(Response(fault=CALLED_OFF))
            return

        def settle(task: asyncio.Task[Response]) -> None:
            self.tasks.discard(task)
            if task.cancelled():
                answer.set_result(Response(fault=CALLED_OFF))
            elif (failure := task.exception()) is not None:
                answer.set_exception(failure)
            else:
                answer.set_result(task.result())

        task = self.loop.create_task(self._post(*request))
        self.tasks.add(task)
        task.add_done_callback(settle)

    async def _post(self, url: httpx.URL, content: str, most_bytes: int) -> Response:
        """The answer, whole and in time."""
        try:
            async with asyncio.timeout(self.timeout_s):
                return await self._receive(url, content, most_bytes)
        except TimeoutError:
            fault = f"no whole answer came in {self.timeout_s:g} s"
        except httpx.ConnectError:
            fault = UNREACHED
        except (httpx.HTTPError, httpx.StreamError, OSError, ValueError):
            fault = "the connection was cut"
        return Response(fault=fault)

    async def _receive(self, url: httpx.URL, content: str, most_bytes: int) -> Response:
        """The answer as it comes, unless it is longer than it can need to be."""
        body = bytearray()
        async with self.http.stream(
            "POST", url, content=content, headers=HEADERS
        ) as response:
            async for chunk in response.aiter_raw():
                body += chunk
                if len(body) > most_bytes:
                    fault = f"its answer is longer than {most_bytes:,} bytes, the most "
                    return Response(fault=fault + "that max_tokens can need")
            return Response(response.status_code, response.headers, bytes(body))

    def _cancel_all(self) -> None:
        """Cancel the requests, from within the loop."""
        for task in self.tasks:
            task.cancel()

    async def _close(self) -> None:
        """Let the requests end that were cancelled, then close the connections."""
        with suppress(Exception):
            async with asyncio.timeout(LEAVING):
                await asyncio.gather(*self.tasks, return_exceptions=True)
                await self.http.aclose()
                await self.loop.shutdown_asyncgens()


class _EventLoop(asyncio.SelectorEventLoop):
    """A loop that looks names up in threads for which nobody waits as Python ends."""

    async def getaddrinfo(self, host: Any, port: Any, **settings: Any) -> Any:
        """The addresses of a host."""
        addresses: asyncio.Future[Any] = self.create_future()

        def deliver(result: Any, failure: Exception | None) -> None:
            if addresses.cancelled():
                return
            if failure is None:
                addresses.set_result(result)
            else:
                addresses.set_exception(failure)

        def look_up() -> None:
            result, failure = None, None
            try:
                result = socket.getaddrinfo(host, port, **settings)
            except (OSError, UnicodeError) as raised:
                failure = raised
            with suppress(RuntimeError):  # the loop was closed meanwhile
                self.call_soon_threadsafe(deliver, result, failure)

        threading.Thread(target=look_up, daemon=True).start()
        return await addresses
