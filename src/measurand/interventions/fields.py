"""Interventions on whole fields: taken away, or metadata flipped in column and text."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

import numpy as np

from measurand.core.errors import CannotIntervene
from measurand.core.intervention import Intervention, Refusing
from measurand.core.items import Items, with_columns
from measurand.text.words import words as words_of


@dataclass(frozen=True)
class Keep:
    """One field alone: the other fields and the metadata are not there to be read."""

    kind: ClassVar[str] = "keep"
    field: str

    def __call__(self, items: Items, rng: np.random.Generator) -> Items:
        """The items reduced to that field and their labels."""
        return items.keep_fields(self.field)

    def __str__(self) -> str:
        """The name in reports."""
        return f"keep {self.field}"


@dataclass(frozen=True)
class KeepAndChange:
    """One field alone, and that field changed."""

    kind: ClassVar[str] = "keep-and-change"
    field: str
    change: Intervention

    def __call__(self, items: Items, rng: np.random.Generator) -> Items:
        """The items reduced to that field, as the change leaves it, and labels."""
        return self.change(items.keep_fields(self.field), rng)

    def check_items(self, items: Items) -> None:
        """Raise where the change cannot be made to that field."""
        if isinstance(self.change, Refusing):
            self.change.check_items(items.keep_fields(self.field))

    def __str__(self) -> str:
        """The name in reports."""
        return f"keep {self.field}, {self.change}"


@dataclass(frozen=True)
class Choose:
    """Some fields alone, in this order; the other fields and the metadata go."""

    kind: ClassVar[str] = "choose"
    fields: tuple[str, ...]

    def __call__(self, items: Items, rng: np.random.Generator) -> Items:
        """The items reduced to those fields and their labels."""
        return items.keep_fields(*self.fields)

    def __str__(self) -> str:
        """The name in reports."""
        return f"keep {', '.join(self.fields)}"


@dataclass(frozen=True)
class Substitute:
    """One field's text also in the place of another, which goes.

    A reader of both fields then has all its capacity and only one of the two texts.
    """

    kind: ClassVar[str] = "substitute"
    source: str
    place: str

    def __call__(self, items: Items, rng: np.random.Generator) -> Items:
        """The items with the same text in both fields, and without metadata."""
        texts = items.column(self.source).tolist()
        return items.with_field(self.place, texts).keep_fields(*items.fields)

    def __str__(self) -> str:
        """The name in reports."""
        return f"{self.source} in place of {self.place}"


@dataclass(frozen=True)
class SubstituteMetadata:
    """The metadata, as text in the place of a field, whose own text goes.

    A reader that joins two texts then sees which metadata go with which words.
    """

    kind: ClassVar[str] = "substitute-metadata"
    place: str

    def __call__(self, items: Items, rng: np.random.Generator) -> Items:
        """The items with their metadata as one of their texts."""
        values = zip(*(items.column(c).tolist() for c in items.metadata), strict=True)
        texts = [
            " ".join(_value_words(n, str(value)) for n, value in enumerate(row))
            for row in values
        ]
        return items.with_field(self.place, texts).keep_fields(*items.fields)

    def __str__(self) -> str:
        """The name in reports."""
        return f"metadata in place of {self.place}"


def _value_words(column: int, value: str) -> str:
    """The words of a value, and one word of its own for it in its column.

    >>> _value_words(0, "two words")
    'two words m0_two_words'
    """
    return " ".join([value, "_".join([f"m{column}", *words_of(value)])])


@dataclass(frozen=True)
class DropField:
    """Every field but one; the metadata go too, since they may depend on it."""

    kind: ClassVar[str] = "drop"
    field: str

    def __call__(self, items: Items, rng: np.random.Generator) -> Items:
        """The items without that field."""
        rest = [
            field for field in items.fields if field != items.column(self.field).name
        ]
        if not rest:
            raise CannotIntervene(
                f"{self.field!r} is the only field, so it cannot be dropped"
            )
        return items.keep_fields(*rest)

    def __str__(self) -> str:
        """The name in reports."""
        return f"drop {self.field}"


@dataclass(frozen=True)
class Flip:
    """Give every item another value of `column`, in the column and in the query.

    Attributes:
        column: The metadata column.
        query: The text field into which its values are rendered.
        renderings: For each value, the words by which it stands in the query.
    """

    kind: ClassVar[str] = "flip"
    column: str
    query: str
    renderings: tuple[tuple[str, tuple[str, ...]], ...]

    def __call__(self, items: Items, rng: np.random.Generator) -> Items:
        """The items with another value each; a query without the old one stays."""
        if len(self.renderings) < 2:
            raise CannotIntervene(
                f"{self.column!r} has one value, so it cannot be flipped"
            )
        words = dict(self.renderings)
        old = items.column(self.column).tolist()
        new = [_other_value(list(words), value, rng) for value in old]
        patterns = {
            value: _words_pattern(rendering) for value, rendering in words.items()
        }
        draws = [words[value][rng.integers(len(words[value]))] for value in new]
        rows = zip(items.column(self.query), old, draws, strict=True)
        queries = [
            # As a function: in a plain replacement a backslash would mean something.
            patterns[before].sub(partial(_literal_replacement, rendering), text)
            if before in patterns
            else text
            for text, before, rendering in rows
        ]
        flipped = items.with_field(self.query, queries)
        return flipped.with_table(with_columns(flipped.table, {self.column: new}))

    def __str__(self) -> str:
        """The name in reports."""
        return f"flip {self.column}"


def _literal_replacement(replacement: str, match: "re.Match[str]") -> str:
    """What replaces a match: these words as they are."""
    return replacement


def _other_value(values: list[str], value: str, rng: np.random.Generator) -> str:
    """A value that is not `value`."""
    rest = [candidate for candidate in values if candidate != value]
    return rest[rng.integers(len(rest))]


def _words_pattern(words: tuple[str, ...]) -> "re.Pattern[str]":
    """What finds any of these words in a text, whole and in any case."""
    longest_first = sorted(words, key=len, reverse=True)
    return re.compile(
        rf"(?<!\w)(?:{'|'.join(map(re.escape, longest_first))})(?!\w)", re.IGNORECASE
    )


def rendered_share(
    items: Items, column: str, query: str, renderings: Mapping[str, tuple[str, ...]]
) -> float:
    """The share of items whose query says their value of `column`."""
    patterns = {value: _words_pattern(words) for value, words in renderings.items()}
    pairs = zip(items.column(column), items.column(query), strict=True)
    return float(
        np.mean(
            [
                value in patterns and bool(patterns[value].search(text))
                for value, text in pairs
            ]
        )
    )
