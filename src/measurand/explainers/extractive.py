"""Rationales that are there: in a column, or sentences of the evidence.

Spans in a column are a list, or its JSON, whose members are pairs of character offsets
into the evidence, objects with `start` and `end`, or objects with `text`, grouped or
not, as ERASER writes its evidences.

An item's candidates are the sentences of its own evidence and some of other items'.
They are distinguished by their words and kept in an order of their own, so that neither
the order of an evidence's sentences nor its spacing changes what is chosen.
"""

import json
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from scipy.sparse import csr_array

from measurand.core.arrays import Floats, Ints
from measurand.core.errors import BadInput, BadOption, NotApplicable, quote
from measurand.core.items import Items
from measurand.text.bags import WordWeights, fit_word_weights
from measurand.text.words import bare_words, split_sentences, words


@dataclass(frozen=True)
class Given:
    """The text of a column.

    Attributes:
        column: The column.
        evidence: The text field that offsets count in, if there is one.
    """

    kind: ClassVar[str] = "given"
    column: str | None
    evidence: str | None = None

    def __post_init__(self) -> None:
        """Refuse to explain from a column that nobody named."""
        if self.column is None:
            raise NotApplicable(
                "no rationale column is named; name one, or take another explainer"
            )

    def explain(self, items: Items, rng: np.random.Generator) -> list[str]:
        """The text of each cell; spans are joined by a space."""
        cells = items.column(str(self.column))
        gone = cells.isna()
        texts = [""] * len(items)
        if self.evidence is not None:
            texts = items.column(self.evidence).tolist()
        return [
            "" if absent else _cell_text(cell, text)
            for cell, absent, text in zip(cells, gone, texts, strict=True)
        ]


def _cell_text(cell: Any, evidence: str) -> str:
    """The text of one cell.

    >>> _cell_text("as it is", ""), _cell_text("[[0, 3], [8, 12]]", "One and more")
    ('as it is', 'One more')
    >>> _cell_text([[{"text": "a"}, {"text": "b"}], [{"start": 0, "end": 3}]], "One")
    'a b One'
    """
    spans = cell if not isinstance(cell, str) else _parse_spans(cell)
    if isinstance(spans, str):
        return spans
    return " ".join(
        part.strip() for part in _span_texts(spans, evidence) if part.strip()
    )


def _parse_spans(cell: str) -> Any:
    """The list of spans that a cell writes as JSON, else the cell itself."""
    if not cell.lstrip().startswith(("[[", "[{", '["', "[]")):
        return cell
    try:
        return json.loads(cell)
    except (ValueError, RecursionError):
        return cell  # a text that begins with brackets


def _span_texts(spans: Any, evidence: str) -> Iterator[str]:
    """The text of every span, in order."""
    match spans:
        case str():
            yield spans
        case {"text": str(text)}:
            yield text
        case {"start": int(start), "end": int(end)} | [int(start), int(end)]:
            if not 0 <= start <= end <= len(evidence):
                raise BadInput(
                    f"a rationale spans the letters {start} to {end} of an evidence of "
                    f"{len(evidence)}; name the evidence that its offsets count in"
                )
            yield evidence[start:end]
        case list() | tuple() | np.ndarray():
            for span in spans:
                yield from _span_texts(span, evidence)
        case _:
            raise BadInput(
                f"{quote(str(spans))} is no span of a rationale; allowed are [start, "
                "end], an object with start and end, and an object with text"
            )


HOWS = ("tfidf", "random")
BLOCK = 50_000  # candidates scored at a time


@dataclass(frozen=True)
class Extractive:
    """The sentences most like the query, or any, from the evidence and distractors.

    Attributes:
        query: The field that asks or claims.
        evidence: The field whose sentences may be chosen.
        how: "tfidf", or "random", which draws again where the query is another.
        sentences: How many are chosen.
        distractors: How many sentences of other items' evidence are added.
    """

    kind: ClassVar[str] = "extractive"
    query: str
    evidence: str | None
    how: str = "tfidf"
    sentences: int = 1
    distractors: int = 8

    def __post_init__(self) -> None:
        """Refuse what cannot be chosen, and to choose from nothing."""
        if self.evidence is None:
            raise NotApplicable(
                "no evidence column is named, so there are no sentences to choose "
                "from; name one, or take an explainer that needs none"
            )
        if self.how not in HOWS or self.sentences < 1 or self.distractors < 0:
            raise BadOption(
                f"{self.sentences} sentences by {self.how!r} among {self.distractors} "
                f"distractors; allowed are 1 or more, {' or '.join(HOWS)}, 0 or more"
            )

    def explain(self, items: Items, rng: np.random.Generator) -> list[str]:
        """The chosen sentences of each item, in an order that no query changes."""
        pool = SentencePool.of(items.column(str(self.evidence)).tolist())
        candidates = pool.candidates(self.distractors, rng)
        seed = int(rng.integers(2**31))
        queries = items.column(self.query).tolist()
        if self.how == "random":
            picked = [
                _draw_sentences(len(row), self.sentences, seed, query)
                for row, query in zip(candidates, queries, strict=True)
            ]
        else:
            scores = pool.scores(queries, candidates)
            # Stable, so that equal scores are distinguished by the order of the pool.
            picked = [
                np.argsort(-score, kind="stable")[: self.sentences] for score in scores
            ]
        return [
            " ".join(pool.texts[index] for index in np.sort(row[chosen]))
            for row, chosen in zip(candidates, picked, strict=True)
        ]


