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
            request.headers["Authorization"] = f"_BearerAuth {_api_key()}"
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
