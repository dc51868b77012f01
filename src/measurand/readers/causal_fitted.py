"""Decoders that have learned the labels, and the prompts they read."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib.resources import files

import numpy as np
import pandas as pd
import torch
from scipy.special import softmax
from torch import Tensor

from measurand.core.arrays import Bools, Floats, Ints
from measurand.core.errors import ReaderFailed, quote
from measurand.core.items import Items
from measurand.models.causal import CausalModel
from measurand.models.generate import chat_prompts
from measurand.readers.attribution import readable_fields
from measurand.readers.prompting import read_template

SLACK = 8  # tokens kept free, since a text cut and put in place may split otherwise
NOTHING_SAID = "Answer with the name of the category."  # where a task is not described
LETTERS = 100  # letters that no token exceeds: texts are cut there before splitting
# Weights from which a model that was made for conversations is asked in one, whatever
# it was shown. SmolLM2, of 135 million, names one letter whatever it means, and
# writes a sentence where a word is asked for, unless examples in plain text lead it.
CONVERSES_FROM = 10**9


@dataclass(frozen=True)
class Wording:
    """What stands around the fields of an item, and the room they have.

    Attributes:
        fields: The fields that are read, the evidence last.
        before: The words before them.
        after: The words after them.
        room: The tokens that all fields may take together.
        backwards: Whether the first field, which asks, is read last: right before the
            answer, so that small models do not answer what they read in between.
    """

    fields: tuple[str, ...]
    before: str
    after: str
    room: int
    backwards: bool = False

    def prompts(
        self, model: CausalModel, items: Items, tails: Sequence[str] = ()
    ) -> tuple[list[str], Bools]:
        """The prompt of each item, and whether its texts had to be cut.

        A tail stands after the fields of its item, and takes of their room.
        """
        ends = tails or [""] * len(items)
        if not self.fields:
            return [self.prompt([], end) for end in ends], np.zeros(len(items), bool)
        columns = [items.column(field).tolist() for field in self.fields]
        short = [[text[: LETTERS * self.room] for text in texts] for texts in columns]
        split = [model.tokens(texts, special=False) for texts in short]
        sizes = np.array([[len(tokens) for tokens in column] for column in split])
        rooms: Ints | int = self.room
        if tails:
            taken = [len(tokens) for tokens in model.tokens(tails, special=False)]
            rooms = np.maximum(self.room - np.array(taken), 0)
        limits = _fair_lengths(sizes, rooms)
        cut_texts = [
            [
                text if size == len(tokens) else model.text(tokens[:size])
                for text, tokens, size in zip(texts, column, row, strict=True)
            ]
            for texts, column, row in zip(short, split, limits, strict=True)
        ]
        too_long = np.array(
            [
                [len(a) > len(b) for a, b in zip(full, part, strict=True)]
                for full, part in zip(columns, short, strict=True)
            ]
        )
        is_cut = ((limits < sizes) | too_long).any(axis=0)
        rows = list(zip(*cut_texts, strict=True))
        return [self.prompt(row, end) for row, end in zip(rows, ends, strict=True)], (
            is_cut
        )

    def around(self, model: CausalModel, texts: Sequence[str]) -> list[str]:
        """The prompts about texts that are whole items."""
        table = pd.DataFrame({"text": list(texts), "label": ""})
        return replace(self, fields=("text",)).prompts(model, Items(table, ("text",)))[
            0
        ]

    def prompt(self, texts: Sequence[str], tail: str = "") -> str:
        """The prompt of one item; several fields are distinguished by their names."""
        if len(self.fields) == 1:
            return f"{self.before}{texts[0]}{tail}{self.after}"
        lines = [
            f"{name}: {text}" for name, text in zip(self.fields, texts, strict=True)
        ]
        lines = lines[::-1] if self.backwards else lines
        return self.before + "\n".join(lines) + tail + self.after


def _fair_lengths(sizes: Ints, room: Ints | int) -> Ints:
    """The tokens each field (row) of each item (column) keeps.

    The evidence, which stands last, gives way first, but keeps a fair part: half of an
    equal share. Then the field before it, and so on.

    >>> _fair_lengths(np.array([[10, 90], [500, 90]]), 100).T.tolist()
    [[10, 90], [75, 25]]
    """
    limits = sizes.copy()
    least = room // (2 * len(sizes))
    for row in reversed(range(len(sizes))):
        over = np.maximum(limits.sum(axis=0) - room, 0)
        limits[row] -= np.minimum(over, np.maximum(limits[row] - least, 0))
    return limits


def fit_wording(
    model: CausalModel,
    fields: tuple[str, ...],
    length: int,
    parts: tuple[str, str] = ("", ""),
    answer: int = 0,
    *,
    backwards: bool = False,
) -> Wording:
    """The wording whose prompts, with an answer of so many tokens, fit the length."""
    empty = Wording(fields, *parts, 0).prompt([""] * len(fields))
    frame = len(model.tokens([empty])[0]) + answer + SLACK
    most = min(length, model.window)
    room = most - frame
    if room < 2 * len(fields):
        raise ReaderFailed(
            f"the prompt takes {frame} of {most} tokens before any text; raise the "
            "length, show fewer examples, or name fewer or shorter classes"
        )
    return Wording(fields, *parts, room, backwards)


def write_examples(
    model: CausalModel,
    words: Wording,
    items: Items,
    answers: Sequence[str],
    tails: Sequence[str] = (),
) -> str:
    """Answered items, one after another; their texts take at most half of the room."""
    if not len(items):
        return ""
    short = replace(words, room=words.room // (2 * len(items)))
    prompts, _ = short.prompts(model, items, tails)
    return "".join(f"{p}{a}\n\n" for p, a in zip(prompts, answers, strict=True))


def can_converse(model: CausalModel) -> bool:
    """Whether the model has a chat template, and is large enough to follow one."""
    if not model.tokenizer.chat_template:
        return False
    weights = sum(weight.numel() for weight in model.network.parameters())
    return bool(weights >= CONVERSES_FROM)


def wrap_chat(model: CausalModel, parts: tuple[str, str]) -> tuple[str, str]:
    """The parts as a turn of a conversation with a model that was made for these."""
    mark = "[text]"
    while mark in "".join(parts):
        mark = f"[{mark}]"
    (turn,) = chat_prompts(model.tokenizer, [mark.join(parts)])
    before, is_marked, after = turn.partition(mark)
    if not is_marked:
        raise ReaderFailed(
            f"the chat template of {quote(model.source, 200)} leaves out what the user "
            "says; remove chat_template from its tokenizer, or take another model"
        )
    return before, after


def prompt_parts(name: str) -> tuple[str, str]:
    """What the prompt of this name puts before and after the text."""
    file = files("measurand.readers") / "prompts" / f"{name}.txt"
    before, _, after = file.read_text("utf-8").strip("\n").partition("{text}")
    return before, after


def zero_shot_template(
    name: str, classes: Sequence[str], about: str = ""
) -> tuple[str, str]:
    """What a template puts before and after the text; `about` says what it is.

    The text itself never passes through here, so braces in it mean nothing.
    """
    text = read_template("zero-shot", "zero-shot template", name)
    before, _, after = text.strip("\n").partition("{text}")
    return fill_classes(before, classes, about), fill_classes(after, classes, about)


def fill_classes(part: str, classes: Sequence[str], about: str = "") -> str:
    """A part of a template with the class names, in a row or one a line."""
    pieces = part.replace("{about}", about or NOTHING_SAID).split("{list}")
    row = [piece.replace("{classes}", ", ".join(classes)) for piece in pieces]
    return "\n".join(classes).join(row)


Last = dict[str, float]  # what the last reading was like


@dataclass(frozen=True, eq=False)
class FittedDecoder:
    """A decoder that was fitted, whatever it is asked for.

    Attributes:
        model: The model, fresh, adapted or trained.
        wording: How items become prompts.
        lm_loss: The loss on the texts that it adapted to, where there were any.
        last: What the last reading was like.
    """

    model: CausalModel
    wording: Wording
    lm_loss: float | None = field(default=None, kw_only=True)
    last: Last = field(default_factory=dict, init=False, repr=False)

    def prompts(
        self,
        items: Items,
        tails: Sequence[str] | None = None,
        is_cut: Bools | bool = False,
    ) -> list[str]:
        """The prompts about those fields that there are; the share cut is noted.

        Args:
            items: What is asked about.
            tails: What stands after the fields of each item; None needs a field.
            is_cut: Which items were cut before.
        """
        fields = self.wording.fields
        if tails is None:
            present = readable_fields(fields, items)
        else:
            present = tuple(name for name in fields if name in items.fields)
        narrowed = replace(self.wording, fields=present)
        prompts, cut = narrowed.prompts(self.model, items, tails or ())
        self.last["truncated"] = float((cut | is_cut).mean()) if len(cut) else 0.0
        return prompts

    def remarks(self) -> Mapping[str, float | str]:
        """The share of items cut in the last reading, and what was trained, if any."""
        loss = {} if self.lm_loss is None else {"lm_loss": self.lm_loss}
        numbers = {n: round(value, 6) for n, value in (loss | self.last).items()}
        if self.model.tuning == "none":
            return dict(numbers)
        return {"adaptation": describe_tuning(self.model), **numbers}


@dataclass(frozen=True, eq=False)
class FittedCausal(FittedDecoder):
    """A decoder that has learned to classify.

    Attributes:
        classes: The labels.
        head: Classes × hidden.
        rate: The learning rate that it was trained with.
    """

    classes: tuple[str, ...]
    head: Tensor
    rate: float

    def predict(self, items: Items) -> Floats:
        """Class probabilities."""
        head = self.head.cpu().numpy().T.astype(float)
        return np.asarray(softmax(self.embed(items) @ head, axis=1))

    def embed(self, items: Items) -> Floats:
        """What goes into the linear head, one row per item."""
        return self.model.hidden(self.prompts(items)).astype(float)

    def remarks(self) -> Mapping[str, float | str]:
        """The share cut in the last reading, what was trained, and at which rate."""
        return {"rate": self.rate, **super().remarks()}


@dataclass(frozen=True, eq=False)
class FittedZeroShot(FittedDecoder):
    """A decoder that knows the class names."""

    classes: tuple[str, ...]

    def predict(self, items: Items) -> Floats:
        """The mean token probability of each class name, as shares.

        The mean over tokens, so that a name is no less likely for being long.
        """
        prompts = self.prompts(items)
        scores = self.model.log_probabilities(prompts, class_names(self.classes))
        return np.asarray(softmax(scores, axis=1))


def class_names(classes: Sequence[str]) -> list[str]:
    """The class names as they follow a prompt."""
    return [f" {name}" for name in classes]


def describe_tuning(model: CausalModel) -> str:
    """What of the model is trained, and on top of which weights."""
    if model.tuning == "qlora":
        return "4-bit QLoRA"
    half = model.network.dtype == torch.bfloat16
    return f"LoRA in {'bf16' if half else 'fp32'}" if model.tuning == "lora" else "full"
