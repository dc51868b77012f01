"""Items: what a reader is asked about."""

import hashlib
import json
import string
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from measurand.core.errors import NoField
from measurand.core.names import check_columns
from measurand.text.words import words

LETTERS = string.ascii_uppercase  # what the choices of an item are called, in order
CHUNK = 10_000  # rows fingerprinted at a time, to hold no second copy of the table


@dataclass(frozen=True, eq=False)
class Items:
    """An ordered table of items; the index is the item id.

    Attributes:
        table: One row per item: the text fields, the label, metadata and the group.
        fields: The text columns, in the order in which a reader reads them.
        label: The column that holds the gold label.
        metadata: The columns that say what kind of item each is.
        group: The column of the cluster each item belongs to, if there is one.
        choices: The text field that holds the choices of each item, if it has any: its
            cells are JSON lists of texts, and the label is the letter of the right one.
        contest: Where each item is one choice, the column of what it is a choice of: of
            the items with one value exactly one is right.
        answers: The column of the free answers that each item accepts, as JSON lists,
            where its choices are its first answer among those of other items.
        subject: The column of what each item is about, if there is one.
        document: The column of the document that each item's evidence is from, if any.
    """

    table: pd.DataFrame
    fields: tuple[str, ...]
    label: str = "label"
    metadata: tuple[str, ...] = ()
    group: str | None = None
    choices: str | None = None
    contest: str | None = None
    answers: str | None = None
    subject: str | None = None
    document: str | None = None

    def __post_init__(self) -> None:
        """Refuse names that only columns of reports may have."""
        check_columns(self.role_columns)

    @property
    def role_columns(self) -> tuple[str, ...]:
        """Every column that plays a part."""
        named = (self.group, self.subject, self.document)
        others = tuple(column for column in named if column is not None)
        return (*self.fields, self.label, *self.metadata, *others)

    def __len__(self) -> int:
        """How many items there are."""
        return len(self.table)

    @property
    def ids(self) -> "pd.Index[str]":
        """The item ids, in order."""
        return self.table.index

    @property
    def labels(self) -> "pd.Series[str]":
        """The gold label of each item."""
        return self.column(self.label)

    @cached_property
    def classes(self) -> tuple[str, ...]:
        """The labels that occur, sorted; of choices, every letter that one has."""
        if self.choices is not None:
            return tuple(LETTERS[: int(self.choice_counts.max(initial=1))])
        return tuple(sorted(self.labels.unique()))

    @cached_property
    def choice_texts(self) -> list[list[str]]:
        """The choices of each item, in order."""
        return [json.loads(cell) for cell in self.column(str(self.choices))]

    @cached_property
    def choice_counts(self) -> NDArray[np.int64]:
        """How many choices each item has."""
        return np.array([len(texts) for texts in self.choice_texts], np.int64)

    @cached_property
    def accepted_answers(self) -> list[list[str]]:
        """The free answers that each item accepts."""
        return [json.loads(cell) for cell in self.column(str(self.answers))]

    def column(self, name: str) -> "pd.Series[str]":
        """One column; a wrong name is an error that lists the right ones."""
        if name not in self.table.columns:
            raise NoField(name, [str(column) for column in self.table.columns])
        return self.table[name]

    def with_field(self, field: str, values: Sequence[str]) -> "Items":
        """A copy in which the text field `field` (new or old) holds `values`."""
        fields = self.fields if field in self.fields else (*self.fields, field)
        table = self.table.copy(deep=False)  # no column of items is ever written to
        table[field] = list(values)
        return self.with_table(table, fields=fields)

    def change_texts(self, field: str, change: Callable[[str], str]) -> "Items":
        """A copy with every text of the field changed; of choices, each by itself."""
        if field != self.choices:
            # pandas gives texts one at a time slowly, and all of them at once fast.
            texts = self.column(field).tolist()
            return self.with_field(field, [change(text) for text in texts])
        rows = [[change(text) for text in texts] for texts in self.choice_texts]
        return self.with_field(field, [pack_choices(texts) for texts in rows])

    def keep_fields(self, *fields: str) -> "Items":
        """A copy that holds these text fields and the labels, and nothing else.

        The choices stay, named or not: without them nobody could choose.
        """
        if self.choices is not None and self.choices not in fields:
            fields = (*fields, self.choices)
        columns = [*(self.column(field).name for field in fields), self.label]
        # Where all that is kept is all there is, pandas need not look for it.
        alike = self.table.columns.tolist() == columns
        table = self.table if alike else self.table[columns]
        return Items(table, tuple(fields), self.label, choices=self.choices)

    def rows(self, chosen: NDArray[np.bool_] | NDArray[np.int64]) -> "Items":
        """The items at `chosen`: a mask or positions."""
        positions = np.flatnonzero(chosen) if chosen.dtype == bool else chosen
        return self.with_table(self.table.iloc[positions.astype(np.int64)])

    def gold(self, classes: tuple[str, ...]) -> NDArray[np.int64]:
        """The position in `classes` of each item's label."""
        numbers = self.numbers
        if classes == self.classes:
            return numbers.copy()
        return pd.Index(classes).get_indexer(pd.Index(self.classes))[numbers]

    @cached_property
    def numbers(self) -> NDArray[np.int64]:
        """The position of each item's label among its own classes, found once."""
        positions = pd.Index(self.classes).get_indexer(pd.Index(self.labels))
        return positions.astype(np.int64)

    def with_table(
        self, table: pd.DataFrame, *, fields: tuple[str, ...] | None = None
    ) -> "Items":
        """A copy with another table and the same roles."""
        return replace(self, table=table, fields=fields or self.fields)

    @cached_property
    def vocabulary(self) -> frozenset[str]:
        """Every word of every text: an audit makes up words that are none of these."""
        columns = [self.column(field).unique() for field in self.fields]
        texts = [text for column in columns for text in column.tolist()]
        return frozenset(word for text in texts for word in words(text))

    @cached_property
    def digest(self) -> str:
        """A fingerprint of every cell, id and role: part of every store key."""
        roles: tuple[object, ...] = (self.fields, self.label, self.metadata, self.group)
        roles += () if self.choices is None else (self.choices,)
        if self.subject is not None or self.document is not None:
            roles += (("subject", self.subject), ("document", self.document))
        fingerprint = hashlib.sha256(repr((roles, list(self.table.columns))).encode())
        for start in range(0, len(self), CHUNK):
            rows = self.table.iloc[start : start + CHUNK]
            cells = [rows.index.tolist(), *(rows[n].tolist() for n in rows.columns)]
            fingerprint.update(repr(cells).encode("utf-8", "backslashreplace"))
        return fingerprint.hexdigest()


def with_columns(table: pd.DataFrame, columns: Mapping[str, Any]) -> pd.DataFrame:
    """A copy of the table in which these columns, new or old, hold these values.

    `DataFrame.assign` takes names as keywords, and so none that is called `self`.
    """
    copy = table.copy()
    for name, values in columns.items():
        copy[name] = values
    return copy


def pack_choices(texts: Sequence[str]) -> str:
    """The choices of one item as the cell that holds them.

    >>> pack_choices(["a boat", "a mast"])
    '["a boat", "a mast"]'
    """
    return json.dumps(list(texts), ensure_ascii=False)
