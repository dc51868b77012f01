"""The ceiling: the most calls that a run was said to send, and no call beyond it.

Every request that a server can receive counts: one that it refuses (429, 503, a
parameter that it does not take) and one that is sent again, too. Only a call that found
no server is given back. What was sent is written down next to the answers before it is
sent: so the ceiling also holds over runs that were stopped, or killed, and resumed.
"""

import os
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass, field
from math import ceil
from pathlib import Path

from measurand.core.errors import BadInput, SpendCapReached, StoreFailed
from measurand.disk.files import open_ordinary, write_file
from measurand.models.server.calls import Messages, Use
from measurand.models.server.endpoint import Endpoint, Terms, terms_of

# Letters to a token: a rule of thumb for English, not a count. No letter of another
# script takes more tokens than it has bytes: it counts as so many tokens' letters.
LETTERS = 4
BY_LETTERS = f"letters / {LETTERS}, other scripts a token a byte"
SPARE = 0.25  # of the answers: the allowance for calls that are sent again
PARAMETERS = 4  # that a server may refuse one after the other: see `client.DROPPED`
FOLDER = "calls/ceilings"  # in a store


def prompt_letters(messages: Messages) -> int:
    """The letters of a prompt, one of another script counted by its bytes.

    >>> prompt_letters([{"content": "four"}]), prompt_letters([{"content": "\u56db"}])
    (4, 12)
    """
    text = "".join(message["content"] for message in messages)
    plain = len(text.encode("ascii", "ignore"))
    # Half of a pair of surrogates is sent as it stands.
    return plain + LETTERS * (len(text.encode("utf-8", "surrogatepass")) - plain)


@dataclass
class Ceiling:
    """The most calls, and letters of prompts, that may be sent; and what was sent.

    Attributes:
        path: Where it is written down.
        calls: The most calls.
        letters: The most letters in their prompts.
        sent_calls: How many were sent.
        sent_letters: The letters in their prompts.
    """

    path: Path
    calls: int
    letters: int
    sent_calls: int = 0
    sent_letters: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    @classmethod
    def read(cls, path: Path) -> "Ceiling | None":
        """The ceiling of a run that was stopped; None where there is none."""
        try:
            with open_ordinary(path) as file:
                first, *lines = file.read().split(b"\n")[:-1]
            calls, letters = map(int, first.split())
            sent = [int(line) for line in lines]
        except (BadInput, OSError, ValueError):
            return None
        # A call that was given back stands as the same letters below zero.
        counted = sum(1 if letters > 0 else -1 for letters in sent)
        return cls(path, calls, letters, counted, sum(sent))

    def open(self) -> None:
        """Write down the ceiling, unless it is one that stands there already."""
        if not self.path.exists() or not self.sent_calls:
            write_file(self.path, b"%d %d\n" % (self.calls, self.letters))

    def take(self, letters: int) -> None:
        """Count a call that is about to be sent; raise where it is one too many."""
        with self.lock:
            most = self.sent_calls + 1, self.sent_letters + letters
            if most[0] > self.calls or most[1] > self.letters:
                raise SpendCapReached(
                    f"the ceiling of {self.calls:,} calls, with "
                    f"{self.letters // LETTERS:,} tokens sent ({BY_LETTERS}), "
                    "is reached: too many calls were refused or failed; what was "
                    "answered is kept: the same command goes on, and first says a new "
                    "ceiling"
                )
            self._count(1, letters)

    def give_back(self, letters: int) -> None:
        """Count a call no more that never reached the server."""
        with self.lock:
            self._count(-1, letters)

    def _count(self, sign: int, letters: int) -> None:
        """Count a call, here and on disk, where it outlives this process."""
        self.sent_calls += sign
        self.sent_letters += sign * letters
        try:
            # Another process of the same plan may have ended, and taken the file away.
            flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT
            file = os.open(self.path, flags, 0o666)
            try:
                os.write(file, b"%d\n" % (sign * letters))
            finally:
                os.close(file)
        except OSError as failure:
            why = (failure.strerror or type(failure).__name__).lower()
            raise StoreFailed(
                f"cannot write to {self.path.parent}: {why}; what was finished is kept"
            ) from failure


