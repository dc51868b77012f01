"""Calls, and how the store keeps them, so that no answer is paid for twice."""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from measurand.core.store import Codec
from measurand.models.server.ledger import Use

LAST = 16  # positions whose other likely tokens are kept, counted from the end

Messages = Sequence[Mapping[str, str]]


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


@dataclass(frozen=True)
class Call:
    """What was asked, and what the server said."""

    request: Mapping[str, Any]
    reply: Reply


def _unpack_call(stated: Mapping[str, Any], _: bytes) -> Call:
    """The call that was kept."""
    reply = stated["reply"]
    tokens = tuple(
        Token(token["text"], tuple((text, share) for text, share in token["others"]))
        for token in reply["tokens"]
    )
    parts = {**reply, "tokens": tokens, "use": Use(**reply["use"])}
    return Call(stated["request"], Reply(**parts))


CALL_CODEC = Codec[Call]("calls/", lambda call: (asdict(call), b""), _unpack_call)


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
