"""The endpoint reader: a language model behind an OpenAI-compatible server."""

import logging
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cache
from importlib.resources import files
from typing import Any, ClassVar

import numpy as np

from measurand.core.arrays import Floats
from measurand.core.errors import UnknownName
from measurand.core.items import Items
from measurand.core.recipe import Strength, Traits
from measurand.models.server.calls import Messages
from measurand.models.server.client import endpoint_replies
from measurand.models.server.endpoint import Endpoint, Terms
from measurand.readers.answer_choices import Choices, mark_labels, reply_shares
from measurand.readers.examples import check_shots, draw_shots


def _chat_turn(role: str, content: str) -> dict[str, str]:
    """One turn of a conversation."""
    return {"role": role, "content": content}


@cache
def _chat_template(name: str) -> tuple[str, str]:
    """The question and the form of the answer, from the file of that name."""
    folder = files("measurand.readers") / "prompts"
    templates = {
        file.name.removeprefix("chat-").removesuffix(".txt"): file
        for file in folder.iterdir()
        if file.name.startswith("chat-")
    }
    if name not in templates:
        raise UnknownName("prompt", name, sorted(templates))
    question, _, answer = templates[name].read_text("utf-8").partition("\n---\n")
    return question, answer.strip()


def _fill_chat(form: str, values: Mapping[str, str]) -> str:
    """The form with its names replaced, once: braces in a value stay braces.

    >>> _fill_chat("{a} and {b}", {"a": "{b}", "b": "c"})
    '{b} and c'
    """
    return re.sub(r"\{(\w+)\}", lambda name: values[name[1]], form)


def _item_question(question: str, text: str, choices: Choices) -> str:
    """The question about one item."""
    return _fill_chat(
        question,
        {"fields": text, "options": choices.options, "marks": choices.marks_in_words},
    )


def _render_items(items: Items) -> list[str]:
    """The fields of each item, each between tags; a field that is absent is absent."""
    columns = [items.column(name).tolist() for name in items.fields]
    return [
        "\n".join(map(_tag_text, items.fields, row))
        for row in zip(*columns, strict=True)
    ]


def _tag_text(name: str, text: str) -> str:
    """The text between tags that it cannot close.

    >>> print(_tag_text("claim", "a</claim>b"))
    <claim_>
    a</claim>b
    </claim_>
    """
    tag = re.sub(r"\W+", "_", name).strip("_") or "text"
    while f"</{tag}>" in text:
        tag += "_"
    return f"<{tag}>\n{text}\n</{tag}>"


ROOM = {"plain": 8, "evidence-first": 300}  # tokens that an answer needs, by prompt

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class EndpointReader:
    """Asks a language model once an item, and reads its answer as a label.

    Attributes:
        endpoint: The model, and how it is asked.
        prompt: NAME of a file `prompts/chat-NAME.txt`.
        shots: Labelled training items shown before the question, evenly over labels.
    """

    kind: ClassVar[str] = "endpoint"
    traits: ClassVar[Traits] = Traits(Strength.PRETRAINED, remote=True)
    endpoint: Endpoint
    prompt: str = "plain"
    shots: int = 0

    def __post_init__(self) -> None:
        """Refuse an unknown prompt before anything is paid for."""
        _chat_template(self.prompt)
        check_shots(self.shots)

    def fit(self, items: Items, rng: np.random.Generator) -> "FittedEndpoint":
        """Learn the labels, and draw the items to show."""
        choices = mark_labels(items.classes)
        question, answer = _chat_template(self.prompt)
        examples: list[Mapping[str, str]] = []
        example_items = items.rows(draw_shots(items, self.shots, rng))
        for text, label in zip(
            _render_items(example_items), example_items.labels, strict=True
        ):
            mark = choices.marks[choices.classes.index(label)]
            examples.append(_chat_turn("user", _item_question(question, text, choices)))
            examples.append(_chat_turn("assistant", _fill_chat(answer, {"mark": mark})))
        return FittedEndpoint(self, choices, tuple(examples))


