"""Interventions and selections: other inputs, or other rows."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Protocol, runtime_checkable

import numpy as np

from measurand.core.errors import BadInput
from measurand.core.items import Items


class Intervention(Protocol):
    """A recipe: a frozen dataclass of settings whose `str` is its name."""

    def __call__(self, items: Items, rng: np.random.Generator) -> Items:
        """The items with other inputs; ids, order and labels stay."""


@runtime_checkable
class Refusing(Protocol):
    """An intervention that not all items allow, and that says so before it is made."""

    def check_items(self, items: Items) -> None:
        """Raise `CannotIntervene` where these items do not allow it."""


@runtime_checkable
class Rearranging(Protocol):
    """An intervention that only hands one field's texts to other items.

    A reader whose score is a sum over fields need not read such items again: it adds
    up what it knows in another order.
    """

    field: str

    def order(
        self, items: Items, rng: np.random.Generator
    ) -> "np.ndarray[tuple[int], np.dtype[np.int64]]":
        """For each item, the position of the item whose `field` it receives."""


@runtime_checkable
class Rewording(Protocol):
    """An intervention that says one field in other words, and knows several ways."""

    field: str

    def propose(self, items: Items, rng: np.random.Generator) -> list[list[str]]:
        """For each item, other wordings of `field`, the best first; none may be."""


@runtime_checkable
class ModelRewording(Protocol):
    """A rewording that a model writes: what it wrote is worth keeping as it came."""

    def prompts(self, items: Items) -> list[str]:
        """What the model is given, one an item."""

    def generate(self, prompts: Sequence[str]) -> list[str]:
        """What the model writes to each prompt."""

    def parse(self, replies: Sequence[str], items: Items) -> list[list[str]]:
        """The different wordings in what was written, for each item."""


def check_rows(change: object, before: Items, after: Items) -> None:
    """Raise where an intervention left other items, or other labels."""
    name = type(change).__name__
    if not isinstance(after, Items):
        raise BadInput(f"{name} gave a {type(after).__name__}; return Items")
    if not after.ids.equals(before.ids):
        raise BadInput(f"{name} changed the ids or their order; keep both")
    if not after.labels.equals(before.labels):
        raise BadInput(f"{name} changed the labels; change only what is read")


@dataclass(frozen=True)
class AsIs:
    """No change: the condition every other one is compared with."""

    kind: ClassVar[str] = "as-is"

    def __call__(self, items: Items, rng: np.random.Generator) -> Items:
        """The items themselves."""
        return items

    def __str__(self) -> str:
        """The name in reports."""
        return "full"


class Selection(Protocol):
    """A recipe: a frozen dataclass of settings whose `str` is its name."""

    def __call__(self, items: Items, rng: np.random.Generator) -> Items:
        """Some of the items, in their order, unchanged."""
