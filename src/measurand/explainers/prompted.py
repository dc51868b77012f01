"""Rationales that a language model writes: concise or in steps, with the label or not.

The prompts stand in `prompts/`; the two that show the gold label are the proposal's,
word for word. What they make a model write leaks by design, so each has a form without
the label.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cache
from importlib.resources import files
from typing import ClassVar

import numpy as np

from measurand.core.errors import BadOption
from measurand.core.items import Items
from measurand.core.words import words
from measurand.explainers.adversarial import label_ids
from measurand.explainers.drift import Drift, negate_text
from measurand.explainers.replies import (
    ECHOED,
    REWRITTEN,
    WRITTEN,
    reply_outcome,
    trim_reply,
)
from measurand.explainers.sentences import bare_words
from measurand.models.generate import (
    check_writer,
    generate_texts,
    is_endpoint,
    resolve_writer,
)
from measurand.models.server.endpoint import Endpoint

ROOM = {"concise": 80, "steps": 240}  # tokens that a rationale needs, by style
LONGEST = 4000  # letters of a field: more would push the instructions out of the window
MAPPING = "A,B,C ↔ actual labels"  # what the proposal calls the ids and their labels
SMOLLM2 = "smollm2"
HALF = 0.5  # of the words must stay where few are to be changed


@dataclass(frozen=True)
class Prompted:
    """What a language model writes when it is asked why.

    Attributes:
        query: The field that asks or claims.
        evidence: The text field that should decide, if there is one.
        model: A directory, a hub id, smollm2, `llm:NAME` or an endpoint.
        style: "concise" or "steps".
        labeled: Whether the prompt shows the gold label, or its id.
        max_tokens: The longest rationale; what the style needs where it is None.
    """

    kind: ClassVar[str] = "prompted"
    query: str
    evidence: str | None = None
    model: str | Endpoint = SMOLLM2
    style: str = "concise"
    labeled: bool = True
    max_tokens: int | None = None

    def __post_init__(self) -> None:
        """Refuse what cannot be asked before anything is loaded or paid for."""
        resolve_writer(self.model)
        if self.style not in ROOM:
            raise BadOption(f"no style {self.style!r}; try {' or '.join(ROOM)}")
        if self.max_tokens is not None and self.max_tokens < 1:
            raise BadOption(f"max_tokens is {self.max_tokens}; allowed are 1 or more")

    @property
    def template(self) -> str:
        """The prompt, unfilled."""
        return _rationale_template(
            self.style if self.labeled else f"{self.style}-unlabeled"
        )

    @property
    def remote(self) -> bool:
        """Whether a server writes."""
        return is_endpoint(self.model)

    def check_model(self) -> None:
        """Raise where the weights are not to be had, or no server is named."""
        check_writer(self.model)

    def explain(self, items: Items, rng: np.random.Generator) -> list[str]:
        """What the model wrote; empty where it refused or only repeated the prompt."""
        prompts = self.prompts(items, rng)
        return self.parse(self.generate(prompts), prompts)

    def prompts(self, items: Items, rng: np.random.Generator) -> list[str]:
        """The question about each item."""
        ids = label_ids(items.classes)
        mapping = ", ".join(f"{mark} = {label}" for label, mark in ids.items())
        names = [self.query, *([self.evidence] if self.evidence else [])]
        columns = [items.column(name).tolist() for name in names]
        inputs = [
            "\n".join(map(_field_line, names, row))
            for row in zip(*columns, strict=True)
        ]
        return [
            _fill_rationale_prompt(
                self.template, {"x": x, "y": y, "y_id": ids[y], MAPPING: mapping}
            )
            for x, y in zip(inputs, items.labels, strict=True)
        ]

    def generate(self, prompts: Sequence[str]) -> list[str]:
        """What the model says to each prompt, as it came."""
        room = ROOM[self.style] if self.max_tokens is None else self.max_tokens
        return generate_texts(self.model, prompts, room)

    def parse(self, replies: Sequence[str], prompts: Sequence[str]) -> list[str]:
        """The rationales in what was said; empty where there is none."""
        return [
            trim_reply(text, prompt, steps=self.style == "steps")
            if self.outcome(text, prompt) == WRITTEN
            else ""
            for text, prompt in zip(replies, prompts, strict=True)
        ]

    def outcome(self, reply: str, prompt: str) -> str:
        """What became of one prompt: written, empty, refused or echoed."""
        instruction = _prompt_instructions(self.template)
        return reply_outcome(reply, prompt, instruction, steps=self.style == "steps")


@dataclass(frozen=True)
class Edited:
    """Another rationale, changed by a language model so that it says the opposite.

    Where the model does not do as it is told, the rule of `Drift` does: small models
    repeat every other text, or write another one.

    Attributes:
        drift: What it drifts away from.
        model: A directory, a hub id, smollm2, `llm:NAME` or an endpoint.
        max_tokens: The longest rationale.
    """

    kind: ClassVar[str] = "edited"
    drift: Drift
    model: str | Endpoint = SMOLLM2
    max_tokens: int = 120

    def __post_init__(self) -> None:
        """Refuse a model that cannot be."""
        resolve_writer(self.model)

    @property
    def remote(self) -> bool:
        """Whether a server writes."""
        return is_endpoint(self.model)

    def check_model(self) -> None:
        """Raise where the weights are not to be had, or no server is named."""
        check_writer(self.model)

    def origin(self, items: Items, rng: np.random.Generator) -> list[str]:
        """The rationales as they were."""
        return self.drift.origin(items, rng)

    def explain(self, items: Items, rng: np.random.Generator) -> list[str]:
        """The changed rationales."""
        prompts = self.prompts(items, rng)
        return self.parse(self.generate(prompts), prompts)

    def prompts(self, items: Items, rng: np.random.Generator) -> list[str]:
        """The question about each rationale."""
        texts = [" ".join(text.split())[:LONGEST] for text in self.origin(items, rng)]
        return [
            _fill_rationale_prompt(_rationale_template("drift"), {"x": text})
            for text in texts
        ]

    def generate(self, prompts: Sequence[str]) -> list[str]:
        """What the model says to each prompt, as it came."""
        return generate_texts(self.model, prompts, self.max_tokens)

    def parse(self, replies: Sequence[str], prompts: Sequence[str]) -> list[str]:
        """The changed rationales in what was said, or else by rule."""
        return [
            trim_reply(text, prompt)
            if self.outcome(text, prompt) == WRITTEN
            else negate_text(rationale_in_prompt(prompt))
            for text, prompt in zip(replies, prompts, strict=True)
        ]

    def outcome(self, reply: str, prompt: str) -> str:
        """What became of one prompt; a text that was not changed is an echo.

        So is one that was only cut short, as long ones are by `max_tokens`.
        """
        result = reply_outcome(
            reply, prompt, _prompt_instructions(_rationale_template("drift"))
        )
        if result != WRITTEN:
            return result
        text, origin = trim_reply(reply, prompt), rationale_in_prompt(prompt)
        if bare_words(origin).startswith(bare_words(text)):
            return ECHOED
        return WRITTEN if _word_overlap(text, origin) >= HALF else REWRITTEN


def rationale_in_prompt(prompt: str) -> str:
    """The rationale that a prompt asks to change; it stands on the line before last."""
    return prompt.splitlines()[-2].partition(": ")[2]


def _word_overlap(text: str, origin: str) -> float:
    """The share of words that two texts have in one order.

    >>> _word_overlap("It is not far.", "it is far"), _word_overlap("So", "no")
    (0.8571428571428571, 0.0)
    """
    return SequenceMatcher(None, words(text), words(origin), autojunk=False).ratio()


@cache
def _rationale_template(name: str) -> str:
    """The prompt of that name, unfilled."""
    file = files("measurand.explainers") / "prompts" / f"{name}.txt"
    return file.read_text("utf-8").strip("\n")


def _prompt_instructions(form: str) -> str:
    """What a prompt says before the input."""
    return "\n".join(form.partition("{x}")[0].splitlines()[:-1])


def _fill_rationale_prompt(form: str, values: Mapping[str, str]) -> str:
    """The form with its names replaced, once: braces in a value stay braces.

    >>> _fill_rationale_prompt("{x} and {y}", {"x": "{y}", "y": "c"})
    '{y} and c'
    """
    return re.sub(r"\{([^{}]*)\}", lambda name: values[name[1]], form)


def _field_line(name: str, text: str) -> str:
    """A field in one line, with its name, and cut where it is too long.

    >>> _field_line("claim", "  cats   sleep ")
    'claim: cats sleep'
    """
    return f"{name}: {' '.join(text.split())[:LONGEST]}"
