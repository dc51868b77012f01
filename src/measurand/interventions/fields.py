"""Interventions that take whole fields away."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from measurand.core.errors import CannotIntervene
from measurand.core.items import Items


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
class DropField:
    """Every field but one; the metadata go too, since they may tell of it."""

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
