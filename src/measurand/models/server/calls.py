"""Calls: what they cost, how the store keeps them, and who makes one."""

import json
import math
import os
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from itertools import permutations, zip_longest
from pathlib import Path
from typing import Any

from measurand.core.errors import BadOption, SpendCapReached, StoreFailed
from measurand.disk.locks import try_lock
from measurand.disk.store import Codec

MILLION = 1_000_000
HIGHEST_PRICE = 1e6  # a million tokens: one each, far beyond any server
HIGHEST_CAP = 10**15  # tokens, or money


@dataclass(frozen=True)
class Use:
    """Tokens sent and received."""

    sent: int = 0
    received: int = 0

    def __add__(self, use: "Use") -> "Use":
        """Both together."""
        return Use(self.sent + use.sent, self.received + use.received)

    def __sub__(self, use: "Use") -> "Use":
        """One without the other."""
        return Use(self.sent - use.sent, self.received - use.received)

    @property
    def tokens(self) -> int:
        """All tokens."""
        return self.sent + self.received


@dataclass(frozen=True)
class Prices:
    """What a million tokens cost, in USD, and how much may be spent; None: no cap."""

    price_in: float = 0.0
    price_out: float = 0.0
    cap_tokens: int | None = None
    cap_money: float | None = None

    def __post_init__(self) -> None:
        """Refuse prices and caps that nothing can be counted with."""
        for name, highest in (
            ("price_in", HIGHEST_PRICE),
            ("price_out", HIGHEST_PRICE),
            ("cap_tokens", HIGHEST_CAP),
            ("cap_money", HIGHEST_CAP),
        ):
            amount = getattr(self, name)
            if amount is not None and not 0 <= amount <= highest:
                raise BadOption(
                    f"`{name}` is {str(amount)[:20]}; allowed are 0 to {highest:,.0f}"
                )

    def money(self, use: Use) -> float:
        """What so many tokens cost.

        >>> Prices(1.0, 4.0).money(Use(500_000, 250_000))
        1.5
        """
        return (use.sent * self.price_in + use.received * self.price_out) / MILLION

    def allow(self, use: Use) -> bool:
        """Whether so much passes no cap."""
        return (self.cap_tokens is None or use.tokens <= self.cap_tokens) and (
            self.cap_money is None or self.money(use) <= self.cap_money
        )


class Ledger:
    """Counts what one process spends; the worst case of a call is set aside first.

    A call that may have been worked on although no answer came (a time-out, a cut
    connection, a broken answer) is counted at its worst.
    """

    def __init__(self, prices: Prices) -> None:
        self.prices = prices
        self.spent = Use()
        self.reserved = Use()
        self.undercount = 0  # tokens a server counted beyond what we took for the worst
        self.answers = 0
        self.kept = 0  # answers that are in a store by now
        self.condition = threading.Condition()

    def reserve(self, worst: Use) -> Use:
        """Set the worst case aside, once it fits next to what is under way."""
        with self.condition:
            while True:
                reservation = Use(worst.sent + self.undercount, worst.received)
                if self.prices.allow(self.spent + self.reserved + reservation):
                    self.reserved += reservation
                    return reservation
                # Calls under way mostly cost less than was set aside for them.
                if not self.reserved.tokens:
                    raise SpendCapReached(self.cap_message(reservation))
                self.condition.wait()

    def settle(self, reserved: Use, used: Use, *, answered: bool = False) -> None:
        """Count what a call really used, and free the rest."""
        with self.condition:
            self.reserved -= reserved
            self.spent += used
            self.answers += answered
            self.undercount = max(
                self.undercount, used.sent - reserved.sent + self.undercount
            )
            self.condition.notify_all()

    def count_kept(self) -> None:
        """Count an answer that is in a store by now."""
        with self.condition:
            self.kept += 1

    def __str__(self) -> str:
        """What was spent, for the user.

        >>> print(Ledger(Prices(1.0, 4.0)))
        0 answers, 0 tokens sent and 0 received, costing USD 0.00
        """
        prices = self.prices
        cost = f", costing USD {prices.money(self.spent):.2f}"
        return (
            f"{self.answers:,} answers, {self.spent.sent:,} tokens sent and "
            f"{self.spent.received:,} received"
            + (cost if prices.price_in or prices.price_out else "")
        )

    def cap_message(self, worst: Use) -> str:
        """Why the next call is not made, and what to do."""
        prices, money = self.prices, self.prices.money
        if prices.cap_tokens is not None and (
            (self.spent + worst).tokens > prices.cap_tokens
        ):
            cap, name = f"{prices.cap_tokens:,} tokens", "cap_tokens"
            spent, next_call = f"{self.spent.tokens:,}", f"{worst.tokens:,}"
        else:
            cap, name = f"USD {prices.cap_money:g}", "cap_money"
            spent, next_call = f"USD {money(self.spent):.4g}", f"USD {money(worst):.4g}"
        return (
            f"the spend cap of {cap} is reached: {spent} spent on {self.answers:,} "
            f"answers in this run, up to {next_call} for the next; what was answered "
            f"is kept and costs nothing again: raise `{name}` and run again"
        )


