"""Rationales that a language model writes: concise or in steps, with the label or not.

The prompts stand in `prompts/`; the two that show the gold label are the proposal's,
word for word. What they make a model write leaks by design, so each has a form without
the label. Below stands how a reply is read as a rationale: where it ends, and if it is
one.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from functools import cache
from importlib.resources import files
from typing import ClassVar

import numpy as np

from measurand.core.errors import BadOption
from measurand.core.items import Items
from measurand.core.recipe import LOCATE
from measurand.explainers.adversarial import label_ids
from measurand.explainers.distortions import Drift, negate_text
from measurand.models.generate import generate_texts, resolve_writer
from measurand.models.places import SMOLLM2, writer_path
from measurand.models.server.endpoint import Endpoint
from measurand.text.words import bare_words, words

ROOM = {"concise": 80, "steps": 240}  # tokens that a rationale needs, by style
LONGEST = 4000  # letters of a field: more would push the instructions out of the window
MAPPING = "A,B,C ↔ actual labels"  # what the proposal calls the ids and their labels
HALF = 0.5  # of the words must stay where few are to be changed
WRITTEN, EMPTY, REFUSED, ECHOED = "written", "empty", "refused", "echoed"
REWRITTEN = "rewritten"  # where a small change was asked for
REFUSAL = re.compile(
    r"\W*(?:i['’]?m sorry|i am sorry|sorry,|i apologi[sz]e|as an ai\b|"
    r"(?:unfortunately,? )?i (?:cannot|can['’]?t|can not|won['’]t|will not|am unable|"
    r"am not able)\b|i['’]m (?:unable|not able)\b)",
    re.IGNORECASE,
)
ANSWER = re.compile(r"\b(?:the\s+)?final answer\b\W*?(?:is\b|:)[^\n]*", re.IGNORECASE)
# A row of signs is read from its start alone: from each of them, it is quadratic.
SIGNS = re.compile(r"(?<![*_#(\s])[*_#(\s]+\Z")
# As small models put it: a last line that names an id.
LAST_ID = re.compile(r"(?<!\W)(?P<before>[^\w\n:]*:)\W*[A-Z]\W*\Z")
OTHERWISE = re.compile(r"\b(?:answer|output|label)\b", re.IGNORECASE)
BLANK = re.compile(r"\n\s*\n")
HEAD = re.compile(r"(?:^|(?<=: ))([^\W\d_][\w ]{0,29}):")  # "Input" and the like
LETTER = re.compile(r"[^\W\d_]")
DIGITS = re.compile(r"\d+")
INSTRUCTED = 6  # words in a row from the prompt's instructions that make an echo


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
    model: str | Endpoint = field(default=SMOLLM2, metadata={LOCATE: writer_path})
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

    Where the model does not follow the instruction, the rule of `Drift` does: small
    models repeat every other text, or write another one.

    Attributes:
        drift: What it drifts away from.
        model: A directory, a hub id, smollm2, `llm:NAME` or an endpoint.
        max_tokens: The longest rationale.
    """

    kind: ClassVar[str] = "edited"
    drift: Drift
    model: str | Endpoint = field(default=SMOLLM2, metadata={LOCATE: writer_path})
    max_tokens: int = 120

    def __post_init__(self) -> None:
        """Refuse a model that cannot be."""
        resolve_writer(self.model)

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
    first, second = words(text[:LONGEST]), words(origin[:LONGEST])
    return SequenceMatcher(None, first, second, autojunk=False).ratio()


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


