"""Another item's text: never the same text, in degrees of hardness."""

from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

import numpy as np
import pandas as pd
from scipy.sparse import csr_array

from measurand.core.arrays import Ints
from measurand.core.errors import BadOption, CannotIntervene
from measurand.core.items import Items
from measurand.text.bags import fit_word_weights
from measurand.text.words import words

KINDS = ("plain", "within-label", "within-length", "nearest")
# Inside items that share a value in a column, which not all benchmarks have.
WITHIN = ("within-subject", "within-document")
LENGTH_BUCKETS = 5
CANDIDATES = 50  # other texts, drawn at random, of which an item receives the nearest


def check_variant(variant: str) -> None:
    """Raise where no shuffle has this name."""
    kinds = (*KINDS, *WITHIN)
    if variant not in kinds:
        raise BadOption(f"no shuffle called {variant!r}; try {', '.join(kinds)}")


@dataclass(frozen=True)
class Shuffle:
    """Give every item another item's `field`, never the same text.

    Attributes:
        field: The field that is shuffled.
        variant: "plain"; "within-label" and "within-length" shuffle inside items of one
            label or of like length, "within-subject" and "within-document" inside
            those that name the same; "nearest" gives the most similar of fifty others.
    """

    kind: ClassVar[str] = "shuffle"
    field: str
    variant: str = "plain"

    def __post_init__(self) -> None:
        """Refuse a variant that does not exist."""
        check_variant(self.variant)

    def __call__(self, items: Items, rng: np.random.Generator) -> Items:
        """The items with `field` rearranged so that no item reads its own text."""
        texts = items.column(self.field).to_numpy(object)
        return items.with_field(self.field, texts[self.order(items, rng)].tolist())

    def __str__(self) -> str:
        """The name in reports."""
        return self.variant

    def order(self, items: Items, rng: np.random.Generator) -> Ints:
        """For each item, the position of the item whose `field` it receives.

        Of a subject or a document too few of whose texts differ, items keep their own.
        """
        column = _HashedColumn(items, self.field)
        texts = _text_numbers(column)
        if self.variant == "nearest":
            return _nearest_donors(column, texts, rng)
        order = np.empty(len(items), np.int64)
        for rows in self._strata(items):
            if self.variant in WITHIN and not _can_derange(texts[rows]):
                order[rows] = rows
            else:
                order[rows] = rows[_derangement(texts[rows], rng)]
        return order

    def check(self, items: Items) -> None:
        """Raise where not every item can receive another text."""
        blank = int((items.column(self.field).str.strip() == "").sum())
        if 2 * blank > len(items):
            raise CannotIntervene(
                f"{blank} of {len(items)} items have no {self.field}, so not every one "
                "can receive another; fill or remove these"
            )
        texts = _text_numbers(_HashedColumn(items, self.field))
        if self.variant == "nearest":
            _check_different(int(texts.max()) + 1)
            return
        for rows in self._strata(items):
            _check_derangement(texts[rows])

    def _strata(self, items: Items) -> list[Ints]:
        """The positions of the items that give texts to each other."""
        if self.variant == "plain":
            return [np.arange(len(items))]
        if self.variant in WITHIN:
            column = items.column(_shared_column(items, self.variant))
            return [rows.astype(np.int64) for rows in _rows_by_value(column)]
        strata = (
            items.labels
            if self.variant == "within-label"
            else _length_buckets(items, self.field)
        )
        return [np.flatnonzero(strata == stratum) for stratum in np.unique(strata)]


def _shared_column(items: Items, variant: str) -> str:
    """The column whose values say which items give texts to each other."""
    part = variant.removeprefix("within-")
    column = items.subject if part == "subject" else items.document
    if column is None:
        raise CannotIntervene(
            f"no column names the {part} of each item, so that a {variant} shuffle "
            f"has nothing to go by; name it with `{part}`"
        )
    return column


def _rows_by_value(column: "pd.Series[str]") -> list[Ints]:
    """The positions of the items with each value, in one pass over them."""
    numbers = pd.factorize(column)[0]
    order = np.argsort(numbers, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(numbers[order])) + 1)


