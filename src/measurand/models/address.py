"""Where the server is, what opens it, and what it says when it refuses."""

import json
import os
import re
from collections.abc import Iterator

import httpx

from measurand.core.errors import BadOption, EndpointFailed, quote

ADDRESSES = ("MEASURAND_ENDPOINT", "OPENAI_BASE_URL")
KEYS = ("MEASURAND_API_KEY", "OPENAI_API_KEY")
HOST = re.compile(r"[\w.-]+|[0-9a-fA-F:.]+")  # a name, or a number of either kind
SECRET = 8  # letters from which a key can be told from ordinary text


def address(url: str | None) -> httpx.URL:
    """Where chat completions are asked for, by the setting or by the environment.

    >>> str(address("http://127.0.0.1:8000")), str(address("https://a.b/api/v1/"))
    ('http://127.0.0.1:8000/v1/chat/completions', 'https://a.b/api/v1/chat/completions')
    """
    stated = url or next((os.environ[n] for n in ADDRESSES if os.environ.get(n)), None)
    if stated is None:
        raise EndpointFailed(
            "no server is set; set MEASURAND_ENDPOINT to its address, such as "
            "http://127.0.0.1:8000/v1"
        )
    try:
        base = httpx.URL(stated.strip())
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


def key() -> str:
    """The key, or nothing."""
    return next((os.environ[n].strip() for n in KEYS if os.environ.get(n)), "")


class Bearer(httpx.Auth):
    """Puts the key on a request as it leaves; no object of ours ever holds it."""

    def auth_flow(self, request: httpx.Request) -> "Iterator[httpx.Request]":  # type: ignore[override]
        """The request with the key, where there is one."""
        if key():
            if not (key().isascii() and key().isprintable()):
                raise EndpointFailed(
                    "the key in MEASURAND_API_KEY or OPENAI_API_KEY holds a character "
                    "that no header can carry; copy it again"
                )
            request.headers["Authorization"] = f"Bearer {key()}"
        yield request


def redacted(content: bytes) -> bytes:
    """What a server sent, without the key, should it send that back."""
    secret = key().encode(errors="replace")
    return content.replace(secret, b"[key]") if len(secret) >= SECRET else content


def refusal(status: int, content: bytes, url: httpx.URL, model: str) -> EndpointFailed:
    """Why the server will never answer, in one line, and what to do."""
    if status in (401, 403):
        do = "it does not accept the key in" if key() else "it wants a key: set"
        return EndpointFailed(
            f"{url.host} answers {status}: {do} MEASURAND_API_KEY or OPENAI_API_KEY"
        )
    if status == 404:
        return EndpointFailed(
            f"{url.host} answers 404: it has no model {quote(model)}, or its address "
            f"is not {url.path.removesuffix('/chat/completions')}; check both"
        )
    said = complaint(content)
    return EndpointFailed(
        f"{url.host} refuses the request for model {quote(model)} with {status}"
        + (f": {quote(said, 200)}" if said else "")
    )


def complaint(content: bytes) -> str:
    """What the server says is wrong, from the places where servers say it."""
    try:
        said = json.loads(content)
        said = said.get("error", said.get("detail", said.get("message", "")))
        return str(said.get("message", said) if isinstance(said, dict) else said)
    except (ValueError, AttributeError, RecursionError):
        return content.decode(errors="replace").strip()
