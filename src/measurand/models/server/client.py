"""Asking a server: once a prompt, never beyond the cap, and every answer kept.

The address is `Terms.url`, else MEASURAND_ENDPOINT, else OPENAI_BASE_URL.
"""

import json
import logging
import os
import re
import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from dataclasses import replace
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import cache
from typing import Any

import httpx

from measurand.core.errors import BadOption, EndpointFailed, quote
from measurand.core.seeds import generator
from measurand.disk.files import CALLS
from measurand.disk.store import MemoryStore, Store
from measurand.models.server.calls import (
    CALL_CODEC,
    Call,
    Ledger,
    Messages,
    Reply,
    Use,
    hold_claim,
    parse_completion,
)
from measurand.models.server.ceiling import find_ceiling, prompt_letters
from measurand.models.server.endpoint import (
    OPENAI_KEY,
    OWN_KEY,
    Endpoint,
    Terms,
    terms_of,
)
from measurand.models.server.key import (
    OPENAI_HOST,
    BearerAuth,
    key_variable,
    read_key,
    redact_key,
    withheld_key,
)
from measurand.models.server.rehearsal import REHEARSAL
from measurand.models.server.transport import CALLED_OFF, UNREACHED, Response, Transport

ADDRESSES = ("MEASURAND_ENDPOINT", "OPENAI_BASE_URL")
HOST = re.compile(r"[\w.-]+|[0-9a-fA-F:.]+")  # a name, or a number of either kind


def server_url(url: str | None) -> httpx.URL:
    """Where chat completions are asked for, by the setting or by the environment.

    >>> str(server_url("http://127.0.0.1:8000")), str(server_url("https://a.b/api/v1/"))
    ('http://127.0.0.1:8000/v1/chat/completions', 'https://a.b/api/v1/chat/completions')
    """
    setting = url or next((os.environ[n] for n in ADDRESSES if os.environ.get(n)), None)
    if setting is None:
        raise EndpointFailed(
            "no server is set; give its address with `url`, or in MEASURAND_ENDPOINT, "
            "such as http://127.0.0.1:8000/v1"
        )
    try:
        base = httpx.URL(setting.strip())
    except (httpx.InvalidURL, ValueError):
        base = httpx.URL()
    # Whatever could hold a key would end in logs: it belongs in the environment.
    if base.userinfo or base.query:
        raise BadOption(
            "the server's address holds a user, password or query; put the key in "
            f"{OWN_KEY} and give the address alone"
        )
    if base.scheme not in ("http", "https") or not HOST.fullmatch(base.host):
        raise BadOption(
            "the server's address is no http or https address; allowed is, for "
            "example, http://127.0.0.1:8000/v1"
        )
    path = base.path.rstrip("/").removesuffix("/chat/completions") or "/v1"
    return base.copy_with(path=f"{path}/chat/completions", fragment=None)


