"""Asking a server: once a prompt, never beyond the cap, and every answer kept.

The key is read from MEASURAND_API_KEY, else OPENAI_API_KEY, each time a request is
sent, and is written nowhere. The address is `Terms.url`, else MEASURAND_ENDPOINT, else
OPENAI_BASE_URL.
"""

import json
import logging
import os
import re
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import cache
from typing import Any

import httpx

from measurand.core.errors import BadOption, EndpointFailed, quote
from measurand.core.files import CALLS
from measurand.core.seeds import generator
from measurand.core.store import MemoryStore, Store
from measurand.models.server.calls import (
    CALL_CODEC,
    Call,
    Messages,
    Reply,
    parse_completion,
)
from measurand.models.server.endpoint import Endpoint, Terms, terms_of
from measurand.models.server.ledger import Ledger, Use

ADDRESSES = ("MEASURAND_ENDPOINT", "OPENAI_BASE_URL")
KEYS = ("MEASURAND_API_KEY", "OPENAI_API_KEY")
HOST = re.compile(r"[\w.-]+|[0-9a-fA-F:.]+")  # a name, or a number of either kind
SECRET = 8  # letters from which a key can be told from ordinary text


def server_url(url: str | None) -> httpx.URL:
    """Where chat completions are asked for, by the setting or by the environment.

    >>> str(server_url("http://127.0.0.1:8000")), str(server_url("https://a.b/api/v1/"))
    ('http://127.0.0.1:8000/v1/chat/completions', 'https://a.b/api/v1/chat/completions')
    """
    setting = url or next((os.environ[n] for n in ADDRESSES if os.environ.get(n)), None)
    if setting is None:
        raise EndpointFailed(
            "no server is set; set MEASURAND_ENDPOINT to its address, such as "
            "http://127.0.0.1:8000/v1"
        )
    try:
        base = httpx.URL(setting.strip())
    except (httpx.InvalidURL, ValueError):
        base = httpx.URL()
    # Whatever could hold a key would end in logs: it belongs in the environment.
    if base.userinfo or base.query:
        raise BadOption(
            "the server's address holds a user, password or query; put the key in "
            "MEASURAND_API_KEY and give the address alone"
        )
    if base.scheme not in ("http", "https") or not HOST.fullmatch(base.host):
        raise BadOption(
            "the server's address is no http or https address; allowed is, for "
            "example, http://127.0.0.1:8000/v1"
        )
    path = base.path.rstrip("/").removesuffix("/chat/completions") or "/v1"
    return base.copy_with(path=f"{path}/chat/completions", fragment=None)


def _api_key() -> str:
    """The key, or nothing."""
    return next((os.environ[n].strip() for n in KEYS if os.environ.get(n)), "")


class _BearerAuth(httpx.Auth):
    """Puts the key on a request as it leaves; no object of ours ever holds it."""

    def auth_flow(self, request: httpx.Request) -> "Iterator[httpx.Request]":  # type: ignore[override]
        """The request with the key, where there is one."""
        if _api_key():
            if not (_api_key().isascii() and _api_key().isprintable()):
                raise EndpointFailed(
                    "the key in MEASURAND_API_KEY or OPENAI_API_KEY holds a character "
                    "that no header can carry; copy it again"
                )
            request.headers["Authorization"] = f"Bearer {_api_key()}"
        yield request


def _redact_key(content: bytes) -> bytes:
    """What a server sent, without the key, should it send that back."""
    secret = _api_key().encode(errors="replace")
    return content.replace(secret, b"[key]") if len(secret) >= SECRET else content


def _server_refusal(
    status: int, content: bytes, url: httpx.URL, model: str
) -> EndpointFailed:
    """Why the server will never answer, in one line, and what to do."""
    if status in (401, 403):
        advice = (
            "it does not accept the key in" if _api_key() else "it wants a key: set"
        )
        return EndpointFailed(
            f"{url.host} answers {status}: {advice} MEASURAND_API_KEY or OPENAI_API_KEY"
        )
    if status == 404:
        return EndpointFailed(
            f"{url.host} answers 404: it has no model {quote(model)}, or its address "
            f"is not {url.path.removesuffix('/chat/completions')}; check both"
        )
    reason = _server_complaint(content)
    return EndpointFailed(
        f"{url.host} refuses the request for model {quote(model)} with {status}"
        + (f": {quote(reason, 200)}" if reason else "")
    )


def _server_complaint(content: bytes) -> str:
    """What the server says is wrong, from the places where servers say it."""
    try:
        answer = json.loads(content)
        answer = answer.get("error", answer.get("detail", answer.get("message", "")))
        return str(
            answer.get("message", answer) if isinstance(answer, dict) else answer
        )
    except (ValueError, AttributeError, RecursionError):
        return content.decode(errors="replace").strip()