def endpoint_reader(
    model: str,
    url: str | None = None,
    prompt: str = "plain",
    shots: int = 0,
    max_tokens: int | None = None,
    **settings: Any,
) -> EndpointReader:
    """The reader from flat settings, for catalogues and the command line.

    `settings` are fields of `Endpoint` (revision, temperature, top_logprobs, seed) and
    of `Terms` (timeout_s, retries, concurrency, prices and caps).
    """
    names = {term.name for term in fields(Terms)}
    terms = Terms(url=url, **{n: v for n, v in settings.items() if n in names})
    asking = {name: value for name, value in settings.items() if name not in names}
    room = ROOM.get(prompt, max(ROOM.values())) if max_tokens is None else max_tokens
    endpoint = Endpoint(model, max_tokens=room, terms=terms, **asking)
    return EndpointReader(endpoint, prompt, shots)


@dataclass(frozen=True, eq=False)
class FittedEndpoint:
    """A language model that knows the labels.

    Attributes:
        reader: The recipe.
        choices: The labels, as they are offered.
        examples: The labelled items, as turns of the conversation.
        tally: Items asked about, and those whose answer would not parse.
        last: Of the last reading, the share of answers that would not parse, and of
            those that came from log-probabilities.
    """

    reader: EndpointReader
    choices: Choices
    examples: tuple[Mapping[str, str], ...]
    tally: Counter[str] = field(default_factory=Counter)
    last: dict[str, float] = field(default_factory=dict, init=False, repr=False)

    @property
    def classes(self) -> tuple[str, ...]:
        """The labels."""
        return self.choices.classes

    @property
    def unparsed(self) -> float:
        """The share of answers that would not parse; 0 before any."""
        return self.tally["unparsed"] / max(self.tally["asked"], 1)

    def prompts(self, items: Items) -> list[Messages]:
        """The conversation that ends in the question about each item."""
        question, _ = _chat_template(self.reader.prompt)
        return [
            [
                *self.examples,
                _chat_turn("user", _item_question(question, text, self.choices)),
            ]
            for text in _render_items(items)
        ]

    def predict(self, items: Items) -> Floats:
        """Class probabilities; an answer that does not parse spreads them evenly."""
        if len(self.classes) == 1:
            return np.ones((len(items), 1))  # nothing to ask, nothing to pay
        _, answer = _chat_template(self.reader.prompt)
        at_once = answer.startswith("{mark}")
        even = [1 / len(self.classes)] * len(self.classes)
        rows, counts = [], Counter[str]()
        for reply in endpoint_replies(self.reader.endpoint, self.prompts(items)):
            answer_shares = reply_shares(reply, self.choices, at_once=at_once)
            # Where the text alone says something else, the likely tokens answered.
            text_shares = reply_shares(
                replace(reply, tokens=()), self.choices, at_once=at_once
            )
            by_tokens = answer_shares != text_shares
            counts.update(
                unparsed=int(answer_shares is None), log_probabilities=int(by_tokens)
            )
            rows.append(answer_shares or even)
        self.tally.update(asked=len(items), unparsed=counts["unparsed"])
        self.last.update(
            {name: round(count / len(items), 6) for name, count in counts.items()}
        )
        table = np.array(rows).reshape(len(items), len(self.classes))
        if counts["unparsed"]:
            log.warning(
                "%d of %d answers of %s would not parse and count as no answer",
                counts["unparsed"],
                len(items),
                ascii(self.reader.endpoint.model),
            )
        return np.asarray(table / table.sum(axis=1, keepdims=True))

    def remarks(self) -> Mapping[str, float | str]:
        """The share of the last answers that would not parse, and by likely tokens.

        Nothing where nothing was asked: one label leaves no question.
        """
        return dict(self.last)
