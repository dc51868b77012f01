"""Rehearsal: what the code that asks would ask, counted; nothing is sent.

Each prompt gets an answer that is made up, as one from a server that gives no
log-probabilities: such a server is asked most often.
"""

import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field

from measurand.disk.store import Store
from measurand.models.server.calls import CALL_CODEC, Messages, Reply
from measurand.models.server.ceiling import prompt_letters
from measurand.models.server.endpoint import Endpoint

WORD = 5  # letters to a token that is written, at most: some answers are asked about


@dataclass
class Rehearsal:
    """The calls that would be made, each once, however often it is asked for.

    Attributes:
        calls: Where answers are kept.
        texts: What made-up answers say: texts of the benchmark.
        stored: The keys of calls whose answer is kept.
        letters: By key, the letters in the prompt of each other call.
        received: By key, the most tokens of its answer.
    """

    calls: Store
    texts: Sequence[str]
    stored: set[str] = field(default_factory=set)
    letters: dict[str, int] = field(default_factory=dict)
    received: dict[str, int] = field(default_factory=dict)

    def replies(self, endpoint: Endpoint, prompts: Sequence[Messages]) -> list[Reply]:
        """The reply to each prompt: from what is kept, else made up."""
        return [self._reply(endpoint, messages) for messages in prompts]

    def _reply(self, endpoint: Endpoint, messages: Messages) -> Reply:
        key = endpoint.key(messages)
        if key not in self.letters:
            call = self.calls.read(key, CALL_CODEC, lambda line: None)
            if call is not None:
                self.stored.add(key)
                return call.reply
            self.letters[key] = prompt_letters(messages)
            self.received[key] = endpoint.max_tokens
        return Reply(self._made_up(key, endpoint.max_tokens))

    def _made_up(self, key: str, max_tokens: int) -> str:
        """A choice, and words after it that no other prompt is answered with."""
        number = int(key[:8], 16)
        room, text = WORD * max_tokens, f"{'AB'[number % 2]}. {key[:8]}"
        while len(text) < room and self.texts:
            text += f" {self.texts[number % len(self.texts)] or '.'}"
            number += 1
        return " ".join(text[:room].split())


REHEARSAL: ContextVar[Rehearsal | None] = ContextVar("REHEARSAL", default=None)


@contextmanager
def hold_rehearsal(rehearsal: Rehearsal) -> Iterator[None]:
    """Let nothing be sent, and nothing be said of made-up answers, while inside."""
    token, level = REHEARSAL.set(rehearsal), logging.root.manager.disable
    logging.disable(logging.WARNING)
    try:
        yield
    finally:
        logging.disable(level)
        REHEARSAL.reset(token)