def _draw_sentences(many: int, chosen: int, seed: int, query: str) -> Ints:
    """Some of so many places, at random; another query draws another lot."""
    digest = zlib.crc32(query.encode("utf-8", "surrogatepass"))
    order = np.random.default_rng([seed, digest]).permutation(many)
    return order[:chosen].astype(np.int64)


@dataclass(frozen=True, eq=False)
class SentencePool:
    """All different sentences of all evidence, sorted by their words.

    Attributes:
        words: The bare words of each sentence, sorted.
        texts: Each as it first stands.
        item_sentences: For each item, the places of its own sentences, sorted.
    """

    words: tuple[str, ...]
    texts: tuple[str, ...]
    item_sentences: tuple[Ints, ...]

    @classmethod
    def of(cls, evidence: list[str]) -> "SentencePool":
        """The pool of these texts, one an item."""
        split = {text: split_sentences(text) for text in dict.fromkeys(evidence)}
        forms = {
            text: [bare_words(part) for part in pieces]
            for text, pieces in split.items()
        }
        first: dict[str, str] = {}
        for text, pieces in split.items():
            for form, part in zip(forms[text], pieces, strict=True):
                first.setdefault(form, part)
        order = sorted(first)
        positions = {form: number for number, form in enumerate(order)}
        indices = {
            text: np.array(sorted({positions[form] for form in pieces}), np.int64)
            for text, pieces in forms.items()
        }
        return cls(
            tuple(order),
            tuple(first[form] for form in order),
            tuple(indices[text] for text in evidence),
        )

    def candidates(self, distractors: int, rng: np.random.Generator) -> list[Ints]:
        """Each item's own sentences and those of drawn others, sorted and different.

        An item that is drawn gives one of its sentences, or none where it has none.
        """
        shape = (len(self.item_sentences), distractors)
        # Drawn as steps to another item, so that none is its own distractor.
        steps = rng.integers(1, max(len(self.item_sentences), 2), shape)
        donors = (np.arange(len(self.item_sentences))[:, None] + steps) % max(
            len(self.item_sentences), 1
        )
        turns = rng.random(shape)
        rows = []
        for indices, others, turn in zip(
            self.item_sentences, donors.tolist(), turns, strict=True
        ):
            lent = [
                self.item_sentences[donor][int(share * len(self.item_sentences[donor]))]
                for donor, share in zip(others, turn.tolist(), strict=True)
                if len(self.item_sentences[donor])
            ]
            rows.append(np.unique(np.array([*indices, *lent], np.int64)))
        return rows

    @cached_property
    def vectors(self) -> tuple[WordWeights, csr_array]:
        """The weights of words over the sentences, and each sentence weighed."""
        return fit_word_weights(map(str.split, self.words), logarithmic=True)

    def scores(self, queries: list[str], candidates: list[Ints]) -> list[Floats]:
        """How like each item's query each of its candidates is: cosines."""
        weights, sentence_vectors = self.vectors
        if not sentence_vectors.shape[1]:
            return [np.zeros(len(row)) for row in candidates]
        query_vectors = weights.weigh(map(words, queries))
        counts = [len(row) for row in candidates]
        rows = np.repeat(np.arange(len(counts)), counts)
        places = np.concatenate([*candidates, np.empty(0, np.int64)]).astype(np.int64)
        likeness = np.empty(len(rows))
        for start in range(0, len(rows), BLOCK):
            part = slice(start, start + BLOCK)
            products = query_vectors[rows[part]].multiply(
                sentence_vectors[places[part]]
            )
            likeness[part] = np.asarray(products.sum(axis=1)).ravel()
        # Rounded, since sums in another order must not decide between equals.
        return np.split(likeness.round(9), np.cumsum(counts))[:-1]