def _retry_delay(headers: Mapping[str, str]) -> float | None:
    """Seconds, from a Retry-After of seconds or of a date; None where there is none.

    A date is held against the server's own clock, where it tells it.

    >>> _retry_delay({"retry-after": "2"}), _retry_delay({"retry-after": "soon"})
    (2.0, None)
    >>> _retry_delay({"retry-after": "Mon, 05 Jan 2026 10:00:09 GMT",
    ...                "date": "Mon, 05 Jan 2026 10:00:02 GMT"})
    7.0
    """
    header = headers.get("retry-after", "").strip()
    if header.replace(".", "", 1).isdecimal():
        return float(header)
    until = _header_date(header)
    if until is None:
        return None
    now = _header_date(headers.get("date", "")) or datetime.now(UTC)
    return max(0.0, (until - now).total_seconds())


def _header_date(header: str) -> datetime | None:
    """The date in a header; None where it is none."""
    try:
        date = parsedate_to_datetime(header)
    except (ValueError, TypeError):
        return None
    return date if date.tzinfo else date.replace(tzinfo=UTC)


TEMPLATE = 64  # tokens a server may add around each message
MOST_BYTES = 20_000_000  # of one answer; whatever is longer is none
LONGEST_WAIT = 600.0  # seconds that a server may ask us to wait
UNBILLED = (429, 503)  # the server refused before it worked
RETRIED = (408, 409, 425, 429, 500, 502, 503, 504, 529)
UNREACHED = "cannot connect"
DROPPED = (("top_logprobs", "logprobs"), ("seed",))  # what a server may not know

JSON = {"content-type": "application/json"}

log = logging.getLogger(__name__)


def _worst_case(messages: Messages, max_tokens: int) -> Use:
    """The most tokens a call can use: no token is shorter than a byte."""
    prompt_tokens = sum(
        len(message["content"].encode(errors="replace")) + TEMPLATE
        for message in messages
    )
    return Use(prompt_tokens + TEMPLATE, max_tokens)


@cache
def ledger(terms: Terms) -> Ledger:
    """What this process spent on these terms, over all readers and audits."""
    return Ledger(terms)


@cache
def _unsupported_parameters(terms: Terms, model: str) -> set[str]:
    """The parameters that the server was found not to take; asked once a process."""
    return set()


def endpoint_replies(endpoint: Endpoint, prompts: Sequence[Messages]) -> list[Reply]:
    """The reply to each prompt: from what is kept, else asked once and kept at once.

    Where a call fails for good, the calls under way are still awaited and kept.
    """
    directory = CALLS.get()
    calls = MemoryStore() if directory is None else Store(directory)
    keys = [endpoint.key(messages) for messages in prompts]
    different = dict(zip(keys, prompts, strict=True))
    stored_calls = {k: calls.read(k, CALL_CODEC, log.warning) for k in different}
    replies = {k: call.reply for k, call in stored_calls.items() if call is not None}
    missing = {k: different[k] for k in different if k not in replies}
    if missing:
        replies |= _ask_server(endpoint, missing, calls)
    return [replies[k] for k in keys]


def _ask_server(
    endpoint: Endpoint, prompts: dict[str, Messages], calls: Store
) -> dict[str, Reply]:
    """The replies of the server, so many calls at a time."""
    terms = terms_of(endpoint)
    url = server_url(terms.url)
    client = _EndpointClient(endpoint, terms, url, calls)
    # Between us and our own machine there is no proxy and, by http, no certificate.
    is_local = url.host in ("localhost", "127.0.0.1", "::1")
    verify = not (is_local and url.scheme == "http")
    with (
        httpx.Client(
            timeout=terms.timeout_s,
            auth=_BearerAuth(),
            trust_env=not is_local,
            verify=verify,
        ) as http,
        ThreadPoolExecutor(terms.concurrency) as pool,
    ):
        if _api_key() and not is_local and url.scheme == "http":
            log.warning("the key goes to %s unencrypted; use https", url.host)
        futures = {k: pool.submit(client.call, http, k, m) for k, m in prompts.items()}
        try:
            return {k: future.result() for k, future in futures.items()}
        except BaseException:
            client.stopped.set()
            pool.shutdown(wait=True, cancel_futures=True)
            raise


