"""The endpoint reader: a language model behind an OpenAI-compatible server."""

import logging
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, ClassVar

import numpy as np

from measurand.core.arrays import Floats
from measurand.core.bounds import check_number
from measurand.core.items import LETTERS, Items
from measurand.core.recipe import Strength, Traits
from measurand.models.server.calls import Messages, Reply
from measurand.models.server.client import endpoint_replies
from measurand.models.server.endpoint import Endpoint, Terms, terms_of
from measurand.readers.orders import read_in_orders
from measurand.readers.prompting import (
    ANSWERS,
    CHOICES,
    LABELS,
    QUESTIONS,
    Choices,
    chat_template,
    chat_turn,
    check_form,
    check_shots,
    check_writing,
    draw_shots,
    fill_chat,
    first_line,
    gold_answers,
    item_question,
    mark_labels,
    render_items,
    reply_shares,
    split_form,
    writing_template,
)

MOST_TOKENS = 48  # of an answer, where the endpoint does not allow more


def show_answers(shown: Items) -> tuple[Mapping[str, str], ...]:
    """The items as questions that were answered."""
    turns: list[Mapping[str, str]] = []
    for text, gold in zip(render_items(shown), gold_answers(shown), strict=True):
        prompt = fill_chat(writing_template(ANSWERS), {"fields": text})
        turns.append(chat_turn("user", prompt))
        turns.append(chat_turn("assistant", gold))
    return tuple(turns)


