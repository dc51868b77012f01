"""Noise of form: spacing, points, capitals, the order of sentences; not the meaning."""

import re
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from measurand.core.items import Items

# A sentence ends at a point before a space, but not after an initial or a title.
BETWEEN = re.compile(r"(?<=[.!?])(?<!\b[A-Z]\.)(?<!\b(?:Mr|Ms|Dr|St)\.)(?<!\bMrs\.)\s+")


@dataclass(frozen=True)
class FormatNoise:
    """The query with other spacing, full stop and first letter, evidence reordered.

    Every query that has a letter changes, in one to three of these ways. A question or
    exclamation mark stays: it is part of what is said.

    Attributes:
        query: The field whose form changes.
        evidence: The field whose sentences change places, if there is one.
    """

    kind: ClassVar[str] = "format-noise"
    query: str
    evidence: str | None = None

    def __call__(self, items: Items, rng: np.random.Generator) -> Items:
        """The items with noise in the query, and the evidence in another order."""
        noisy = items.with_field(
            self.query,
            [add_format_noise(text, rng) for text in items.column(self.query)],
        )
        if self.evidence is None:
            return noisy
        texts = [reorder_sentences(text, rng) for text in items.column(self.evidence)]
        return noisy.with_field(self.evidence, texts)

    def __str__(self) -> str:
        """The name in reports."""
        return " ".join(["noise", self.query, *filter(None, [self.evidence])])


def add_format_noise(text: str, rng: np.random.Generator) -> str:
    """The text in another form: one way is always taken, others by lot.

    >>> add_format_noise("A dog sleeps.", np.random.default_rng(1))
    'a dog  sleeps'
    """
    lots = rng.random((len(WAYS), 2))  # drawn for empty texts too: the rest stays put
    if not text.strip():
        return text
    always = int(lots[:, 0].argmax())
    changed = text
    for number, way in enumerate(WAYS):
        if number == always or lots[number, 0] < 0.5:
            changed = way(changed, lots[number, 1])
    return changed if changed != text else _double_space(text, lots[0, 1])


def _double_space(text: str, lot: float) -> str:
    """One space doubled; where there is none, one put before or after the text.

    >>> _double_space("a b c", 0.9), _double_space("a", 0.1)
    ('a b  c', ' a')
    """
    gaps = [gap.start() for gap in re.finditer(r"(?<=\S) (?=\S)", text)]
    if not gaps:
        return f" {text}" if lot < 0.5 else f"{text} "
    position = gaps[int(lot * len(gaps))]
    return f"{text[:position]} {text[position:]}"


def toggle_full_stop(text: str, lot: float) -> str:
    """Without its full stop where it has one, else with one; a mark gets a space.

    >>> [toggle_full_stop(text, 0) for text in ("It is.", "It is", "Is it?")]
    ['It is', 'It is.', 'Is it ?']
    """
    bare = text.rstrip()
    if bare.endswith(("?", "!")):
        sentence = bare[:-1].rstrip()
        return (
            f"{sentence} {bare[-1]}"
            if sentence == bare[:-1]
            else f"{sentence}{bare[-1]}"
        )
    if bare.endswith("."):
        return bare.rstrip(". ") or text
    return f"{bare}."


def _toggle_first_case(text: str, lot: float) -> str:
    """With its first letter in the other case.

    >>> _toggle_first_case("It is.", 0), _toggle_first_case("2 dogs", 0)
    ('it is.', '2 Dogs')
    """
    first = re.search(r"[^\W\d_]", text)
    if first is None or text[first.end() : first.end() + 1].isupper():
        return _double_space(text, lot)  # an acronym stays one
    return f"{text[: first.start()]}{first[0].swapcase()}{text[first.end() :]}"


WAYS = (_double_space, toggle_full_stop, _toggle_first_case)


def reorder_sentences(text: str, rng: np.random.Generator) -> str:
    """The sentences in another order; a single one stays.

    >>> reorder_sentences("One is. Two is.", np.random.default_rng(0))
    'Two is. One is.'
    """
    parts = BETWEEN.split(text.strip())
    order = rng.permutation(len(parts)).tolist()
    if len(parts) < 2:
        return text
    if order == sorted(order):  # as it was: no change
        order.reverse()
    return " ".join(parts[position] for position in order)
