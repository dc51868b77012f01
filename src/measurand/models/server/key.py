"""The key: which one a server gets, and how it is kept out of what is written.

A key goes to the host it belongs to: OPENAI_API_KEY to api.openai.com by https, to any
other address MEASURAND_API_KEY, or the key in the variable that `Terms.key_env` names.
It is read each time a request is sent, and written nowhere.
"""

import base64
import html
import os
import re
import unicodedata
from collections.abc import Iterator
from urllib.parse import unquote

import httpx

from measurand.core.errors import BadOption, EndpointFailed
from measurand.models.server.calls import MARK
from measurand.models.server.endpoint import OPENAI_KEY, OWN_KEY, Terms

OPENAI_HOST = "api.openai.com"


def key_variable(terms: Terms, url: httpx.URL) -> str:
    """The variable whose key this address gets; empty where it gets none."""
    if terms.key_env:
        return terms.key_env
    if not terms.send_key:
        return ""
    is_openai = (url.scheme, url.host, url.port) == ("https", OPENAI_HOST, None)
    return OPENAI_KEY if is_openai and os.environ.get(OPENAI_KEY) else OWN_KEY


def read_key(terms: Terms, url: httpx.URL) -> str:
    """The key for this address, or nothing."""
    key = os.environ.get(key_variable(terms, url), "").strip()
    if terms.key_env and not key:
        # Unnamed: what was given in its place may be the key itself.
        raise BadOption(
            "the variable that `key_env` names is not set; export it, or name another"
        )
    if not (key.isascii() and key.isprintable()):
        raise EndpointFailed(
            f"the key in {key_variable(terms, url)} holds a character that no header "
            "can carry; copy it again"
        )
    return key


def withheld_key(terms: Terms, url: httpx.URL) -> str:
    """Why a key that is set is not sent, in one line; empty where none is held back."""
    if read_key(terms, url):
        return ""
    if not terms.send_key and (os.environ.get(OWN_KEY) or os.environ.get(OPENAI_KEY)):
        return (
            f"no key is sent to {url.host}, since a file named that address; to send "
            "one, give `url` yourself, or the variable that holds it as `key_env`"
        )
    if terms.send_key and os.environ.get(OPENAI_KEY):
        return (
            f"no key is sent to {url.host}: {OPENAI_KEY} goes to https://{OPENAI_HOST} "
            f"alone; set {OWN_KEY}, or name a variable as `key_env`"
        )
    return ""


class BearerAuth(httpx.Auth):
    """Puts the key on a request as it leaves; no object of ours ever holds it."""

    def __init__(self, terms: Terms, url: httpx.URL) -> None:
        self.terms, self.url = terms, url

    def auth_flow(self, request: httpx.Request) -> "Iterator[httpx.Request]":  # type: ignore[override]
        """The request with the key, where there is one."""
        key = read_key(self.terms, self.url)
        if key:
            request.headers["Authorization"] = f"Bearer {key}"
        yield request


SHORTEST = 4  # letters of a key that is hidden as it is; fewer are in many words
SECRET = 8  # letters from which a key can be told from ordinary text in any form
PIECE = 12  # letters and digits of a form that give a key away, or half of the form
# What servers without keys tell their users to send: no secrets, but words of answers.
PLACEHOLDERS = {
    *("empty", "none", "null", "dummy", "fake", "test", "token", "ollama", "lm-studio"),
    *("no-key", "no-key-required", "sk-no-key-required", "no-key-needed", "not-needed"),
    *("not-required", "not-used", "unused", "anything", "placeholder", "your-api-key"),
}
LAYERS = 3  # of escapes around each other that are undone
ESCAPE = re.compile(
    r"\\(?:u\{?([0-9a-fA-F]{4,6})\}?|U([0-9a-fA-F]{8})|x([0-9a-fA-F]{2})|(.))", re.S
)


def redact_key(text: str, key: str) -> str:
    """What a server said, without the key, should it say that.

    A text that holds the key in pieces, escaped, encoded or backwards is hidden whole.

    >>> redact_key("it was sk-0123456789abcdef", "sk-0123456789abcdef")
    'it was [key]'
    >>> redact_key("s k 0123 4567 89ab cdef", "sk-0123456789abcdef")
    '[key]'
    """
    if len(key) < SHORTEST or key.casefold().replace("_", "-") in PLACEHOLDERS:
        return text
    text = text.replace(key, MARK)
    if len(key) < SECRET:
        return text
    return MARK if _holds_form(text, _key_forms(key)) else text


def _key_forms(key: str) -> list[str]:
    """The key as a server could write it, in small letters and digits alone."""
    content = key.encode()
    forms = [
        key,
        key[::-1],
        content.hex(),
        *(_base64_core(content, before) for before in range(3)),
        base64.b32encode(content).decode().rstrip("="),
        "".join(str(byte) for byte in content),
    ]
    return [form for form in map(_bare_letters, forms) if len(form) >= SECRET]


def _base64_core(content: bytes, before: int) -> str:
    """The letters that so many bytes before the key, and any after it, do not change.

    >>> _base64_core(b"correct", 0), _base64_core(b"correct", 1)
    ('Y29ycmVjd', 'NvcnJlY3')
    """
    letters = base64.b64encode(b"x" * before + content).decode()
    first, end = -(-8 * before // 6), 8 * (before + len(content)) // 6
    return letters[first:end]


def _holds_form(text: str, forms: list[str]) -> bool:
    """Whether runs of the text make up so much of a form that it gives the key away."""
    starts: dict[str, list[tuple[int, int]]] = {}
    for number, form in enumerate(forms):
        for start in range(len(form) - SECRET + 1):
            run = form[start : start + SECRET]
            starts.setdefault(run, []).append((number, start))
    covered: list[set[int]] = [set() for _ in forms]
    for view in _readings(text):
        for i in range(len(view) - SECRET + 1):
            for number, start in starts.get(view[i : i + SECRET], ()):
                covered[number].update(range(start, start + SECRET))
    return any(
        len(places) >= min(len(form), max(PIECE, len(form) // 2))
        for places, form in zip(covered, forms, strict=True)
    )


def _readings(text: str) -> Iterator[str]:
    """The letters and digits of a text, as it is and with its escapes undone."""
    for _ in range(LAYERS):
        yield _bare_letters(text)
        plain = html.unescape(unquote(ESCAPE.sub(_unescape, text)))
        if plain == text:
            return
        text = plain
    yield _bare_letters(text)


def _unescape(match: re.Match[str]) -> str:
    """The letter that an escape stands for; a space where it stands for a gap."""
    code = match[1] or match[2] or match[3]
    if not code:
        return match[4] if not match[4].isalpha() else " "
    return chr(int(code, 16)) if int(code, 16) <= 0x10FFFF else " "


def _bare_letters(text: str) -> str:
    """Letters and digits alone, small and in their plainest shape."""
    plain = unicodedata.normalize("NFKC", text).casefold()
    return re.sub(r"[\W_]+", "", plain)