@dataclass(frozen=True, eq=False)
class FittedEndpointWriter:
    """A language model that is asked for an answer."""

    endpoint: Endpoint
    examples: tuple[Mapping[str, str], ...]
    writes: str = ANSWERS
    last: dict[str, float] = field(default_factory=dict, init=False, repr=False)

    @property
    def asked(self) -> Endpoint:
        """The model as it is asked: for a line of words, and no likely tokens."""
        room = max(self.endpoint.max_tokens, MOST_TOKENS)
        terms = terms_of(self.endpoint)
        return replace(self.endpoint, max_tokens=room, top_logprobs=0, terms=terms)

    def prompts(self, items: Items) -> list[Messages]:
        """The conversation that ends in the question about each item."""
        if self.writes == QUESTIONS:
            values = [{"options": value.options} for value in _offer_choices(items)]
        else:
            values = [{"fields": text} for text in render_items(items)]
        template = writing_template(self.writes)
        return [
            [*self.examples, chat_turn("user", fill_chat(template, value))]
            for value in values
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


MOST_ANSWERS = 100  # times that an item is asked
ROOM = {"plain": 8, "evidence-first": 300}  # tokens that an answer needs, by prompt

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class EndpointReader:
    """Asks a language model once an item, and reads its answer as a label.

    Attributes:
        endpoint: The model, and how it is asked.
        prompt: NAME of a file `prompts/chat-NAME.txt`.
        form: A prompt of the user's own in its place; empty where there is none.
        shots: Labelled training items shown before the question, evenly over labels.
        answers: How often an item is asked where the server gives no log-probabilities:
            the first time as the endpoint says, then at temperature 1.
        orders: In how many orders choices are listed, each a prompt that is paid for:
            as many as there are choices give each of them every letter once.
        writes: What is written: answers, or the questions that choices belong to.
    """

    kind: ClassVar[str] = "endpoint"
    traits: ClassVar[Traits] = Traits(
        Strength.PRETRAINED, remote=True, learns_labels=False
    )
    endpoint: Endpoint
    prompt: str = "plain"
    shots: int = 0
    answers: int = 1
    orders: int = 1
    writes: str = ANSWERS
    form: str = ""

    def __post_init__(self) -> None:
        """Refuse an unknown prompt before anything is paid for."""
        chat_template(self.prompt)
        if self.form:
            check_form(self.form)
        check_shots(self.shots)
        check_number("answers", self.answers, 1, MOST_ANSWERS)
        check_number("orders", self.orders, 1, len(LETTERS))
        check_writing(self.writes)

    @property
    def template(self) -> tuple[str, str]:
        """The question, and the form of the answer."""
        return split_form(self.form) if self.form else chat_template(self.prompt)

    def fit(self, items: Items, rng: np.random.Generator) -> "FittedEndpoint":
        """Learn the labels, and draw the items to show."""
        choices = mark_labels(items.classes)
        shown = items.rows(draw_shots(items, self.shots, rng))
        examples = self._show(shown, [choices] * len(shown), LABELS, choices)
        return FittedEndpoint(self, choices, examples)

    def fit_choices(
        self, items: Items, rng: np.random.Generator
    ) -> "FittedEndpointChoices":
        """Draw the items to show; each brings its own choices."""
        shown = items.rows(draw_shots(items, self.shots, rng))
        letters = mark_labels(items.classes)
        examples = self._show(shown, _offer_choices(shown), CHOICES, letters)
        return FittedEndpointChoices(self, items.classes, examples)

    def fit_writer(
        self, items: Items, rng: np.random.Generator
    ) -> FittedEndpointWriter:
        """Draw the items to show, with their answers; of questions none are shown."""
        if self.writes == QUESTIONS:
            return FittedEndpointWriter(self.endpoint, (), QUESTIONS)
        shown = items.rows(draw_shots(items, self.shots, rng))
        return FittedEndpointWriter(self.endpoint, show_answers(shown))

    def for_questions(self) -> "EndpointReader":
        """The recipe that writes questions, from choices alone, and no answers."""
        return replace(self, writes=QUESTIONS)

    def _show(
        self, shown: Items, offered: Sequence[Choices], task: str, gold: Choices
    ) -> tuple[Mapping[str, str], ...]:
        """The items as questions that were answered."""
        question, answer = self.template
        turns: list[Mapping[str, str]] = []
        for text, label, choices in zip(
            render_items(shown), shown.labels, offered, strict=True
        ):
            mark = choices.marks[gold.classes.index(label)]
            prompt = item_question(question, text, choices, task)
            turns.append(chat_turn("user", prompt))
            turns.append(chat_turn("assistant", fill_chat(answer, {"mark": mark})))
        return tuple(turns)

    def read_replies(
        self, prompts: Sequence[Messages], offered: Sequence[Choices]
    ) -> tuple[list[list[float]], Counter[str]]:
        """The shares of what each prompt offers, and how many would not parse.

        Where the server gives no log-probabilities, an item is asked `answers` times,
        and the shares are the mean.
        """
        _, answer = self.template
        at_once = answer.startswith("{mark}")
        replies = endpoint_replies(self.endpoint, prompts)
        rows, counts = [], Counter[str]()
        others = self._ask_again(prompts, [not reply.tokens for reply in replies])
        for number, (reply, choices) in enumerate(zip(replies, offered, strict=True)):
            again = others.get(number, [])
            shares = reply_shares(reply, choices, at_once=at_once)
            # Where the text alone says something else, the likely tokens answered.
            plain = replace(reply, tokens=())
            by_tokens = shares != reply_shares(plain, choices, at_once=at_once)
            every = [
                shares,
                *(reply_shares(r, choices, at_once=at_once) for r in again),
            ]
            parsed = [row for row in every if row is not None]
            counts.update(unparsed=int(not parsed), log_probabilities=int(by_tokens))
            if "temperature" in reply.unsent:
                counts.update(without_temperature=1)
            even = [1 / len(choices.classes)] * len(choices.classes)
            rows.append(np.mean(parsed, axis=0).tolist() if parsed else even)
        return rows, counts

    def _ask_again(
        self, prompts: Sequence[Messages], unsure: Sequence[bool]
    ) -> dict[int, list[Reply]]:
        """The further replies to those prompts, each by another seed."""
        chosen = [number for number, again in enumerate(unsure) if again]
        replies: dict[int, list[Reply]] = {number: [] for number in chosen}
        terms = terms_of(self.endpoint)
        for draw in range(1, self.answers if chosen else 1):
            seed = (self.endpoint.seed or 0) + draw
            endpoint = replace(self.endpoint, seed=seed, temperature=1.0, terms=terms)
            drawn = endpoint_replies(endpoint, [prompts[number] for number in chosen])
            for number, reply in zip(chosen, drawn, strict=True):
                replies[number].append(reply)
        return replies


def endpoint_reader(
    model: str,
    url: str | None = None,
    prompt: str = "plain",
    shots: int = 0,
    max_tokens: int | None = None,
    answers: int = 1,
    orders: int = 1,
    form: str = "",
    **settings: Any,
) -> EndpointReader:
    """The reader from flat settings, for catalogues and the command line.

    `settings` are fields of `Endpoint` (revision, temperature, top_logprobs, seed) and
    of `Terms` (timeout_s, retries, concurrency, prices and caps).
    """
    names = {term.name for term in fields(Terms)}
    terms = Terms(url=url, **{n: v for n, v in settings.items() if n in names})
    asking = {name: value for name, value in settings.items() if name not in names}
    room = ROOM.get(prompt, max(ROOM.values()))
    if form and not split_form(form)[1].startswith("{mark}"):
        room = max(ROOM.values())
    room = room if max_tokens is None else max_tokens
    endpoint = Endpoint(model, max_tokens=room, terms=terms, **asking)
    return EndpointReader(endpoint, prompt, shots, answers, orders, form=form)


@dataclass(frozen=True, eq=False)
class FittedEndpoint:
    """A language model that knows the labels."""

    reader: EndpointReader
    choices: Choices
    examples: tuple[Mapping[str, str], ...]
    last: dict[str, float] = field(default_factory=dict, init=False, repr=False)

    @property
    def classes(self) -> tuple[str, ...]:
        """The labels."""
        return self.choices.classes

    def prompts(self, items: Items) -> list[Messages]:
        """The conversation that ends in the question about each item."""
        question, _ = self.reader.template
        return [
            [
                *self.examples,
                chat_turn("user", item_question(question, text, self.choices)),
            ]
            for text in render_items(items)
        ]

    def predict(self, items: Items) -> Floats:
        """Class probabilities; an answer that does not parse spreads them evenly."""
        if len(self.classes) == 1:
            return np.ones((len(items), 1))  # nothing to ask, nothing to pay
        offered = [self.choices] * len(items)
        rows, counts = self.reader.read_replies(self.prompts(items), offered)
        self.last.update(
            {name: round(count / len(items), 6) for name, count in counts.items()}
        )
        table = np.array(rows).reshape(len(items), len(self.classes))
        _warn_unparsed(counts["unparsed"], len(items), self.reader.endpoint.model)
        return np.asarray(table / table.sum(axis=1, keepdims=True))

    def remarks(self) -> Mapping[str, float | str]:
        """The share of the last answers that would not parse, and by likely tokens.

        Nothing where nothing was asked: one label leaves no question.
        """
        return dict(self.last)


def _warn_unparsed(unparsed: int, count: int, model: str) -> None:
    """Say how many answers would not parse, where any would not."""
    if unparsed:
        log.warning(
            "%d of %d answers of %s would not parse and count as no answer",
            unparsed,
            count,
            ascii(model),
        )


@dataclass(frozen=True, eq=False)
class FittedEndpointChoices:
    """A language model that is asked for the letter of the right choice.

    Attributes:
        reader: The recipe.
        classes: The letters.
        examples: The labelled items, as turns of the conversation.
        counts: Of the last reading, the items asked about, once an order; the answers
            that would not parse, and those that came from log-probabilities.
    """

    reader: EndpointReader
    classes: tuple[str, ...]
    examples: tuple[Mapping[str, str], ...]
    counts: Counter[str] = field(default_factory=Counter, init=False, repr=False)

    def prompts(self, items: Items) -> list[Messages]:
        """The conversation that ends in the question about each item."""
        question, _ = self.reader.template
        return [
            [
                *self.examples,
                chat_turn("user", item_question(question, text, choices, CHOICES)),
            ]
            for text, choices in zip(
                render_items(items), _offer_choices(items), strict=True
            )
        ]

    def predict(self, items: Items) -> Floats:
        """The share of each choice; 0 for letters that an item does not have."""
        self.counts.clear()
        shares = read_in_orders(self._read, items, self.reader.orders)
        model = self.reader.endpoint.model
        _warn_unparsed(self.counts["unparsed"], self.counts["asked"], model)
        return shares

    def with_letters(self, letters: tuple[str, ...]) -> "FittedEndpointChoices":
        """The same reader, whose classes are these letters."""
        return replace(self, classes=letters)

    def _read(self, items: Items) -> Floats:
        """The share of each choice in the order in which they stand."""
        shares = np.zeros((len(items), max(len(self.classes), *items.choice_counts)))
        shares[:, 0] = items.choice_counts == 1  # nothing to ask, nothing to pay
        several = np.flatnonzero(items.choice_counts > 1)
        questions = items.rows(several)
        rows, counts = self.reader.read_replies(
            self.prompts(questions), _offer_choices(questions)
        )
        for number, row in zip(several, rows, strict=True):
            shares[number, : len(row)] = row
        self.counts.update(counts, asked=len(items))
        class_shares = shares[:, : len(self.classes)]
        return np.asarray(class_shares / class_shares.sum(axis=1, keepdims=True))

    def remarks(self) -> Mapping[str, float | str]:
        """The share of the last answers that would not parse, and by likely tokens."""
        answers = max(self.counts["asked"], 1)
        counts = {n: c for n, c in self.counts.items() if n != "asked"}
        shares = {name: round(count / answers, 6) for name, count in counts.items()}
        return {"orders": self.reader.orders, **shares}


def _offer_choices(items: Items) -> list[Choices]:
    """The choices of each item behind their marks."""
    return [mark_labels(tuple(texts)) for texts in items.choice_texts]