def _derangement(texts: Ints, rng: np.random.Generator) -> Ints:
    """A random order in which no position receives a text equal to its own.

    >>> texts = np.array([0, 0, 1, 1, 2])
    >>> bool((texts[_derangement(texts, np.random.default_rng(0))] != texts).all())
    True
    """
    _check_derangement(texts)
    order = rng.permutation(len(texts))
    for i in np.flatnonzero(texts[order] == texts).tolist():
        if texts[order[i]] == texts[i] and not _try_swap(order, i, texts, rng):
            return _rotate_texts(texts, int(np.bincount(texts).max()), rng)
    return order


def _can_derange(texts: Ints) -> bool:
    """Whether no more than half of the positions hold one text."""
    return 2 * int(np.unique(texts, return_counts=True)[1].max()) <= len(texts)


def _check_derangement(texts: Ints) -> None:
    """Raise where more than half of the positions hold one text."""
    if not _can_derange(texts):
        largest = int(np.bincount(texts).max())
        raise CannotIntervene(
            f"{largest} of {len(texts)} items share one text, so not every item can "
            "receive another one; drop repeated texts"
        )


def _check_different(count: int) -> None:
    """Raise where so many different texts leave none to receive."""
    if count < 2:
        raise CannotIntervene(
            "all items share one text, so none can receive another; give items other "
            "texts"
        )


def _try_swap(order: Ints, i: int, texts: Ints, rng: np.random.Generator) -> bool:
    """Whether position `i` could trade with another so that both read other texts."""
    # A few at random nearly always serve; all of them only where those did not.
    few = rng.integers(len(texts), size=16)
    return _swap_with_first(order, i, texts, few) or _swap_with_first(
        order, i, texts, rng.permutation(len(texts))
    )


def _swap_with_first(order: Ints, i: int, texts: Ints, positions: Ints) -> bool:
    """Whether position `i` traded with the first of `positions` that fits."""
    fits = (texts[order[positions]] != texts[i]) & (texts[order[i]] != texts[positions])
    if fits.any():
        j = positions[fits.argmax()]
        order[i], order[j] = order[j], order[i]
    return bool(fits.any())


def _rotate_texts(texts: Ints, largest: int, rng: np.random.Generator) -> Ints:
    """A derangement that always exists: equal texts together, moved past each other."""
    mixed = rng.permutation(len(texts))
    row = mixed[np.argsort(texts[mixed], kind="stable")]
    order = np.empty_like(row)
    order[row] = np.roll(row, -largest)
    return order


def _length_buckets(items: Items, field: str) -> Ints:
    """The length bucket of each item's text, of about equal sizes."""
    counts = items.column(field).map(lambda text: len(words(text)))
    ranks = counts.rank(method="average", pct=True)
    return np.minimum((ranks * LENGTH_BUCKETS).to_numpy(int), LENGTH_BUCKETS - 1)


class _HashedColumn:
    """A text column that is hashed by the items' digest, so that work on it is kept."""

    def __init__(self, items: Items, field: str) -> None:
        self.texts = items.column(field)
        self.key = (items.digest, field)

    def __hash__(self) -> int:
        return hash(self.key)

    def __eq__(self, value: object) -> bool:
        return isinstance(value, _HashedColumn) and self.key == value.key


@lru_cache(maxsize=4)
def _text_numbers(column: _HashedColumn) -> Ints:
    """A number for each text, the same for equal texts."""
    return pd.factorize(column.texts)[0].astype(np.int64)


def _nearest_donors(
    column: _HashedColumn, texts: Ints, rng: np.random.Generator
) -> Ints:
    """For each item, an item that holds the text nearest to its own of a few others.

    The few are drawn again each time: the nearest of all would be the nearer, the more
    items there are, so that no two benchmarks could be compared.
    """
    vectors = _text_vectors(column)
    count = vectors.shape[0]
    nearest = np.empty(count, np.int64)
    blocks = max(1, count // (CANDIDATES + 1))
    for block in np.array_split(rng.permutation(count), blocks):
        likeness = (vectors[block] @ vectors[block].T).toarray()
        np.fill_diagonal(likeness, -1.0)  # never itself
        nearest[block] = block[likeness.argmax(axis=1)]
    mixed = rng.permutation(len(texts))
    holders = np.empty(count, np.int64)
    holders[texts[mixed]] = mixed  # any holder of a text serves: the last one drawn
    return holders[nearest[texts]]


@lru_cache(maxsize=2)
def _text_vectors(column: _HashedColumn) -> csr_array:
    """The words of each different text, weighted by how rare they are."""
    different = pd.unique(column.texts)
    _check_different(len(different))
    return fit_word_weights(map(words, different), logarithmic=True)[1]
