"""Paraphrases that a language model is asked for, here or on a server.

Nothing in a text is an instruction, but no prompt can keep a model from following one:
what it then writes is for a judge to refuse.
"""

import dataclasses
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import ClassVar

import numpy as np

from measurand.core.errors import BadOption
from measurand.core.items import Items
from measurand.core.recipe import LOCATE
from measurand.interventions.paraphrase import apply_wording, parse_wordings
from measurand.models.generate import generate_texts, resolve_writer
from measurand.models.places import SMOLLM2, writer_path
from measurand.models.server.endpoint import Endpoint

WAYS = 4  # of saying each text that are asked for
LONGEST = 4000  # letters of a text: more would push the question out of the window


@dataclass(frozen=True)
class PromptedRewording:
    """A field as a language model says it when it is asked to.

    Attributes:
        field: The field that is rewritten.
        model: A directory, a hub id, smollm2, `llm:NAME` or an endpoint.
        draw: Which of the model's ways is taken, from 0.
        max_tokens: The longest answer, with all its ways.
    """

    kind: ClassVar[str] = "prompted-rewording"
    field: str
    model: str | Endpoint = dataclasses.field(
        default=SMOLLM2, metadata={LOCATE: writer_path}
    )
    draw: int = 0
    max_tokens: int = 160

    def __post_init__(self) -> None:
        """Refuse what cannot be asked before anything is loaded or paid for."""
        resolve_writer(self.model)
        if self.draw < 0 or self.max_tokens < 1:
            raise BadOption(
                f"draw is {self.draw} and max_tokens {self.max_tokens}; allowed are 0 "
                "or more and 1 or more"
            )

    def __call__(self, items: Items, rng: np.random.Generator) -> Items:
        """The items with another wording of the field each, where the model had one."""
        return apply_wording(items, self.field, self.propose(items, rng), self.draw)

    def __str__(self) -> str:
        """The name in reports."""
        return f"asked {self.field}"

    def propose(self, items: Items, rng: np.random.Generator) -> list[list[str]]:
        """The model's ways to say each item's field, in its order."""
        return self.parse(self.generate(self.prompts(items)), items)

    def prompts(self, items: Items) -> list[str]:
        """What the model is asked, one an item."""
        return [
            _fill_paraphrase_prompt(
                {"count": str(WAYS), "text": " ".join(text.split())[:LONGEST]}
            )
            for text in items.column(self.field)
        ]

    def generate(self, prompts: Sequence[str]) -> list[str]:
        """What the model says to each prompt, as it came."""
        return generate_texts(self.model, prompts, self.max_tokens)

    def parse(self, replies: Sequence[str], items: Items) -> list[list[str]]:
        """The different wordings in what was said: so many lines, then no more."""
        texts = items.column(self.field)
        return [
            parse_wordings(reply, text)[:WAYS]
            for reply, text in zip(replies, texts, strict=True)
        ]


@cache
def _paraphrase_prompt() -> str:
    """The prompt, unfilled."""
    file = files("measurand.interventions") / "prompts" / "paraphrase.txt"
    return file.read_text("utf-8").strip("\n")


def _fill_paraphrase_prompt(values: dict[str, str]) -> str:
    """The prompt with its names replaced, once: braces in a value stay braces."""
    return re.sub(r"\{(\w+)\}", lambda name: values[name[1]], _paraphrase_prompt())
