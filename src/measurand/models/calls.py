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
from measurand.models.ledger import Use

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


def digest(thing: Any) -> str:
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
            stated = path.read_bytes() if path else None
        except (FileNotFoundError, NotADirectoryError):
            stated = None
        except OSError:
            stated = b""
        if path is None or stated is None:
            return None
        try:
            written = json.loads(stated)
            if digest(written["call"]) == written["sha256"]:
                return unpacked(written["call"]["reply"])
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
            stated = {"sha256": digest(call), "call": call}
            write_file(path, json.dumps(stated, sort_keys=True).encode())


def unpacked(kept: Mapping[str, Any]) -> Reply:
    """The reply that was kept."""
    tokens = tuple(
        Token(token["text"], tuple((text, share) for text, share in token["others"]))
        for token in kept["tokens"]
    )
    return Reply(
        kept["text"], tokens, Use(**kept["use"]), kept["served"], kept["ended"]
    )


def parsed(content: bytes, worst: Use) -> Reply | None:
    """The reply in a chat completion; None where that is not what it is."""
    try:
        said = json.loads(content)
        choice = said["choices"][0]
        text = choice["message"]["content"]
    except (ValueError, KeyError, TypeError, IndexError, RecursionError):
        return None
    if not isinstance(text, str | None):
        return None
    return Reply(
        text or "",
        tokens(choice.get("logprobs")),
        used(said.get("usage"), worst),
        str(said.get("model") or "")[:200],
        str(choice.get("finish_reason") or "")[:40],
    )


def tokens(stated: Any) -> tuple[Token, ...]:
    """The tokens with their log-probabilities, as far as the server's are sound."""
    found = []
    try:
        content = (stated or {}).get("content") or []
        for number, token in enumerate(content):
            listed = token.get("top_logprobs") or [token]
            near = listed if number >= len(content) - LAST else ()
            others = [(str(other["token"]), float(other["logprob"])) for other in near]
            sound = tuple((t, share) for t, share in others if math.isfinite(share))
            found.append(Token(str(token["token"]), sound))
    except (KeyError, TypeError, ValueError, AttributeError):
        return ()
    return tuple(found)


def used(usage: Any, worst: Use) -> Use:
    """The tokens the server counted; the worst case where it says nothing sound."""
    try:
        counts = usage["prompt_tokens"], usage["completion_tokens"]
    except (KeyError, TypeError):
        return worst
    if any(type(n) is not int or n < 0 for n in counts):
        return worst
    return Use(*counts)
