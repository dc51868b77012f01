"""A language model behind a server that writes its answers."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from measurand.core.items import Items
from measurand.models.server.calls import Messages
from measurand.models.server.client import endpoint_replies
from measurand.models.server.endpoint import Endpoint, terms_of
from measurand.readers.chat_prompts import (
    answers_template,
    chat_turn,
    fill_chat,
    render_items,
)
from measurand.readers.written import first_line, gold_answers

MOST_TOKENS = 48  # of an answer, where the endpoint does not allow more


def show_answers(shown: Items) -> tuple[Mapping[str, str], ...]:
    """The items as questions that were answered."""
    turns: list[Mapping[str, str]] = []
    for text, gold in zip(render_items(shown), gold_answers(shown), strict=True):
        turns.append(chat_turn("user", fill_chat(answers_template(), {"fields": text})))
        turns.append(chat_turn("assistant", gold))
    return tuple(turns)


@dataclass(frozen=True, eq=False)
class FittedEndpointWriter:
    """A language model that is asked for an answer.

    Attributes:
        endpoint: The model, and how it is asked.
        examples: The answered items, as turns of the conversation.
        last: Of the last reading, the share of items without an answer.
    """

    endpoint: Endpoint
    examples: tuple[Mapping[str, str], ...]
    last: dict[str, float] = field(default_factory=dict, init=False, repr=False)

    @property
    def asked(self) -> Endpoint:
        """The model as it is asked: for a line of words, and no likely tokens."""
        room = max(self.endpoint.max_tokens, MOST_TOKENS)
        terms = terms_of(self.endpoint)
        return replace(self.endpoint, max_tokens=room, top_logprobs=0, terms=terms)

    def prompts(self, items: Items) -> list[Messages]:
        """The conversation that ends in the question about each item."""
        return [
            [
                *self.examples,
                chat_turn("user", fill_chat(answers_template(), {"fields": text})),
            ]
            for text in render_items(items)
        ]

    def write(self, items: Items) -> list[str]:
        """The first line of each reply."""
        replies = endpoint_replies(self.asked, self.prompts(items))
        texts = [first_line(reply.text) for reply in replies]
        silent = sum(not text for text in texts)
        self.last["unparsed"] = round(silent / max(len(texts), 1), 6)
        return texts

    def remarks(self) -> Mapping[str, float | str]:
        """The share of the last items that were not answered."""
        return dict(self.last)