def trim_reply(reply: str, prompt: str, *, steps: bool = False) -> str:
    r"""The text up to where the model goes on with something else.

    A blank line ends a rationale, and so does a line that begins as one of the prompt
    does. Steps may stand apart; they end with their answer, and one that repeats
    another, numbers aside, as small models do without end, is left out.

    >>> trim_reply(" So.\n\nInput: more", "")
    'So.'
    >>> trim_reply("So.\nInput: more", "Input: x")
    'So.'
    >>> trim_reply("1. a\n\n2. b\n3. b\nFinal answer: A\nx", "", steps=True)
    '1. a\n2. b\nFinal answer: A'
    """
    text = _drop_prompt_end(reply, prompt)
    heads = sorted({head for line in prompt.splitlines() for head in _line_heads(line)})
    if heads:
        among = "|".join(map(re.escape, heads))
        line = rf"(?i)(?<!\W)(?:\A|[^\w\n]*(?=\n))(?P<line>\W*(?:{among})\s*:)"
        match = re.search(line, text)
        text = text[: match.start("line")] if match else text
    if not steps:
        return " ".join(BLANK.split(text.strip())[0].split())
    answer = ANSWER.search(text)
    different: dict[str, str] = {}
    for line in (text[: answer.end()] if answer else text).splitlines():
        different.setdefault(bare_words(DIGITS.sub("", line)), " ".join(line.split()))
    return "\n".join(line for key, line in different.items() if key)


def _drop_prompt_end(reply: str, prompt: str) -> str:
    """The text without the words that the prompt ended with, should it repeat them.

    >>> _drop_prompt_end(" Steps: 1. So", "Why?" + chr(10) + "Steps:")
    '1. So'
    """
    last = prompt.rstrip().rpartition("\n")[2]
    return (
        reply.strip().removeprefix(last).strip()
        if last.endswith(":")
        else reply.strip()
    )


def _line_heads(line: str) -> list[str]:
    """The names before the text of a line of a prompt.

    >>> _line_heads("Input: claim: cats: all"), _line_heads("Do NOT. End with: x")
    (['Input', 'claim'], [])
    """
    return HEAD.findall(line)[:2] if HEAD.match(line) else []


def drop_answer(text: str) -> str:
    r"""Steps without the line of their final answer.

    >>> drop_answer("1. a\n**Final answer: B**"), drop_answer("a Final answer: B")
    ('1. a', 'a')
    >>> drop_answer("1. a\nThe correct answer is: A.")
    '1. a'
    """
    *parts, rest = ANSWER.split(text)
    text = "".join([*(SIGNS.sub("", part) for part in parts), rest]).rstrip()
    match = LAST_ID.search(text)
    if match:
        rest, newline, line = text[: match.end("before") - 1].rpartition("\n")
        if newline and OTHERWISE.search(line.rpartition(":")[2]):
            text = rest
    return text.strip()


def reply_outcome(
    reply: str, prompt: str, instruction: str, *, steps: bool = False
) -> str:
    """What became of a prompt: written, or else empty, refused or echoed.

    An echo begins as a line of its prompt does, or with some words of what the model
    was instructed to do, or is the first field of the input and nothing else; to repeat
    the evidence is to cite it.

    >>> told = "Write a brief note on the input below."
    >>> prompt = told + chr(10) + "Input: claim: cats sleep all day"
    >>> replies = ("They do.", "...", "I cannot say")
    >>> [reply_outcome(reply, prompt, told) for reply in replies]
    ['written', 'empty', 'refused']
    >>> reply_outcome("Cats sleep all day.", prompt, told)
    'echoed'
    """
    if not LETTER.search(reply):
        return EMPTY
    if REFUSAL.match(reply):
        return REFUSED
    lines = prompt.splitlines()
    text = trim_reply(reply, prompt, steps=steps)
    start = " ".join(words(text)[:INSTRUCTED])
    obeyed = start.count(" ") < INSTRUCTED - 1 or start not in bare_words(instruction)
    inputs = _line_fields(lines[len(instruction.splitlines())])
    if not text or not obeyed or bare_words(text) in inputs:
        return ECHOED
    return WRITTEN


def _line_fields(line: str) -> list[str]:
    """The line without the names before it, one after the other.

    >>> _line_fields("Input: claim: cats")
    ['claim cats', 'cats']
    """
    parts = line.split(": ")
    return [bare_words(": ".join(parts[n:])) for n in range(1, len(parts))]
