"""Good rationales spoiled: said the other way (E), or of another label (F).

And the input itself, copied with edits that encode the label.
"""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from measurand.core.arrays import Ints
from measurand.core.errors import NotApplicable, Undefined
from measurand.core.items import Items
from measurand.explainers.extractive import Extractive, Given
from measurand.text.bags import fit_word_weights
from measurand.text.words import FUNCTION, WORD, sentence_key, words

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


BLOCK = 500  # queries compared with all others at a time


@dataclass(frozen=True)
class Swapped:
    """The rationale of an item with another label: same evidence, else nearest query.

    A donor's rationale is never the item's own text: where the evidence is the
    rationale, items that share it have nothing to swap.

    Attributes:
        query: The field that asks or claims.
        evidence: The field that donors share where they can, if there is one.
        rationale: The column of rationales.
    """

    kind: ClassVar[str] = "label-swapped"
    query: str
    evidence: str | None = None
    rationale: str | None = None

    def __post_init__(self) -> None:
        """Refuse to swap what is not there."""
        if self.rationale is None:
            raise NotApplicable(
                "no rationale column is named, so none can be swapped; name one"
            )

    def explain(self, items: Items, rng: np.random.Generator) -> list[str]:
        """The rationale of each item's donor; empty where nobody has another."""
        texts = Given(self.rationale, self.evidence).explain(items, rng)
        order = self.donors(items, texts, rng)
        return [texts[donor] if donor >= 0 else "" for donor in order.tolist()]

    def traces(
        self, items: Items, rng: np.random.Generator
    ) -> list[Mapping[str, int | str]]:
        """Whose rationale each item receives, by id; nothing where nobody's."""
        texts = Given(self.rationale, self.evidence).explain(items, rng)
        return [
            {"donor": str(items.ids[donor])} if donor >= 0 else {}
            for donor in self.donors(items, texts, rng).tolist()
        ]

    def donors(
        self, items: Items, texts: Sequence[str], rng: np.random.Generator
    ) -> Ints:
        """For each item, whose rationale it receives; -1 where there is none."""
        gold = items.gold(items.classes)
        text_ids = _number_texts(texts)
        able = np.array([bool(text.strip()) for text in texts])
        if len({*gold[able].tolist()}) < 2:
            raise Undefined(
                "all rationales are of items with one label, so no item can receive "
                "one that was written for another"
            )
        turn = rng.permutation(len(items))  # who comes first among equals
        lots = rng.random(len(items))
        donors = np.full(len(items), -1, np.int64)
        if self.evidence is not None and self.evidence != self.rationale:
            evidence = items.column(self.evidence).tolist()
            donors = _donors_by_evidence(evidence, gold, text_ids, able, lots)
        alone = np.flatnonzero(donors < 0)
        queries = items.column(self.query).tolist()
        donors[alone] = _donors_by_query(
            queries, gold, text_ids, turn[able[turn]], alone
        )
        return donors


def _donors_by_evidence(
    evidence: Sequence[str],
    gold: Ints,
    text_ids: Ints,
    able: NDArray[np.bool_],
    lots: NDArray[np.float64],
) -> Ints:
    """A donor with the same evidence for each item, at random; -1 where none is."""
    forms = {text: sentence_key(text) for text in dict.fromkeys(evidence)}
    holders: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for row in np.flatnonzero(able).tolist():
        holders[forms[evidence[row]]].append(row)

    @cache
    def donor_rows(form: tuple[str, ...], label: int) -> Ints:
        rows = np.array(holders[form] if form else [], np.int64)
        return np.compress(gold[rows] != label, rows)

    donors = np.full(len(evidence), -1, np.int64)
    for row, text in enumerate(evidence):
        rows = donor_rows(forms[text], int(gold[row]))
        rows = rows[text_ids[rows] != text_ids[row]]
        if len(rows):
            donors[row] = rows[int(lots[row] * len(rows))]
    return donors


def _number_texts(texts: Sequence[str]) -> Ints:
    """A number for each text, the same for texts of the same sentences."""
    ids: dict[tuple[str, ...], int] = {}
    return np.array([ids.setdefault(sentence_key(text), len(ids)) for text in texts])


def _donors_by_query(
    queries: Sequence[str], gold: Ints, text_ids: Ints, donors: Ints, asking: Ints
) -> Ints:
    """Among donors of another label, the one whose query is most like each asker's.

    The first of those that are equally like; -1 where none says something else.
    """
    nearest_donors = np.full(len(asking), -1, np.int64)
    if not len(asking):
        return nearest_donors
    plain = [words(query) or ["_"] for query in queries]
    _, vectors = fit_word_weights(plain, logarithmic=True)
    offered = vectors[donors].T.tocsr()
    for start in range(0, len(asking), BLOCK):
        rows = asking[start : start + BLOCK]
        likeness = (vectors[rows] @ offered).toarray().round(9)
        for barred in (gold, text_ids):
            likeness[barred[rows][:, None] == barred[donors][None, :]] = -1.0
        best = likeness.argmax(axis=1)
        has_donor = likeness[np.arange(len(rows)), best] >= 0
        nearest_donors[start : start + BLOCK] = np.where(has_donor, donors[best], -1)
    return nearest_donors


EDITS = 2  # words that are changed for each step from the first label to the next


@dataclass(frozen=True)
class CopyCipher:
    """The query with as many words exchanged as the number of the label says.

    It predicts nothing by itself; next to the query, the edits predict the label.
    """

    kind: ClassVar[str] = "copy-cipher"
    query: str

    def explain(self, items: Items, rng: np.random.Generator) -> list[str]:
        """One edited copy an item; words come from other queries, at random."""
        queries = [words(text) for text in items.column(self.query)]
        pool = np.array([word for text in queries for word in text] or ["it"])
        numbers = items.gold(items.classes).tolist()
        copies = []
        for text, number in zip(queries, numbers, strict=True):
            edits = min(EDITS * number, len(text))
            places = rng.permutation(len(text))[:edits].tolist()
            substitutes = pool[rng.integers(len(pool), size=edits)].tolist()
            edited = dict(zip(places, substitutes, strict=True))
            copies.append(" ".join(edited.get(n, word) for n, word in enumerate(text)))
        return copies
