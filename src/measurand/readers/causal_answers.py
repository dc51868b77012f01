"""Decoders that write their answers, by their likeliest tokens."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from measurand.core.items import Items
from measurand.models.causal import CausalModel
from measurand.readers.causal_fitted import Last, decoder_remarks
from measurand.readers.causal_prompts import (
    Wording,
    can_converse,
    fit_wording,
    prompt_parts,
    wrap_chat,
    write_examples,
)
from measurand.readers.written import first_line, gold_answers

MOST_TOKENS = 24  # of an answer: those of benchmarks that are matched are short


def word_answers(
    model: CausalModel, items: Items, examples: Items, length: int
) -> Wording:
    """How items become prompts for an answer, after answered examples."""
    fields = tuple(name for name in items.fields if name != items.choices)
    parts = prompt_parts("answers")
    words = fit_wording(model, fields, length, parts, MOST_TOKENS, backwards=True)
    answers = [f" {text}" for text in gold_answers(examples)]
    shown = write_examples(model, words, examples, answers)
    parts = (shown + parts[0], parts[1])
    if can_converse(model) or (model.tokenizer.chat_template and not shown):
        parts = wrap_chat(model, parts)
    return fit_wording(model, fields, length, parts, MOST_TOKENS, backwards=True)


@dataclass(frozen=True, eq=False)
class FittedZeroShotWriter:
    """A decoder that is asked for an answer.

    Attributes:
        model: The model, fresh or adapted.
        wording: How items become prompts.
        lm_loss: The loss on the prompts that it adapted to, where there were any.
        last: What the last reading was like.
    """

    model: CausalModel
    wording: Wording
    lm_loss: float | None = None
    last: Last = field(default_factory=dict, init=False, repr=False)

    def write(self, items: Items) -> list[str]:
        """The first line that the model writes about each item."""
        present = tuple(name for name in self.wording.fields if name in items.fields)
        words = replace(self.wording, fields=present)
        prompts, cut = words.prompts(self.model, items)
        self.last["truncated"] = float(cut.mean()) if len(cut) else 0.0
        return [first_line(text) for text in self.model.generate(prompts, MOST_TOKENS)]

    def remarks(self) -> Mapping[str, float | str]:
        """The share of items cut in the last reading, and what was trained, if any."""
        return decoder_remarks(self.model, self.last, self.lm_loss)
