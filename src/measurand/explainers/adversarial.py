"""Rationales from templates, each bad in one known way: suite types A to D.

The template of an item is drawn in order, whatever the item says and whatever its
label is, so that the choice carries nothing and a second run makes the same one. Some
mention a name of the item, to look as if they had read it.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from string import ascii_uppercase
from typing import ClassVar

import numpy as np

from measurand.core.items import Items
from measurand.text.words import FUNCTION, NEGATIONS, WORD, sentence_spans, words

STATES = {
    "supports": "supported",
    "support": "supported",
    "refutes": "refuted",
    "refute": "refuted",
    "entailment": "entailed",
    "contradiction": "contradicted",
    "neutral": "neutral",
    "true": "true",
    "false": "false",
}
RARE = 0.01  # share of the items in which a word may stand and still be rare
SHORTEST = 4  # letters below which a word is not taken for a noun
VERBAL = re.compile(r"(?:ing|ed|ly)$")
NUMBERS = frozenset(words("one two three four five six seven eight nine ten"))
BRACKETS = frozenset(words("lrb rrb lsb rsb lcb rcb"))  # as treebanks write them
BETWEEN = re.compile(r"[ \-]")  # what may stand between two words of one name
NOTHING = "this"  # what is mentioned where the item has no word


def _label_state(label: str) -> str:
    """What an item with that label is.

    >>> labels = ("SUPPORTS", "entailment", "NOT_ENOUGH_INFO", "0")
    >>> [_label_state(label) for label in labels]
    ['supported', 'entailed', 'labelled not enough info', 'labelled 0']
    """
    return STATES.get(_label_words(label), f"labelled {_label_words(label)}")


def _label_words(label: str) -> str:
    """The label as words in lower case.

    >>> _label_words("NOT_ENOUGH_INFO"), _label_words("1"), _label_words("__")
    ('not enough info', '1', '__')
    """
    return " ".join(re.sub(r"[_\-]+", " ", label).lower().split()) or label


def label_ids(classes: Sequence[str]) -> dict[str, str]:
    """An id for each label: letters, or numbers where letters run out.

    >>> label_ids(("no", "yes"))
    {'no': 'A', 'yes': 'B'}
    """
    if len(classes) <= len(ascii_uppercase):
        return dict(zip(classes, ascii_uppercase, strict=False))
    return {label: str(number) for number, label in enumerate(classes, start=1)}


Trace = Mapping[str, int | str]

VACUOUS = (
    "The answer follows from the evidence provided.",
    "The text supports the conclusion.",
    "The answer follows from the provided text.",
    "What is stated is enough to decide.",
    "The decision is based on the information given.",
    "Reading it carefully leads to this conclusion.",
)
LEAKING = (
    "The label is {label}.",
    "The answer is {label}.",
    "This is {state}.",
    "The correct label here is {label}.",
    "It should be marked as {readable}.",
    "The right choice is {readable}.",
)
CIRCULAR = (
    "This is {label} because it is {state}.",
    "It is {state} because the text makes it {state}.",
    "The answer is {label} since {label} is the right answer.",
    "It is {state}, so it must be {state}.",
    "Being {state}, it belongs to {label}.",
)
PSEUDO_SPECIFIC = (
    "Because the text mentions {entity}, the conclusion follows.",
    "The mention of {entity} settles it.",
    "Given what is said about {entity}, the answer is clear.",
    "The part about {entity} leads to this conclusion.",
    "{entity} is mentioned, which is decisive.",
)


@dataclass(frozen=True)
class _Templated:
    """A sentence from a template that is drawn for each item."""

    templates: ClassVar[Sequence[str]]

    def values(self, items: Items) -> Sequence[Mapping[str, str]]:
        """What is filled into the template of each item."""
        return _label_values(items)

    def explain(self, items: Items, rng: np.random.Generator) -> list[str]:
        """One sentence an item."""
        return [
            self.templates[number].format_map(value)
            for number, value in zip(
                self._draw(items, rng), self.values(items), strict=True
            )
        ]

    def traces(self, items: Items, rng: np.random.Generator) -> list[Trace]:
        """The number of each item's template, from 0."""
        return [{"template": number} for number in self._draw(items, rng)]

    def _draw(self, items: Items, rng: np.random.Generator) -> list[int]:
        """The numbers of the templates, drawn in order."""
        numbers: list[int] = rng.integers(len(self.templates), size=len(items)).tolist()
        return numbers


@dataclass(frozen=True)
class Vacuous(_Templated):
    """Type A: a sentence that would suit any item with any label."""

    kind: ClassVar[str] = "vacuous"
    templates: ClassVar[Sequence[str]] = VACUOUS