class _EndpointClient:
    """The calls of one batch."""

    def __init__(
        self, endpoint: Endpoint, terms: Terms, url: httpx.URL, calls: Store
    ) -> None:
        self.endpoint, self.terms, self.url, self.calls = endpoint, terms, url, calls
        self.ledger = ledger(terms)
        self.stopped = threading.Event()
        self.unsupported = _unsupported_parameters(terms, endpoint.model)

    def call(self, http: httpx.Client, key: str, messages: Messages) -> Reply:
        """The reply to one prompt, after as many tries as the terms allow."""
        request = self.endpoint.request(messages)
        worst, why, tries = _worst_case(messages, self.endpoint.max_tokens), "", 0
        while tries <= self.terms.retries and not self.stopped.is_set():
            answer, pause = self.attempt(http, request, worst)
            if isinstance(answer, Reply):
                question = {**request, "revision": self.endpoint.revision}
                self.calls.write(key, CALL_CODEC, Call(question, answer))
                return answer
            if answer is None:
                continue  # asked again at once, without what the server does not take
            why, tries = answer, tries + 1
            if tries <= self.terms.retries:
                self.stopped.wait(self.delay(key, tries) if pause is None else pause)
        times = f"{tries} tries" if tries != 1 else "1 try"
        raise EndpointFailed(
            f"{self.url.host} gave no answer in {times}: {why or 'stopped'}; what was "
            "answered is kept: run again later, or raise timeout_s or retries"
        )

    def attempt(
        self, http: httpx.Client, request: dict[str, Any], worst: Use
    ) -> tuple[Reply | str | None, float | None]:
        """A reply; or why there is none, and how long the server asks us to wait."""
        body = {**request}
        for name in self.unsupported & {*body}:
            body.pop(name)
        if "max_tokens" in self.unsupported:
            body["max_completion_tokens"] = request["max_tokens"]
        reserved = self.ledger.reserve(worst)
        used, answered = reserved, False
        try:
            status, headers, content, why = self.send(http, body)
            if status == 200:
                reply = parse_completion(content, reserved)
                if reply is None:
                    return "its answer is no chat completion", None
                used, answered = reply.use, True
                return reply, None
            if status in UNBILLED or 300 <= status < 500 or why == UNREACHED:
                used = Use()
        finally:
            self.ledger.settle(reserved, used, answered=answered)
        if status == 400 and b"content_filter" in content:
            return Reply("", ended="content_filter"), None
        if status in (400, 422) and self.drop_unsupported(content, body):
            return None, None
        if status and status not in RETRIED:
            raise _server_refusal(status, content, self.url, self.endpoint.model)
        pause = _retry_delay(headers)
        if pause is not None and pause > LONGEST_WAIT:
            raise EndpointFailed(
                f"{self.url.host} answers {status} and asks to wait {pause:.0f} s; "
                "what was answered is kept: run again later"
            )
        return why or f"it answers {status}", pause

    def send(
        self, http: httpx.Client, body: dict[str, Any]
    ) -> tuple[int, httpx.Headers, bytes, str]:
        """Status, headers and content; status 0 and the reason where none came.

        No exception of httpx leaves this method: it would hold the request.
        """
        deadline, content = time.monotonic() + self.terms.timeout_s, b""
        try:
            with http.stream(
                "POST", self.url, content=json.dumps(body), headers=JSON
            ) as response:
                for chunk in response.iter_bytes():
                    content += chunk
                    if time.monotonic() > deadline:
                        return (
                            0,
                            response.headers,
                            b"",
                            "its answer did not end in time",
                        )
                    if len(content) > MOST_BYTES:
                        return 0, response.headers, b"", "its answer never ends"
                return response.status_code, response.headers, _redact_key(content), ""
        except httpx.TimeoutException:
            why = f"nothing came in {self.terms.timeout_s:g} s"
        except httpx.ConnectError:
            why = UNREACHED
        except (httpx.HTTPError, httpx.StreamError):
            why = "the connection was cut"
        return 0, httpx.Headers(), b"", why

    def drop_unsupported(self, content: bytes, body: dict[str, Any]) -> bool:
        """Whether the server named a parameter that it can do without."""
        if b"max_completion_tokens" in content and "max_tokens" in body:
            self.unsupported.add("max_tokens")
            return True
        for names in DROPPED:
            if any(n.encode() in content for n in names) and {*names} & {*body}:
                if not {*names} <= self.unsupported:
                    log.warning("%s takes no %s", self.url.host, names[-1])
                self.unsupported |= {*names}
                return True
        return False

    def delay(self, key: str, tries: int) -> float:
        """Seconds before the next try: twice as many each time, and not all at once."""
        jitter = generator(self.endpoint.seed or 0, "wait", key, tries).random()
        return float(self.terms.wait_s * 2 ** (tries - 1) * (0.5 + jitter))
