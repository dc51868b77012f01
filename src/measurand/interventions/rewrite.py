"""Paraphrases that a sequence-to-sequence model writes."""

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from measurand.core.errors import BadOption
from measurand.core.items import Items
from measurand.core.recipe import LOCATE
from measurand.interventions.paraphrase import apply_wording, parse_wordings
from measurand.models.places import model_path
from measurand.models.seq2seq import rewritings

WAYS = 8  # of saying each text, from which the different ones are kept


@dataclass(frozen=True)
class Rewrite:
    """A field as a sequence-to-sequence model says it.

    Attributes:
        field: The field that is rewritten.
        model: A directory or hub id, such as that of a T5 trained on paraphrases.
        draw: Which of the model's ways is taken, from 0.
        prefix: What the model wants before a text.
        length: The most tokens of a way.
        seed: Where set, ways are drawn; without it the likeliest beams are taken.
    """

    kind: ClassVar[str] = "rewrite"
    field: str
    model: str = dataclasses.field(metadata={LOCATE: model_path})
    draw: int = 0
    prefix: str = "paraphrase: "
    length: int = 64
    seed: int | None = None

    def __post_init__(self) -> None:
        """Refuse what cannot be before a model is loaded."""
        if self.draw < 0 or self.length < 1:
            raise BadOption(
                f"draw is {self.draw} and length {self.length}; allowed are 0 or more "
                "and 1 or more"
            )

    def __call__(self, items: Items, rng: np.random.Generator) -> Items:
        """The items with another wording of the field each, where the model had one."""
        return apply_wording(items, self.field, self.propose(items, rng), self.draw)

    def __str__(self) -> str:
        """The name in reports."""
        return f"rewrite {self.field}"

    def propose(self, items: Items, rng: np.random.Generator) -> list[list[str]]:
        """The model's ways to say each item's field, the likeliest first."""
        return self.parse(self.generate(self.prompts(items)), items)

    def prompts(self, items: Items) -> list[str]:
        """What the model is given, one an item."""
        return [self.prefix + " ".join(t.split()) for t in items.column(self.field)]

    def generate(self, prompts: Sequence[str]) -> list[str]:
        """What the model makes of each prompt, a way a line."""
        ways = rewritings(
            self.model, prompts, count=WAYS, length=self.length, seed=self.seed
        )
        return [
            "\n".join(" ".join(way.split()) for way in wordings) for wordings in ways
        ]

    def parse(self, replies: Sequence[str], items: Items) -> list[list[str]]:
        """The different wordings in what was written."""
        return [
            parse_wordings(reply, text)
            for reply, text in zip(replies, items.column(self.field), strict=True)
        ]