@dataclass(frozen=True)
class CallPlan:
    """What an audit asks of one reader's server, before any call is sent.

    Attributes:
        endpoint: The model, and its terms.
        stored: Answers that are kept from before, and used again.
        answers: Answers that are still to be asked for.
        calls: The most calls, with an allowance for those that are sent again.
        use: The most tokens: sent ones by letters, received ones as they are allowed.
        ceiling: What the run is held to.
    """

    endpoint: Endpoint
    stored: int
    answers: int
    calls: int
    use: Use
    ceiling: Ceiling

    @property
    def money(self) -> float:
        """Their cost in USD at the prices given; 0 without prices."""
        return terms_of(self.endpoint).money(self.use)

    def __str__(self) -> str:
        """One line for the user."""
        terms, use = terms_of(self.endpoint), self.use
        stored = (
            f"{self.stored:,} answers are kept and used again; " if self.stored else ""
        )
        if not self.answers:
            return f"{stored}no call is left to make"
        cost = "; no cost, as no price was given"
        if terms.price_in or terms.price_out:
            cost = f", costing about USD {self.money:.2f}"
        past = "" if terms.allow(use) else "; this passes the spend cap"
        return (
            f"{stored}at most {self.calls:,} calls ({self.answers:,} answers, and "
            f"{self._allowance()} for retries), about {use.sent:,} tokens sent "
            f"({BY_LETTERS}) and at most {use.received:,} received"
            f"{cost}{past}"
        )

    def _allowance(self) -> str:
        """How many calls may be sent again; a quarter, but for small or resumed runs.

        >>> CallPlan(Endpoint("m"), 0, 80, 100, Use(), None)._allowance()
        'a quarter more, 20,'
        """
        spare = self.calls - self.answers
        is_quarter = spare == ceil(SPARE * self.answers)
        return f"a quarter more, {spare:,}," if is_quarter else f"{spare:,} more"


def make_plan(
    endpoint: Endpoint, stored: int, received: int, letters: Sequence[int], path: Path
) -> CallPlan:
    """What is said and held.

    Args:
        endpoint: The model, and its terms.
        stored: Answers that are kept.
        received: The most tokens of the others.
        letters: Of the others, the letters of each prompt.
        path: Where the ceiling is written down.
    """
    answers, at_once = len(letters), terms_of(endpoint).concurrency
    ceiling = plan_ceiling(path, answers, sum(letters), at_once)
    calls = ceiling.calls - ceiling.sent_calls if answers else 0
    sent = ceil((ceiling.letters - ceiling.sent_letters) / LETTERS) if answers else 0
    most = ceil(received * calls / max(answers, 1))
    return CallPlan(endpoint, stored, answers, calls, Use(sent, most), ceiling)


def plan_ceiling(path: Path, answers: int, letters: int, at_once: int) -> Ceiling:
    """The ceiling for so many answers: that of a run that was stopped, or a new one.

    A new one stands where more calls failed than the old one has room for.

    Args:
        path: Where it is written down.
        answers: How many are to be asked for.
        letters: The letters of their prompts.
        at_once: Calls under way at once: so many are lost where a run is stopped.
    """
    old = Ceiling.read(path)
    if not answers:
        return Ceiling(path, 0, 0)
    if (
        old is not None
        and old.calls - old.sent_calls >= answers
        and old.letters - old.sent_letters >= letters
    ):
        return old
    # A stop loses what is under way, and parameters may be refused before and after it.
    least = at_once + max(at_once, 2 * PARAMETERS)
    calls = answers + max(ceil(SPARE * answers), least)
    return Ceiling(path, calls, ceil(letters * calls / answers))


Ceilings = Mapping[tuple[Terms, str], Ceiling]
CEILINGS: ContextVar[Ceilings | None] = ContextVar("CEILINGS", default=None)


@contextmanager
def hold_ceilings(plans: Mapping[str, CallPlan]) -> Iterator[None]:
    """Let no reader send more than its plan says, while inside."""
    ceilings = {
        (terms_of(plan.endpoint), plan.endpoint.model): plan.ceiling
        for plan in plans.values()
    }
    for ceiling in ceilings.values():
        ceiling.open()
    token = CEILINGS.set(ceilings)
    try:
        yield
        for ceiling in ceilings.values():  # all was answered
            with suppress(OSError):
                ceiling.path.unlink()
    finally:
        CEILINGS.reset(token)


def find_ceiling(endpoint: Endpoint) -> Ceiling | None:
    """The ceiling of calls to this model; None where none was said."""
    return (CEILINGS.get() or {}).get((terms_of(endpoint), endpoint.model))
