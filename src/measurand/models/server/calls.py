"""Calls, and how the store keeps them, so that no answer is paid for twice."""

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import permutations, zip_longest
from typing import Any

from measurand.core.store import Codec
from measurand.models.server.ledger import Use

LAST = 16  # positions whose other likely tokens are kept, counted from the end
LONGEST_COUNT = 18  # digits; a longer number is beyond any that a server can count
MARK = "[key]"  # stands where a server said the key
ENDS = 4_000  # letters of an answer's ends that are read on into the other words
MOST_TOKENS = 10**8  # of one call; whoever counts more counts wrongly

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
    """The call that was kept; one that nobody kept so is an error."""
    reply = stated["reply"]
    tokens = tuple(
        Token(token["text"], tuple((text, share) for text, share in token["others"]))
        for token in reply["tokens"]
    )
    parts = {**reply, "tokens": tokens, "use": Use(**reply["use"])}
    call = Call(stated["request"], Reply(**parts))
    if not _is_sound(call):
        raise ValueError("no call")
    return call


def _is_sound(call: Call) -> bool:
    """Whether words are words and numbers numbers."""
    reply, use = call.reply, call.reply.use
    pairs = [pair for token in reply.tokens for pair in token.others]
    words = [reply.text, reply.served, reply.ended, *(t.text for t in reply.tokens)]
    return (
        isinstance(call.request, dict)
        and all(isinstance(word, str) for word in (*words, *(w for w, _ in pairs)))
        and all(type(share) is float and math.isfinite(share) for _, share in pairs)
        and all(type(n) is int and n >= 0 for n in (use.sent, use.received))
    )


CALL_CODEC = Codec[Call]("calls/", lambda call: (asdict(call), b""), _unpack_call)


def parse_completion(
    content: bytes, worst: Use, redact: Callable[[str], str] = str
) -> Reply | None:
    """The reply in a chat completion; None where that is not what it is.

    `redact` takes out of each text, and of all together, what may not be kept.
    """
    try:
        completion = json.loads(content, parse_int=_parse_int)
        choice = completion["choices"][0]
        text = choice["message"]["content"]
    except (ValueError, KeyError, TypeError, IndexError, RecursionError):
        return None
    if not isinstance(text, str | None):
        return None
    tokens = _likely_tokens(choice.get("logprobs"))
    listed = _listed_texts(tokens)
    words = [
        redact(_whole_letters(text or "")),
        redact(_whole_letters(str(completion.get("model") or "")))[:200],
        redact(_whole_letters(str(choice.get("finish_reason") or "")))[:40],
    ]
    if redact(listed) != listed:
        tokens, listed = (), ""
    together = "\n".join([words[0], listed, *_joined_words(words)])
    if redact(together) != together:
        tokens, words = (), [MARK] * len(words)
    use = _token_use(completion.get("usage"), worst)
    return Reply(words[0], tokens, use, words[1], words[2])


def _joined_words(words: Sequence[str]) -> list[str]:
    """What is kept of an answer, each part read on into the others, in any order.

    >>> _joined_words(["A", "gpt"])
    ['Agpt', 'gptA']
    """
    ends = [
        word if len(word) <= 2 * ENDS else f"{word[:ENDS]} {word[-ENDS:]}"
        for word in words
    ]
    return ["".join(order) for order in permutations(ends)]


def _parse_int(digits: str) -> float:
    """The number, or infinity where it is longer than any that can be meant."""
    return int(digits) if len(digits) <= LONGEST_COUNT else math.inf


def _whole_letters(text: str) -> str:
    """The text, with a stand-in for each half letter, which no file could hold."""
    return text.encode(errors="replace").decode()


def _listed_texts(tokens: Sequence[Token]) -> str:
    """All texts of the tokens, so put together that none is read without the next."""
    others = [[text for text, _ in token.others] for token in tokens]
    ranks = [list(rank) for rank in zip_longest(*others, fillvalue="")]
    lines = [[token.text for token in tokens], *others, *ranks]
    return "\n".join("".join(line) for line in lines)


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
            sound = tuple(
                (_whole_letters(t), share)
                for t, share in others
                if math.isfinite(share)
            )
            tokens.append(Token(_whole_letters(str(token["token"])), sound))
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError):
        return ()
    return tuple(tokens)


def _token_use(usage: Any, worst: Use) -> Use:
    """The tokens the server counted; the worst case where it says nothing sound."""
    try:
        counts = usage["prompt_tokens"], usage["completion_tokens"]
    except (KeyError, TypeError):
        return worst
    if any(type(n) is not int or not 0 <= n <= MOST_TOKENS for n in counts):
        return worst
    return Use(*counts)
