"""Calls that are kept: a JSON file each, so that no answer is paid for twice."""

import hashlib
import json
import logging
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from measurand.core.files import write_file
from measurand.models.server.ledger import Use

FORMAT = 1  # raised when kept calls of an older measurand must not be used
LAST = 16  # positions whose other likely tokens are kept, counted from the end

Messages = Sequence[Mapping[str, str]]
log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Token:
    """A token that was written, and the likeliest tokens there with their log shares.

    `others` holds the token itself too, where the server lists it.
    """

    text: str
    others: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True)
class Reply:
    """What a server said to one prompt.

    Attributes:
        text: The answer.
        tokens: Its tokens with log-probabilities; empty where the server gives none.
        use: The tokens the server counted, or the worst case where it counts none.
        served: The model that the server says it was.
        ended: Why it stopped.
    """

    text: str
    tokens: tuple[Token, ...] = ()
    use: Use = field(default_factory=Use)
    served: str = ""
    ended: str = ""


def call_digest(thing: Any) -> str:
    """A fingerprint of anything that JSON can hold."""
    return hashlib.sha256(json.dumps(thing, sort_keys=True).encode()).hexdigest()


@dataclass(frozen=True)
class Calls:
    """A directory of calls, or None, in which nothing is kept."""

    directory: Path | None

    def path(self, key: str) -> Path | None:
        """Where the call of that key lies."""
        return self.directory and self.directory / key[:2] / f"{key}.json"

    def read(self, key: str) -> Reply | None:
        """The reply, or None where there is none or its file was damaged."""
        path = self.path(key)
        try:
            content = path.read_bytes() if path else None
        except (FileNotFoundError, NotADirectoryError):
            content = None
        except OSError:
            content = b""
        if path is None or content is None:
            return None
        try:
            document = json.loads(content)
            if call_digest(document["call"]) == document["sha256"]:
                return _unpack_reply(document["call"]["reply"])
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            pass
        log.warning(
            "kept call %s was altered or cut short; it is asked again", path.name
        )
        return None

    def write(self, key: str, request: Mapping[str, Any], reply: Reply) -> None:
        """Keep a reply; after this a kill loses nothing of it."""
        path = self.path(key)
        if path is not None:
            call = {"request": dict(request), "reply": asdict(reply)}
            # Compared as it will be read: JSON knows no tuples.
            document = {"sha256": call_digest(call), "call": call}
            write_file(path, json.dumps(document, sort_keys=True).encode())


def _unpack_reply(saved: Mapping[str, Any]) -> Reply:
    """The reply that was kept."""
    tokens = tuple(
        Token(token["text"], tuple((text, share) for text, share in token["others"]))
        for token in saved["tokens"]
    )
    return Reply(
        saved["text"], tokens, Use(**saved["use"]), saved["served"], saved["ended"]
    )


def parse_completion(content: bytes, worst: Use) -> Reply | None:
    """The reply in a chat completion; None where that is not what it is."""
    try:
        completion = json.loads(content)
        choice = completion["choices"][0]
        text = choice["message"]["content"]
    except (ValueError, KeyError, TypeError, IndexError, RecursionError):
        return None
    if not isinstance(text, str | None):
        return None
    return Reply(
        text or "",
        _likely_tokens(choice.get("logprobs")),
        _token_use(completion.get("usage"), worst),
        str(completion.get("model") or "")[:200],
        str(choice.get("finish_reason") or "")[:40],
    )


def _likely_tokens(logprobs: Any) -> tuple[Token, ...]:
    """The tokens with their log-probabilities, as far as the server's are sound."""
    tokens = []
    try:
        content = (logprobs or {}).get("content") or []
        for number, token in enumerate(content):
            listed = token.get("top_logprobs") or [token]
            near = listed if number >= len(content) - LAST else ()
            others = [
                (str(candidate["token"]), float(candidate["logprob"]))
                for candidate in near
            ]
            sound = tuple((t, share) for t, share in others if math.isfinite(share))
            tokens.append(Token(str(token["token"]), sound))
    except (KeyError, TypeError, ValueError, AttributeError):
        return ()
    return tuple(tokens)


def _token_use(usage: Any, worst: Use) -> Use:
    """The tokens the server counted; the worst case where it says nothing sound."""
    try:
        counts = usage["prompt_tokens"], usage["completion_tokens"]
    except (KeyError, TypeError):
        return worst
    if any(type(n) is not int or n < 0 for n in counts):
        return worst
    return Use(*counts)