def _server_refusal(
    status: int, complaint: str, url: httpx.URL, endpoint: Endpoint
) -> EndpointFailed:
    """Why the server will never answer, in one line, and what to do."""
    terms, model = terms_of(endpoint), endpoint.model
    if status in (401, 403):
        name = OPENAI_KEY if url.host == OPENAI_HOST else OWN_KEY
        advice = withheld_key(terms, url) or f"it wants a key: set {name}"
        if read_key(terms, url):
            advice = f"it does not accept the key in {key_variable(terms, url)}"
        return EndpointFailed(f"{url.host} answers {status}: {advice}")
    if status == 404:
        return EndpointFailed(
            f"{url.host} answers 404: it has no model {quote(model)}, or its address "
            f"is not {url.path.removesuffix('/chat/completions')}; check both"
        )
    return EndpointFailed(
        f"{url.host} refuses the request for model {quote(model)} with {status}"
        + (f": {quote(complaint, 200)}" if complaint else "")
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
    except (ValueError, TypeError, OverflowError):
        return None
    return date if date.tzinfo else date.replace(tzinfo=UTC)


TEMPLATE = 64  # tokens a server may add around each message
LONGEST_WAIT = 600.0  # seconds that a server may ask us to wait
UNBILLED = (429, 503)  # the server refused before it worked
RETRIED = (408, 409, 425, 429, 500, 502, 503, 504, 529)
# What a server may not know, or not take.
DROPPED = (("top_logprobs", "logprobs"), ("seed",), ("temperature",))
COMPLAINT = 2_000  # letters of what a server says is wrong, before it is shown
ANSWERING = "answering"
GRACE = 0.5  # seconds that calls under way get when the user wants to leave

log = logging.getLogger(__name__)


def _worst_case(messages: Messages, max_tokens: int) -> Use:
    """The most tokens a call can use: no token is shorter than a byte."""
    prompt_tokens = sum(
        len(message["content"].encode(errors="replace")) + TEMPLATE
        for message in messages
    )
    return Use(prompt_tokens + TEMPLATE, max_tokens)


LEDGERS: list[Ledger] = []  # of this process


@cache
def ledger(terms: Terms) -> Ledger:
    """What this process spent on these terms, over all readers and audits."""
    LEDGERS.append(Ledger(terms))
    return LEDGERS[-1]


def count_kept() -> int:
    """How many answers of servers this process got and kept."""
    return sum(ledger.kept for ledger in LEDGERS)


@cache
def _known_of(terms: Terms, what: str) -> set[str]:
    """What this process knows of a server: lines announced, models that answered.

    Of a model, also the parameters that the server was found not to take.
    """
    return set()


def endpoint_replies(endpoint: Endpoint, prompts: Sequence[Messages]) -> list[Reply]:
    """The reply to each prompt: from what is kept, else asked once and kept at once.

    Where a call fails for good, the calls under way are still awaited and kept; where
    the user leaves, as long as `GRACE`. In a rehearsal nothing is asked.
    """
    rehearsal = REHEARSAL.get()
    if rehearsal is not None:
        return rehearsal.replies(endpoint, prompts)
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
    # Between us and our own machine there is no proxy and, by http, no certificate.
    is_local = url.host in ("localhost", "127.0.0.1", "::1")
    verify = not (is_local and url.scheme == "http")
    if read_key(terms, url) and not is_local and url.scheme == "http":
        log.warning("the key goes to %s unencrypted; use https", url.host)
    settings = {"auth": BearerAuth(terms, url), "trust_env": not is_local}
    with (
        Transport(
            terms.timeout_s, terms.concurrency, verify=verify, **settings
        ) as line,
        ThreadPoolExecutor(terms.concurrency) as pool,
    ):
        client = _EndpointClient(endpoint, url, calls, line)
        client.announce(withheld_key(terms, url))
        futures: dict[str, Future[Reply]] = {}
        try:
            for key, messages in prompts.items():
                futures[key] = pool.submit(client.call, key, messages)
                if endpoint.model not in _known_of(terms, ANSWERING):
                    # Alone: what the server does not take is refused once, not by all.
                    futures[key].result()
            wait(futures.values(), return_when=FIRST_EXCEPTION)
            failures = [f.exception() for f in futures.values() if f.done()]
            for failure in filter(None, failures):
                raise failure
            return {k: future.result() for k, future in futures.items()}
        except BaseException as reason:
            client.stopped.set()
            pool.shutdown(wait=False, cancel_futures=True)
            if not isinstance(reason, Exception):
                wait(futures.values(), GRACE)
                line.call_off()
            raise


class _EndpointClient:
    """The calls of one batch."""

    def __init__(
        self, endpoint: Endpoint, url: httpx.URL, calls: Store, transport: Transport
    ) -> None:
        self.endpoint, self.terms = endpoint, terms_of(endpoint)
        self.url, self.calls, self.transport = url, calls, transport
        self.ledger, self.ceiling = ledger(self.terms), find_ceiling(endpoint)
        self.stopped = threading.Event()
        self.unsupported = _known_of(self.terms, f"without {endpoint.model}")
        self.announced = _known_of(self.terms, "announced")

    def call(self, key: str, messages: Messages) -> Reply:
        """The reply to one prompt: another process's, where that asked for it too."""
        if isinstance(self.calls, MemoryStore):
            return self.ask(key, messages)
        (mark,) = self.calls.paths(key, CALL_CODEC)
        # One claim for all calls of a folder: few files, and few that wait in vain.
        with hold_claim(mark.with_name(".claim"), self.stopped):
            stored_call = self.calls.read(key, CALL_CODEC, log.warning)
            return stored_call.reply if stored_call else self.ask(key, messages)

    def ask(self, key: str, messages: Messages) -> Reply:
        """The server's reply to one prompt, after as many tries as the terms allow."""
        request = self.endpoint.request(messages)
        worst, why, tries = _worst_case(messages, self.endpoint.max_tokens), "", 0
        while tries <= self.terms.retries and not self.stopped.is_set():
            answer, pause = self.attempt(request, worst)
            if isinstance(answer, Reply):
                question = {**request, "revision": self.endpoint.revision}
                _known_of(self.terms, ANSWERING).add(self.endpoint.model)
                self.calls.write(key, CALL_CODEC, Call(question, answer))
                if not isinstance(self.calls, MemoryStore):
                    self.ledger.count_kept()
                return answer
            if answer is None:
                continue  # asked again at once, without what the server does not take
            why, tries = answer, tries + 1
            if tries <= self.terms.retries and not self.stopped.is_set():
                self.announce(f"{self.url.host}: {why}; trying again")
                self.stopped.wait(self.delay(key, tries) if pause is None else pause)
        times = f"{tries} tries" if tries != 1 else "1 try"
        raise EndpointFailed(
            f"{self.url.host} gave no answer in {times}: {why or CALLED_OFF}; what was "
            "answered is kept: run again later, or raise `timeout_s` or `retries`"
        )

    def attempt(
        self, request: dict[str, Any], worst: Use
    ) -> tuple[Reply | str | None, float | None]:
        """A reply; or why there is none, and how long the server asks us to wait."""
        body = {**request}
        for name in self.unsupported & {*body}:
            body.pop(name)
        if "max_tokens" in self.unsupported:
            body["max_completion_tokens"] = request["max_tokens"]
        letters = prompt_letters(request["messages"])
        reserved = self.ledger.reserve(worst)
        used, answered = Use(), False
        try:
            if self.stopped.is_set():
                return CALLED_OFF, None
            if self.ceiling is not None:
                self.ceiling.take(letters)
            used = reserved
            answer = self.transport.post(
                self.url, json.dumps(body), self.endpoint.most_bytes
            )
            if answer.status == 200:
                reply = parse_completion(answer.content, reserved, self.redact)
                if reply is None:
                    return "its answer is no chat completion", None
                used, answered = reply.use, True
                unsent = tuple(sorted({*request} - {*body} - {"max_tokens"}))
                reply = replace(reply, unsent=unsent)
                if used is reserved:
                    self.announce(
                        f"{self.url.host} gives no sound count of tokens; the most "
                        "that a call can take is counted"
                    )
                return reply, None
            is_unreached = answer.fault == UNREACHED
            is_final = 300 <= answer.status < 500 and answer.status not in RETRIED
            if answer.status in UNBILLED or is_final or is_unreached:
                used = Use()
            if is_unreached and self.ceiling is not None:
                self.ceiling.give_back(letters)
        finally:
            self.ledger.settle(reserved, used, answered=answered)
        return self.weigh_failure(answer, body)

    def weigh_failure(
        self, answer: Response, body: dict[str, Any]
    ) -> tuple[Reply | str | None, float | None]:
        """What an answer without a reply means; raises where no other try can help."""
        status, content = answer.status, answer.content
        if status == 400 and b"content_filter" in content:
            return Reply("", ended="content_filter"), None
        if status in (400, 422) and self.drop_unsupported(content, body):
            return None, None
        if status and status not in RETRIED:
            complaint = self.redact(_server_complaint(content)[:COMPLAINT])
            raise _server_refusal(status, complaint, self.url, self.endpoint)
        pause = _retry_delay(answer.headers)
        if pause is not None and pause > LONGEST_WAIT:
            raise EndpointFailed(
                f"{self.url.host} answers {status} and asks to wait {pause:.0f} s; "
                "what was answered is kept: run again later"
            )
        return answer.fault or f"it answers {status}", pause

    def redact(self, text: str) -> str:
        """What the server said, without the key."""
        return redact_key(text, read_key(self.terms, self.url))

    def announce(self, line: str) -> None:
        """Say something once a process; nothing where the line is empty."""
        if line and line not in self.announced:
            self.announced.add(line)
            log.warning("%s", line)

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