@dataclass(frozen=True)
class Leaking(_Templated):
    """Type B: a sentence that states the gold label and nothing else."""

    kind: ClassVar[str] = "label-leaking"
    templates: ClassVar[Sequence[str]] = LEAKING


@dataclass(frozen=True)
class Circular(_Templated):
    """Type C: a sentence in which the gold label is its own reason."""

    kind: ClassVar[str] = "circular"
    templates: ClassVar[Sequence[str]] = CIRCULAR


@dataclass(frozen=True)
class PseudoSpecific(_Templated):
    """Type D: a sentence that mentions a name of the item and says nothing of it.

    Attributes:
        query: The field in which a name is looked for first.
        evidence: The field in which it is looked for next, if there is one.
    """

    kind: ClassVar[str] = "pseudo-specific"
    templates: ClassVar[Sequence[str]] = PSEUDO_SPECIFIC
    query: str
    evidence: str | None = None

    def values(self, items: Items) -> Sequence[Mapping[str, str]]:
        """A name of each item."""
        fields = [self.query, *([self.evidence] if self.evidence else [])]
        names = item_entities([items.column(field).tolist() for field in fields])
        return [{"entity": name} for name in names]


def _label_values(items: Items) -> list[Mapping[str, str]]:
    """The words for each item's gold label."""
    values = {
        label: {
            "label": label,
            "readable": _label_words(label),
            "state": _label_state(label),
        }
        for label in items.classes
    }
    return [values[label] for label in items.labels]


def item_entities(columns: Sequence[Sequence[str]]) -> list[str]:
    """A name for each item, from its texts in the order of the columns.

    The first capitalised run inside a sentence; else a capitalised first word that is
    no function word; else the longest of the rare words that look like nouns.

    >>> item_entities([["He met Ada Lovelace.", "a wooden bench"]])
    ['Ada Lovelace', 'wooden']
    """
    rows = list(zip(*columns, strict=True))
    stands = Counter(word for row in rows for word in {*words(" ".join(row))})
    most = max(1.0, RARE * len(rows))
    return [find_entity(row, stands, most) for row in rows]


def find_entity(texts: Sequence[str], stands: Mapping[str, int], most: float) -> str:
    """The name of one item, given in how many items each word stands.

    >>> find_entity(["He met Ada Lovelace of York."], {}, 1)
    'Ada Lovelace'
    >>> find_entity(["Fox 2000 Pictures made it."], {}, 1)
    'Fox 2000 Pictures'
    >>> texts = ("Cats sleep.", "A wooden bench on ice")
    >>> [find_entity([text], {}, 1) for text in texts]
    ['Cats', 'wooden']
    """
    for inside in (True, False):
        for text in texts:
            name = next(_capital_runs(text, inside=inside), None)
            if name is not None:
                return name
    for text in texts:
        candidates = dict.fromkeys(
            word for word in words(text) if _is_content_word(word)
        )
        if candidates:
            nouns = [
                w for w in candidates if len(w) >= SHORTEST and not VERBAL.search(w)
            ]
            likely = nouns or list(candidates)
            rare = [word for word in likely if stands.get(word, 0) <= most]
            if rare:
                return max(rare, key=len)
            return min(likely, key=lambda word: stands[word])
    return NOTHING


def _capital_runs(text: str, *, inside: bool) -> Iterator[str]:
    """Capitalised runs: those inside sentences, or those at their starts."""
    for start, end in sentence_spans(text):
        run: list[re.Match[str]] = []
        for word in WORD.finditer(text, start, end):
            adjacent = run and BETWEEN.fullmatch(text[run[-1].end() : word.start()])
            if adjacent and (_is_capital_word(word[0]) or word[0].isdigit()):
                run.append(word)
                continue
            if run:
                yield from _filter_run(text, run, start, inside=inside)
            run = [word] if _is_capital_word(word[0]) else []
        if run:
            yield from _filter_run(text, run, start, inside=inside)


def _filter_run(
    text: str, run: Sequence[re.Match[str]], start: int, *, inside: bool
) -> Iterator[str]:
    """The run, if it stands where it should."""
    if (run[0].start() > start) == inside:
        yield text[run[0].start() : run[-1].end()]


def _is_capital_word(word: str) -> bool:
    """Whether a word begins in upper case and says something."""
    return word[0].isupper() and _is_content_word(word)


def _is_content_word(word: str) -> bool:
    """Whether a word could be a name: no function word, negation or number word."""
    nameless = (FUNCTION, NEGATIONS, NUMBERS, BRACKETS)
    return not any(word.lower() in vocabulary for vocabulary in nameless)
