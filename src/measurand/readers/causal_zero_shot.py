"""Decoders asked without training: for a choice, or for words of their own.

By the letter, the prompt lists the choices and the probabilities of the letters are
compared: what instructed models are used to. They like some letters better than others,
so that the list is shown in several orders, each turned further, and the shares of a
choice are averaged. By likelihood, the prompt does not name
the choices, and the log-probability of each is compared, whole or by its length: the
mean over its tokens, so that a choice is no less likely for being long.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import softmax

from measurand.core.arrays import Bools, Floats
from measurand.core.errors import UnknownName
from measurand.core.items import LETTERS, Items
from measurand.models.causal import CausalModel
from measurand.readers.causal_fitted import (
    FittedDecoder,
    Last,
    Wording,
    can_converse,
    fit_wording,
    prompt_parts,
    wrap_chat,
    write_examples,
)
from measurand.readers.orders import read_in_orders
from measurand.readers.prompting import ANSWERS, QUESTIONS, first_line, gold_answers

LETTER, LIKELIHOOD, BY_LENGTH = "letter", "likelihood", "likelihood_by_length"
WAYS = (LETTER, LIKELIHOOD, BY_LENGTH)


def check_way(way: str | None) -> None:
    """Raise where choices cannot be read in this way."""
    if way is not None and way not in WAYS:
        raise UnknownName("way to read choices", way, WAYS)


def usual_way(model: CausalModel) -> str:
    """By the letter where the model converses, else by likelihood and length."""
    return LETTER if can_converse(model) else BY_LENGTH


def word_choices(
    model: CausalModel, way: str, items: Items, examples: Items, length: int
) -> Wording:
    """How items with choices become prompts, after answered examples."""
    fields = tuple(name for name in items.fields if name != items.choices)
    by_letter = way == LETTER
    parts = prompt_parts(f"choices-{LETTER if by_letter else LIKELIHOOD}")
    answer = 1 if by_letter else min(length, model.window) // 4
    words = fit_wording(model, fields, length, parts, answer, backwards=True)
    texts = cut_choices(model, examples, words.room // 4)[0]
    gold = examples.gold(examples.classes)
    answers = [
        f" {LETTERS[number] if by_letter else row[number]}"
        for row, number in zip(texts, gold, strict=True)
    ]
    tails = list_choices(texts) if by_letter else ()
    shown = write_examples(model, words, examples, answers, tails)
    parts = (shown + parts[0], parts[1])
    # Likelihoods are of plain text: no conversation goes on with a choice.
    parts = wrap_chat(model, parts) if by_letter and can_converse(model) else parts
    return fit_wording(model, fields, length, parts, answer, backwards=True)


def list_choices(texts: Sequence[Sequence[str]]) -> list[str]:
    """The choices of each item, one a line behind its letter.

    >>> print(*list_choices([["a boat", "a mast"]]))
    <BLANKLINE>
    A. a boat
    B. a mast
    """
    return [
        "".join(f"\n{LETTERS[i]}. {text}" for i, text in enumerate(row))
        for row in texts
    ]


def cut_choices(
    model: CausalModel, items: Items, room: int
) -> tuple[list[list[str]], Bools]:
    """The choices on one line each, those of an item within the room, and who was cut.

    Each may take an equal share, and at most half.
    """
    rows = [[" ".join(text.split()) for text in texts] for texts in items.choice_texts]
    tokens = iter(model.tokens([text for row in rows for text in row], special=False))
    cut = np.zeros(len(rows), bool)
    for number, row in enumerate(rows):
        share = max(room // max(len(row), 2), 1)
        for i in range(len(row)):
            ids = next(tokens)
            if len(ids) > share:
                row[i], cut[number] = model.text(ids[:share]), True
    return rows, cut


@dataclass(frozen=True, eq=False)
class FittedZeroShotChoices(FittedDecoder):
    """A decoder that is asked which choice is right."""

    classes: tuple[str, ...]
    way: str
    orders: int = 1

    def predict(self, items: Items) -> Floats:
        """The share of each choice; 0 for letters that an item does not have."""
        orders = self.orders if self.way == LETTER else 1
        return read_in_orders(self._read, items, orders)

    def with_letters(self, letters: tuple[str, ...]) -> "FittedZeroShotChoices":
        """The same reader, whose classes are these letters."""
        return replace(self, classes=letters)

    def _read(self, items: Items) -> Floats:
        """The share of each choice in the order in which they stand."""
        texts, short = cut_choices(self.model, items, self.wording.room // 2)
        tails = list_choices(texts) if self.way == LETTER else [""] * len(items)
        prompts = self.prompts(items, tails, short)
        scores = (
            self._score_letters(prompts)
            if self.way == LETTER
            else self._score_texts(prompts, texts)
        )
        absent = np.arange(len(self.classes)) >= items.choice_counts[:, None]
        return np.asarray(softmax(np.where(absent, -np.inf, scores), axis=1))

    def remarks(self) -> Mapping[str, float | str]:
        """How choices were read, the share of items cut, and what was trained."""
        by_letter: Last = {"orders": self.orders} if self.way == LETTER else {}
        return {"choices": self.way, **by_letter, **super().remarks()}

    def _score_letters(self, prompts: Sequence[str]) -> Floats:
        """How likely each letter follows; a turn of a conversation begins with it."""
        space = "" if self.wording.after[-1:].isspace() else " "
        letters = [f"{space}{letter}" for letter in self.classes]
        return self.model.log_probabilities(prompts, letters)

    def _score_texts(
        self, prompts: Sequence[str], texts: Sequence[Sequence[str]]
    ) -> Floats:
        """How likely each choice follows, in all or a token."""
        continuations = [
            [f" {text}" for text in row[: len(self.classes)]] for row in texts
        ]
        scores = np.zeros((len(prompts), len(self.classes)))
        for row, (totals, tokens) in enumerate(
            self.model.own_log_probabilities(prompts, continuations)
        ):
            answer_scores = totals / tokens if self.way == BY_LENGTH else totals
            scores[row, : len(answer_scores)] = answer_scores
        return scores


# Of an answer: those of benchmarks that are matched are short; and of a question.
MOST_TOKENS = {ANSWERS: 24, QUESTIONS: 48}


def word_answers(
    model: CausalModel, items: Items, examples: Items, length: int
) -> Wording:
    """How items become prompts for an answer, after answered examples."""
    fields = tuple(name for name in items.fields if name != items.choices)
    parts = prompt_parts("answers")
    most = MOST_TOKENS[ANSWERS]
    words = fit_wording(model, fields, length, parts, most, backwards=True)
    answers = [f" {text}" for text in gold_answers(examples)]
    shown = write_examples(model, words, examples, answers)
    parts = (shown + parts[0], parts[1])
    if can_converse(model) or (model.tokenizer.chat_template and not shown):
        parts = wrap_chat(model, parts)
    return fit_wording(model, fields, length, parts, most, backwards=True)


def word_questions(model: CausalModel, length: int) -> Wording:
    """How choices become prompts for the question that they belong to."""
    parts = prompt_parts(QUESTIONS)
    if model.tokenizer.chat_template:
        parts = wrap_chat(model, parts)
    return fit_wording(model, (), length, parts, MOST_TOKENS[QUESTIONS])


@dataclass(frozen=True, eq=False)
class FittedZeroShotWriter(FittedDecoder):
    """A decoder that is asked for an answer."""

    writes: str = ANSWERS

    def write(self, items: Items) -> list[str]:
        """The first line that the model writes about each item."""
        if self.writes == QUESTIONS:
            texts, short = cut_choices(self.model, items, self.wording.room)
            prompts = self.prompts(items, list_choices(texts), short)
        else:
            prompts = self.prompts(items, [])
        written = self.model.generate(prompts, MOST_TOKENS[self.writes])
        return [first_line(text) for text in written]
