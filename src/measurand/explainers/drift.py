"""Rationales that say the opposite in nearly the same words: suite type E."""

import re
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from measurand.core.errors import NotApplicable
from measurand.core.items import Items
from measurand.core.words import FUNCTION, WORD
from measurand.explainers.extractive import Extractive
from measurand.explainers.given import Given

NOT = re.compile(r"\bnot\b\s*", re.IGNORECASE)
SHORT_NOT = re.compile(
    r"\b(?:can ?not|(\w+?) ?n['’]t|"
    r"(do|does|did|is|are|was|were|ca|could|would|should|has|have|had) ?nt)\b",
    re.IGNORECASE,
)
FULL_VERBS = {
    "ca": "can",
    "wo": "will",
    "sha": "shall",
    "ai": "is",
}  # can't, won't, ...
AUXILIARY = re.compile(
    r"\b(?:am|is|are|was|were|has|have|had|do|does|did|will|would|shall|should|can|"
    r"could|may|might|must)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Drift:
    """Another rationale with one "not" less or more.

    Attributes:
        query: The field that asks or claims.
        evidence: The text field that should decide, if there is one.
        rationale: The column that is flipped; where there is none, it is the sentence
            most like the query.
    """

    kind: ClassVar[str] = "drift"
    query: str
    evidence: str | None = None
    rationale: str | None = None

    def __post_init__(self) -> None:
        """Refuse to drift away from nothing."""
        if self.rationale is None and self.evidence is None:
            raise NotApplicable(
                "neither a rationale nor an evidence column is named, so there is "
                "nothing to drift away from; name one of them"
            )

    def origin(self, items: Items, rng: np.random.Generator) -> list[str]:
        """The rationales as they were."""
        if self.rationale is not None:
            return Given(self.rationale, self.evidence).explain(items, rng)
        return Extractive(self.query, self.evidence).explain(items, rng)

    def explain(self, items: Items, rng: np.random.Generator) -> list[str]:
        """The rationales, each flipped."""
        return [negate_text(text) for text in self.origin(items, rng)]


def negate_text(text: str) -> str:
    """The text that says the opposite, by one "not" less, one more, or a denial.

    >>> texts = ("he did not go", "He can't go", "He is out.")
    >>> [negate_text(text) for text in texts]
    ['he did go', 'He can go', 'He is not out.']
    >>> negate_text("The men sleep."), negate_text("Not all want it"), negate_text("")
    ('It is not true that the men sleep.', 'All want it', '')
    """
    if not WORD.search(text):
        return text
    full, short = NOT.search(text), SHORT_NOT.search(text)
    if full and not (short and short.start() < full.start()):
        rest = (text[: full.start()] + text[full.end() :]).strip()
        return rest[:1].upper() + rest[1:] if full[0][0] == "N" else rest
    if short:
        return text[: short.start()] + _drop_not(short) + text[short.end() :]
    auxiliary = AUXILIARY.search(text)
    if auxiliary:
        return f"{text[: auxiliary.end()]} not{text[auxiliary.end() :]}"
    first = WORD.search(text)
    if first and first[0].lower() in FUNCTION and first[0] != "I":
        text = text[: first.start()] + first[0].lower() + text[first.end() :]
    return f"It is not true that {text}"


def _drop_not(short: "re.Match[str]") -> str:
    """The auxiliary of a contraction, without its "not"."""
    verb = short[1] or short[2] or short[0][:3]
    return FULL_VERBS.get(verb.lower(), verb)