LAST = 16  # positions whose other likely tokens are kept, counted from the end
LONGEST_COUNT = 18  # digits; a longer number is beyond any that a server can count
MARK = "[key]"  # stands where a server said the key
ENDS = 4_000  # letters of an answer's ends that are read on into the other words
MOST_TOKENS = 10**8  # of one call; whoever counts more counts wrongly
LONGEST_TOKEN = 128  # letters: as many as the longest have, of the usual vocabularies
MOST_LETTERS = 2**20  # of an answer that is kept; some 250,000 tokens of any language
MOST_LISTED = 21  # tokens of a place: the most that are asked for, and the written one

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
        unsent: The parameters that the server refused, and was asked without.
    """

    text: str
    tokens: tuple[Token, ...] = ()
    use: Use = field(default_factory=Use)
    served: str = ""
    ended: str = ""
    unsent: tuple[str, ...] = ()


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
    unsent = tuple(reply.get("unsent", ()))
    parts = {**reply, "tokens": tokens, "use": Use(**reply["use"]), "unsent": unsent}
    call = Call(stated["request"], Reply(**parts))
    if not _is_sound(call):
        raise ValueError("no call")
    return call


def _is_sound(call: Call) -> bool:
    """Whether words are words and numbers numbers."""
    reply, use = call.reply, call.reply.use
    pairs = [pair for token in reply.tokens for pair in token.others]
    words = [reply.text, reply.served, reply.ended, *reply.unsent]
    words += [token.text for token in reply.tokens]
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

    `redact` takes out of each text, and of all together, what may not be kept. What
    is longer than the tokens of the worst case can be is cut before anything reads it.
    """
    try:
        completion = json.loads(content, parse_int=_parse_int)
        choice = completion["choices"][0]
        text = choice["message"]["content"]
    except (ValueError, KeyError, TypeError, IndexError, RecursionError):
        return None
    if not isinstance(text, str | None):
        return None
    longest = min(LONGEST_TOKEN * worst.received, MOST_LETTERS)
    tokens = _likely_tokens(choice.get("logprobs"), worst.received)
    listed = _listed_texts(tokens)
    words = [
        _kept_text(text, longest, redact),
        _kept_text(completion.get("model"), 200, redact),
        _kept_text(choice.get("finish_reason"), 40, redact),
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


def _kept_text(value: Any, most: int, redact: Callable[[str], str]) -> str:
    """The start of a text, without what may not be kept; nothing of what is no text."""
    if not isinstance(value, str):
        return ""
    # As much again is read, so that no key is cut in two unseen.
    return redact(_whole_letters(value[: 2 * most]))[:most]


def _whole_letters(text: str) -> str:
    """The text, with a stand-in for each half letter, which no file could hold."""
    return text.encode(errors="replace").decode()


def _listed_texts(tokens: Sequence[Token]) -> str:
    """All texts of the tokens, so put together that none is read without the next."""
    # Few have others: to line up all would take the tokens times the longest list.
    others = [[text for text, _ in token.others] for token in tokens if token.others]
    ranks = [list(rank) for rank in zip_longest(*others, fillvalue="")]
    lines = [[token.text for token in tokens], *others, *ranks]
    return "\n".join("".join(line) for line in lines)


def _likely_tokens(logprobs: Any, most: int) -> tuple[Token, ...]:
    """The tokens with their log-probabilities, as far as the server's are sound."""
    tokens = []
    try:
        content = ((logprobs or {}).get("content") or [])[:most]
        for number, token in enumerate(content):
            listed = token.get("top_logprobs") or [token]
            near = listed[:MOST_LISTED] if number >= len(content) - LAST else ()
            others = [(_token_text(t), float(t["logprob"])) for t in near]
            sound = tuple((t, share) for t, share in others if math.isfinite(share))
            tokens.append(Token(_token_text(token), sound))
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError):
        return ()
    return tuple(tokens)


def _token_text(token: Mapping[str, Any]) -> str:
    """The text of a token; an error where that is none, or longer than any."""
    text = token["token"]
    if not isinstance(text, str) or len(text) > LONGEST_TOKEN:
        raise ValueError("no token")
    return _whole_letters(text)


def _token_use(usage: Any, worst: Use) -> Use:
    """The tokens the server counted; the worst case where it says nothing sound."""
    try:
        prompt, completion = usage["prompt_tokens"], usage["completion_tokens"]
    except (KeyError, TypeError):
        return worst
    if any(
        type(n) is not int or not 0 <= n <= MOST_TOKENS for n in (prompt, completion)
    ):
        return worst
    return Use(prompt, completion)


LOOK_AGAIN = 0.05  # seconds between two looks at a claim that another holds


@contextmanager
def hold_claim(path: Path, stopped: threading.Event) -> Iterator[None]:
    """Hold the claim of this file, once no other thread or process does.

    It is a lock of the operating system, which ends with its holder, however that ends;
    so the file is never removed, and says nothing by being there. Where a system or a
    file system knows no such lock, there is no claim: an answer may be asked for twice.
    """
    if sys.platform == "win32":
        yield
        return
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        # To read is enough for a lock, and all that another user's file may permit.
        # A pipe of that name would have us wait for somebody to write to it.
        file = os.open(
            path, os.O_RDONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK, 0o666
        )
    except OSError as failure:
        why = (failure.strerror or type(failure).__name__).lower()
        raise StoreFailed(
            f"cannot write to {path.parent}: {why}; free some space or name another "
            "folder; what was finished is kept"
        ) from failure
    try:
        while try_lock(file) is False and not stopped.wait(LOOK_AGAIN):
            pass
        yield
    finally:
        os.close(file)  # which ends the lock
