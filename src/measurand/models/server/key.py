"""The key: which one a server gets, and how it is kept out of what is written.

A key goes to the host it belongs to: OPENAI_API_KEY to api.openai.com by https, to any
other address MEASURAND_API_KEY, or the key in the variable that `Terms.key_env` names.
It is read each time a request is sent, and written nowhere.
"""

import base64
import os
import re
import unicodedata
from collections.abc import Callable, Iterator
from functools import lru_cache
from html.entities import html5
from math import lcm

import httpx

from measurand.core.errors import BadOption, EndpointFailed
from measurand.models.server.calls import MARK
from measurand.models.server.endpoint import OPENAI_KEY, OWN_KEY, Terms

OPENAI_HOST = "api.openai.com"


def key_variable(terms: Terms, url: httpx.URL) -> str:
    """The variable whose key this address gets; empty where it gets none."""
    if terms.key_env:
        return terms.key_env
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
    if os.environ.get(OPENAI_KEY):
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
SECRET = 8  # letters from which a key differs from ordinary text in any form
PIECE = 12  # letters and digits of a form that give a key away, or half of the form
# What servers without keys tell their users to send: no secrets, but words of answers.
PLACEHOLDERS = {
    *("empty", "none", "null", "dummy", "fake", "test", "token", "ollama", "lm-studio"),
    *("no-key", "no-key-required", "sk-no-key-required", "no-key-needed", "not-needed"),
    *("not-required", "not-used", "unused", "anything", "placeholder", "your-api-key"),
}
LAYERS = 3  # of escapes around each other that are undone
HEX = "[0-9a-fA-F]"
# Groups without a name are hexadecimal.
ESCAPE = re.compile(
    rf"""
      \\U({HEX}{{8}}) | (?:\\u|%[uU])({HEX}{{4}}) | [uU]\+({HEX}{{4,6}})
    | \\[ux]\{{0*+({HEX}{{1,6}})\}} | (?:\\x|[%=]|0[xX](?:00)*)({HEX}{{2}})
    | &\#[xX]0*+({HEX}{{1,6}});? | &\#0*+(?P<decimal>[0-9]{{1,7}});?
    | (?:\\|0[oO])(?P<octal>[0-7]{{2,3}}(?![oO]))
    | &(?P<name>[a-zA-Z][a-zA-Z0-9]{{1,31}};) | \\(?P<sign>.)
    """,
    re.VERBOSE | re.DOTALL,
)
# How bytes are written in letters, and the bits that a letter holds.
ENCODINGS: tuple[tuple[Callable[[bytes], bytes], int], ...] = (
    (base64.b64encode, 6),
    (base64.b32encode, 5),
    (base64.b16encode, 4),
)
SLICE = 64  # letters that are normalised at a time
OTHERS = re.compile("[^a-z0-9]+")  # what is in no form of a key, in small letters


def redact_key(text: str, key: str) -> str:
    """What a server said, without the key, should it say that.

    A text that holds the key in pieces, escaped, encoded or backwards is hidden whole.
    Escapes are undone in the text, encodings are made of the key: each step is linear
    in the text, whatever that is made of. The forms are listed in docs/security.md.

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
    return MARK if _holds_form(text, key) else text


def _holds_form(text: str, key: str) -> bool:
    """Whether runs of the text make up so much of a form that it gives the key away."""
    forms, places = _key_runs(key)
    runs = {run for view in _readings(text) for run in _runs(view) if run in places}
    covered: list[set[int]] = [set() for _ in forms]
    for run in runs:
        for number, start in places[run]:
            covered[number].update(range(start, start + SECRET))
    return any(
        len(letters) >= min(len(form), max(PIECE, len(form) // 2))
        for letters, form in zip(covered, forms, strict=True)
    )


def _runs(text: str) -> Iterator[str]:
    """Each run of so many letters as tell a key from other text."""
    return (text[i : i + SECRET] for i in range(len(text) - SECRET + 1))


@lru_cache(maxsize=2)  # in memory alone, as the environment is
def _key_runs(key: str) -> tuple[list[str], dict[str, list[tuple[int, int]]]]:
    """The forms of a key, and the form and place in which each run stands."""
    forms = [form for form in _key_forms(key) if len(form) >= SECRET]
    places: dict[str, list[tuple[int, int]]] = {}
    for number, form in enumerate(forms):
        for start, run in enumerate(_runs(form)):
            places.setdefault(run, []).append((number, start))
    return forms, places


def _key_forms(key: str) -> list[str]:
    """The key as a server could write it, in small letters and digits alone."""
    content = key.encode()
    forms = [key, key[::-1]]
    forms += ["".join(format(byte, base) for byte in content) for base in "do"]
    for encode, bits in ENCODINGS:
        forms += _encode(content, encode, bits)
    # The zero at its end is at the start in the other order of bytes.
    wide = key.encode("utf-16-le")[:-1]
    forms += _encode(wide, base64.b64encode, 6)
    for written in (content, wide):
        for encode in (base64.b64encode, base64.urlsafe_b64encode):
            for letters in _encode(written, encode, 6):
                forms += _encode(letters.encode(), base64.b64encode, 6)
    return [*dict.fromkeys(map(_bare_letters, forms))]


def _encode(
    content: bytes, encode: Callable[[bytes], bytes], bits: int
) -> Iterator[str]:
    """The letters that no bytes before it, and none after it, change: once a phase.

    >>> [*_encode(b"correct", base64.b64encode, 6)]
    ['Y29ycmVjd', 'NvcnJlY3', 'jb3JyZWN0']
    """
    for before in range(lcm(8, bits) // 8):
        letters = encode(b"x" * before + content).decode()
        yield letters[-(-8 * before // bits) : 8 * (before + len(content)) // bits]


def _readings(text: str) -> Iterator[str]:
    """The letters and digits of a text, as it is and with its escapes undone."""
    for _ in range(LAYERS + 1):
        letters = _bare_letters(text)
        yield letters
        if "00" in letters:  # by which UTF-16 and UTF-32 are longer than ASCII in hex
            yield letters.replace("00", "")
        plain = ESCAPE.sub(_unescape, text)
        if plain == text:
            return
        text = plain


def _unescape(match: re.Match[str]) -> str:
    """The letter that an escape represents; a space where it represents a gap."""
    kind, code = match.lastgroup, match[match.lastindex or 0]
    if kind == "sign":
        return " " if code.isalpha() else code
    if kind == "name":
        return html5.get(code, " ")
    number = int(code, {"decimal": 10, "octal": 8}.get(kind or "", 16))
    return chr(number) if number <= 0x10FFFF else " "


def _bare_letters(text: str) -> str:
    """Letters and digits alone, small, in their plainest shape and without accents.

    A key holds those of ASCII. Of a sign that represents many letters of another
    script, nothing is left: or a text would become eighteen times as long.
    """
    # Marks in a row are put in order, in quadratic time: so no row is a long one.
    slices = (text[i : i + SLICE] for i in range(0, len(text), SLICE))
    if not text.isascii():
        slices = (unicodedata.normalize("NFKD", part) for part in slices)
    return "".join(OTHERS.sub("", part.casefold()) for part in slices)
